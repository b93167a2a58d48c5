"""The gap between two rates, class by class of what was lost, and what it has of ends that were not alike.

Since a rate is 1 less the shares of all classes, the gap is exactly the sum of their differences. The second account is
Kitagawa's (1955, J. Am. Stat. Assoc. 50), over finished, cut off or empty, and loops, of the items of both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditfw.formulas.two_rates import RateDifference, two_rates


@dataclass(frozen=True)
class Kitagawa:
    """The gap on the items of both sides: what different ends make of it, and the rest; `items` are these."""

    gap: float
    ended: float
    items: int

    @property
    def rest(self) -> float:
        return self.gap - self.ended


def gap_by_class(trials_a: Any, lost_a: Any, trials_b: Any, lost_b: Any) -> list[RateDifference]:
    """The share of each class in b less that in a: what a gains by it on b.

    `trials` have a number an item of either side, `lost` a column a class: items × classes.
    """
    pairs = zip(lost_b.T, lost_a.T, strict=True)
    return [two_rates(trials_b, of_b, trials_a, of_a) for of_b, of_a in pairs]


def kitagawa(trials: Any, right: Any) -> Kitagawa | None:
    """Both arrays are sides × items × ends (0 finished, 1 cut off or empty, 2 loop) of trials, and of those right."""
    import numpy as np

    sizes = trials.sum(2)
    common = (sizes > 0).all(0)
    items = int(common.sum())
    if not items:
        return None
    weights = 1.0 / np.maximum(sizes, 1)[:, common, None]
    shares, solved = (trials[:, common] * weights).mean(1), (right[:, common] * weights).mean(1)
    rates = np.where(shares > 0, solved / np.maximum(shares, 1e-300), np.nan)
    rates = np.where(np.isnan(rates), rates[::-1], rates)  # an end that one side has not: as on the other
    mean = np.nan_to_num(rates.mean(0))
    ended = float(((shares[0] - shares[1]) * (mean - mean[0]))[1:].sum())
    return Kitagawa(float((solved[0] - solved[1]).sum()), ended, items)
