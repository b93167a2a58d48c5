"""The rows of a run by item and order of presentation, of the whole and of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from auditfw.audits.consistency.counts import CellKey, ConsistencyCounts
from auditfw.audits.consistency.rules import Pattern
from auditfw.core.document import some
from auditfw.formulas.agreement.items import Clusters, together

K = TypeVar("K", bound=Hashable)


class PlacedRow(NamedTuple):
    """So many rows of one pattern, of one item, with one answer first; null where that is not known."""

    item: str | None
    order: str | None
    pattern: Pattern
    n: int


@dataclass(frozen=True)
class Placed:
    """The rows by cell; `itemised` says that their items are known. Without items each row is an item of its own."""

    by_cell: Mapping[CellKey, Sequence[PlacedRow]] = field(default_factory=dict)
    itemised: bool = False

    @classmethod
    def of(cls, whole: ConsistencyCounts, itemised: bool) -> Placed:
        """The rows that a run counted, in an order that does not depend on that of its batches."""
        by_cell: dict[CellKey, list[PlacedRow]] = {}
        if whole.placed:
            for (cell, item, order, pattern), n in whole.placed.items():
                by_cell.setdefault(cell, []).append(PlacedRow(item, order, pattern, n))
        else:
            for cell, counted in whole.cells.items():
                by_cell[cell] = [PlacedRow(None, None, pattern, n) for pattern, n in counted.items()]
        return cls(by_cell, itemised and bool(whole.placed))

    @property
    def text(self) -> str:
        """What intervals take for an item, in a sentence."""
        if not self.itemised:
            return "No column 'item' names the question behind a trial: each trial counts as an item of its own."
        trials, items = sum(row.n for row in self.rows(None)), len({row.item for row in self.rows(None)})
        return f"{some(trials, 'trial')} of {some(items, 'item')}: intervals are resampled by item, not by trial."

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
