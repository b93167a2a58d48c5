"""The exact sign-flip test over items: does one direction of change prevail beyond chance?

Under no shift the changes of an item are as likely to be all reversed, so the sum D_g of an item (changes to true less
changes to false) keeps its size and loses its sign. Where no sum is larger than 1 this is McNemar's exact test.
Source: Fisher 1935, The Design of Experiments, section 21.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from auditfw.core.statistics import mcnemar_exact

from .clusters import Numbers, whole_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

MOST_WORK = 10**8
DOUBLINGS = 400  # so many items at most double a count as often: far below the largest float


@dataclass(frozen=True)
class SignFlips:
    """The two-sided p, whether it is exact (else the normal limit), the items with a sum other than 0, and ΣD_g."""

    p: float
    exact: bool
    items: int
    total: int


def sign_flips(sums: Numbers) -> SignFlips:
    """The share of sign vectors with |Σ ±D_g| at least |Σ D_g|; `sums` are the D_g, whole numbers, one an item.

    p is 1 where no sum is other than 0, or where all add up to 0. Exact as long as items × Σ|D_g| is at most 10^8
    (items with D_g = 0 left out, the sums divided by their greatest common divisor); beyond it is the normal limit of
    ΣD_g / √ΣD_g².
    """
    import numpy as np

    signed = whole_numbers(sums)
    signed = signed[signed != 0]
    items, total = signed.size, int(signed.sum())
    if not total:
        return SignFlips(1.0, True, items, 0)
    unit = int(np.gcd.reduce(signed))
    sizes = np.sort(np.abs(signed)) // unit
    if sizes[-1] == 1:
        up = int((signed > 0).sum())
        return SignFlips(mcnemar_exact(up, items - up), True, items, total)
    if items * int(sizes.sum()) > MOST_WORK:
        return SignFlips(normal_limit(total, int((signed * signed).sum())), False, items, total)
    return SignFlips(_exact(sizes, abs(total) // unit), True, items, total)


def sign_flips_by_cell(cells: Numbers, number: int, sums: Numbers) -> list[SignFlips]:
    """The test in each of `number` cells: a row is an item in a cell, `cells` its cell's code from 0."""
    import numpy as np

    codes, signed = whole_numbers(cells), whole_numbers(sums)
    codes, signed = codes[signed != 0], signed[signed != 0]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(1, number))
    return [sign_flips(part) for part in np.split(signed[order], ends)]


def smallest_p(items: int) -> float:
    """The smallest p-value that so many items with a sum other than 0 can give: 2^(1 - items), at most 1."""
    return min(1.0, math.ldexp(1.0, 1 - items))


def normal_limit(total: int, squares: int) -> float:
    """The two-sided p-value of ΣD_g / √ΣD_g² under the normal distribution; `squares` is ΣD_g², above 0."""
    return math.erfc(abs(total) / math.sqrt(2 * squares))


@cache
def _ways_of_ones() -> NDArray[np.float64]:
    """The subsets of so many sizes of 1, fewer than DOUBLINGS, by their sum: a row a number."""
    import numpy as np

    ways = np.zeros((DOUBLINGS, DOUBLINGS))
    ways[:, 0] = 1.0
    for items in range(1, DOUBLINGS):
        ways[items, 1:] = ways[items - 1, 1:] + ways[items - 1, :-1]
    return ways


def _exact(sizes: Whole, total: int) -> float:
    """The share of sign vectors whose sum is at least `total` (above 0) away from 0.

    Both tails are alike. In the lower one the sizes with a plus add up to at most (Σ sizes - total) / 2: `ways` counts
    the subsets of each such sum, scaled by a power of two so that they stay floats.
    """
    import numpy as np

    last = (int(sizes.sum()) - total) // 2
    ones = min(int(np.searchsorted(sizes, 2)), DOUBLINGS - 1)  # most items have one flip: these steps are always alike
    ways, top = np.zeros(last + 1), min(last, ones)
    ways[: top + 1] = _ways_of_ones()[ones, : top + 1]
    for step, size in enumerate(sizes[ones:].tolist(), ones + 1):
        top = min(last, top + size)
        ways[size : top + 1] += ways[: max(0, top + 1 - size)]
        if step % DOUBLINGS == 0:
            ways *= 2.0**-DOUBLINGS
    scaled = sizes.size // DOUBLINGS * DOUBLINGS
    return min(1.0, math.ldexp(math.fsum(ways.tolist()), scaled + 1 - sizes.size))
