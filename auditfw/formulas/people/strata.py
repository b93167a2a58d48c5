"""Which trials people label: four classes by what the readings say, and how many labels each class gets.

A class follows from the labels of the readings alone, before anybody has labelled a trial. Labels are shared out in
proportion (Neyman's optimum from a first half, labels pooled, biases the rate and loses coverage), but at least a third
goes to the trials on which readings differ: there one label says most about which reading is right.

Sources: Cochran 1977, Sampling Techniques, chapter 5 (proportional allocation); Hamilton's rule of largest remainders.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int8]

CLASSES = ("all right", "all wrong", "differ, reference right", "differ, reference wrong")
DIFFERING = (False, False, True, True)  # by class
LEAST = 2  # labels of a class, where it has so many trials
PART = Fraction(1, 3)  # of the labels that the trials on which readings differ get at least


def classes_of(readings: Sequence[Codes]) -> Codes:
    """The class of each trial by the labels of the readings (1 right, 0 wrong, -1 none), the reference's first.

    0: none calls it wrong; 1: none calls it right; 2: they differ and the reference calls it right; 3: they differ and
    it does not; -1: no reading has a label.
    """
    import numpy as np

    right = np.logical_or.reduce([labels == 1 for labels in readings])
    wrong = np.logical_or.reduce([labels == 0 for labels in readings])
    differ = np.where(readings[0] == 1, 2, 3)
    return np.where(right & wrong, differ, np.where(right, 0, np.where(wrong, 1, -1))).astype(np.int8)


def proportional(sizes: Sequence[int], n: int, least: Sequence[int]) -> list[int]:
    """n shared out in proportion to the sizes, between `least` and the sizes; by largest remainders, ties to the first.

    What comes below its least, then what comes above its size, is fixed there, and the rest is shared out again.
    """
    shares = [Fraction(bound) for bound in least]
    free = set(range(len(sizes)))
    n = min(n, sum(sizes))
    while free and sum(least) < n:
        total = sum(sizes[i] for i in free)
        fixed = sum(int(share) for i, share in enumerate(shares) if i not in free)
        for i in free:
            shares[i] = Fraction((n - fixed) * sizes[i], total) if total else Fraction(0)
        bounds = {i: least[i] for i in free if shares[i] < least[i]}
        bounds = bounds or {i: sizes[i] for i in free if shares[i] > sizes[i]}
        if not bounds:
            break
        for i, bound in bounds.items():
            shares[i] = Fraction(bound)
        free -= set(bounds)
    whole = [floor(share) for share in shares]
    for i in sorted(range(len(sizes)), key=lambda i: (whole[i] - shares[i], i)):
        if sum(whole) >= n:
            break
        whole[i] += whole[i] < sizes[i]
    return whole


def labels_by_class(sizes: Sequence[int], n: int, drawn: Sequence[int] = (0, 0, 0, 0)) -> list[int]:
    """How many of n labels each of the four classes gets, at least what is drawn already; all trials if n is enough.

    The trials on which readings differ get their part of the labels, at least `PART`, and at most all of them; both
    halves keep room for the least of their classes.
    """
    n = min(n, sum(sizes))
    least = [max(min(size, LEAST), taken) for size, taken in zip(sizes, drawn, strict=True)]
    least = least if sum(least) <= n else list(drawn)  # so few labels that a class may get none
    differ = sizes[2] + sizes[3]
    part = floor(Fraction(n * differ, sum(sizes)) + Fraction(1, 2)) if n else 0
    part = max(min(differ, max(part, ceil(n * PART))), n - sizes[0] - sizes[1])
    part = max(min(part, n - least[0] - least[1]), min(least[2] + least[3], n))
    same = proportional(sizes[:2], n - part, least[:2])
    return same + proportional(sizes[2:], part, least[2:])


def equal_parts(sizes: Sequence[int], n: int) -> list[int]:
    """n in equal parts, at most the sizes: what is too small gives its part to the others, single ones to the first."""
    parts = [0] * len(sizes)
    while sum(parts) < min(n, sum(sizes)):
        room = [i for i, size in enumerate(sizes) if parts[i] < size]
        each, single = divmod(n - sum(parts), len(room))
        for i in room if each else room[:single]:
            parts[i] += min(max(each, 1), sizes[i] - parts[i])
    return parts


def labels_by_cell(sizes: Sequence[Sequence[int]], n: int, drawn: Sequence[Sequence[int]] = ()) -> list[list[int]]:
    """How many of n labels each class of each cell gets: equal parts over the cells, then by class."""
    parts = equal_parts([sum(cell) for cell in sizes], n)
    before = drawn or [(0, 0, 0, 0)] * len(sizes)
    return [labels_by_class(*cell) for cell in zip(sizes, parts, before, strict=True)]
