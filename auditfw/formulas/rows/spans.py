"""The span of consecutive rows with the largest sum of weights (Kadane), where a row has one of two weights.

Eight rows are looked up at once: what a byte of flags adds up to, its best end and its best start, are in tables. A
span within a byte that neither begins nor ends it is not looked for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(bool)


class Span(NamedTuple):
    """Rows from `first` to before `end`, and the sum of their weights."""

    first: int
    end: int
    total: float

    def __len__(self) -> int:
        return self.end - self.first

    @property
    def rows(self) -> slice:
        return slice(self.first, self.end)


def heaviest(flags: Flags, gain: float, loss: float) -> Span:
    """The span with the largest sum, where a row with a flag adds `gain` and any other `loss`, which is negative."""
    if not len(flags):
        return Span(0, 0, 0.0)
    ends = np.cumsum(np.where(BITS, gain, loss), axis=1)
    starts = np.concatenate([np.zeros((256, 1)), ends[:, :-1]], axis=1)
    octets = np.packbits(flags)
    sums = np.cumsum(ends[:, -1][octets])
    before = np.concatenate([[0.0], sums[:-1]])  # the sum up to each byte
    lowest = np.minimum.accumulate(before + starts.min(axis=1)[octets])
    least = np.concatenate([[0.0], lowest[:-1]])
    np.minimum(least, before, out=least)
    heights = before + ends.max(axis=1)[octets] - least
    last = int(np.argmax(heights))
    end = 8 * last + int(np.argmax(ends[octets[last]])) + 1
    at = last
    if before[last] > least[last]:
        at = int(np.argmax(lowest[:last] <= least[last]))
    first = 8 * at + (int(np.argmin(starts[octets[at]])) if at < last else 0)
    return Span(first, min(end, len(flags)), float(heights[last])) if heights[last] > 0 else Span(0, 0, 0.0)


def likeliest(flags: Flags, share: float, usual: float) -> Span:
    """The span whose flags speak most for `share`, and not for the `usual` one: by the sum of their log ratios."""
    return heaviest(flags, math.log(share / usual), math.log((1 - share) / (1 - usual)))


def chance_of(span: Span, rows: int, tries: int) -> float:
    """A bound on how likely so large a sum of log ratios is anywhere among the rows, in so many tries."""
    return min(1.0, tries * rows * math.exp(-span.total))
