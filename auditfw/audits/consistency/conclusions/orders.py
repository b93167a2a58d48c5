"""Whether a judge prefers the answer that came first, and how well it agrees in each order of presentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from auditfw.audits.consistency.name_check import check_named
from auditfw.audits.consistency.rules import AUDITED, Pattern
from auditfw.audits.consistency.table import CELL, ITEM, ORDER, PATTERN, CellKey, JudgementTable, PlacedRow
from auditfw.core.document import some
from auditfw.core.records import Estimate
from auditfw.formulas.agreement import Interval, Judged, Pair, Ratings
from auditfw.formulas.agreement.items import Clusters, Preferences, exchange_p, preferences, together
from auditfw.formulas.multiple import holm

from .presentation import Order, Sides

# The rows of a run by item and order of presentation, of the whole and of each cell.

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


BOTH, ALIKE = "both orders", "alike in both orders"


@dataclass(frozen=True)
class Shown:
    """How well a judge agrees with the reference on some rows: those of one order, or all; after what was done."""

    name: str
    judged: Judged
    percent: Estimate
    kappa: Estimate


@dataclass(frozen=True)
class Exchange:
    """Agreement before and after a judge's two labels are exchanged on the rows of one order, or of both.

    `p` is that of exact sign flips over items, adjusted by Holm over what was tried.
    """

    where: str
    place: str  # the same in words
    labels: tuple[str, str]
    before: float
    after: float
    p: float

    def raises(self, alpha: float) -> bool:
        """Whether agreement rises beyond chance."""
        return self.after > self.before and self.p <= alpha


@dataclass(frozen=True)
class JudgeOrder:
    """What the order of presentation does to one judge.

    `whole` is its agreement as it is, `orders` that in each order, `undone` that on the items which it labels alike in
    both; `alike` of `judged_twice` items are. None where it cannot be had.
    """

    judge: str
    preferences: Preferences
    whole: Shown | None = None
    orders: Sequence[Shown] = ()
    undone: Shown | None = None
    exchanges: Sequence[Exchange] = ()
    alike: int = 0
    judged_twice: int = 0


@dataclass(frozen=True)
class OrderFindings:
    """What the order of presentation does to every judge, and what the setting came to."""

    order: Order
    sides: Mapping[str, str]
    judges: Sequence[JudgeOrder] = ()
    without: int = 0  # rows for which it is not known which answer came first


@dataclass(frozen=True)
class Presentations:
    """How rows are read: which rater's label, in which order, prefers the answer that came first."""

    order: Order
    raters: tuple[str, ...]
    labels: tuple[str, ...]
    abstain: tuple[str, ...]
    sides: Sides

    @property
    def judges(self) -> list[str]:
        """The judges: every rater, or the one that two raters are."""
        return [" / ".join(self.order.raters)] if self.order.raters else list(self.raters)

    def labels_of(self, judge: str, row: PlacedRow) -> list[tuple[str, str]]:
        """The order and label of each of a judge's labels in a row."""
        names = {rater: rater for rater in self.order.raters} or {row.order or "": judge}
        pairs = [(order, row.pattern.labels[self.raters.index(rater)]) for order, rater in names.items()]
        return [(order, label) for order, label in pairs if order in self.sides.first and label is not None]

    def preferences(self, judge: str, rows: Iterable[PlacedRow]) -> Preferences:
        """How often a judge prefers the first answer, by items."""
        items: dict[str, list[int]] = {}
        alone: list[tuple[int, int]] = []
        for row in rows:
            if not row.pattern.sound:
                continue
            first, two = self.sides.first, self.sides.labels
            decided = [label == first[order] for order, label in self.labels_of(judge, row) if label in two]
            counts = (sum(decided), len(decided) - sum(decided))
            if row.item is None:
                alone += [counts] * row.n
            else:
                held = items.setdefault(row.item, [0, 0])
                held[0] += row.n * counts[0]
                held[1] += row.n * counts[1]
        return preferences([*alone, *((first, second) for first, second in items.values())])


def presented(
    order: Order, placed: Placed, raters: tuple[str, ...], labels: Sequence[str], abstain: Sequence[str]
) -> Presentations:
    """How the rows of a run are read. Raises AuditError for a setting that does not fit them."""
    check_named(order.raters, raters, "audit.order")
    return Presentations(order, raters, tuple(labels), tuple(abstain), order.sides(placed.orders(), labels, abstain))


def order_findings(shown: Presentations, placed: Placed, reference: str, seed: int) -> OrderFindings:
    """What the order of presentation does to every judge; agreement with a reference that is a rater, and no judge."""
    rows = list(placed.rows(None))
    known = [row for row in rows if shown.order.raters or row.order in shown.sides.first]
    judges = []
    for judge in shown.judges:
        bare = JudgeOrder(judge, shown.preferences(judge, known))
        apart = judge != reference and reference in shown.raters and reference not in shown.order.raters
        judges.append(_Agreement(shown, judge, reference, seed).of(bare, known) if apart else bare)
    return OrderFindings(shown.order, shown.sides.first, judges, _size(rows) - _size(known))


