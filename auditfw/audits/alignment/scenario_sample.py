"""A seeded draw of scenarios, kept whole: what is too expensive to compute on all of them is computed on these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.imports import np
from auditfw.core.records import Value
from auditfw.formulas.outcome_columns import OutcomeColumn
from auditfw.kinds.simulation import Columns

from .actual import NOT_MEANT
from .cell_counts import Cell
from .intended import Floats, KeyScores
from .scoring import OutcomeBlock

ARRAYS, LISTS = ("ranks", "numbers", "overall", "codes"), ("labels", "cells", "items", "why")


@dataclass
class Drawn:
    """Some scenarios, by number, with their ranks in a draw: what was meant, came and scored, key by key; parameters.

    `codes` are their buckets, `why` says of those that failed why. `cells` are empty tuples without `by`; `items` is
    empty where the scenarios have no such column.
    """

    ranks: Any = field(default_factory=lambda: np.zeros(0))
    numbers: Any = field(default_factory=lambda: np.zeros(0, np.uint64))
    overall: Floats = field(default_factory=lambda: np.zeros(0))
    codes: Any = field(default_factory=lambda: np.zeros(0, np.uint8))
    labels: list[str | None] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    items: list[Value] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    params: Sequence[Mapping[str, Any]] = ()
    keys: Sequence[KeyScores] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, block: OutcomeBlock, rows: Any, ranks: Any) -> Drawn:
        """These rows of a block."""
        at = rows.tolist()
        return cls(
            ranks,
            (block.start + rows).astype(np.uint64),
            block.overall[rows],
            block.scenario[rows],
            [block.labels[i] for i in at],
            [tuple(column[i] for column in block.by.values()) for i in at],
            [block.items[i] for i in at] if block.items else [],
            [block.why.get(i, "") for i in at],
            _rows(block.params, rows),
            [one.taken(rows) for one in block.keys],
        )

    def taken(self, rows: Any) -> Drawn:
        """Only these rows."""
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in ARRAYS}
        columns |= {name: [column[i] for i in rows.tolist()] for name in LISTS if (column := getattr(self, name))}
        return Drawn(**columns, params=_rows(self.params, rows), keys=[one.taken(rows) for one in self.keys])

    @classmethod
    def joined(cls, parts: Sequence[Drawn]) -> Drawn:
        """The scenarios of several parts, one part after the other."""
        if not parts:
            return cls()
        columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
        columns |= {name: [value for part in parts for value in getattr(part, name)] for name in LISTS}
        by_key = [{one.key: one for one in part.keys} for part in parts]
        names, sizes = dict.fromkeys(key for own in by_key for key in own), list(map(len, parts))
        keys = [_joined(key, [own.get(key) for own in by_key], sizes) for key in names]
        return cls(**columns, params=[dict(row) for part in parts for row in part.params], keys=keys)


@dataclass
class ScenarioDraw:
    """The scenarios of least rank in block after block, at most `most`; of equal ranks the first."""

    most: int
    _parts: list[Drawn] = field(default_factory=list)
    _bar: Any = None  # only lower ranks can be drawn

    def add(self, block: OutcomeBlock, rows: Any, ranks: Any) -> None:
        """Looks at some rows of a block, which have these ranks."""
        if self._bar is not None:
            rows, ranks = rows[ranks < self._bar], ranks[ranks < self._bar]
        if not self.most or not rows.size:
            return
        least = self._least(ranks)
        self._parts.append(Drawn.of(block, rows[least], ranks[least]))
        if sum(map(len, self._parts)) > 4 * self.most:
            self._parts = [self.drawn()]

    def _least(self, ranks: Any) -> Any:
        """The places of the least ranks, in their order of now."""
        order = np.argsort(ranks, kind="stable")[: self.most]
        if order.size == self.most:
            self._bar = ranks[order[-1]]
        return np.sort(order)

    def drawn(self) -> Drawn:
        """The scenarios drawn, in the order of their numbers."""
        every = Drawn.joined(self._parts)
        return every if len(every) <= self.most else every.taken(self._least(every.ranks))


def _rows(params: Sequence[Mapping[str, Any]], rows: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(params, Columns):
        return Columns({name: np.asarray(column)[rows] for name, column in params.columns.items()}, rows.size)
    return [params[i] for i in rows.tolist()]


def _joined(key: str, parts: Sequence[KeyScores | None], sizes: Sequence[int]) -> KeyScores:
    """The columns of a key over parts of which some may lack it."""

    def column(pick: Any, fill: float = np.nan, dtype: Any = np.float64) -> Any:
        """A column of all parts, None where no part has it."""
        columns = [None if one is None else pick(one) for one in parts]
        if all(one is None for one in columns):
            return None
        filled = [np.full(n, fill, dtype) if one is None else one for one, n in zip(columns, sizes, strict=True)]
        return np.concatenate(filled)

    known = next(one for one in parts if one is not None)
    low = column(lambda one: one.compared.low)
    # one array for both ends says that all are plain numbers: the formulas look whether they are the same object
    numbers_only = all(one is None or one.compared.low is one.compared.high for one in parts)
    high = low if numbers_only else column(lambda one: one.compared.high)
    actual, change = column(lambda one: one.compared.actual), column(lambda one: one.compared.change, 0, np.int8)
    return KeyScores(
        key,
        OutcomeColumn(low, high, actual, known.compared.floor, known.compared.base, change),
        column(lambda one: one.codes, NOT_MEANT, np.uint8),
        column(lambda one: one.direction),
        column(lambda one: one.magnitude),
        column(lambda one: one.combined),
        should=column(lambda one: one.should, 0.0, np.bool_),
        weight=column(lambda one: one.weight, 1.0),
        bounded=column(lambda one: one.bounded, 0.0, np.bool_),
    )
