"""The rates of cells by one count a trial: what claims are read against in tests, and what faster code is held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from auditfw.audits.read_claims import GroupedRates
from auditfw.core.records import Cell, Value, named_cells, sorted_cells
from auditfw.formulas.clusters import item_sums_by_cell
from auditfw.formulas.two_rates import pair_sums


class LabelledTrial(NamedTuple):
    """A trial: its cell, its item, and by reading whether its label is wrong, None where there is none."""

    cell: Cell
    item: str
    wrong: Mapping[str, bool | None]


@dataclass(frozen=True)
class PlainRates:
    """Trials under readings, the reference first; every metric is the share of wrong labels."""

    by: Sequence[str]
    rows: Sequence[LabelledTrial]
    reference: str = "stored"

    @property
    def cells(self) -> list[Cell]:
        return sorted_cells({row.cell for row in self.rows})

    @property
    def named(self) -> list[Mapping[str, Value]]:
        return [dict(one) for one in named_cells(self.cells, self.by)]

    def trials(self) -> list[int]:
        return [sum(row.cell == cell for row in self.rows) for cell in self.cells]

    def changed(self, reading: str, cells: Sequence[int]) -> int | None:
        if reading == self.reference:
            return None
        chosen = {self.cells[cell] for cell in cells}
        pairs = [(row.wrong[reading], row.wrong[self.reference]) for row in self.rows if row.cell in chosen]
        return sum(None not in pair and pair[0] != pair[1] for pair in pairs)

    def grouped(
        self, reading: str, metric: str, groups: Sequence[int], number: int, among: str | None = None
    ) -> GroupedRates | None:
        group_of = dict(zip(self.cells, groups, strict=True))
        sums: dict[tuple[int, str], list[int]] = {}
        left_out = 0
        for row in self.rows:
            wrong = row.wrong[reading]
            if wrong is not None and among is not None and row.wrong[among] is None:
                left_out += 1
            elif wrong is not None and group_of[row.cell] >= 0:
                pair = sums.setdefault((group_of[row.cell], row.item), [0, 0])
                pair[0] += 1
                pair[1] += wrong
        if among is not None and not left_out:
            return None
        items = {item: i for i, item in enumerate(sorted({item for _, item in sums}))}
        columns: list[Any] = [[group for group, _ in sums], [items[item] for _, item in sums]]
        columns += [[pair[i] for pair in sums.values()] for i in (0, 1)]
        cells, item_of, trials, successes = columns
        return GroupedRates(
            item_sums_by_cell(cells, number, trials, successes), pair_sums(cells, number, item_of, trials, successes)
        )


def labelled(counts: Mapping[Cell, Mapping[str, tuple[int, int]]], items: int = 0) -> list[LabelledTrial]:
    """Trials by cell: by reading how many are labelled and how many of those are wrong, each the first ones.

    With `items` the trials of each cell go through so many items in turn; else each is its own.
    """
    rows = []
    for cell, by_reading in counts.items():
        for i in range(max(n for n, _ in by_reading.values())):
            wrong = {reading: i < k if i < n else None for reading, (n, k) in by_reading.items()}
            rows.append(LabelledTrial(cell, str(i % items) if items else f"{cell}{i}", wrong))
    return rows
