"""What a table of labels is as a whole: counts that were taken for raters, pairs of too few items, items twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from auditfw.formulas.agreement import groups
from auditfw.formulas.agreement.settings import FEWEST_TO_TELL

from .placeholders import NONE, RatedItems

FEWEST_ROWS, FEWEST_KINDS, LEAST_SUM = 6, 3, 2
MOSTLY = 0.9  # of the items with the text of another one have its labels, too
MANY, LIKELY = 20, 0.01  # so many pairs of one text are held against any two items
TEMPLATE, MOST_ALIKE = 3, 0.02  # so many items, or such a share of them, may have one text


class FewShared(NamedTuple):
    """How many of the `pairs` of raters have too few items, and how many raters share enough with no other one."""

    few: int
    pairs: int


def counts_table(rated: RatedItems) -> int:
    """The sum that the whole numbers of every row come to, where that shows a table of counts; else 0.

    Of six rows or more, three different ones at least, without a gap.
    """
    if not rated.codes.size or (rated.codes == NONE).any() or rated.codes.shape[1] < FEWEST_ROWS:
        return 0
    numbers = rated.numbers[rated.codes]
    if not (np.isfinite(numbers).all() and (numbers >= 0).all() and (numbers == np.round(numbers)).all()):
        return 0
    sums = numbers.sum(0)
    if sums[0] < LEAST_SUM or (sums != sums[0]).any() or len(np.unique(numbers, axis=1).T) < FEWEST_KINDS:
        return 0
    return int(sums[0])


def fleiss(rated: RatedItems) -> float | None:
    """Fleiss' kappa (1971) of a table of counts: rows are items, columns the labels, cells how many gave which."""
    counts = rated.numbers[rated.codes].T
    kappa = float(groups.fleiss(np.ones(len(counts)), counts))
    return kappa if np.isfinite(kappa) else None


def few_shared(rated: RatedItems) -> FewShared:
    """How many pairs that are looked at have fewer items than tell anything."""
    there = (rated.codes != NONE).astype(np.float32)
    if rated.reference is not None:
        shared = np.delete(there @ there[rated.reference], rated.reference)
    else:
        shared = (there @ there.T)[np.triu_indices(len(there), 1)]
    return FewShared(int((shared < FEWEST_TO_TELL).sum()), len(shared))


def twice(texts: Sequence[int], rated: RatedItems) -> list[tuple[int, int]]:
    """The items that stand again with the labels of another one, each with the first of them.

    `texts` are numbers of the items' texts, negative for one that is too short. A text of more items than a few is a
    template, and shows nothing. Nor do any where such items often differ in their labels, or many whose labels are
    equal as often as those of any two items: of one question several answers are judged there.
    """
    most = max(TEMPLATE, MOST_ALIKE * rated.codes.shape[1])
    seen: dict[int, list[int]] = {}
    for at, text in enumerate(texts):
        if text >= 0:
            seen.setdefault(text, []).append(at)
    alike = [(first, at) for first, *rest in seen.values() if len(rest) < most for at in rest]
    same = [(first, at) for first, at in alike if _equal(rated.codes, first, at)]
    unlike = len(alike) - len(same)
    if len(same) < MOSTLY * len(alike) or (len(alike) >= MANY and _usual(rated.codes, unlike, len(alike))):
        return []
    return same


def _usual(codes: Any, unlike: int, n: int) -> bool:
    """Whether of `n` pairs of any two items so few would have unlike labels in one of a hundred draws or more."""
    from scipy.special import bdtr

    kinds = np.unique(codes.T, axis=0, return_counts=True)[1]
    differ = 1.0 - float(((kinds / kinds.sum()) ** 2).sum())
    return bool(bdtr(unlike, n, differ) > LIKELY)


def agreement(rated: RatedItems, kept: Any = None) -> float | None:
    """The share of labels, of the items `kept`, that are those that their raters are held against."""
    same = n = 0
    for rater in rated.candidates:
        own, other = rated.codes[rater], rated.against(rater)
        rows = (own != NONE) & (other != NONE)
        rows = rows if kept is None else rows & kept
        same, n = same + int((own[rows] == other[rows]).sum()), n + int(rows.sum())
    return same / n if n else None


def _equal(codes: Any, one: int, other: int) -> bool:
    return bool((codes[:, one] == codes[:, other]).all() and (codes[:, one] != NONE).any())
