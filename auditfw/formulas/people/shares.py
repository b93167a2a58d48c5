"""Shares of "yes" in a set of trials of which a part has labels: one estimator for every number about people's labels.

A domain is a set of trials that is known without labels; its groups are its parts by cell and class. The share weighs
each group by its trials; the interval takes, on each side, the wider end of two closed forms, because each alone covers
too little somewhere: Wilson's with as many labels of a simple draw as say as much, and the square-and-add of the
groups' own.

Sources: Cochran 1977, Sampling Techniques, 5.3 (stratified share and its variance); Wilson 1927, J. Am. Stat. Assoc.
22; Zou and Donner 2008, Stat. Med. 27 (square-and-add); Newcombe 1998, Stat. Med. 17 (difference, method 10); Hájek
1971 and Kish 1965 (labels with probabilities).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, fsum, hypot, inf, sqrt
from typing import NamedTuple

from auditfw.core.statistics import Z95, wilson

FEWEST = 10  # labels of a domain, unless all its trials have one
STEPS = 50  # halvings
TINY = 1e-9  # trials: rounding of floats is no trial


class LabelledGroup(NamedTuple):
    """One part of a domain: its trials, how many of them have a label, and how many of these say "yes"."""

    trials: int
    labels: float
    yes: float


@dataclass(frozen=True)
class Share:
    """A share of "yes" with its interval, from 0 to 1."""

    value: float
    low: float
    high: float


class GroupCounts(NamedTuple):
    """A group with the labels of those that could not decide, which are in neither `labels` nor `yes`."""

    trials: int
    labels: int
    yes: int
    undecided: int = 0


def domain_share(groups: Iterable[GroupCounts], effective_items: float = inf, z: float = Z95) -> Share | None:
    """The share of "yes" in a domain; of new questions where `effective_items` is n_eff of these trials as questions.

    The undecided are left out of the value; the low end counts all of them as "no", the high one as "yes", and neither
    is narrower than without them. None where fewer than 10 labels are there, or more than half of the trials are in
    groups without a label.
    """
    counts = list(groups)
    share = _with_dark([LabelledGroup(*group[:3]) for group in counts], effective_items, z)
    if share is None or not any(group.undecided for group in counts):
        return share
    extremes = ([LabelledGroup(n, m + u, k + u * side) for n, m, k, u in counts] for side in (0, 1))
    low, high = (_with_dark(extreme, effective_items, z) for extreme in extremes)
    assert low is not None  # there are more labels than without the undecided
    assert high is not None
    return Share(share.value, min(share.low, low.low), max(share.high, high.high))


def _with_dark(groups: Sequence[LabelledGroup], effective_items: float, z: float) -> Share | None:
    """Groups without a label are left out of the value, and the ends count them as all "no" and as all "yes"."""
    groups = [group for group in groups if group.trials]
    seen = [group for group in groups if group.labels]
    total, labels = sum(group.trials for group in groups), fsum(group.labels for group in groups)
    dark = total - sum(group.trials for group in seen)
    if not total or 2 * dark > total or (labels < FEWEST and labels < total):
        return None
    share = stratified_share(seen, effective_items, z)
    lit = total - dark
    return Share(share.value, share.low * lit / total, (share.high * lit + dark) / total)


def stratified_share(groups: Sequence[LabelledGroup], effective_items: float = inf, z: float = Z95) -> Share:
    """The share of groups of which each has a label, in whole trials that are possible, or of new questions."""
    value, low, high = _ends(groups, z)
    if effective_items != inf:
        fresh = wilson(value * effective_items, effective_items, z)
        low, high = value - hypot(value - low, value - fresh[0]), value + hypot(high - value, fresh[1] - value)
        return Share(value, max(low, 0.0), min(high, 1.0))
    total, yes = sum(group.trials for group in groups), fsum(group.yes for group in groups)
    rest = fsum(group.trials - group.labels for group in groups)
    low = max(yes, floor(low * total + TINY)) / total
    return Share(value, low, min(yes + rest, ceil(high * total - TINY)) / total)


def _ends(groups: Sequence[LabelledGroup], z: float) -> tuple[float, float, float]:
    """The share with its ends, not yet in whole trials."""
    total = sum(group.trials for group in groups)
    value = _value(groups)
    rest = [group for group in groups if group.labels < group.trials]
    if not rest:
        return value, value, value
    counted = fsum(group.yes for group in groups if group.labels >= group.trials)
    share, size = _value(rest), sum(group.trials for group in rest)
    worth = labels_worth(rest, share)
    low, high = wilson(share * worth, worth, z) if worth < inf else (share, share)
    below, above = [], []
    for trials, labels, yes in rest:
        weight, part = trials / size, yes / labels
        ends = share_interval(yes, labels, trials, z)
        below.append((weight * (part - ends[0])) ** 2)
        above.append((weight * (ends[1] - part)) ** 2)
    low, high = min(low, share - sqrt(fsum(below))), max(high, share + sqrt(fsum(above)))
    return value, (counted + size * low) / total, (counted + size * high) / total


def _value(groups: Sequence[LabelledGroup]) -> float:
    """Exactly 0 or 1 where no label or every one is "yes": a sum of floats may miss it by a little."""
    yes, labels = fsum(group.yes for group in groups), fsum(group.labels for group in groups)
    if yes in (0, labels):
        return float(yes > 0)
    return fsum(n * k / m for n, m, k in groups) / sum(group.trials for group in groups)


def share_interval(yes: float, n: float, total: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share of n < `total` drawn without replacement.

    n is that of a sample from a population without end, n (N - 1) / (N - n): the variance of the draw is smaller by the
    finite population correction (Cochran 1977, Sampling Techniques, 2.6).
    """
    size = n * (total - 1) / (total - n)
    return wilson(yes / n * size, size, z)


