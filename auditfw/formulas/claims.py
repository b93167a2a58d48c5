"""Whether a claim holds, what turns it, how few labels reverse it, and which ranks pairs of rates leave open.

`d` is an estimate that counts towards the claim, `by` what it must exceed, `low` and `high` its 95 % interval, all in
one unit. Pairs adjusted together by Holm 1979 make rank intervals simultaneous; from pairs to ranks as Mogstad, Romano,
Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

ClaimVerdict = Literal["holds", "leans", "leans against", "fails", "cannot tell"]
ROUNDING = 1e-9  # of a label: a difference of 29 labels in 100 is 28.999999999999996 of them as floats


def claim_verdict(d: float, low: float | None, high: float | None, by: float = 0.0, items: int = 2) -> ClaimVerdict:
    """What an estimate and its interval say of a claim; `items` are those of the side with fewer.

    *holds*: the whole interval beyond `by`; *fails*: the whole interval on the other side; *leans*, *leans against*:
    the estimate alone. *cannot tell*: fewer than two items a side, no interval, or an estimate of exactly `by`.
    """
    if items < 2 or low is None or high is None:
        return "cannot tell"
    if low > by:
        return "holds"
    if high < by:
        return "fails"
    if d == by:
        return "cannot tell"
    return "leans" if d > by else "leans against"


def turned(reference: ClaimVerdict, reading: ClaimVerdict) -> bool:
    """Whether a claim holds under one of the two, and leans against or fails under the other."""
    against = ("leans against", "fails")
    return (reference == "holds" and reading in against) or (reading == "holds" and reference in against)


def labels_to_reverse(d: float, trials: int, by: float = 0.0) -> int:
    """The labels that must change before the estimate is on the other side of `by`: ⌊|d - by| × trials⌋ + 1.

    `d` and `by` are shares, `trials` those of the smaller side.
    """
    return math.floor(abs(d - by) * trials + ROUNDING) + 1


def labels_to_unsettle(d: float, end: float, trials: int, by: float = 0.0) -> int:
    """The labels that must change before the interval, as wide as it is, reaches `by`; 0 where it does already.

    `end` is the interval's end on the side of `by`: ⌊(|d - by| - |d - end|) × trials⌋ + 1.
    """
    room = abs(d - by) - abs(d - end)
    return math.floor(room * trials + ROUNDING) + 1 if room > 0 else 0


def resolved_pairs(
    differences: Sequence[Sequence[float]], p: Sequence[Sequence[float | None]], alpha: float = 0.05
) -> list[list[bool]]:
    """The matrix of pairs where i is resolved as better than j: the adjusted p at most alpha, the difference above 0.

    `differences[i][j]` is how much better i is than j, `p[i][j]` the adjusted p of the pair, the same in both halves.
    """
    return [
        [value is not None and value <= alpha and d > 0 for d, value in zip(row, values, strict=True)]
        for row, values in zip(differences, p, strict=True)
    ]


def rank_intervals(better: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """The ranks that are possible, best 1: from 1 + those resolved as better to C - those resolved as worse.

    `better[i][j]`: i is resolved as better than j.
    """
    return [(1 + sum(row[i] for row in better), len(better) - sum(better[i])) for i in range(len(better))]


def turned_pairs(better: Sequence[Sequence[bool]], differences: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The pairs (i, j): i is resolved as better under the reference, j is better by a reading's differences."""
    return [
        (i, j) for i, row in enumerate(better) for j, is_better in enumerate(row) if is_better and differences[i][j] < 0
    ]
