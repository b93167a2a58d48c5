"""What people's labels say about a run: every number is a share of a domain, from counts by cell and class alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from auditfw.core.statistics import Z95, wilson
from auditfw.formulas.clusters import rate
from auditfw.formulas.multiple import holm
from auditfw.formulas.people.shares import FEWEST, GroupCounts, LabelledGroup, Share, domain_share, weighted_share
from auditfw.formulas.sign_flips import sign_flips

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Codes = NDArray[np.int8]

NO_LABEL, WRONG, RIGHT, UNDECIDED = -1, 0, 1, 2


@dataclass(frozen=True)
class OffBy:
    """A reading's own error rate less that of people where it has a label, from -1 to 1, and its own error rate."""

    own: float
    share: Share

    @property
    def off(self) -> Share:
        """The difference with its interval: the ends of people's rate, exchanged."""
        return Share(self.own - self.share.value, self.own - self.share.high, self.own - self.share.low)


@dataclass(frozen=True)
class BetterReading:
    """The best reading against another one: trials on which they differ, how many of these are labelled, of how many
    items, on how many the best is right; the share that it is right on, and p by items (adjusted by Holm, too)."""

    best: str
    other: str
    differ: int
    labelled: int
    items: int
    right: int
    share: Share | None
    p: float
    adjusted: float = 1.0


