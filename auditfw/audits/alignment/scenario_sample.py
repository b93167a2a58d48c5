"""A seeded draw of scenarios, kept whole: what is too expensive to compute on all of them is computed on these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditfw.core.records import Value
from auditfw.formulas.outcome_columns import OutcomeColumn
from auditfw.kinds.simulation import Columns

from .actual import BASELINE, NOT_MEANT
from .cell_counts import Cell
from .intended import Floats
from .key_scores import KeyScores
from .scoring import OutcomeBlock
from .seeds import ranks


@dataclass
class Drawn:
    """The scenarios drawn, by number: what was meant, came and scored, key by key, with their parameters.

    `cells` are empty tuples without `by`; `items` is empty where the scenarios have no such column.
    """

    numbers: Any
    labels: list[str | None]
    params: list[dict[str, Any]]
    keys: list[KeyScores]
    overall: Floats
    cells: list[Cell] = field(default_factory=list)
    items: list[Value] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.labels)


@dataclass
class SampledScenarios:
    """Some scenarios of one block: the rank of each, and the rest as in `Drawn`."""

    ranks: Any
    numbers: Any
    labels: list[str | None]
    params: Sequence[Mapping[str, Any]]
    keys: dict[str, KeyScores]
    overall: Floats
    cells: list[Cell]
    items: list[Value]

    @classmethod
    def of(cls, block: OutcomeBlock, rows: Any, ranks: Any) -> SampledScenarios:
        """These rows of a block, with the rank of each."""
        return cls(
            ranks,
            (block.start + rows).astype(np.uint64),
            [block.labels[i] for i in rows.tolist()],
            _rows(block.params, rows),
            {one.key: one.taken(rows) for one in block.keys},
            block.overall[rows],
            [tuple(column[i] for column in block.by.values()) for i in rows.tolist()],
            [block.items[i] for i in rows.tolist()] if block.items else [],
        )

    def taken(self, rows: Any) -> SampledScenarios:
        """Only these rows."""
        return SampledScenarios(
            self.ranks[rows],
            self.numbers[rows],
            [self.labels[i] for i in rows.tolist()],
            _rows(self.params, rows),
            {key: one.taken(rows) for key, one in self.keys.items()},
            self.overall[rows],
            [self.cells[i] for i in rows.tolist()],
            [self.items[i] for i in rows.tolist()] if self.items else [],
        )


@dataclass
class Draw:
    """Collects the scenarios with the smallest ranks, at most `most`, whatever the order they come in."""

    seed: int
    most: int
    seen: int = 0
    _parts: list[SampledScenarios] = field(default_factory=list)
    _beyond: int = 2**64

    def add(self, block: OutcomeBlock) -> None:
        """Looks at the scenarios of a block."""
        if not self.most:
            return
        counted = block.scenario != BASELINE
        self.seen += int(counted.sum())
        numbers = np.arange(block.start, block.start + block.size, dtype=np.uint64)
        drawn = ranks(self.seed, numbers, "draw")
        rows = np.flatnonzero(counted & (drawn < self._beyond if self._beyond < 2**64 else True))
        if rows.size:
            self._parts.append(SampledScenarios.of(block, rows, drawn[rows]))
        if sum(len(part.labels) for part in self._parts) > 4 * self.most:
            self._trim()

    def _trim(self) -> None:
        if not self._parts:
            return
        every = np.concatenate([part.ranks for part in self._parts])
        if every.size <= self.most:
            return
        last = int(np.partition(every, self.most - 1)[self.most - 1])
        self._beyond = last + 1
        self._parts = [part.taken(np.flatnonzero(part.ranks <= last)) for part in self._parts]
        self._parts = [part for part in self._parts if part.labels]

    def drawn(self) -> Drawn:
        """The scenarios drawn, in the order of their numbers."""
        self._trim()
        return combined_parts(self._parts)


def combined_parts(parts: Sequence[SampledScenarios]) -> Drawn:
    """The scenarios of several parts, one part after the other."""
    keys = list(dict.fromkeys(key for part in parts for key in part.keys))
    sizes = [len(part.labels) for part in parts]
    return Drawn(
        np.concatenate([part.numbers for part in parts]) if parts else np.zeros(0, np.uint64),
        [label for part in parts for label in part.labels],
        [dict(row) for part in parts for row in part.params],
        [_joined(key, [part.keys.get(key) for part in parts], sizes) for key in keys],
        np.concatenate([part.overall for part in parts]) if parts else np.zeros(0),
        [cell for part in parts for cell in part.cells],
        [item for part in parts for item in part.items],
    )


def _rows(params: Sequence[Mapping[str, Any]], rows: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(params, Columns):
        return Columns({name: np.asarray(column)[rows] for name, column in params.columns.items()}, rows.size)
    return [params[i] for i in rows.tolist()]


def _joined(key: str, parts: Sequence[KeyScores | None], sizes: Sequence[int]) -> KeyScores:
    """The columns of a key over parts of which some may lack it."""

    def column(pick: Any, fill: float, dtype: Any = np.float64) -> Any:
        return np.concatenate(
            [np.full(n, fill, dtype) if one is None else pick(one) for one, n in zip(parts, sizes, strict=True)]
        )

    known = next(one for one in parts if one is not None)
    numbers_only = all(one is None or one.compared.low is one.compared.high for one in parts)
    low = column(lambda one: one.compared.low, np.nan)
    # one array for both ends says that all are plain numbers: the formulas look whether they are the same object
    high = low if numbers_only else column(lambda one: one.compared.high, np.nan)
    changes = [None if one is None else one.compared.change for one in parts]
    change = None
    if any(one is not None for one in changes):
        filled = [np.zeros(n, np.int8) if one is None else one for one, n in zip(changes, sizes, strict=True)]
        change = np.concatenate(filled)
    actual = column(lambda one: one.compared.actual, np.nan)
    compared = OutcomeColumn(low, high, actual, known.compared.floor, known.compared.base, change)
    weight = None
    if any(one is not None and one.weight is not None for one in parts):
        weights = [
            np.ones(n) if one is None or one.weight is None else one.weight for one, n in zip(parts, sizes, strict=True)
        ]
        weight = np.concatenate(weights)
    return KeyScores(
        key,
        compared,
        column(lambda one: one.codes, NOT_MEANT, np.uint8),
        column(lambda one: one.direction, np.nan),
        column(lambda one: one.magnitude, np.nan),
        column(lambda one: one.combined, np.nan),
        weight=weight,
    )
