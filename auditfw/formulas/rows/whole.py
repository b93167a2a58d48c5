"""Whether a table is whole: truths or labels that are all one, items with several truths or that some values lack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import wilson
from auditfw.formulas.clusters import first_rows
from auditfw.formulas.multiple import holm
from auditfw.formulas.rows.exact import two_shares

from .label_lags import MANY, Codes
from .spans import Flags

LEAST = 20  # items, rows
LEVEL = 0.001
MOST, LEANING, ERRORS = 0.9, 0.6, 4
APART = 0.05
DIFFERENT, SHARE = 3, 0.01


@dataclass(frozen=True)
class OneTruth:
    """The code of the truth that `items` of `of` items have."""

    truth: int
    items: int
    of: int


def one_truth(truths: Codes, items: Codes, options: int = 0) -> OneTruth | None:
    """The truth of nearly all items; of letters, `options` of them, also of clearly more than its share."""
    at = np.flatnonzero(truths >= 0)
    if len(at) and (items[at] >= 0).all():
        at = at[first_rows(items[at])]
    if len(at) < LEAST:
        return None
    counts = np.bincount(truths[at])
    truth, n = int(np.argmax(counts)), len(at)
    share = int(counts[truth]) / n
    even = 1 / options if options >= 3 else 1.0
    leans = share > LEANING and share > even + ERRORS * math.sqrt(even * (1 - even) / n)
    return OneTruth(truth, int(counts[truth]), n) if share >= MOST or leans else None


@dataclass(frozen=True)
class OneLabel:
    """All labels are `right`, or all wrong; rule number `rule` gives `against` of so many otherwise."""

    right: bool
    rule: int
    against: int
    of: int


def one_label(labels: Flags, rules: Sequence[Flags]) -> OneLabel | None:
    """Of labels that are all one: by the rule that calls most right clearly some are not. One rule there must be."""
    n, every = len(labels), bool(labels.all())
    if n < LEAST or not rules or labels.any() != every:
        return None
    right = [int(np.count_nonzero(rule)) for rule in rules]
    rule = max(range(len(rules)), key=lambda number: right[number])
    against = n - right[rule] if every else right[rule]
    return OneLabel(every, rule, against, n) if wilson(against, n)[0] > APART else None


@dataclass(frozen=True)
class TruthsDiffer:
    """The items with several truths, of so many with a truth, and the numbers of their rows."""

    items: NDArray[np.int64]
    of: int
    rows: NDArray[np.intp]

    @property
    def many(self) -> bool:
        """More than a few that somebody mended between two runs."""
        return len(self.items) >= DIFFERENT and wilson(len(self.items), self.of)[0] > SHARE


def truths_differ(items: Codes, truths: Codes) -> TruthsDiffer | None:
    """The items whose rows have different truths; rows without item or truth say nothing."""
    at = np.flatnonzero((items >= 0) & (truths >= 0))
    if not len(at):
        return None
    own, size = items[at], int(items.max()) + 1
    last = np.zeros(size, truths.dtype)
    last[own] = truths[at]
    different = np.zeros(size, bool)
    different[own[last[own] != truths[at]]] = True
    if not different.any():
        return None
    of = int(np.count_nonzero(np.bincount(own, minlength=size)))
    return TruthsDiffer(np.flatnonzero(different), of, np.flatnonzero(different[items] & (items >= 0)))


@dataclass(frozen=True)
class Uneven:
    """Values of a column that lack items others have: `lacking[value]` of `items`, by value the rate on all its items
    and on the common ones (NaN without any), and the p of the items that a value lacks being like the others.

    `common` flags the rows of items that all have.
    """

    items: int
    lacking: NDArray[np.int64]
    rates: NDArray[np.float64]
    common_rates: NDArray[np.float64]
    chances: NDArray[np.float64]
    common: Flags

    @property
    def selected(self) -> bool:
        """What is missing is not missing at random."""
        return bool((self.chances <= LEVEL).any())

    @property
    def moved(self) -> float | None:
        """By how much a rate differs on the common items, at most; as a share. None without common items."""
        moved = np.abs(self.rates - self.common_rates)
        return None if np.isnan(moved).all() else float(np.nanmax(moved))


def uneven(values: Codes, items: Codes, right: Flags, labelled: Flags) -> Uneven | None:
    """Where over half of all pairs of value and item have a row, but not all; None elsewhere."""
    number, size = int(values.max(initial=-1)) + 1, int(items.max(initial=-1)) + 1
    if not 2 <= number <= MANY or (items < 0).any() or (values < 0).any() or number * size > 4 * len(items) + 1_000:
        return None
    at = values.astype(np.int64) * size + items
    rows, trials, successes = (
        np.bincount(at[flags], minlength=number * size).reshape(number, size)
        for flags in (slice(None), labelled, labelled & right)
    )
    known, there = rows.sum(axis=0) > 0, rows > 0
    share = np.count_nonzero(there) / (number * np.count_nonzero(known))
    if not 0.5 < share < 1:
        return None
    lacks, common = known & ~there, np.all(there, axis=0)
    with np.errstate(invalid="ignore"):
        rates = successes.sum(axis=1) / trials.sum(axis=1)
        common_rates = successes[:, common].sum(axis=1) / trials[:, common].sum(axis=1)
    tested = [value for value in range(number) if lacks[value].any()]
    chances = np.ones(number)
    chances[tested] = holm([_selected(value, lacks[value], trials, successes) for value in tested])
    return Uneven(int(np.count_nonzero(known)), lacks.sum(axis=1), rates, common_rates, chances, common[items])


def _selected(value: int, lacks: Flags, trials: Codes, successes: Codes) -> float:
    """Whether the other values are right on the items that this one lacks as often as on those that it has."""
    n, k = trials.sum(axis=0) - trials[value], successes.sum(axis=0) - successes[value]
    counts = [int(column[flags].sum()) for flags in (lacks, ~lacks) for column in (k, n)]
    return two_shares(*counts) if counts[1] and counts[3] else 1.0
