"""Exact sums that merge, and intervals and tests of proportions: pure functions without numpy or scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

Z95 = 1.959963984540054
EXACT_PAIRS = 1000
MOST_ITEMS = 10**12


def wilson(successes: float, n: float, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22).

    n must be positive; a number of effective trials need not be whole.
    """
    share = successes / n
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return (0.0 if successes == 0 else low), (1.0 if successes == n else high)


def mcnemar_exact(up: int, down: int) -> float:
    """The exact two-sided McNemar p-value: a binomial test of `up` against `down` discordant pairs at one half.

    Exact in whole numbers up to 1,000 discordant pairs, summed in logarithms beyond; 1.0 without a discordant pair.
    """
    n, k = up + down, min(up, down)
    if up == down:
        return 1.0
    if n <= EXACT_PAIRS:
        fewer: int = sum(math.comb(n, i) for i in range(k + 1))
        return min(1.0, fewer / (1 << (n - 1)))
    top, log_half = math.lgamma(n + 1), n * math.log(0.5)
    total = 0.0
    for i in range(k, -1, -1):
        term = math.exp(top - math.lgamma(i + 1) - math.lgamma(n - i + 1) + log_half)
        total += term
        if term <= total * 1e-18:  # as well where all of them are too small for a float
            break
    return min(1.0, 2 * total)


def log_choose(n: int, k: int) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """The Benjamini-Hochberg adjusted p-values (1995, J. R. Stat. Soc. B 57), in the order given."""
    order = sorted(range(len(p)), key=lambda i: p[i], reverse=True)
    adjusted, lowest = [0.0] * len(p), 1.0
    for behind, i in enumerate(order):
        lowest = min(lowest, p[i] * (len(p) / (len(p) - behind)))
        adjusted[i] = lowest
    return adjusted


def further_items(value: float, end: float, bound: float, counted: int) -> int | None:
    """How many further items an interval needs before its `end` clears `bound`, if the value stays as it is.

    Its width shrinks with the root of the number of items. None where the value itself does not clear the bound, or
    nothing is known of the width.
    """
    reach, room = value - end, value - bound
    if counted <= 0 or reach == 0 or room * reach <= 0:
        return None
    ratio = reach / room
    return (
        max(0, math.ceil(counted * ratio * ratio * (1 - 1e-12)) - counted)
        if ratio * ratio * counted < MOST_ITEMS
        else None
    )


def fewest_items(share: float, z: float = Z95) -> int:
    """How many items, all of them successes, bring the lower end of the Wilson interval up to `share` (below 1)."""
    return math.ceil(z * z * share / (1 - share))


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Z975 = 1.959963984540054
SERIES = 200


class ExactSum:
    """A sum of floats without rounding on the way (Shewchuk 1997, Discrete Comput. Geom. 18)."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: list[float] = []

    def add(self, value: float) -> None:
        """Adds one finite number."""
        kept = 0
        for part in self.parts:
            high = value + part
            big, small = (value, part) if abs(value) >= abs(part) else (part, value)
            low = small - (high - big)
            if low:
                self.parts[kept] = low
                kept += 1
            value = high
        self.parts[kept:] = [value]

    def merge(self, other: ExactSum) -> None:
        """Adds another sum."""
        for part in other.parts:
            self.add(part)

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return math.fsum(self.parts)


@dataclass
class Moments:
    """How many numbers, their sum, the squares about their mean, the least and the largest."""

    n: int = 0
    total: ExactSum = field(default_factory=ExactSum)
    centre: float = 0.0
    squares: float = 0.0
    least: float = math.inf
    largest: float = -math.inf

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments:
        """Of a column of finite floats."""
        moments = cls(int(values.size))
        if moments.n:
            total = float(values.sum())
            moments.total.add(total)
            moments.centre = total / moments.n
            apart = values - moments.centre
            moments.squares = float(apart.dot(apart))
            moments.least, moments.largest = float(values.min()), float(values.max())
        return moments

    def merge(self, other: Moments) -> None:
        """Adds another's numbers (Chan, Golub, LeVeque 1983, Am. Stat. 37)."""
        if not other.n:
            return
        n, gap = self.n + other.n, other.centre - self.centre
        self.squares += other.squares + gap * gap * self.n * other.n / n
        self.centre += gap * other.n / n
        self.n = n
        self.total.merge(other.total)
        self.least, self.largest = min(self.least, other.least), max(self.largest, other.largest)

    @property
    def mean(self) -> float:
        """The mean; n must be positive."""
        return self.total.value / self.n

    @property
    def deviation(self) -> float:
        """The population standard deviation; n must be positive."""
        return math.sqrt(max(0.0, self._squares / self.n))

    @property
    def _squares(self) -> float:
        """The squares about the mean; of equal numbers 0, whatever rounding leaves."""
        return self.squares if self.least < self.largest else 0.0

    def interval(self, low: float = -math.inf, high: float = math.inf) -> tuple[float, float] | None:
        """The 95 % t interval of the mean, cut to what is possible; None of fewer than two numbers."""
        if self.n < 2:
            return None
        half = t975(self.n - 1) * math.sqrt(self._squares / (self.n - 1) / self.n)
        return max(low, self.mean - half), min(high, self.mean + half)


@dataclass
class Ratio:
    """A mean over all keys of all scenarios, as a ratio of sums: scenarios are what varies, not their keys.

    `squares`, `cross` and `counts` are the sums over scenarios of total², total × number of keys, number².
    """

    n: int = 0
    total: ExactSum = field(default_factory=ExactSum)
    scenarios: int = 0
    squares: float = 0.0
    cross: float = 0.0
    counts: float = 0.0

    def merge(self, other: Ratio) -> None:
        """Adds another's scenarios."""
        self.n += other.n
        self.total.merge(other.total)
        self.scenarios += other.scenarios
        self.squares += other.squares
        self.cross += other.cross
        self.counts += other.counts

    @property
    def mean(self) -> float:
        """The mean over all keys; there must be one."""
        return self.total.value / self.n

    def interval(self, low: float = -math.inf, high: float = math.inf) -> tuple[float, float] | None:
        """The 95 % t interval of a ratio of sums (Cochran 1977, Sampling Techniques, ch. 6), cut at `low`/`high`."""
        n = self.scenarios
        if n < 2:
            return None
        mean = self.mean
        spread = max(0.0, self.squares - 2 * mean * self.cross + mean * mean * self.counts)
        half = t975(n - 1) * math.sqrt(n / (n - 1) * spread) / self.n
        return max(low, mean - half), min(high, mean + half)


def t975(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with a whole number of degrees of freedom, to about 1e-9.

    By the finite series of its distribution (Abramowitz and Stegun 26.7.3 and 26.7.4) up to 200, by the expansion in
    the normal quantile (26.7.5) beyond.
    """
    if freedom > SERIES:
        return t_of_many(Z975, float(freedom))
    low, high = 0.0, 13.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < 0.95 else (low, middle)
        if middle in (low, high) and math.nextafter(low, high) >= high:
            break
    return (low + high) / 2


def t_of_many(z: float, n: float) -> float:
    """Student's t of many degrees of freedom that is where z is in the normal distribution, by powers of 1/n."""
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / n + second / n**2 + third / n**3 + fourth / n**4


def _within(t: float, freedom: int) -> float:
    """The chance that |T| is at most t."""
    angle = math.atan2(t, math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    term, total = (cosine, cosine) if freedom % 2 else (1.0, 1.0)
    for k in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    if freedom == 1:
        return 2 * angle / math.pi
    return 2 / math.pi * (angle + sine * total) if freedom % 2 else sine * total
