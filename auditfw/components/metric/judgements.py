"""Metrics of single labels: abstentions, what is let through or decided, their spread, and what the audit counted."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import COEFFICIENT, SHARE, Estimate, Role
from auditfw.core.statistics import wilson
from auditfw.formulas.agreement.items import sums_of
from auditfw.formulas.agreement.ratings import ITEMS, JOINED, JOINED_DIFFER, LABELLED, MISSING, Abstain, Judged, Pair
from auditfw.formulas.agreement.settings import Interval
from auditfw.kinds.metric_styles import metric

CANDIDATES: frozenset[Role] = frozenset({"candidate"})
RATERS_AND_GROUP: frozenset[Role] = frozenset({"reference", "candidate", "group"})
NO_ORDER = "which answer came first is not known: write audit.order=COLUMN"
GROUP: frozenset[Role] = frozenset({"group"})
RATERS: frozenset[Role] = frozenset({"reference", "candidate"})


@metric("abstain_rate", RATERS_AND_GROUP, takes=Judged, better="lower", range=SHARE)
class AbstainRate:
    """Computes the share of a rater's items where it abstained; under `either`, where at least one rater did."""

    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        if not isinstance(sample, Judged) or sample.group == "all":
            return None
        return _share(sample, "abstain", sample.abstain, self.interval)


@metric("coverage", RATERS_AND_GROUP, takes=Judged, better="higher", range=SHARE)
class Coverage:
    """Computes the share of all items to which a rater gave a label; under `all` the lowest such share of any rater."""

    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement.estimates import share

        if not isinstance(sample, Judged) or sample.group == "either":
            return None
        items = sample.facts.get(ITEMS, 0)
        own = [rater for rater in sample.own if rater != sample.truth]  # which may label a part
        if not own:
            return None
        if not items:
            return Estimate(None, 0, undefined="no item")
        labelled = min(sample.facts.get(f"{LABELLED}{rater}", 0) for rater in own)
        return share(labelled, items, 0, self.interval)


@metric("joined_differ", GROUP, takes=Judged, better="lower", range=SHARE)
class JoinedDiffer:
    """Computes the share of joined items whose records differ in a column that both raters have."""

    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement.estimates import share

        if not isinstance(sample, Judged) or sample.group != "all":
            return None
        joined = sample.facts.get(JOINED, 0)
        if not joined:
            return Estimate(None, 0, undefined="the joined records have no further column in common")
        return share(sample.facts.get(JOINED_DIFFER, 0), joined, 0, self.interval)


@metric("accepted_rate", RATERS, takes=Judged, range=SHARE)
class AcceptedRate:
    """Computes the share of a rater's items to which it gave an acceptable label, to compare with `shipped_rate`."""

    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        if not isinstance(sample, Judged):
            return None
        return _share(sample, "acceptable", sample.acceptable, self.interval)


def _share(sample: Judged, setting: str, labels: tuple[str, ...], how: Interval) -> Estimate:
    """The share of the items with a label on which somebody gave one of these, which a setting names."""
    from auditfw.formulas.agreement.estimates import share

    if not sample.counted:
        return Estimate(None, 0, sample.missing, undefined=sample.why)
    if setting in sample.unfit:
        return Estimate(None, sample.counted, sample.missing, undefined=sample.unfit[setting])
    ratings = sample.ratings.only(sample.own)
    codes = {ratings.labels.index(label) for label in labels if label in ratings.labels}
    some = sum(n for pattern, n in ratings.items() if not codes.isdisjoint(pattern))

    def gave(pattern: tuple[int, ...]) -> bool | None:
        return None if set(pattern) == {MISSING} else not codes.isdisjoint(pattern)

    sums = sums_of(ratings.clusters, gave) if ratings.clusters else None
    return share(some, sample.counted, sample.missing, how, sums)


@metric("disagreements", GROUP, takes=Judged, better="lower")
def disagreements(sample: Any) -> Estimate | None:
    """Counts the items on which two raters gave different labels."""
    if not isinstance(sample, Judged) or sample.group != "all":
        return None
    ratings = sample.together()
    counted = sample.facts.get("disagreements")
    differing = sum(n for pattern, n in ratings.items() if len(set(pattern) - {MISSING}) > 1)
    return Estimate(float(differing if counted is None else counted), sample.counted, sample.missing)


@metric("hard_flags", GROUP, takes=Judged, better="lower")
def hard_flags(sample: Any) -> Estimate | None:
    """Counts the items with a hard red flag that at least one rater calls VALID."""
    unfit = sample.unfit.get("valid") if isinstance(sample, Judged) else None
    return _fact(sample, "hard_flags", unfit or "no evidence of red flags was read")


