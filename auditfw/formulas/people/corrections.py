"""The rate of a judge's positive label, corrected by people's labels on a part of the items.

Three corrections: post-strata by the judge's own labels (the headline: it covers), PPI++ and Rogan-Gladen beside it.

Sources: Tenenbein 1970, J. Am. Stat. Assoc. 65 (double sampling); Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453
(PPI++); Rogan and Gladen 1978, Am. J. Epidemiol. 107, with the limits of Lang and Reiczigel 2014, Prev. Vet. Med. 113.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, NamedTuple

from auditfw.core.statistics import Z95

from .shares import GroupCounts, LabelledGroup, Share, domain_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

FEWEST = 5  # labels of people in a post-stratum


class Validation(NamedTuple):
    """How a judge does on the items that people labelled: those that are positive and how many of them it calls so,
    those that are not and how many of them it does not call positive."""

    positive: int
    true_positive: int
    negative: int
    true_negative: int


@dataclass(frozen=True)
class TunedShare(Share):
    """A share with the weight λ, from 0 to 1, that the judge's labels have in it."""

    weight: float


def post_strata(groups: Sequence[GroupCounts]) -> list[GroupCounts]:
    """The groups by the judge's label; those with fewer than 5 of people are one, if need be with the largest."""
    large = [group for group in groups if group.labels >= FEWEST]
    small = [group for group in groups if group.labels < FEWEST]
    if not small or not large:
        return list(groups)
    if sum(group.trials for group in small) and sum(group.labels for group in small) < FEWEST:
        place = max(range(len(large)), key=lambda i: large[i].labels)
        small.append(large.pop(place))
    sums = [sum(int(group[place]) for group in small) for place in range(4)]
    return [*large, GroupCounts(*sums)]


def corrected_share(groups: Sequence[GroupCounts], effective_items: float) -> Share | None:
    """The positive rate by people, from groups by the judge's label, of new items.

    `effective_items` is n_eff of the judge's own positive rate; None as in `domain_share`.
    """
    return domain_share(post_strata(groups), effective_items)


def label_worth(groups: Sequence[LabelledGroup], share: float) -> float | None:
    """Of how many labels of people one is worth at most, however many items the judge labels.

    `share` is the rate, the groups are by the judge's label; None where they explain everything.
    """
    trials = sum(group.trials for group in groups)
    parts = [(group.trials / trials, group.yes / group.labels) for group in groups if group.labels]
    within = fsum(weight * part * (1 - part) for weight, part in parts)
    return share * (1 - share) / within if within else None


def prediction_powered(
    people: Values, judge: Values, unlabelled: Values, items: NDArray[np.int64] | None = None
) -> TunedShare:
    """PPI++ of a mean, not cut to 0 to 1.

    `people` and `judge` are the labels of n items (1 positive), `unlabelled` the judge's of the N others; `items` codes
    the questions of the n, then of the N: the error is then by question.
    """
    import numpy as np

    n, others = len(people), len(unlabelled)
    spread = float(np.concatenate([judge, unlabelled]).var(ddof=1))
    weight = 0.0
    if spread and others:
        covariance = float(np.cov(people, judge, ddof=0)[0, 1])
        weight = min(max(covariance / ((1 + n / others) * spread), 0.0), 1.0)
    rest = people - weight * judge
    mean = float(unlabelled.mean()) if others else 0.0
    value = weight * mean + float(rest.mean())
    if items is None:
        variance = float(rest.var()) / n + (weight**2 * float(unlabelled.var()) / others if others else 0.0)
    else:
        errors = np.concatenate([(rest - rest.mean()) / n, weight * (unlabelled - mean) / max(others, 1)])
        totals = np.bincount(items, weights=errors)
        variance = len(totals) / (len(totals) - 1) * float((totals**2).sum())
    half = Z95 * sqrt(variance)
    return TunedShare(value, value - half, value + half, weight)


def rogan_gladen(positive: int, trials: int, validation: Validation) -> Share | None:
    """The rate by sensitivity and specificity of a judge that calls `positive` of `trials` so; not cut to 0 to 1.

    None where people call no item positive or none negative, or the judge does not tell (both add up to 1 at most).
    """
    some, right, none, rejected = validation
    if not some or not none or right / some + rejected / none <= 1:
        return None
    square = Z95 * Z95
    value = (positive / trials + rejected / none - 1) / (right / some + rejected / none - 1)
    n, rate = trials + square, (positive + square / 2) / (trials + square)
    of_some, of_none = some + 2, none + 2
    sensitivity, specificity = (right + 1) / of_some, (rejected + 1) / of_none
    gain = sensitivity + specificity - 1
    if gain <= 0:
        return None
    centre = (rate + specificity - 1) / gain
    a, b = sensitivity * (1 - sensitivity) / of_some, specificity * (1 - specificity) / of_none
    shift = 2 * square * (centre * a - (1 - centre) * b)
    half = Z95 / gain * sqrt(rate * (1 - rate) / n + centre * centre * a + (1 - centre) ** 2 * b)
    return Share(value, centre + shift - half, centre + shift + half)
