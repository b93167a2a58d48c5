"""The scales of a picture: from numbers to pixels, and the round numbers that an axis is labelled with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil, floor, log10

LEAST, LARGEST = 1e-290, 1e300  # a computer cannot count with differences beyond these
ROUND = ((50**0.5, 10), (10**0.5, 5), (2**0.5, 2))  # from which share of a power of ten its multiple is the step
PLAIN, MOST_DIGITS = 1e7, 8  # numbers of less are written out


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` at pixels from `start` to `end`; about `count` are labelled, or `whole` ones."""

    low: float
    high: float
    start: float
    end: float
    count: int
    whole: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a number; one beyond the ends is at the end."""
        kept = max(self.low, min(self.high, value))
        return self.start + (self.end - self.start) * ((kept - self.low) / (self.high - self.low))

    def ticks(self) -> list[tuple[float, str]]:
        """The labelled numbers with their texts, from the least."""
        step = self.step
        values = [n * step for n in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]
        most, digits = max(map(abs, values), default=1.0), -floor(log10(step) + 1e-9)
        if most < PLAIN and digits < MOST_DIGITS:
            texts = [f"{round(value, max(0, digits)) + 0.0:,.{max(0, digits)}f}" for value in values]
        else:
            texts = [f"{value:.{max(1, floor(log10(most)) + digits + 1)}g}" for value in values]
        return list(zip(values, (text.replace("-", "−") for text in texts), strict=True))

    @property
    def step(self) -> float:
        """1, 2 or 5 times a power of ten, of which about `count` are between the ends."""
        share = (self.high - self.low) / self.count
        power: float = 10.0 ** floor(log10(share))
        step = power * next((factor for least, factor in ROUND if share / power >= least), 1)
        return max(1.0, step) if self.whole else step

    def rounded(self) -> Scale:
        """The scale from one labelled number to another, the first of them before what lies there, but not below 0."""
        low, high = floor(self.low / self.step - 0.1), ceil(self.high / self.step - 1e-9)
        wider = replace(self, low=(max(0, low) if self.low >= 0 else low) * self.step, high=high * self.step)
        return wider if wider.step == self.step else wider.rounded()


def ends_of(values: Iterable[float], zero: bool = False, spare: float = 0.0) -> tuple[float, float]:
    """The least and the largest of these and of 0 where that is wanted, with a share of their distance to `spare`.

    Numbers that are all one get room on both sides.
    """
    known = [max(-LARGEST, min(LARGEST, value)) for value in values] + [0.0] * zero
    low, high = min(known, default=0.0), max(known, default=0.0)
    if high - low > max(LEAST, 1e-12 * max(abs(low), abs(high))):
        return low - spare * (high - low), high + spare * (high - low)
    beside = abs(low) / 10 if abs(low) > LEAST else 1.0
    return (low if zero else low - beside), high + beside
