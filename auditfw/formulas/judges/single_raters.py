"""What one rater does whatever the items: one label throughout, one label too often, or a lean to one side."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, fsum
from typing import NamedTuple

import numpy as np

from auditfw.core.statistics import mcnemar_exact, t975
from auditfw.formulas.rows.exact import tails
from auditfw.formulas.student import t_p_value

from .placeholders import NONE, RatedItems
from .scales import RowWeights

FEWEST = 6  # items
LAZY, OTHERS = 0.6, 0.4  # the share of a rater's most frequent label, and of the others' of it
MOST_LABELS = 12


class Constant(NamedTuple):
    """A rater that gives one label to all its `n` items, and how likely that is by the others' labels of them."""

    rater: int
    label: int
    n: int
    p: float


class Lazy(NamedTuple):
    """A rater that gives one label too often: to `own` of `n` items where the others do to `other`."""

    rater: int
    label: int
    n: int
    own: int
    other: int
    p: float


class Lean(NamedTuple):
    """A rater that differs to one side: of numbers by `mean` (with its interval), else by which labels it gives."""

    rater: int
    n: int
    p: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None


def constant(rated: RatedItems) -> Iterator[Constant]:
    """The raters of one label throughout; p is the product over items of the others' share of it, smoothed.

    Of an item with k of m other labels equal to it that share is (k + 1/2) / (m + 1).
    """
    if (rated.counts.sum(0) > 0).sum() < 2:
        return
    used = rated.counts > 0
    for rater in rated.candidates:
        if used[rater].sum() != 1 or rated.counts[rater].sum() < 2:
            continue
        label = int(used[rater].argmax())
        codes = rated.codes[:, rated.codes[rater] != NONE]
        there = (codes != NONE).sum(0) - 1
        alike = (codes == label).sum(0) - 1
        share = ((alike + 0.5) / (there + 1))[there > 0]
        yield Constant(rater, label, codes.shape[1], exp(float(np.log(share).sum())) if len(share) else 1.0)


def lazy(rated: RatedItems) -> Iterator[Lazy]:
    """The raters of at least three labels that give one on 60 % of the items or more, the others on below 40 %."""
    if not 3 <= (rated.counts.sum(0) > 0).sum() <= MOST_LABELS:
        return
    for rater in rated.candidates:
        counts = rated.counts[rater]
        if counts.sum() < FEWEST or counts.max() < LAZY * counts.sum() / 2:
            continue
        own, other = rated.codes[rater], rated.against(rater)
        rows = (own != NONE) & (other != NONE)
        n = int(rows.sum())
        if n < FEWEST:
            continue
        label = int(np.bincount(own[rows]).argmax())
        mine, theirs = own[rows] == label, other[rows] == label
        if mine.mean() >= LAZY and theirs.mean() < OTHERS:
            up, down = int((mine & ~theirs).sum()), int((~mine & theirs).sum())
            yield Lazy(rater, label, n, int(mine.sum()), int(theirs.sum()), tails(up, up + down, 0.5)[1])


def leans(rated: RatedItems) -> Iterator[Lean]:
    """What every rater's labels come to against the others': of numbers the mean difference, by item, else Bowker's
    test of symmetry (1948), exact (McNemar) of one pair of labels."""
    for rater in rated.candidates:
        if rated.numeric:
            gap = rated.numbers[rated.codes[rater]] - rated.numbers_against(rater)
            rows = np.isfinite(gap)
            lean = _by_size(rater, gap[rows], None if rated.groups is None else rated.groups[rows])
        else:
            own, other = rated.codes[rater], rated.against(rater)
            rows = (own != NONE) & (other != NONE)
            lean = Lean(rater, int(rows.sum()), _symmetry(own[rows], other[rows], len(rated.names)))
        if lean is not None:
            yield lean


def _by_size(rater: int, gap: np.ndarray, groups: np.ndarray | None) -> Lean | None:
    if len(gap) < FEWEST:
        return None
    mean = float(gap.mean())
    error, n = RowWeights(groups=groups).error(gap)
    if n < FEWEST:
        return None
    if error == 0:
        return Lean(rater, len(gap), 1.0 if mean == 0 else 0.0, mean, mean, mean)
    half = t975(n - 1) * error
    return Lean(rater, len(gap), t_p_value(abs(mean) / error, n - 1), mean, mean - half, mean + half)


def _symmetry(own: np.ndarray, other: np.ndarray, labels: int) -> float:
    from scipy.special import chdtrc

    table = np.bincount(own * labels + other, minlength=labels * labels).reshape(labels, labels)
    crossed = [(int(table[i, j]), int(table[j, i])) for i, j in zip(*np.triu_indices(labels, 1), strict=True)]
    crossed = [(a, b) for a, b in crossed if a + b]
    if len(crossed) < 2:
        return mcnemar_exact(*crossed[0]) if crossed else 1.0
    return float(chdtrc(len(crossed), fsum((a - b) ** 2 / (a + b) for a, b in crossed)))
