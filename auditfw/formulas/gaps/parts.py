"""What the gap p_A - p_B is made of: items + repeats + truths + scoring + ended + rest, exactly.

All parts are functions of sums over items, linear in an item's own row once the means of all are known: the same
function makes the parts of all, and what each item contributes to them.

Sources: Shorrocks 2013, J. Econ. Inequal. 11 (the Shapley value of a decomposition: the mean over all orders in which
rule, truth and texts can be changed); Kitagawa 1955, J. Am. Stat. Assoc. 50 (what different shares of ends make).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

from .two_logs import ENDS, FINISHED, A, B, GapSums, TwoLogs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PARTS = ("items", "repeats", "truths", "scoring", "ended", "rest")
GAP, MOVED = len(PARTS), len(PARTS) + 1  # rows behind the parts: all of it, and all but the rest
AXES = {"scoring": 0, "truths": 1, "rest": 2}  # of a corner
WHOLE, COMMON, ITEMS, SHARES, SOLVED = slice(0, 4), slice(4, 8), 8, slice(9, 15), slice(15, 39)  # of a row of values
Corner = tuple[int, int, int]


@dataclass(frozen=True)
class Changes:
    """How A's labels come of B's: (weight, corner before, corner after) by part, the weights of each part adding to 1.

    `apart` are the parts that these separate from the rest.
    """

    steps: dict[str, list[tuple[float, Corner, Corner]]]
    apart: frozenset[str]


def changes(known: Any) -> Changes:
    """The mean over all orders of changing rule, truth and texts whose corners are all known (2 × 2 × 2 flags).

    Of all corners these are the weights 1/3 and 1/6 of the Shapley value. Where no order is known, what cannot be
    changed alone is changed with the texts: truths first, then rules, then both.
    """
    for joined in ((), ("truths",), ("scoring",), ("truths", "scoring")):
        groups = [(part,) for part in ("scoring", "truths") if part not in joined]
        ways = [way for order in permutations([*groups, (*joined, "rest")]) if (way := _way(order, known))]
        if ways:
            break
    steps: dict[str, list[tuple[float, Corner, Corner]]] = {part: [] for part in AXES}
    for (part, before, after), count in Counter(step for way in ways for step in way).items():
        steps[part].append((count / len(ways), before, after))
    return Changes(steps, frozenset(AXES) - {*joined})


def _way(order: Any, known: Any) -> list[tuple[str, Corner, Corner]]:
    """The steps of an order from B's corner to A's; none where a corner is not known."""
    corners: list[Corner] = [(B, B, B)]
    for group in order:
        moved = {AXES[part] for part in group}
        r, t, m = (A if axis in moved else side for axis, side in enumerate(corners[-1]))
        corners.append((r, t, m))
    if not all(known[corner] for corner in corners):
        return []
    return [(group[-1], *step) for group, step in zip(order, pairwise(corners), strict=True)]


def values_of(sums: GapSums, items: slice) -> Floats:
    """The rows of some items, 39 × items.

    Trials and right ones of A and of B, of all items and of common ones; 1 for a common item; of common items the mean
    share of each end by side, and of trials of each end that are right, by side, end, rule and truth.
    """
    import numpy as np

    ends, right = sums.ends[..., items].astype(np.float64), sums.right[..., items].astype(np.float64)
    trials, stored = sums.trials[:, items], sums.stored[:, items]
    common = sums.common[items]
    number = trials.shape[1]
    weights = common / np.maximum(trials, 1)  # sides × items
    return np.concatenate(
        [
            np.stack([trials, stored], 1).reshape(4, number),
            np.stack([trials, stored], 1).reshape(4, number) * common,
            common[None],
            (ends * weights[:, None]).reshape(2 * ENDS, number),
            (right * weights[:, None, None, None]).reshape(8 * ENDS, number),
        ]
    )


def parts_of(values: Floats, totals: Floats, how: Changes, ended: bool) -> Floats:
    """The parts, the gap, and the gap less the rest: 8 × any shape of shares, of 39 × that shape.

    `values` are `totals` for the parts themselves, or rows of items for what each contributes. `ended`: whether ends
    are separable from the rest.
    """
    import numpy as np

    shape = np.broadcast_shapes(values.shape[1:], totals.shape[1:])
    made = np.zeros((MOVED + 1, *shape))
    solved = _corners(values) / totals[ITEMS]
    for side, sign in ((A, 1), (B, -1)):
        n, (m, s) = totals[WHOLE][2 * side], totals[COMMON][2 * side : 2 * side + 2]
        trials, right = values[WHOLE][2 * side : 2 * side + 2]
        common_trials, common_right = values[COMMON][2 * side : 2 * side + 2]
        made[0] += sign * (right - common_right - (trials - common_trials) * s / m) / n
        made[1] += sign * (common_right / m - solved[side, side, side])
        made[GAP] += sign * right / n
    for part, steps in how.steps.items():
        at = PARTS.index(part)
        for weight, before, after in steps:
            made[at] += weight * (solved[after] - solved[before])
    if ended:
        made[PARTS.index("ended")] = _ended(values, totals, how)
        made[PARTS.index("rest")] -= made[PARTS.index("ended")]
    made[MOVED] = made[: PARTS.index("rest")].sum(0)
    return made


def _corners(values: Floats) -> Floats:
    """The sums of item means right at each corner: 2 rules × 2 truths × 2 sides × …."""
    import numpy as np

    return np.moveaxis(values[SOLVED].reshape(2, ENDS, 2, 2, *values.shape[1:]).sum(1), 0, 2)


def _ended(values: Floats, totals: Floats, how: Changes) -> Any:
    """What different shares of ends make: each as the mean of both sides' rates of right by end, less of finished."""
    import numpy as np

    shares = values[SHARES].reshape(2, ENDS, *values.shape[1:]) / totals[ITEMS]
    of_ends = totals[SHARES].reshape(2, ENDS, 1, 1, *totals.shape[1:])
    right = totals[SOLVED].reshape(2, ENDS, 2, 2, *totals.shape[1:])
    rates = np.where(of_ends > NONE, right / np.maximum(of_ends, NONE), np.nan)
    made: Any = 0.0
    for weight, before, after in how.steps["rest"]:
        both = np.stack([rates[side][(slice(None), *corner[:2])] for side, corner in ((A, after), (B, before))])
        both = np.where(np.isnan(both), both[::-1], both)  # an end that one side has not: as on the other
        mean = np.nan_to_num(both.mean(0))
        for end in range(ENDS):
            if end != FINISHED:
                made = made + weight * (shares[A, end] - shares[B, end]) * (mean[end] - mean[FINISHED])
    return made


