"""The values of one parameter at which scenarios miss what was intended, where at its other values they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditfw.formulas.multiple import ALPHA
from auditfw.formulas.rows.exact import two_shares

from .factors import MOSTLY, Flags, Floats

Places = tuple[int, int]  # from the first up to the second
FEW_VALUES = 6  # of which any may be named together


@dataclass(frozen=True)
class MissRange:
    """Scenarios miss at those of a parameter's ascending distinct `values` that are at the places `missing`.

    `here` are how many miss and how many there are at these values, `elsewhere` at the `others`.
    """

    name: str
    values: Sequence[float]
    missing: Sequence[Places]
    others: Sequence[Places]
    here: tuple[int, int]
    elsewhere: tuple[int, int]


def miss_range(columns: Mapping[str, Floats], missed: Flags, items: Sequence[int] = ()) -> MissRange | None:
    """Where nearly all scenarios miss, and nearly all that miss are: a range of one parameter, or all but a range.

    `columns` holds the values of each parameter, of shape (scenarios,) like `missed`; `items` are the numbers of the
    scenarios' items, from 0, where several scenarios are of one. Of each parameter those ranges are tried that have the
    fewest exceptions, with one end and with two, and any of a few values. At least 90 % of the scenarios there miss,
    and 90 % of those that miss are there; Fisher's exact test of the items has p of at most 0.05 after Bonferroni's
    adjustment for all ranges of all parameters. The least p wins, so that one end is preferred to two. None where there
    is no such range.
    """
    every = [one for name, values in columns.items() for one in _ranges(name, values, missed, np.array(items, int))]
    least = min(every, key=lambda one: one[0], default=None)
    return least[1] if least is not None and least[0] * len(columns) <= ALPHA else None


def _ranges(name: str, values: Floats, missed: Flags, items: Any) -> Iterator[tuple[float, MissRange]]:
    """Ranges of one parameter, each after its p-value adjusted for the ranges of its kind."""
    distinct, at = np.unique(values, return_inverse=True)
    for runs, kinds in _candidates(np.bincount(at, np.where(missed, 1.0, -1.0))):
        there = (at[:, None] >= [first for first, _ in runs]) & (at[:, None] < [last for _, last in runs])
        here: Flags = np.asarray(there.any(axis=1))
        hits, n, total = int((here & missed).sum()), int(here.sum()), int(missed.sum())
        if hits >= MOSTLY * max(n, total) > 0:
            edges = [0, *(edge for run in runs for edge in run), len(distinct)]
            others = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
            counts = (hits, n), (total - hits, len(at) - n)
            chance = kinds * _chance(_of_items(here, items), _of_items(missed, items))
            yield chance, MissRange(name, distinct.tolist(), [run for run in runs if run[0] < run[1]], others, *counts)


def _candidates(gains: Any) -> Iterator[tuple[list[Places], int]]:
    """The places with the fewest exceptions, and how many of their kind there are: one end, two, all but these, some.

    `gains` are how many more scenarios miss than do not at each value.
    """
    n, sums = len(gains), np.concatenate([[0.0], np.cumsum(gains)])
    if n > 1:
        yield [(0, 1 + int(np.argmax(sums[1:n])))], 2 * (n - 1)
        yield [(1 + int(np.argmin(sums[1:n])), n)], 2 * (n - 1)
        yield [_widest(sums)], n * (n - 1)
        first, last = _widest(-sums)
        yield [(0, first), (last, n)], n * (n - 1)
    if n <= FEW_VALUES:
        yield [(place, place + 1) for place in np.flatnonzero(gains > 0).tolist()], 2**n


def _widest(sums: Floats) -> Places:
    """The two places between which the sums rise most."""
    last = 1 + int(np.argmax(sums[1:] - np.minimum.accumulate(sums)[:-1]))
    return int(np.argmin(sums[:last])), last


def _of_items(flags: Flags, items: Any) -> Flags:
    """The flags of the items, those of most of their scenarios; the flags themselves where each is its own."""
    return np.asarray(np.bincount(items, flags) > np.bincount(items) / 2) if items.size else flags


def _chance(there: Flags, missed: Flags) -> float:
    a, n = int((there & missed).sum()), int(there.sum())
    return two_shares(a, n, int(missed.sum()) - a, len(there) - n)
