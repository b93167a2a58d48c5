"""One judge's positive rate beside what people say of a part of its items: corrected in three ways, and how far off.

Sources: those of `corrections` (post-strata, PPI++, Rogan-Gladen) and of `shares` (intervals of people's labels).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from auditfw.formulas.clusters import ClusteredRate, distinct_codes, item_sums, rate, rate_of, single_trials

from .corrections import (
    TunedShare,
    Validation,
    corrected_share,
    label_worth,
    post_strata,
    prediction_powered,
    rogan_gladen,
)
from .shares import FEWEST, GroupCounts, LabelledGroup, Share, domain_share, further_labels, weighted_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sampling = Literal["random", "items", "all", "probability"]
UNLABELLED, UNDECIDED = -1, -2  # of people


@dataclass(frozen=True)
class JudgedItems:
    """The N items that a judge labelled, as columns of N.

    `labels` are codes of its labels, `positive` says of each code whether that is the positive label; `people` are 1
    where people give it, 0 where they give another, UNLABELLED or UNDECIDED. `groups` are numbers of what the items are
    trials of, None where each is its own; `probabilities` are those by which items were chosen, for that sampling.
    """

    labels: NDArray[np.int64]
    positive: NDArray[np.bool_]
    people: NDArray[np.int64]
    groups: NDArray[np.int64] | None = None
    probabilities: NDArray[np.float64] | None = None

    def at(self, places: NDArray[np.intp]) -> JudgedItems:
        """Some of the items."""
        groups, chances = self.groups, self.probabilities
        return JudgedItems(
            self.labels[places],
            self.positive,
            self.people[places],
            None if groups is None else groups[places],
            None if chances is None else chances[places],
        )

    def counts(self) -> list[GroupCounts]:
        """The items by the judge's label, with people's."""
        k = len(self.positive)
        seen = np.bincount(self.labels * 4 + self.people + 2, minlength=4 * k).reshape(k, 4).tolist()
        return [GroupCounts(sum(row), row[2] + row[3], row[3], row[0]) for row in seen]


@dataclass(frozen=True)
class CorrectedRates:
    """What a judge's positive rate comes to; shares from 0 to 1, those of formulas not cut there.

    `items` are those that the judge labelled, `labels` people's among them, without the `undecided`; `own` is its own
    rate, `people` theirs on their part. None: too few labels, or not defined. `off` is own less corrected, of these
    items; `worth` of how many labels one is worth at most; `strata` are what a random part is weighed by.
    """

    items: int
    labels: int
    undecided: int
    own: ClusteredRate
    people: float | None = None
    corrected: Share | None = None
    ppi: TunedShare | None = None
    rogan_gladen: Share | None = None
    off: Share | None = None
    worth: float | None = None
    strata: Sequence[GroupCounts] = ()
    sampling: Sampling = "random"

    @property
    def whole(self) -> bool:
        """Whether people labelled all of the items."""
        return self.labels + self.undecided == self.items

    @property
    def more(self) -> int | None:
        """How many further labels halve the interval of these items; None where that is not known, or all have one."""
        ours = domain_share(self.strata)
        if ours is None or self.whole:
            return None
        return further_labels(self.strata, max(ours.value - ours.low, ours.high - ours.value) / 2)

    @property
    def why(self) -> str:
        """Why there is no corrected rate."""
        if self.sampling == "items" and self.labels >= FEWEST:
            return f"people labelled fewer than {FEWEST} items"
        if self.corrected is None:
            return f"only {self.labels:,} of these {self.items:,} items have a label of people"
        return "not defined where items were chosen by probability" if self.by_chance else "all are trials of one item"

    @property
    def by_chance(self) -> bool:
        """Whether items were chosen with probabilities that differ."""
        return self.sampling == "probability"

    @property
    def why_no_rogan_gladen(self) -> str:
        """Why the rate by sensitivity and specificity is not defined."""
        return "the judge does not tell" if self.corrected and not self.by_chance else self.why

    @property
    def why_no_worth(self) -> str:
        """Why the worth of a label is not known."""
        if self.corrected is None or self.by_chance:
            return self.why
        return "the judge's labels explain all of people's"


def corrected_rates(judged: JudgedItems, sampling: Sampling) -> CorrectedRates | None:
    """The rate of one judge, corrected as the items with people's labels were chosen; None where it labelled none."""
    n = len(judged.labels)
    if not n:
        return None
    says = judged.positive[judged.labels].astype(np.int64)
    groups = judged.counts()
    labels, yes, undecided = (sum(group[place] for group in groups) for place in (1, 2, 3))
    rates = CorrectedRates(
        n, labels, undecided, _own_rate(judged, says), yes / labels if labels else None, sampling=sampling
    )
    if labels < min(FEWEST, n):
        return rates
    if sampling == "probability":
        return _with(rates, _undecided_both_ways(judged, _by_probability), [])
    strata = post_strata(groups)
    rates = replace(
        rates,
        ppi=_ppi(judged, says),
        rogan_gladen=rogan_gladen(int(says.sum()), n, _validation(groups, judged.positive)),
    )
    if sampling == "items":
        return _with(rates, _undecided_both_ways(judged, _by_item), groups)
    ours = domain_share(strata)
    rates = _with(rates, corrected_share(groups, rates.own.n_eff), groups, ours)
    return replace(rates, strata=strata)


