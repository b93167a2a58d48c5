"""Metrics of agreement: two raters, or all of them together, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from auditfw.core.records import COEFFICIENT, SHARE, Estimate, Role
from auditfw.formulas.agreement import scorer
from auditfw.formulas.agreement.ratings import SCALE, Abstain, Judged, Matrix, Pair, Ratings, Spacing
from auditfw.formulas.agreement.settings import Interval, RandomStream, Sampling
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.metric_styles import metric

Exact = Callable[[Matrix], float | None]


def each(
    metric: Any, samples: Sequence[Any], how: Abstain, formula: Callable[..., Any], exact: Exact | None = None
) -> list[Estimate | None]:
    """As calling the metric on each; `exact` gives a value to the last digit from a table of counts."""
    from auditfw.formulas.agreement import estimates

    estimated: list[Estimate | None] = [None] * len(samples)
    alike: dict[int, list[tuple[int, Pair]]] = {}
    for i, sample in enumerate(samples):
        many = isinstance(sample, Judged) and sample.many and metric.interval.method != "none"
        pair = sample.pair(how, getattr(metric, "categories", "") == "used") if many else None
        if pair is None or pair.clusters or not pair.n or pair.agreed == pair.n:
            estimated[i] = metric(sample)
        else:
            alike.setdefault(len(pair.labels), []).append((i, pair))
    for group in alike.values():
        pairs = [pair for _, pair in group]
        values = [None if exact is None else exact(pair.table) for pair in pairs]
        measured = estimates.of_pairs(pairs, formula, metric.interval, values)
        for (i, _), estimate in zip(group, measured, strict=True):
            estimated[i] = estimate
    return estimated


Categories = Literal["declared", "used"]
Scale = Literal["linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

CANDIDATES: frozenset[Role] = frozenset({"candidate"})
CANDIDATES_AND_GROUP: frozenset[Role] = frozenset({"candidate", "group"})
ALL = -1
RIGHT_OR_WRONG = ("right", "wrong")


def _pair(sample: Any, how: Abstain, used: bool = False) -> Pair | None:
    return sample.pair(how, used) if isinstance(sample, Judged) else None


def _of_pair(sample: Any, formula: Callable[..., Any], settings: Any) -> Estimate | None:
    """A coefficient of the candidate and the reference; None for any other sample."""
    from auditfw.formulas.agreement import estimates

    pair = _pair(sample, settings.abstain, getattr(settings, "categories", "") == "used")
    return None if pair is None else estimates.of_pair(pair, formula, sample.sampling(settings.interval))


def _together(sample: Any, formula: Callable[..., Any], settings: Any, fewest: int = 2) -> Estimate | None:
    """A coefficient of all raters, where there are more than the two of a candidate's own coefficient."""
    from auditfw.formulas.agreement.estimates import of_group

    if not isinstance(sample, Judged) or sample.group != "all" or len(sample.members) < 3:
        return None
    ratings = sample.together(settings.abstain, getattr(settings, "categories", "") == "used", fewest == 1)
    estimate = of_group(
        ratings, formula, sample.sampling(settings.interval), len(sample.members) if fewest == ALL else fewest
    )
    return replace(estimate, missing=sample.ratings.n - estimate.counted)


@metric("percent_agreement", CANDIDATES_AND_GROUP, takes=Judged, better="higher", range=SHARE)
class PercentAgreement:
    """Computes the share of items with the same label, with its Wilson interval; of all raters the mean over pairs."""

    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import estimates, groups

        pair = _pair(sample, self.abstain)
        if pair is None:
            return _together(sample, groups.percent, self)
        return estimates.percent_of(pair, self.interval)


