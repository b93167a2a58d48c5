"""Two logs compared on the items of both: the difference with its interval, two tests, and what could have been seen.

Sources: as in `formulas/two_rates` and `formulas/sign_flips`; Cohen 1988, Statistical Power Analysis, chapter 2 (the
difference that is seen four times in five).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from auditfw.formulas.clusters import Numbers, whole_numbers
from auditfw.formulas.repeats.planning import least_difference
from auditfw.formulas.sign_flips import sign_flips
from auditfw.formulas.two_rates import RateDifference, two_rates

APART = 3  # so many times is one p-value the other, where both are worth telling
SAFE = 2**62  # squares of whole numbers, added up


@dataclass(frozen=True)
class PairedLogs:
    """A less B over their common items: shares from -1 to 1.

    - `rates`: difference, interval and p over trials by item;
    - `sign_flips_p`: the p of sign flips over the differences of item means, and whether it is `exact`;
    - `won`, `lost`, `tied`: items whose mean is higher, lower and the same in A;
    - `square`: the mean square of an item's difference of means, what plans need;
    - `smallest`: the smallest difference that would have been seen four times in five; None of one item.
    """

    rates: RateDifference
    sign_flips_p: float
    exact: bool
    won: int
    lost: int
    tied: int
    square: float
    smallest: float | None

    @property
    def tests_apart(self) -> bool:
        """Whether the two p-values differ by a factor above 3."""
        one, other = self.rates.p, self.sign_flips_p
        return one is not None and max(one, other) > APART * min(one, other)


def paired_logs(trials_a: Numbers, right_a: Numbers, trials_b: Numbers, right_b: Numbers) -> PairedLogs:
    """From four columns of whole numbers, an item a row; items that a side does not have are left out.

    Raises ValueError where no item is on both sides, and as `two_rates` does.
    """
    import numpy as np

    columns = np.stack([whole_numbers(column) for column in (trials_a, right_a, trials_b, right_b)])
    n, s, m, r = columns[:, (columns[0] > 0) & (columns[2] > 0)]
    if not n.size:
        raise ValueError("a paired comparison needs a common item")
    rates = two_rates(n, s, m, r)
    better = np.sign(s * m - r * n)
    apart = np.sort(s / n - r / m)
    square = math.fsum((apart * apart).tolist()) / n.size
    p, exact = _sign_flips(n, s, m, r)
    won, lost = int((better > 0).sum()), int((better < 0).sum())
    return PairedLogs(rates, p, exact, won, lost, n.size - won - lost, square, least_difference(square, n.size))


def _sign_flips(n: Any, s: Any, m: Any, r: Any) -> tuple[float, bool]:
    """Sign flips of the differences of means times the least common multiple of all numbers of repeats.

    The normal limit where that multiple is too large for whole numbers.
    """
    import numpy as np

    sizes = np.unique(np.concatenate([n, m])).tolist()
    multiple = math.lcm(*sizes)
    if multiple * multiple * n.size < SAFE:
        flips = sign_flips(multiple // n * s - multiple // m * r)
        return flips.p, flips.exact
    apart = [a / b - c / d for a, b, c, d in zip(s.tolist(), n.tolist(), r.tolist(), m.tolist(), strict=True)]
    squares = math.fsum(one * one for one in apart)
    return (math.erfc(abs(math.fsum(apart)) / math.sqrt(2 * squares)) if squares else 1.0), False