@dataclass(frozen=True)
class PeoplesRows:
    """The trials of a run that have a class: its group (cell × class) by number, item, and labels.

    A row without a label stands for `times` trials, which readings label alike; one with a label for itself.

    `people` has `WRONG`, `RIGHT`, `UNDECIDED` or `NO_LABEL` a trial; each of `readings`, the reference first, 1, 0 or
    -1. `groups` is how many groups there are, those of a cell beside each other. Where labels were not drawn within
    groups, but of `whole_items`, or each trial with a `probability` of its own, the estimators are others.
    """

    group: NDArray[np.int64]
    groups: int
    items: NDArray[np.int64]
    people: Codes
    readings: Mapping[str, Codes]
    times: NDArray[np.int64]
    whole_items: bool = False
    probability: NDArray[np.float64] | None = None

    @cached_property
    def decided(self) -> Flags:
        """The trials that people call right or wrong."""
        flags: Flags = (self.people == WRONG) | (self.people == RIGHT)
        return flags

    @cached_property
    def every(self) -> Flags:
        """All trials."""
        import numpy as np

        return np.ones(len(self.people), bool)

    def share(self, domain: Flags, yes: Flags, effective_items: float = inf, z: float = Z95) -> Share | None:
        """The share of "yes" in a domain of trials; what is not labelled counts for nothing."""
        if self.whole_items or self.probability is not None:
            return self._stated(domain, yes, z)
        return domain_share(self._counts(domain, yes), effective_items, z)

    def _counts(self, domain: Flags, yes: Flags) -> list[GroupCounts]:
        import numpy as np

        flags = (domain, domain & self.decided, domain & self.decided & yes, domain & (self.people == UNDECIDED))
        counts = (np.bincount(self.group, some * self.times, self.groups).astype(np.int64).tolist() for some in flags)
        return [GroupCounts(*group) for group in zip(*counts, strict=True)]

    def error_groups(self, reading: str | None = None) -> list[LabelledGroup]:
        """The groups of the trials that a reading has a label for (None: of all), in which "yes" is wrong."""
        domain = self.every if reading is None else self.labelled(reading)
        return [LabelledGroup(*group[:3]) for group in self._counts(domain, self.people == WRONG)]

    def _stated(self, domain: Flags, yes: Flags, z: float) -> Share | None:
        """The share of labels of trials chosen elsewhere; the undecided are left out, at the ends counted both ways."""
        open_ones = domain & (self.people == UNDECIDED)
        share = self._chosen(domain & self.decided, yes, z)
        if share is None or not open_ones.any():
            return share
        every = (domain & self.decided) | open_ones
        ends = [self._chosen(every, sides, z) for sides in (yes & self.decided, (yes & self.decided) | open_ones)]
        low, high = (share if end is None else end for end in ends)
        return Share(share.value, min(share.low, low.low), max(share.high, high.high))

    def _chosen(self, labelled: Flags, yes: Flags, z: float) -> Share | None:
        """The share among labelled trials: of whole items, or each with its probability."""
        import numpy as np

        if self.probability is not None:
            if labelled.sum() < FEWEST:
                return None
            return weighted_share(yes[labelled].tolist(), self.probability[labelled].tolist(), z)
        codes, at = np.unique(self.items[labelled], return_inverse=True)
        if len(codes) < FEWEST:
            return None
        share = rate(np.bincount(at), np.bincount(at, yes[labelled]).astype(np.int64))
        return Share(share.share, *wilson(share.share * share.n_eff, share.n_eff, z))

    def error_rate(self, domain: Flags | None = None, effective_items: float = inf, z: float = Z95) -> Share | None:
        """The share that people call wrong."""
        return self.share(self.every if domain is None else domain, self.people == WRONG, effective_items, z)

    def off(self, reading: str, domain: Flags | None = None) -> OffBy | None:
        """By how much a reading's error rate is off."""
        inside = self.labelled(reading, domain)
        share = self.error_rate(inside)
        return None if share is None else OffBy(self.own_rate(reading, inside), share)

    def own_rate(self, reading: str, inside: Flags) -> float:
        """The share of some trials, all labelled by a reading, that it calls wrong."""
        return float(self.times[inside & (self.readings[reading] == WRONG)].sum() / self.times[inside].sum())

    def agrees(self, reading: str, domain: Flags | None = None) -> Share | None:
        """The share of the trials that a reading has a label for on which people say the same."""
        return self.share(self.labelled(reading, domain), self.readings[reading] == self.people)

    def false_labels(self, reading: str, label: int, domain: Flags | None = None) -> Share | None:
        """Of the trials that a reading calls right (1) or wrong (0) the share of which people say the opposite."""
        inside = self.labelled(reading, domain) & (self.readings[reading] == label)
        return self.share(inside, self.people == 1 - label)

    def called(self, reading: str, label: int) -> Share | None:
        """The share that people call right among those that a reading calls right (1) or wrong (0)."""
        return self.share(self.readings[reading] == label, self.people == RIGHT)

    def labelled(self, reading: str, domain: Flags | None = None) -> Flags:
        """The trials of a domain that a reading has a label for."""
        flags: Flags = self.readings[reading] != NO_LABEL
        return flags if domain is None else flags & domain

    def best(self, deciding: Sequence[str]) -> str | None:
        """The reading that agrees best with people, of those that decide and have labels on half of the trials."""
        shares = {
            name: self.agrees(name)
            for name in deciding
            if 2 * self.times[self.labelled(name, None)].sum() >= self.times.sum()
        }
        known = {name: share.value for name, share in shares.items() if share is not None}
        return max(known, key=lambda name: known[name]) if known else None

    def against(self, best: str, others: Sequence[str]) -> list[BetterReading]:
        """The best reading against each of the others."""
        pairs = [self._pair(best, other) for other in others if other != best]
        adjusted = holm([pair.p for pair in pairs])
        return [BetterReading(**{**vars(pair), "adjusted": p}) for pair, p in zip(pairs, adjusted, strict=True)]

    def _pair(self, best: str, other: str) -> BetterReading:
        import numpy as np

        a, b = self.readings[best], self.readings[other]
        differ = (a != b) & (a != NO_LABEL) & (b != NO_LABEL)
        right, labelled = a == self.people, differ & self.decided
        codes, at = np.unique(self.items[labelled], return_inverse=True)
        won = np.bincount(at, right[labelled], len(codes)) * 2 - np.bincount(at, minlength=len(codes))
        counts = (int(self.times[differ].sum()), int(labelled.sum()), len(codes), int((labelled & right).sum()))
        return BetterReading(best, other, *counts, self.share(differ, right), sign_flips(won.astype(np.int64)).p)