def labels_worth(groups: Sequence[LabelledGroup], share: float) -> float:
    """n_lab: so many labels of a simple draw from an endless set say as much about the share of these groups."""
    total = sum(group.trials for group in groups)
    pool = (fsum(group.yes for group in groups) + 1) / (fsum(group.labels for group in groups) + 2)
    shares = [(trials / total, trials, n, (k + pool) / (n + 1)) for trials, n, k in groups]
    variance = fsum(w * w * (1 - n / trials) * q * (1 - q) / max(n - 1, 1) for w, trials, n, q in shares)
    expected = fsum(w * q for w, _, _, q in shares)
    spread = share * (1 - share) or expected * (1 - expected)
    return spread / variance if variance > 0 else inf


def difference(a: Share, b: Share) -> Share:
    """a less b, from -1 to 1, with the interval of independent shares."""
    value = a.value - b.value
    low = value - hypot(a.value - a.low, b.high - b.value)
    return Share(value, low, value + hypot(a.high - a.value, b.value - b.low))


def further_labels(groups: Sequence[LabelledGroup | GroupCounts], half: float) -> int:
    """How many more labels, shared out as these, bring the wider half of the interval to `half`, if the shares stay."""
    seen = [LabelledGroup(*group[:3]) for group in groups if group.labels]

    def grown(times: float) -> list[LabelledGroup]:
        most = [min(n, m * times) for n, m, _ in seen]
        return [LabelledGroup(n, more, k * more / m) for (n, m, k), more in zip(seen, most, strict=True)]

    def half_width(times: float) -> float:
        value, low, high = _ends(grown(times), Z95)
        return max(value - low, high - value)

    if half_width(1.0) <= half:
        return 0
    low, high = 1.0, 2.0
    while half_width(high) > half and any(m * high < n for n, m, _ in seen):
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if half_width(middle) > half else (low, middle)
    return ceil(fsum(group.labels for group in grown(high)) - fsum(group.labels for group in seen))


def joined_classes(labels: Sequence[int], least: int = 5) -> list[int]:
    """As which class each of the four counts, where labels were not drawn by class.

    With fewer than `least` labels a class counts with the other one of its reference's label; if that is not enough,
    all are one.
    """
    counts_as = [0, 1, 2, 3]
    for same, differ in ((0, 2), (1, 3)):
        if min(labels[same], labels[differ]) < least:
            counts_as[differ] = same
    sums = [sum(n for n, at in zip(labels, counts_as, strict=True) if at == place) for place in set(counts_as)]
    return counts_as if min(sums) >= least else [0, 0, 0, 0]


def not_at_random(groups: Sequence[tuple[int, int]]) -> float:
    """The p-value of trials and labels by group, if the labels were of trials drawn at random.

    Chi-square with the correction for finite sets; groups with less than one label expected are joined with the next.
    """
    from scipy.special import chdtrc

    trials, labels = sum(n for n, _ in groups), sum(k for _, k in groups)
    cells = sorted(((labels * n / trials, i, k) for i, (n, k) in enumerate(groups) if n), key=lambda cell: cell[:2])
    pairs = [(expected, k) for expected, _, k in cells]
    while len(pairs) > 1 and pairs[0][0] < 1:
        (a, b), (c, d), *others = pairs
        pairs = [(a + c, b + d), *others]
    if len(pairs) < 2 or labels >= trials:
        return 1.0
    chi2 = fsum((k - expected) ** 2 / expected for expected, k in pairs) / (1 - labels / trials)
    return float(chdtrc(len(pairs) - 1, chi2))


def weighted_share(labels: Sequence[bool], probabilities: Sequence[float], z: float = Z95) -> Share:
    """The share of "yes" of labels with the probabilities by which their trials were chosen; at least two labels.

    Wilson's interval with the smaller of two numbers of labels: by the variance, and by the weights alone.
    """
    weights = [1 / probability for probability in probabilities]
    total = fsum(weights)
    share = fsum(w for w, yes in zip(weights, labels, strict=True) if yes) / total
    worth = total**2 / fsum(w * w for w in weights)
    squares = fsum((w * (yes - share)) ** 2 for w, yes in zip(weights, labels, strict=True))
    variance = len(weights) / (len(weights) - 1) * squares / total**2
    if variance > 0:
        worth = min(worth, share * (1 - share) / variance)
    return Share(share, *wilson(share * worth, worth, z))
