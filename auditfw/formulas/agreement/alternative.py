"""The alternative annotator test: may a judge stand in for the human annotators?

Each annotator is left out in turn. On every item that it labelled, who is closer to the labels of the remaining humans:
the judge, or the one left out? The judge wins over an annotator where the share of items on which the human is closer,
less that on which the judge is, is below epsilon beyond chance; epsilon is what the human's greater cost is worth.
Source: Calderon, Reichart and Dror 2025, "The alternative annotator test for LLM-as-a-judge", arXiv:2501.10970.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.student import t_p_value

from .items import effective
from .ratings import MISSING, Pattern, Ratings

FEWEST_ITEMS = 30  # below, the t-test is not to be trusted
HALF = 0.5


@dataclass(frozen=True)
class LeftOut:
    """A judge against one annotator.

    `judge` and `human` are the shares of `n` items on which each is as close as the other or closer. `p` is one-sided,
    `adjusted` by Benjamini and Yekutieli; both are None where there are too few items.
    """

    annotator: str
    n: int
    judge: float | None
    human: float | None
    p: float | None = None
    adjusted: float | None = None

    def won(self, alpha: float) -> bool:
        return self.adjusted is not None and self.adjusted <= alpha


@dataclass(frozen=True)
class LabelGap:
    """A judge's labels against those of the humans, on the items that both labelled.

    Of numbers the means (`label` is None), else the shares of the `label` whose shares differ most.
    """

    label: str | None
    judge: float
    humans: float


@dataclass(frozen=True)
class Alternative:
    """The test of one judge: against each annotator, the winning rate and the average advantage probability.

    Both are None where no annotator has enough items. `difference` is what the test does not look at.
    """

    judge: str
    annotators: Sequence[LeftOut]
    winning_rate: float | None
    advantage: float | None
    difference: LabelGap | None = None

    @property
    def passed(self) -> bool:
        """Whether the judge wins over half of the annotators or more."""
        return self.winning_rate is not None and self.winning_rate >= HALF


@dataclass(frozen=True)
class AlternativeTest:
    """The humans; epsilon and the false discovery rate; the labels as numbers where distances count, else None."""

    humans: Sequence[str]
    epsilon: float = 0.2
    alpha: float = 0.05
    numbers: Sequence[float] | None = None


def alternative(ratings: Ratings, judge: str, test: AlternativeTest) -> Alternative:
    """The test of a judge against all annotators."""
    single = [_left_out(ratings, judge, human, test) for human in test.humans]
    adjusted = benjamini_yekutieli([one.p for one in single if one.p is not None])
    rest = iter(adjusted)
    tested = [one if one.p is None else replace(one, adjusted=next(rest)) for one in single]
    counted = [one for one in tested if one.p is not None]
    between = difference(ratings, judge, test)
    if not counted:
        return Alternative(judge, tested, None, None, between)
    wins = sum(one.won(test.alpha) for one in counted)
    advantage = math.fsum(one.judge or 0.0 for one in counted) / len(counted)
    return Alternative(judge, tested, wins / len(counted), advantage, between)


def difference(ratings: Ratings, judge: str, test: AlternativeTest) -> LabelGap | None:
    """How a judge's labels differ from the humans' as a whole; every item counts the same. None without an item."""
    own, places = ratings.column(judge), [ratings.column(human) for human in test.humans]
    k = len(ratings.labels)
    judged, humans = [0.0] * k, [0.0] * k
    for pattern, times in ratings.items():
        codes = [pattern[place] for place in places if pattern[place] != MISSING]
        if pattern[own] == MISSING or not codes:
            continue
        judged[pattern[own]] += times
        for code in codes:
            humans[code] += times / len(codes)
    n = math.fsum(judged)
    if not n:
        return None
    if test.numbers is not None:
        own_mean, mean = (
            math.fsum(x * w for x, w in zip(test.numbers, side, strict=True)) / n for side in (judged, humans)
        )
        return LabelGap(None, own_mean, mean)
    widest = max(range(k), key=lambda i: abs(judged[i] - humans[i]))
    return LabelGap(ratings.labels[widest], judged[widest] / n, humans[widest] / n)


def benjamini_yekutieli(p: Sequence[float]) -> list[float]:
    """Adjusted p-values that hold the false discovery rate under any dependence (Ann. Stat. 29, 2001)."""
    harmonic = math.fsum(1 / i for i in range(1, len(p) + 1))
    return [min(1.0, harmonic * one) for one in benjamini_hochberg(p)]


def _left_out(ratings: Ratings, judge: str, human: str, test: AlternativeTest) -> LeftOut:
    places = [ratings.column(name) for name in (judge, human, *(h for h in test.humans if h != human))]
    sides: dict[Pattern, tuple[int, int] | None] = {}
    for pattern in ratings.patterns:
        sides[pattern] = _closer([pattern[place] for place in places], test.numbers)
    n = sum(times for pattern, times in ratings.items() if sides[pattern] is not None)
    if not n:
        return LeftOut(human, 0, None, None)
    known = [(side, times) for pattern, times in ratings.items() if (side := sides[pattern]) is not None]
    own, other = (sum(side[i] * times for side, times in known) / n for i in (0, 1))
    items = _items(ratings, sides)
    if _effective(ratings, items, n) < FEWEST_ITEMS:
        return LeftOut(human, n, own, other)
    return LeftOut(human, n, own, other, _p_value(items, test.epsilon))


def _closer(codes: Sequence[int], numbers: Sequence[float] | None) -> tuple[int, int] | None:
    """Whether the judge, and the human, is as close to the rest as the other or closer; None where nothing is known."""
    judge, human, *rest = codes
    others = [code for code in rest if code != MISSING]
    if MISSING in (judge, human) or not others:
        return None
    if numbers is None:
        far = [sum(code != other for other in others) for code in (judge, human)]
        return int(far[0] <= far[1]), int(far[1] <= far[0])
    apart = [math.fsum((numbers[code] - numbers[other]) ** 2 for other in others) for code in (judge, human)]
    same = math.isclose(apart[0], apart[1], rel_tol=1e-12)
    return int(same or apart[0] < apart[1]), int(same or apart[1] < apart[0])


def _items(ratings: Ratings, sides: Mapping[Pattern, tuple[int, int] | None]) -> list[tuple[int, int, int]]:
    """Of each kind of item the trials, the sum of human less judge, and how many such items there are."""
    clusters = ratings.clusters or tuple((((pattern, 1),), times) for pattern, times in ratings.items())
    kinds = []
    for held, times in clusters:
        known = [(side, n) for pattern, n in held if (side := sides[pattern]) is not None]
        if known:
            kinds.append((sum(n for _, n in known), sum((side[1] - side[0]) * n for side, n in known), times))
    return kinds


def _effective(ratings: Ratings, kinds: Sequence[tuple[int, int, int]], n: int) -> float:
    if not ratings.clusters:
        return n
    return effective(tuple((((i, size),), times) for i, (size, _, times) in enumerate(kinds)))


def _p_value(kinds: Sequence[tuple[int, int, int]], epsilon: float) -> float:
    """One-sided, by Student's t over items: the mean of human less judge is below epsilon."""
    items = sum(times for *_, times in kinds)
    n = sum(size * times for size, _, times in kinds)
    squares = sum(size * size * times for size, _, times in kinds)
    mean = sum(total * times for _, total, times in kinds) / n
    spread = math.fsum(times * (total - size * mean) ** 2 for size, total, times in kinds)
    error = math.sqrt(items / (items - 1) * spread) / n
    if not error:
        return 0.0 if mean < epsilon else 1.0
    t = (mean - epsilon) / error
    tail = t_p_value(abs(t), n * n / squares - 1) / 2
    return tail if t < 0 else 1 - tail