def _with(
    rates: CorrectedRates, corrected: Share | None, groups: Sequence[GroupCounts], ours: Share | None = None
) -> CorrectedRates:
    """With the corrected rate and what follows; how far off is by that of these items, where it is another."""
    if corrected is None:
        return rates
    ours, own = ours or corrected, rates.own.share
    return replace(
        rates,
        corrected=corrected,
        off=Share(own - ours.value, own - ours.high, own - ours.low),
        worth=label_worth([LabelledGroup(*group[:3]) for group in groups], corrected.value) if groups else None,
    )


def _own_rate(judged: JudgedItems, says: NDArray[np.int64]) -> ClusteredRate:
    if judged.groups is None:
        return rate_of(single_trials(len(says), int(says.sum())))
    places = _dense(judged.groups)
    return rate_of(item_sums(np.bincount(places), np.bincount(places[says > 0], minlength=int(places.max()) + 1)))


def _dense(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers of items as places from 0 without a gap."""
    places: NDArray[np.int64] = distinct_codes(groups, int(groups.max()) + 1)[1]
    return places


def _validation(groups: Sequence[GroupCounts], positive: NDArray[np.bool_]) -> Validation:
    """How the judge does where people's labels are."""
    some, none = sum(group.yes for group in groups), sum(group.labels - group.yes for group in groups)
    right = sum(group.yes for group, own in zip(groups, positive, strict=True) if own)
    rejected = sum(group.labels - group.yes for group, own in zip(groups, positive, strict=True) if not own)
    return Validation(some, right, none, rejected)


def _ppi(judged: JudgedItems, says: NDArray[np.int64]) -> TunedShare | None:
    """By item where that is known; None of a single item."""
    seen = judged.people >= 0
    people, judge = judged.people[seen].astype(float), says.astype(float)
    if judged.groups is None:
        return prediction_powered(people, judge[seen], judge[~seen]) if len(judge) > 1 else None
    places = _dense(judged.groups)
    if not places.any():
        return None
    return prediction_powered(people, judge[seen], judge[~seen], np.concatenate([places[seen], places[~seen]]))


def _undecided_both_ways(judged: JudgedItems, share_of: Callable[[JudgedItems], Share | None]) -> Share | None:
    """The share by the labels there are, with ends as wide as if all undecided were "no", and all "yes"."""
    share = share_of(judged)
    undecided = judged.people == UNDECIDED
    if share is None or not undecided.any():
        return share
    sides = (replace(judged, people=np.where(undecided, side, judged.people)) for side in (0, 1))
    low, high = (share_of(side) or share for side in sides)
    return Share(share.value, min(share.low, low.low), max(share.high, high.high))


def _by_item(judged: JudgedItems) -> Share | None:
    """People's rate alone; at least ten items, or all there are."""
    seen = judged.people >= 0
    people = judged.people[seen]
    groups = np.arange(len(people)) if judged.groups is None else _dense(judged.groups[seen])
    trials = np.bincount(groups)
    if len(trials) < FEWEST:
        return None
    own = rate(trials, np.bincount(groups[people > 0], minlength=len(trials)))
    return Share(own.share, own.low, own.high)


def _by_probability(judged: JudgedItems) -> Share | None:
    seen = judged.people >= 0
    if judged.probabilities is None or seen.sum() < FEWEST:
        return None
    return weighted_share((judged.people[seen] > 0).tolist(), judged.probabilities[seen].tolist())