@metric("kappa", CANDIDATES, takes=(Judged, LabelCounts), better="higher", range=COEFFICIENT)
class Kappa:
    """Computes Cohen's kappa: agreement beyond what the two raters' label frequencies make likely by chance.

    Undefined where both raters gave every item the same label; `undefined: zero` makes that 0.0. Of right and wrong
    labels it is the kappa of two scorers, with its large-sample interval.
    """

    undefined: Literal["null", "zero"] = "null"
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients, estimates

        pair = _scorers(sample) if isinstance(sample, LabelCounts) else _pair(sample, self.abstain)
        if pair is None:
            return None
        value = scorer.kappa(pair.table, self.undefined)
        sampling = _large_sample(self.interval) if isinstance(sample, LabelCounts) else sample.sampling(self.interval)
        estimate = estimates.of_pair(pair, coefficients.cohen, sampling, value)
        why = sample.why_unpaired if isinstance(sample, LabelCounts) and not pair.n else estimate.undefined
        return estimate if estimate.value is not None else replace(estimate, undefined=why)

    def at_once(self, samples: Sequence[Any]) -> list[Estimate | None]:
        from auditfw.formulas.agreement import coefficients

        return each(self, samples, self.abstain, coefficients.cohen, scorer.kappa)


def _large_sample(interval: Interval) -> Sampling:
    """For a sample that has no random stream."""
    method = "analytic" if interval.method == "bootstrap" else interval.method
    return Sampling(replace(interval, method=method), RandomStream(0, ()))


def _scorers(pairs: LabelCounts) -> Pair:
    """The stored labels (columns) against a reading's (rows)."""
    table = ((pairs.kept_right, pairs.to_true), (pairs.to_false, pairs.kept_wrong))
    return Pair(RIGHT_OR_WRONG, table, pairs.unpaired, None)


@metric("weighted_kappa", CANDIDATES, takes=Judged, better="higher", range=COEFFICIENT)
class WeightedKappa:
    """Computes Cohen's weighted kappa: labels close to each other count as partial agreement.

    Labels are one step apart in the `order` of `audit.labels`, or as far apart as the `numbers` they are. An abstention
    has no distance, so it is missing unless `abstain` says otherwise. Of labels that are names without an order
    (`audit.scale`) it is left out.
    """

    weights: Scale = "linear"
    spacing: Spacing = "order"
    abstain: Abstain = "missing"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients, estimates

        fits = isinstance(sample, Judged) and SCALE not in sample.unfit
        pair = _pair(sample, self.abstain) if fits else None
        if pair is None:
            return None
        formula = coefficients.weighted_cohen(pair.places(self.spacing), self.weights)
        return estimates.of_pair(pair, formula, sample.sampling(self.interval))


@metric("scott_pi", CANDIDATES, takes=Judged, better="higher", range=COEFFICIENT)
class ScottPi:
    """Computes Scott's pi: as kappa, with chance agreement from the pooled labels of both raters."""

    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients

        return _of_pair(sample, coefficients.scott, self)

    def at_once(self, samples: Sequence[Any]) -> list[Estimate | None]:
        from auditfw.formulas.agreement import coefficients

        return each(self, samples, self.abstain, coefficients.scott)


@metric("fleiss_kappa", CANDIDATES_AND_GROUP, takes=Judged, better="higher", range=COEFFICIENT)
class FleissKappa:
    """Computes Fleiss' kappa over the items that all raters labelled; of two raters it is Scott's pi."""

    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients, groups

        return _of_pair(sample, coefficients.scott, self) or _together(sample, groups.fleiss, self, ALL)

    def at_once(self, samples: Sequence[Any]) -> list[Estimate | None]:
        from auditfw.formulas.agreement import coefficients

        return each(self, samples, self.abstain, coefficients.scott)


