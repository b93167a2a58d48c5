"""By which convention was a stored pass@k or pass^k computed: unbiased, plug-in, of the first k, or of all repeats?

The plug-in 1 - (1 - c/n)^k, or (c/n)^k, is biased for k above 1 (Chen and others 2021, arXiv:2107.03374); of the
first k repeats it is unbiased, but of more spread; of all n it is another quantity, any_of_n or all_of_n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from auditfw.formulas.clusters import Numbers, whole_numbers

from .of_k import all_of_k, any_of_k, checked, rate_of

UNBIASED, PLUG_IN, FIRST, ALL = CONVENTIONS = ("unbiased", "plug_in", "first_k", "all_n")  # in the order of the check


def right_of_first(items: Numbers, right: Numbers, k: int) -> Any:
    """The right ones among the first k repeats of each item: a row a trial, in the order in which they were stored.

    `items` are codes from 0, `right` is 0 or 1; a number a code up to the largest.
    """
    import numpy as np

    codes, labels = whole_numbers(items), whole_numbers(right)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], codes[order])
    early = order[np.arange(codes.size) - starts < k]
    number = int(codes.max()) + 1 if codes.size else 0
    return np.bincount(codes[early], weights=labels[early], minlength=number).astype(np.int64)


def conventions(trials: Numbers, right: Numbers, first: Numbers, k: int, every: bool = False) -> dict[str, float]:
    """The number by each convention, a share, by name in the order of CONVENTIONS: of any of k, or of `every` one.

    `trials`, `right` and `first` (`right_of_first`) are whole numbers, one an item. *Unbiased* is over the items of k
    repeats or more, and not there where there is none; the others are over all that have a repeat. Errors as in
    `any_of_k`; ValueError where there is no trial.
    """
    n, c = checked(trials, right, k)
    there = n > 0
    if not there.any():
        raise ValueError("a number needs a trial")
    n, c, early = n[there], c[there], whole_numbers(first)[there]
    unbiased = rate_of(all_of_k if every else any_of_k, n, c, k)
    values = {} if unbiased is None else {UNBIASED: unbiased.share}
    plug_in = (c / n) ** k if every else 1 - (1 - c / n) ** k
    others = (plug_in, early == n.clip(max=k), c == n) if every else (plug_in, early > 0, c > 0)
    return values | {
        name: math.fsum(column.tolist()) / n.size for name, column in zip(CONVENTIONS[1:], others, strict=True)
    }


def convention_of(stored: float, room: float, values: Mapping[str, float]) -> str | None:
    """The first convention whose value is within `room` (half a unit of the last digit) of the stored number.

    All are shares. None where none is: the stored number differs.
    """
    close = room + 1e-12  # what rounding leaves of a share
    return next((name for name, value in values.items() if abs(value - stored) <= close), None)
