"""Disagreements that are settled: the same ratings, with one label on so many items on which raters differ.

A candidate takes the label of its reference, whoever is right: any settling counts as agreement. In a group all take
the label that most of them give, of several the first. Settled first is what costs most: of a pair by the influence of
an item on Cohen's kappa, dK = (d + K' (e_new - e_old)) / E with K' = O / E (d how far its labels are apart, O and E
observed and expected distance, e the expected distance of a label of the candidate; Fleiss, Cohen and Everitt 1969); of
a group by the share of its pairs of labels that differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from .coefficients import TINY, Weights, agreement_weights
from .ratings import MISSING, Judged, Pattern, Ratings


@dataclass(frozen=True)
class Settling:
    """The disagreements of a sample; of labels in order `weights` say how far two are apart.

    `dearest`: those that cost most are settled first, else those that cost least.
    """

    judged: Judged
    weights: Weights = "none"
    dearest: bool = True

    @cached_property
    def n(self) -> int:
        """How many items raters differ on."""
        known = dict(self.judged.ratings.items())
        return sum(known[pattern] for pattern in self.settled)

    @cached_property
    def settled(self) -> dict[Pattern, Pattern]:
        """Every pattern with a disagreement, in the order of settling, and what becomes of it."""
        ratings, judged = self.judged.ratings, self.judged
        if judged.candidate is None or judged.reference is None:
            return self._by_cost(*_of_group([ratings.column(name) for name in judged.own], ratings))
        return self._by_cost(*self._of_pair(ratings.column(judged.candidate), ratings.column(judged.reference)))

    def _by_cost(self, costs: dict[Pattern, float], new: Callable[[Pattern], Pattern]) -> dict[Pattern, Pattern]:
        sign = -1 if self.dearest else 1
        return {pattern: new(pattern) for pattern in sorted(costs, key=lambda one: (sign * costs[one], one))}

    def _of_pair(self, own: int, other: int) -> tuple[dict[Pattern, float], Callable[[Pattern], Pattern]]:
        ratings = self.judged.ratings
        pair = ratings.pair(ratings.raters[own], ratings.raters[other])
        shares = np.asarray(pair.table, dtype=float) / max(1, pair.n)
        apart = 1.0 - agreement_weights(pair.places("order"), self.weights)
        theirs = apart @ shares.sum(0)
        expected = float(shares.sum(1) @ theirs)
        ratio = float((shares * apart).sum()) / expected if expected > TINY else 0.0
        cost = apart + ratio * (theirs[None, :] - theirs[:, None])
        differing = [p for p in ratings.patterns if MISSING not in (p[own], p[other]) and p[own] != p[other]]
        costs = {pattern: round(float(cost[pattern[own], pattern[other]]), 12) for pattern in differing}
        return costs, lambda pattern: (*pattern[:own], pattern[other], *pattern[own + 1 :])

    def after(self, n: int) -> Judged:
        """The sample with so many of its disagreements settled."""
        ratings, known, whole = self.judged.ratings, dict(self.judged.ratings.items()), set()
        for pattern in self.settled:
            if known[pattern] > n:
                ratings = _in_part(ratings, pattern, self.settled[pattern], n)
                break
            n -= known[pattern]
            whole.add(pattern)
        made = ratings.changed(ratings.labels, ratings.raters, lambda p: self.settled[p] if p in whole else p)
        return replace(self.judged, ratings=made)


def _of_group(places: list[int], ratings: Ratings) -> tuple[dict[Pattern, float], Callable[[Pattern], Pattern]]:
    costs: dict[Pattern, float] = {}
    for pattern in ratings.patterns:
        labels = [pattern[at] for at in places if pattern[at] != MISSING]
        if len(set(labels)) > 1:
            pairs = list(combinations(sorted(Counter(labels).values()), 2))
            costs[pattern] = sum(one * other for one, other in pairs) / (len(labels) * (len(labels) - 1) / 2)

    def new(pattern: Pattern) -> Pattern:
        labels = Counter(pattern[at] for at in places if pattern[at] != MISSING)
        most = min(labels, key=lambda code: (-labels[code], code))
        return tuple(most if at in places and code != MISSING else code for at, code in enumerate(pattern))

    return costs, new


def _in_part(ratings: Ratings, pattern: Pattern, new: Pattern, n: int) -> Ratings:
    """The ratings with one pattern changed on so many items alone; of items with several trials the first ones."""
    counted = Counter(dict(ratings.items()))
    counted.update({pattern: -n, new: n})
    items: Counter[tuple[tuple[Pattern, int], ...]] = Counter()
    for held, times in ratings.clusters:
        own = dict(held).get(pattern, 0)
        every = min(times, n // own) if own else 0
        some = min(own, n - every * own) if every < times else 0
        n -= every * own + some
        for changed, of in ((own, every), (some, int(some > 0)), (0, times - every - int(some > 0))):
            if of:
                kept = Counter(dict(held))
                kept.update({pattern: -changed, new: changed})
                items[tuple(sorted((key, m) for key, m in kept.items() if m))] += of
    return Ratings.of(ratings.labels, ratings.raters, counted, ratings.values, tuple(sorted(items.items())))