@dataclass(frozen=True)
class _Agreement:
    """The agreement of one judge with the reference, in each order and when labels are exchanged."""

    shown: Presentations
    judge: str
    reference: str
    seed: int

    def of(self, bare: JudgeOrder, rows: Sequence[PlacedRow]) -> JudgeOrder:
        """The same findings, with agreement."""
        audited = [row for row in rows if row.pattern.status == AUDITED]
        every = tuple(self.shown.sides.first)
        parts = {order: self._ratings(audited, (order,)) for order in every}
        there = [order for order in every if parts[order].n]
        undone, alike, twice = self._undone(audited)
        return replace(
            bare,
            whole=self._measured(BOTH, self._ratings(audited, every)),
            orders=[self._measured(order, parts[order]) for order in there],
            undone=undone,
            exchanges=self._exchanges(audited, there),
            alike=alike,
            judged_twice=twice,
        )

    def _pair(self, rows: Iterable[PlacedRow], orders: Sequence[str], swapped: Sequence[str] = ()) -> Pair:
        """The judge's labels in some orders against those of the reference; in those `swapped` two are exchanged."""
        return self._ratings(rows, orders, swapped).pair(self.judge, self.reference)

    def _ratings(self, rows: Iterable[PlacedRow], orders: Sequence[str], swapped: Sequence[str] = ()) -> Ratings:
        labels, place = self.shown.labels, self.shown.raters.index(self.reference)
        code = {label: i for i, label in enumerate(labels)}
        one, other = (code[label] for label in self.shown.sides.labels)
        swap = {one: other, other: one}

        def keys(row: PlacedRow) -> list[tuple[int, ...]]:
            against = code.get(row.pattern.labels[place] or "")
            labels_of = [
                (order, code.get(label)) for order, label in self.shown.labels_of(self.judge, row) if order in orders
            ]
            return [
                (swap.get(own, own) if order in swapped else own, against)
                for order, own in labels_of
                if own is not None and against is not None
            ]

        counted, clusters = held(rows, keys)
        return Ratings.of(labels, (self.judge, self.reference), counted, None, clusters)

    def _measured(self, name: str, ratings: Ratings) -> Shown:
        from auditfw.formulas.agreement import coefficients, estimates

        how = Interval()
        cell = () if name == BOTH and not self.shown.order.raters else ("order", name)
        judged = Judged(ratings, self.judge, self.reference, abstain=self.shown.abstain, cell=cell, seed=self.seed)
        pair = ratings.pair(self.judge, self.reference)
        kappa = estimates.of_pair(pair, coefficients.cohen, judged.sampling(how))
        return Shown(name, judged, estimates.percent_of(pair, how), kappa)

    def _undone(self, rows: Sequence[PlacedRow]) -> tuple[Shown | None, int, int]:
        """Agreement on what the judge labels alike in both orders; how many rows that is, and of how many."""
        if not self.shown.order.raters:
            return None, 0, 0
        pairs = [(row, self.shown.labels_of(self.judge, row)) for row in rows]
        both = [(row, labels_of) for row, labels_of in pairs if len(labels_of) == len(self.shown.sides.first)]
        alike = [row for row, labels_of in both if len({label for _, label in labels_of}) == 1]
        ratings = self._ratings(alike, tuple(self.shown.sides.first)[:1])
        return (self._measured(ALIKE, ratings) if ratings.n else None), _size(alike), _size(row for row, _ in both)

    def _exchanges(self, rows: Sequence[PlacedRow], orders: Sequence[str]) -> list[Exchange]:
        """What exchanging the two labels does: on the rows of each order, and of both."""
        one, other = self.shown.sides.labels
        by_column = not self.shown.order.raters
        tried: list[tuple[str, float, float, float]] = []
        before = self._pair(rows, orders)
        for name in (*orders, BOTH) if len(orders) > 1 else orders:
            chosen = orders if name == BOTH else (name,)
            after = self._pair(rows, orders, chosen)
            there = self._pair(rows, chosen)
            p = exchange_p(there.table, there.clusters, there.labels.index(one), there.labels.index(other))
            tried.append((name, before.agreed / before.n, after.agreed / after.n, p))
        adjusted = holm([p for *_, p in tried])
        return [
            Exchange(
                name, f"where first is {name}" if by_column and name != BOTH else f"in {name}", (one, other), b, a, p
            )
            for (name, b, a, _), p in zip(tried, adjusted, strict=True)
        ]


def _size(rows: Iterable[PlacedRow]) -> int:
    return sum(row.n for row in rows)