@metric("krippendorff_alpha", CANDIDATES_AND_GROUP, takes=Judged, better="higher", range=COEFFICIENT)
class KrippendorffAlpha:
    """Computes Krippendorff's alpha at the nominal, ordinal or interval level; labels may be missing.

    Without a level it is nominal, but with `audit.scale=ordinal` ordinal, of numbers interval. The interval level needs
    labels that are numbers. Abstentions are a label at the nominal level, else missing.
    """

    level: Level | None = None
    abstain: Abstain | None = None
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients, estimates, groups

        if not isinstance(sample, Judged) or (self.level not in (None, "nominal") and SCALE in sample.unfit):
            return None
        how: Abstain = self.abstain or ("label" if self._plain(sample) else "missing")
        pair = sample.pair(how)
        judged = pair if pair is not None else sample.together(how)
        numbers = judged.values or Ratings.numeric(judged.labels)
        by_scale: Level = "nominal" if self._plain(sample) else "ordinal" if numbers is None else "interval"
        level = self.level or by_scale
        spaced = level == "interval" or (level == "ordinal" and judged.values is not None)
        at = numbers if self.level is None and level == "interval" else judged.places("numbers" if spaced else "order")
        if pair is None:
            settings = replace(self, abstain=how)
            return _together(sample, lambda w, v: groups.krippendorff(w, v, level, at), settings)
        sampling = sample.sampling(self.interval)
        return estimates.of_pair(pair, lambda t: coefficients.krippendorff(t, level, at), sampling)

    def _plain(self, sample: Judged) -> bool:
        """Whether it is at the nominal level."""
        return self.level == "nominal" or (self.level is None and not sample.ordered)

    def at_once(self, samples: Sequence[Any]) -> list[Estimate | None]:
        from auditfw.formulas.agreement import coefficients

        if not all(isinstance(sample, Judged) and self._plain(sample) for sample in samples):
            return [self(sample) for sample in samples]
        return each(self, samples, self.abstain or "label", coefficients.krippendorff)


@metric("gwet_ac1", CANDIDATES_AND_GROUP, takes=Judged, better="higher", range=COEFFICIENT)
class GwetAC1:
    """Computes Gwet's AC1, which stays stable where one label is frequent and kappa collapses.

    Chance depends on how many labels there could have been: those `declared`, or those `used`.
    """

    categories: Categories = "declared"
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients, groups

        return _of_pair(sample, coefficients.gwet, self) or _together(sample, groups.gwet, self, fewest=1)

    def at_once(self, samples: Sequence[Any]) -> list[Estimate | None]:
        from auditfw.formulas.agreement import coefficients

        return each(self, samples, self.abstain, coefficients.gwet)


@metric("gwet_ac2", CANDIDATES_AND_GROUP, takes=Judged, better="higher", range=(-math.inf, 1.0))
class GwetAC2:
    """Computes Gwet's AC2: AC1 with partial agreement of labels close to each other, as in weighted_kappa."""

    weights: Scale = "quadratic"
    spacing: Spacing = "order"
    categories: Categories = "declared"
    abstain: Abstain = "missing"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients, estimates, groups

        if not isinstance(sample, Judged) or SCALE in sample.unfit:
            return None
        used = self.categories == "used"
        pair = sample.pair(self.abstain, used)
        scale = pair if pair is not None else sample.together(self.abstain, used, True)
        weights = coefficients.agreement_weights(scale.places(self.spacing), self.weights)
        if pair is None:
            return _together(sample, lambda w, v: groups.gwet(w, v, weights), self, fewest=1)
        return estimates.of_pair(pair, lambda t: coefficients.gwet(t, weights), sample.sampling(self.interval))


@metric("brennan_prediger", CANDIDATES, takes=Judged, better="higher", range=COEFFICIENT)
class BrennanPrediger:
    """Computes the coefficient of Brennan and Prediger: chance is 1 / the number of labels, declared or used."""

    categories: Categories = "declared"
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import coefficients

        return _of_pair(sample, coefficients.brennan_prediger, self)


@metric("max_kappa", CANDIDATES, takes=Judged, range=SHARE)
class MaxKappa:
    """Computes the largest Cohen's kappa that is possible with the two raters' label frequencies."""

    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import estimates

        pair = _pair(sample, self.abstain)
        return None if pair is None else estimates.maximum_kappa(pair, sample.sampling(self.interval))


@metric("bowker_p", CANDIDATES, takes=Judged, range=SHARE, notation="p_value")
class BowkerP:
    """Computes the p-value of Bowker's test: small where the raters differ more often in one direction.

    Where only one pair of labels is confused it is the exact McNemar test.
    """

    abstain: Abstain = "label"

    def __call__(self, sample: Any) -> Estimate | None:
        from auditfw.formulas.agreement import estimates

        pair = _pair(sample, self.abstain)
        return None if pair is None else estimates.bowker(pair)
