"""Whether a judge prefers the answer that came first, and how well it agrees in each order of presentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import Estimate
from auditfw.formulas.agreement import Interval, Pair, RandomStream, Ratings, Sampling
from auditfw.formulas.agreement.preferences import Preferences, exchange_p, preferences
from auditfw.formulas.multiple import holm

from auditfw.audits.consistency.rules import AUDITED
from auditfw.audits.consistency.samples import SampleSettings
from .placed import Placed, PlacedRow, held
from .presentation import Order

BOTH, ALIKE = "both orders", "alike in both orders"


@dataclass(frozen=True)
class Shown:
    """How well a judge agrees with the reference on some rows: those of one order, or all; after what was done."""

    name: str
    percent: Estimate
    kappa: Estimate


@dataclass(frozen=True)
class Exchange:
    """Agreement before and after a judge's two labels are exchanged on the rows of one order, or of both.

    `p` is that of exact sign flips over items, adjusted by Holm over what was tried.
    """

    where: str
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
    sides: Mapping[str, str] = field(default_factory=dict)

    @property
    def judges(self) -> list[str]:
        """The judges: every rater, or the one that two raters are."""
        return [" and ".join(self.order.raters)] if self.order.raters else list(self.raters)

    def given(self, judge: str, row: PlacedRow) -> list[tuple[str, str]]:
        """The order and label of each of a judge's labels in a row."""
        if not self.order.raters:
            pairs = [(row.order, row.pattern.labels[self.raters.index(judge)])]
        else:
            pairs = [(rater, row.pattern.labels[self.raters.index(rater)]) for rater in self.order.raters]
        return [(order, label) for order, label in pairs if order in self.sides and label is not None]

    def preferences(self, judge: str, rows: Iterable[PlacedRow]) -> Preferences:
        """How often a judge prefers the first answer, by items."""
        two, items = tuple(self.sides.values()), dict[str, list[int]]()
        alone: list[tuple[int, int]] = []
        for row in rows:
            if not row.pattern.sound:
                continue
            decided = [label == self.sides[order] for order, label in self.given(judge, row) if label in two]
            counts = (sum(decided), len(decided) - sum(decided))
            if row.item is None:
                alone += [counts] * row.n
            else:
                held = items.setdefault(row.item, [0, 0])
                held[0] += row.n * counts[0]
                held[1] += row.n * counts[1]
        return preferences([*alone, *((first, second) for first, second in items.values())])


def presented(order: Order, placed: Placed, settings: SampleSettings) -> Presentations:
    """How the rows of a run are read. Raises AuditError for a setting that does not fit them."""
    raters = settings.raters
    for rater in order.raters:
        if rater not in raters:
            known = f"raters: {', '.join(raters)}"
            raise UsageError("audit.order", f"no rater '{rater}'", known, nearest(rater, raters))
    return Presentations(order, raters, settings.labels, order.sides(placed.orders(), settings.labels, settings.abstain))


def order_findings(shown: Presentations, placed: Placed, reference: str, seed: int) -> OrderFindings:
    """What the order of presentation does to every judge; agreement with a reference that is a rater, and no judge."""
    rows = list(placed.rows(None))
    known = [row for row in rows if shown.order.raters or row.order in shown.sides]
    judges = []
    for judge in shown.judges:
        found = JudgeOrder(judge, shown.preferences(judge, known))
        apart = judge != reference and reference in shown.raters and reference not in shown.order.raters
        judges.append(_Agreement(shown, judge, reference, seed).of(found, known) if apart else found)
    return OrderFindings(shown.order, shown.sides, judges, _size(rows) - _size(known))


@dataclass(frozen=True)
class _Agreement:
    """The agreement of one judge with the reference, in each order and when labels are exchanged."""

    shown: Presentations
    judge: str
    reference: str
    seed: int

    def of(self, found: JudgeOrder, rows: Sequence[PlacedRow]) -> JudgeOrder:
        """The same findings, with agreement."""
        audited = [row for row in rows if row.pattern.status == AUDITED]
        every = tuple(self.shown.sides)
        parts = {order: self._pair(audited, (order,)) for order in every}
        there = [order for order in every if parts[order].n]
        undone, alike, twice = self._undone(audited)
        return replace(
            found,
            whole=self._measured(BOTH, self._pair(audited, every)),
            orders=[self._measured(order, parts[order]) for order in there],
            undone=undone,
            exchanges=self._exchanges(audited, there),
            alike=alike,
            judged_twice=twice,
        )

    def _pair(self, rows: Iterable[PlacedRow], orders: Sequence[str], swapped: Sequence[str] = ()) -> Pair:
        """The judge's labels in some orders beside those of the reference; in those `swapped` two are exchanged."""
        labels, place = self.shown.labels, self.shown.raters.index(self.reference)
        code = {label: i for i, label in enumerate(labels)}
        one, other = (code[label] for label in self.shown.sides.values())
        swap = {one: other, other: one}

        def keys(row: PlacedRow) -> list[tuple[int, int]]:
            against = code.get(row.pattern.labels[place] or "")
            given = [(order, code.get(label)) for order, label in self.shown.given(self.judge, row) if order in orders]
            return [
                (swap.get(own, own) if order in swapped else own, against)
                for order, own in given
                if own is not None and against is not None
            ]

        counted, clusters = held(rows, keys)
        return Ratings.of(labels, ("judge", "reference"), counted, None, clusters).pair("judge", "reference")

    def _measured(self, name: str, pair: Pair) -> Shown:
        from auditfw.formulas.agreement import coefficients, estimates

        how = Interval()
        sampling = Sampling(how, RandomStream(self.seed, ("consistency", "order", self.judge, name)))
        return Shown(name, estimates.percent_of(pair, how), estimates.of_pair(pair, coefficients.cohen, sampling))

    def _undone(self, rows: Sequence[PlacedRow]) -> tuple[Shown | None, int, int]:
        """Agreement on what the judge labels alike in both orders; how many rows that is, and of how many."""
        if not self.shown.order.raters:
            return None, 0, 0
        both = [(row, given) for row in rows if len(given := self.shown.given(self.judge, row)) == len(self.shown.sides)]
        alike = [row for row, given in both if len({label for _, label in given}) == 1]
        pair = self._pair(alike, tuple(self.shown.sides)[:1])
        return (self._measured(ALIKE, pair) if pair.n else None), _size(alike), _size(row for row, _ in both)

    def _exchanges(self, rows: Sequence[PlacedRow], orders: Sequence[str]) -> list[Exchange]:
        """What exchanging the two labels does: on the rows of each order, and of both."""
        one, other = self.shown.sides.values()
        tried: list[tuple[str, float, float, float]] = []
        before = self._pair(rows, orders)
        for name in (*orders, BOTH) if len(orders) > 1 else orders:
            chosen = orders if name == BOTH else (name,)
            after = self._pair(rows, orders, chosen)
            p = exchange_p(self._pair(rows, chosen), one, other)
            tried.append((name, before.agreed / before.n, after.agreed / after.n, p))
        adjusted = holm([p for *_, p in tried])
        return [Exchange(name, (one, other), b, a, p) for (name, b, a, _), p in zip(tried, adjusted, strict=True)]


def _size(rows: Iterable[PlacedRow]) -> int:
    return sum(row.n for row in rows)
