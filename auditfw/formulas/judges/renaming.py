"""Labels of a rater that stand one-to-one for others of those that it is held against.

A label is moved where most of what a rater gives it goes to one other label, and most of that comes from it. The arrows
must close in a ring, or lead from words that the other side never uses to labels that this rater never gives: a judge
that is wrong, or that merges labels, makes neither. Tested by items: exact McNemar, for as many one-to-one maps as the
labels used often enough allow, and the rise of kappa with its interval.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import exp, lgamma, log
from typing import Any, NamedTuple

import numpy as np

from auditfw.formulas.agreement.binomial import tails

from .rises import ONCE, RowWeights, nominal, rise

OFTEN = 3  # times that a rater uses a label, for it to be moved
LEAST_RISE, LEAST_END = 0.1, 0.05  # of kappa, and of the lower end of its rise
FEWEST = 6  # rows
TINIEST = 1e-300


class OneToOne(NamedTuple):
    """Which codes stand for which, how many of `n` rows agree `before` and `after` that; `p` counts all maps."""

    moved: Mapping[int, int]
    n: int
    before: int
    after: int
    p: float


def renaming(own: Any, other: Any, labels: int, kept: Collection[int] = (), groups: Any = None) -> OneToOne | None:
    """The renaming of a rater's codes, from 0 on, that is held against others; None where there is none.

    Codes in `kept` (abstentions) are never moved; `groups` are numbers of the items that rows are trials of.
    """
    if len(own) < FEWEST:
        return None
    table = np.bincount(own * labels + other, minlength=labels * labels).reshape(labels, labels)
    moved = arrows(table, kept)
    if len(moved) < 2 or ((table.sum(0) + table.sum(1)) > 0).sum() < 3:
        return None
    to = np.arange(labels)
    to[list(moved)] = list(moved.values())
    weights = ONCE if groups is None else RowWeights(groups=groups)
    risen = rise(nominal(to[own], other, labels, weights), nominal(own, other, labels, weights), weights)
    if not (risen.gap >= LEAST_RISE and risen.low > LEAST_END):
        return None
    change = (to[own] == other).astype(int) - (own == other)
    if groups is not None:
        change = np.bincount(np.unique(groups, return_inverse=True)[1], weights=change)
    up, down = int((change > 0).sum()), int((change < 0).sum())
    maps = lgamma(int((table.sum(1) >= OFTEN).sum()) + 1)
    p = exp(min(0.0, log(max(tails(up, up + down, 0.5)[1], TINIEST)) + maps))
    return OneToOne(moved, len(own), int((own == other).sum()), int((to[own] == other).sum()), p)


def arrows(table: Any, kept: Collection[int] = ()) -> dict[int, int]:
    """Which labels of the rows of a table of counts stand for which of its columns, one-to-one."""
    rows, columns = table.sum(1), table.sum(0)
    to = table.argmax(1)
    most = table[np.arange(len(table)), to]
    often = (rows >= OFTEN) & (2 * most > rows) & (2 * most > columns[to]) & (to != np.arange(len(table)))
    moved = {int(i): int(to[i]) for i in np.flatnonzero(often) if i not in kept and int(to[i]) not in kept}
    own = {i for i, j in moved.items() if not columns[i] and not rows[j]}
    return {i: j for i, j in moved.items() if i in own or _closes(moved, i)}


def _closes(moved: Mapping[int, int], start: int) -> bool:
    """Whether the arrows from a label lead back to it."""
    seen, at = {start}, moved[start]
    while at in moved and at not in seen:
        seen.add(at)
        at = moved[at]
    return at == start
