"""The numbers that an answer is about: every bound of a run's gates on agreement, else one on kappa, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from math import inf, isfinite
from typing import Any, NamedTuple

from auditfw.audits.answers import RULES, RuleKind, with_interval
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.digits import fixed, interval_digits
from auditfw.core.records import AnswerRule, Estimate
from auditfw.formulas.agreement import Interval, Judged
from auditfw.formulas.agreement.items import items_of, sums_of
from auditfw.formulas.agreement.settings import FEWEST_TO_TELL
from auditfw.formulas.clusters import rate_of
from auditfw.formulas.rows.exact import tails
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Sample
from auditfw.kinds.metric_styles import weights_of
from auditfw.kinds.registry import name_of

from .coefficient import KAPPA, WEIGHTED_KAPPA, Coefficient, coefficient_of
from .scale import WEIGHTED

AGREED = "percent_agreement"
MOST_DIGITS = 4
FEWEST_BY_ERROR = 30  # items of a cell: of fewer small tails are several times too frequent
RATES = frozenset(("abstain_rate", "accepted_rate"))
SHARES = RATES | {AGREED}
BY_CHANCE_OF_BOTH = frozenset((KAPPA, "scott_pi", "fleiss_kappa", "krippendorff_alpha"))  # 0 or less of one label
CORRECTED = BY_CHANCE_OF_BOTH | {"gwet_ac1", "brennan_prediger"}
NOMINAL = CORRECTED | {AGREED}
APART = frozenset(("coverage", "joined_differ"))  # metrics that have rules of their own

Measure = Callable[[Any], Estimate | None]


class ByError(NamedTuple):
    """A number held against its bound: so many large-sample errors `beyond`, on the wrong side above 0."""

    estimate: Estimate
    beyond: float
    least: float = 0.0

    @property
    def missed(self) -> float:
        """How likely the number is so far on the wrong side if the bound holds."""
        return self._tail(-1)

    @property
    def met(self) -> float:
        """How likely it is so far on the right side if the bound does not hold."""
        return self._tail(1)

    def _tail(self, sign: int) -> float:
        from statistics import NormalDist

        return NormalDist().cdf(sign * self.beyond)


class Tested(NamedTuple):
    """A number held against what its bound asks of the agreement: of `size` items `agreed` do, `share` would.

    `below` says that a number which is too low misses the bound.
    """

    estimate: Estimate
    agreed: int
    size: int
    share: float
    below: bool

    @property
    def missed(self) -> float:
        """How likely the number is so far on the wrong side if the bound holds: an exact binomial tail."""
        return self._tails(self.agreed)[0]

    @property
    def met(self) -> float:
        """How likely it is so far on the right side if the bound does not hold."""
        return self._tails(self.agreed)[1]

    @property
    def least(self) -> float:
        """The smallest that `missed` could be with so many items."""
        return self._tails(0 if self.below else self.size)[0]

    def _tails(self, agreed: int) -> tuple[float, float]:
        below, above = tails(agreed, self.size, self.share)
        return (below, above) if self.below else (above, below)


@dataclass(frozen=True)
class Bound:
    """What a number must be at least and at most; `metric` measures it, under a name that people read."""

    name: str
    kind: str
    low: float
    high: float
    reading: str | None
    metric: Measure

    @classmethod
    def of(cls, coefficient: Coefficient, low: float) -> Bound:
        """What a coefficient must be at least, whatever the gates."""
        return cls(coefficient.name, coefficient.name, low, inf, None, coefficient)

    def on(self, sample: Sample) -> Estimate | None:
        """The number with its interval, where it has one; None where it is not one of this sample, or never has one."""
        interval: Interval | None = getattr(self.metric, "interval", None)
        drawn = interval is not None and interval.method == "none"
        metric: Measure = with_settings(self.metric, interval=Interval()) if drawn else self.metric
        estimate = metric(sample.data)
        return estimate if interval is not None or estimate is None or estimate.low is not None else None

    def chances(self, sample: Sample) -> Tested | ByError | None:
        """The number, and what is known of its chances; None where it cannot be tested.

        For a coefficient the agreement is held against what the bound asks of it where the raters give each label as
        often as they do; one that weighs how far labels are apart goes by its large-sample error.
        """
        if self.kind == WEIGHTED_KAPPA:
            return self._by_error(sample)
        estimate = with_settings(self.metric, interval=Interval("none"))(sample.data)
        if estimate is None or estimate.value is None or not estimate.counted:
            return None
        share, bound = estimate.value, self.low if isfinite(self.low) else self.high
        if self.kind in CORRECTED:
            pair = sample.data.pair(getattr(self.metric, "abstain", None) or "label")
            if pair is None or (self.kind in BY_CHANCE_OF_BOTH and pair.constant != (None, None)):
                return None
            share = pair.agreed / pair.n
            chance = pair.chance if estimate.value >= 1.0 else (share - estimate.value) / (1 - estimate.value)
            bound = min(1.0, max(0.0, chance + bound * (1 - chance)))
        elif self.kind not in SHARES:
            return None
        size = _separate(sample.data, estimate.counted)
        return Tested(estimate, round(share * size), size, bound, isfinite(self.low))

    def _by_error(self, sample: Sample) -> ByError | None:
        from auditfw.formulas.agreement.intervals import normal

        estimate = with_settings(self.metric, interval=Interval("analytic"))(sample.data)
        if estimate is None or estimate.value is None or estimate.low is None or estimate.value <= estimate.low:
            return None
        if sample.cell and estimate.counted < FEWEST_BY_ERROR:
            return ByError(estimate, 0.0)  # which tells nothing
        error = (estimate.value - estimate.low) / normal(Interval().confidence)
        return ByError(estimate, self.beyond(estimate.value) / error)

    def beyond(self, value: float) -> float:
        """How far a number is from it, on the wrong side above 0."""
        return max(self.low - value, value - self.high)

    def misses(self, low: float, high: float) -> bool:
        """Whether a whole interval is outside."""
        return high < self.low or low > self.high

    def holds(self, low: float, high: float) -> bool:
        """Whether a whole interval is inside."""
        return self.low <= low and high <= self.high

    @property
    def nearest(self) -> float:
        """The one that is written where only one is."""
        return self.low if isfinite(self.low) else self.high

    @property
    def number(self) -> str:
        """Its name with its weights, as a rule names it."""
        return f"{self.name}{self.weights}"

    @property
    def title(self) -> str:
        """Its name at the start of a sentence."""
        return f"{self.name.replace('_', ' ').capitalize()}{self.weights}"

    @property
    def weights(self) -> str:
        """Which weights it has, in brackets, "" where it has none, or is named for them."""
        weights = weights_of(self.metric)
        return f" ({weights} weights)" if weights not in ("", "none") and weights not in self.name else ""

    @property
    def side(self) -> str:
        """On which side a number that misses it is."""
        return "below" if isfinite(self.low) else "above"


def bounds_of(settings: ConsistencySettings) -> list[Bound]:
    """The bounds of the gates; without one on a coefficient of agreement that on kappa, `audit.kappa`."""
    bounds = []
    for gate in settings.gates.values():
        span = capability(gate, "span")
        for name, reading in gate.metrics() if span is not None else ():
            metric = settings.metrics.get(name)
            kind = "" if metric is None else name_of(metric)
            if metric is not None and kind not in APART:
                *_, low, high = span()
                bounds.append(Bound(name, kind, low, high, reading, with_settings(metric, undefined="null")))
    coefficient = coefficient_of(settings)
    if coefficient.many:  # which decide by how far numbers are apart, not by how many are the same
        bounds = [bound for bound in bounds if bound.kind not in NOMINAL]
    elif coefficient.ordered:
        bounds = _weighed(bounds, coefficient)
    asked = WEIGHTED if coefficient.many else NOMINAL | WEIGHTED if coefficient.ordered else NOMINAL
    if not any(bound.kind in asked for bound in bounds):
        bounds.append(Bound.of(coefficient, settings.kappa))
    return bounds


def _weighed(bounds: Sequence[Bound], coefficient: Coefficient) -> list[Bound]:
    """The bounds on labels in order: what is asked of kappa is asked of weighted kappa, but where a gate does so.

    That the gate on kappa fails or passes stays as it is: the answer is of the coefficient that the first screen shows.
    """
    if any(bound.kind in WEIGHTED for bound in bounds):
        return [bound for bound in bounds if bound.kind != KAPPA]
    own = Bound.of(coefficient, 0.0)
    return [replace(own, low=b.low, high=b.high, reading=b.reading) if b.kind == KAPPA else b for b in bounds]


def with_settings(metric: Any, **settings: Any) -> Any:
    """A metric with some settings changed, those that it has."""
    if not is_dataclass(metric) or isinstance(metric, type):
        return metric
    known = {field.name for field in fields(metric)}
    return replace(metric, **{name: value for name, value in settings.items() if name in known})


def bounded(bound: Bound, samples: Sequence[Sample], reference: str) -> list[Sample]:
    """The samples that a bound is about: of its reading, else of those held against the reference, if any are."""
    wanted = [s for s in samples if (s.reading.name == bound.reading if bound.reading else s.reading.name != reference)]
    roles: Mapping[Any, Any] = dict.fromkeys(getattr(bound.metric, "roles", ("candidate",)))
    taken = [sample for sample in wanted if sample.reading.role in roles]
    candidates = [sample for sample in taken if sample.reading.role == "candidate"]
    return taken if bound.reading else candidates or taken


def size_of(estimate: Estimate) -> tuple[float, float]:
    """Low and high; a number without an interval may be any."""
    return (-inf if estimate.low is None else estimate.low), (inf if estimate.high is None else estimate.high)


def _separate(judged: Judged, counted: int) -> int:
    """As many separate trials say as much about agreement: all, where no item has two of them."""
    pair = judged.pair()
    if pair is None or not pair.clusters:
        return counted
    return max(1, min(counted, round(rate_of(sums_of(pair.clusters, lambda place: place[0] == place[1])).n_eff)))


# Of each bound, whose name goes before the rule's and into its question:
MISSED = RULES["missed"]
OPEN = RULES["open"]
MISSED_IN_CELL = RULES["missed_in_cell"]


@dataclass(frozen=True)
class BoundedNumber:
    """A number that a bound is about, of all items or of one cell, and the rules that were tried on it.

    Of several raters `p` is how likely it misses its bound by chance, adjusted over them, None where it could not be
    small; `sure` says that it is small enough.
    """

    bound: Bound
    sample: Sample
    estimate: Estimate
    p: float | None = None
    sure: bool = True

    @property
    def size(self) -> tuple[float, float]:
        """Low and high; a number without an interval may be any."""
        return size_of(self.estimate)

    @property
    def few(self) -> bool:
        """Whether it is of too few items to decide anything."""
        pair = self.sample.data.pair()
        return items_of(self.estimate.counted, pair.clusters if pair is not None else ()) < FEWEST_TO_TELL

    @property
    def unseen(self) -> bool:
        """Whether it is a share that must not be high, and nothing of that kind was seen."""
        return self.bound.kind in RATES and not self.estimate.value and not isfinite(self.bound.low)

    @property
    def missed(self) -> bool:
        """Whether it misses its bound with all of its interval, and does so however many raters there are."""
        return self.beyond and self.sure

    @property
    def beyond(self) -> bool:
        """Whether all of its interval is beyond its bound."""
        return not self.few and self.bound.misses(*self.size)

    @property
    def open(self) -> bool:
        """Whether nobody knows on which side of its bound it is: the interval contains it, or tells nothing."""
        return not self.missed and not self.unseen and (self.few or not self.bound.holds(*self.size))

    @property
    def shortfall(self) -> float:
        """How far it is from its bound, on the wrong side above 0."""
        return self.bound.beyond(self.estimate.value or 0.0)

    @property
    def agreed(self) -> bool:
        """Whether it is the share of the items on which two raters agree, which is written in percent."""
        return self.bound.kind == AGREED and self.sample.reading.role == "candidate"

    @property
    def shown(self) -> str:
        """The number with its interval in the digits that the interval bears, more where these would hide the bound."""
        scale, sign = (100.0, " %") if self.agreed else (1.0, "")
        one = self.estimate
        value, low, high = (None if x is None else scale * x for x in (one.value or 0.0, one.low, one.high))
        known = [x for x in (value, low, high) if x is not None]
        least = interval_digits(low, high, share=not self.agreed)
        sides = [x >= scale * self.bound.nearest for x in known]
        clear = (n for n in range(least, MOST_DIGITS) if [self._reaches(fixed(x, n), scale) for x in known] == sides)
        digits = next(clear, MOST_DIGITS)
        return with_interval(f"{fixed(known[0], digits)}{sign}", low, high, digits)

    def _reaches(self, text: str, scale: float) -> bool:
        return float(text) >= scale * self.bound.nearest

    @property
    def limit(self) -> str:
        """Its bound in words."""
        return f"{100 * self.bound.nearest:g} %" if self.agreed else f"{self.bound.nearest:g}"

    @property
    def wanted(self) -> str:
        """What its bound asks for in words."""
        return f"{'at least' if self.bound.side == 'below' else 'at most'} {self.limit}"

    def rule(self, kind: RuleKind, fired: bool, p: float | None = None) -> AnswerRule:
        ends, name, bound = self.size if self.estimate.low is not None else (), self.bound.name, self.bound.nearest
        named = replace(kind, name=f"{name}_{kind.name}", asks=kind.asks.format(name), number=self.bound.number)
        reading, cell = self.sample.reading.name, self.sample.cell
        return named(reading, self.estimate.value, *ends, bound=bound, p=p, cell=cell, fired=fired)