NONE = 1e-12  # a sum of shares that is 0 but for rounding


def contributions(logs: TwoLogs) -> Floats:
    """What each item contributes to each of PARTS: 6 × items of either side in the order of their numbers, shares.

    They add up to the parts. An item that is on one side alone contributes n_g(ȳ_g - p_C)/n to `items` (less for B's),
    p_C the rate of its side's common items: sums over causes of its absence split that part without remainder.
    """
    sums, how = logs.sums, changes(logs.corners)
    made = parts_of(values_of(sums, slice(None)), totals_of(sums)[:, None], how, ends_apart(logs))
    return made[: len(PARTS)]


def ends_apart(logs: TwoLogs) -> bool:
    """Whether ends can make a part of their own: they are known, and the texts are not the same."""
    return logs.ends is not None and "texts" not in logs.same


def totals_of(sums: GapSums) -> Floats:
    """The sum of `values_of` over all items, the same to the last bit for any numbering of them."""
    import numpy as np

    trials, stored, common = sums.trials, sums.stored, sums.common
    both = [np.stack([trials[:, rows].sum(1), stored[:, rows].sum(1)], 1).reshape(4) for rows in (slice(None), common)]
    means: list[list[float]] = []
    for columns in (sums.ends, sums.right):
        for side in (A, B):
            sizes, places = np.unique(trials[side, common], return_inverse=True)
            for column in columns[side].reshape(-1, sums.items):  # whole sums of items alike in size, then their means
                whole = np.bincount(places, weights=column[common], minlength=sizes.size)
                means.append([math.fsum((whole / sizes).tolist())])
    return np.concatenate([*both, [common.sum()], np.array(means)[:, 0]]).astype(np.float64)
