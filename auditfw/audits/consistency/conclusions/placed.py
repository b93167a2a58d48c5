"""The rows of a run by item and order of presentation, of the whole and of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from auditfw.audits.consistency.rules import Pattern
from auditfw.audits.consistency.table import CELL, ITEM, ORDER, PATTERN, CellKey, JudgementTable, PlacedRow
from auditfw.core.document import some
from auditfw.formulas.agreement.items import Clusters, together

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Placed:
    """The rows by cell, and their patterns; `items` is how many items they are of, 0 where each row is its own."""

    by_cell: Mapping[CellKey, Sequence[PlacedRow]] = field(default_factory=dict)
    patterns: Mapping[CellKey, Mapping[Pattern, int]] = field(default_factory=dict)
    items: int = 0

    @classmethod
    def of(cls, table: JudgementTable, itemised: bool) -> Placed:
        """The rows of a run."""
        by_cell: dict[CellKey, list[PlacedRow]] = {}
        for cell, row in table.rows(CELL, ITEM, ORDER, PATTERN):
            by_cell.setdefault(cell, []).append(row)
        patterns: dict[CellKey, dict[Pattern, int]] = {cell: {} for cell in by_cell}
        for cell, row in table.rows(CELL, PATTERN):
            patterns[cell][row.pattern] = row.n
        return cls(by_cell, patterns, table.items if itemised else 0)

    @property
    def itemised(self) -> bool:
        """Whether it is known of which items the rows are."""
        return self.items > 0

    @property
    def every_pattern(self) -> Counter[Pattern]:
        """How many rows have which pattern."""
        patterns: Counter[Pattern] = Counter()
        for counted in self.patterns.values():
            patterns.update(counted)
        return patterns

    @property
    def text(self) -> str:
        """What intervals take for an item, in a sentence."""
        if not self.itemised:
            return "No column 'item' names the question behind a trial: each trial counts as an item of its own."
        trials = self.every_pattern.total()
        return f"{some(trials, 'trial')} of {some(self.items, 'item')}: intervals are resampled by item, not by trial."

    def rows(self, cell: CellKey | None) -> Sequence[PlacedRow]:
        """The rows of a cell, of all cells for None."""
        if cell is not None:
            return self.by_cell.get(cell, ())
        return [row for rows in self.by_cell.values() for row in rows]

    def orders(self) -> list[str]:
        """The values that say which answer came first, sorted."""
        return sorted({row.order for rows in self.by_cell.values() for row in rows if row.order is not None})


def held(rows: Iterable[PlacedRow], keys: Callable[[PlacedRow], Sequence[K]]) -> tuple[Counter[K], Clusters[K]]:
    """How often there is each key that rows have, and what each item holds; () where no item holds two keys.

    A row that names no item is an item of its own.
    """
    counted: Counter[K] = Counter()
    items: dict[str, Counter[K]] = {}
    alone: Counter[tuple[tuple[K, int], ...]] = Counter()
    for row in rows:
        own = Counter(keys(row))
        counted.update({key: n * row.n for key, n in own.items()})
        if row.item is None:
            alone[tuple(sorted(own.items()))] += row.n
        else:
            items.setdefault(row.item, Counter()).update({key: n * row.n for key, n in own.items()})
    pairs: list[Clusters[K]] = [tuple(alone.items()), tuple((tuple(sorted(i.items())), 1) for i in items.values())]
    return counted, together(pairs)