@metric("findings", GROUP, takes=Judged, better="lower")
class FindingsMetric:
    """Counts the problems that one validator (`of`) found."""

    of: str

    def __call__(self, sample: Any) -> Estimate | None:
        return _fact(sample, self.of, f"no validator '{self.of}' was chosen")


def _fact(sample: Any, name: str, why: str) -> Estimate | None:
    if not isinstance(sample, Judged) or sample.group != "all":
        return None
    value = sample.facts.get(name)
    if value is None:
        return Estimate(None, 0, sample.ratings.n, undefined=why)
    return Estimate(float(value), sample.counted, sample.missing)


@metric("specific_agreement", CANDIDATES, takes=Judged, better="higher", range=SHARE)
class SpecificAgreement:
    """Computes specific agreement on one label, 2a / (2a + b + c): a items got it from both, b and c from one only."""

    label: str
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import estimates

        pair = _pair(sample, self.abstain)
        return (
            None if pair is None else estimates.specific(pair, _known(pair, self.label), sample.sampling(self.interval))
        )


@metric("prevalence_index", CANDIDATES, takes=Judged, range=COEFFICIENT)
class PrevalenceIndex:
    """Computes the prevalence index of a label (default: the first): share both gave it minus share neither did."""

    label: str | None = None
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import estimates

        pair = _pair(sample, self.abstain)
        return (
            None
            if pair is None
            else estimates.prevalence(pair, _known(pair, self.label), sample.sampling(self.interval))
        )


@metric("bias_index", CANDIDATES, takes=Judged, range=COEFFICIENT)
class BiasIndex:
    """Computes how much more often the candidate gives a label (default: the first) than the reference, as a share."""

    label: str | None = None
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import estimates

        pair = _pair(sample, self.abstain)
        return None if pair is None else estimates.bias(pair, _known(pair, self.label), sample.sampling(self.interval))


def _pair(sample: Any, how: Abstain) -> Pair | None:
    return sample.pair(how) if isinstance(sample, Judged) else None


def _known(pair: Pair, label: str | None) -> str:
    if label is not None and label not in pair.labels:
        raise UsageError("label", f"no label '{label}'", None, nearest(label, pair.labels))
    return label if label is not None else pair.labels[0]


@metric("first_preferred", RATERS, takes=Judged, range=SHARE)
def first_preferred(sample: Any) -> Estimate | None:
    """Computes the share of a judge's preferences that go to the answer shown first; half if there is no position bias.

    `audit.order` says which answer came first. Ties and abstentions count neither way; the interval is Wilson's.
    """
    if not isinstance(sample, Judged) or sample.candidate is None:
        return None
    bias = sample.preferences.get(sample.candidate)
    if bias is None:
        return Estimate(None, 0, sample.ratings.n, undefined=NO_ORDER)
    if bias.share is None:
        return Estimate(None, 0, sample.ratings.n, undefined="no label prefers an answer")
    left = max(0, sample.ratings.n - bias.decided)
    return Estimate(bias.share, bias.decided, left, bias.low, bias.high)


@metric("shipped_rate", frozenset({"decision"}), takes=Judged, range=SHARE)
def shipped_rate(sample: Any) -> Estimate | None:
    """Computes the share of decided items whose final label is acceptable, with its 95 % Wilson interval."""
    if not isinstance(sample, Judged) or sample.candidate is None:
        return None
    ratings, place = sample.ratings, sample.ratings.column(sample.candidate)
    codes = {i for i, label in enumerate(ratings.labels) if label in sample.acceptable}
    if not sample.counted:
        return Estimate(None, 0, sample.missing, undefined="no item was decided")
    if "acceptable" in sample.unfit:
        return Estimate(None, sample.counted, sample.missing, undefined=sample.unfit["acceptable"])
    shipped = sum(n for pattern, n in ratings.items() if pattern[place] in codes)
    low, high = wilson(shipped, sample.counted)
    return Estimate(shipped / sample.counted, sample.counted, sample.missing, low, high)


@metric("overruled", frozenset({"decision"}), takes=Judged)
def overruled(sample: Any) -> Estimate | None:
    """Counts the items on which all raters gave one label and the policy decided another."""
    if not isinstance(sample, Judged) or sample.candidate is None:
        return None
    ratings, place = sample.ratings, sample.ratings.column(sample.candidate)
    own = [ratings.column(rater) for rater in sample.members]
    total = 0
    for pattern, n in ratings.items():
        labels = {pattern[i] for i in own} - {MISSING}
        total += n if len(labels) == 1 and pattern[place] not in (MISSING, *labels) else 0
    return Estimate(float(total), sample.counted, sample.missing)
