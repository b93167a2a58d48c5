"""What people's labels come to: each number once, for the metrics, the answer and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isnan
from statistics import NormalDist
from typing import NamedTuple

from auditfw.core.records import OVERALL, Cell, Value, named_cells
from auditfw.core.statistics import Z95, wilson
from auditfw.formulas.people.same_answers import grade_error
from auditfw.formulas.people.shares import Share, difference, further_labels

from .numbers import NO_LABEL, RIGHT, UNDECIDED, WRONG, BetterReading, OffBy
from .settings import AdjudicationSettings
from .trials import LabelledTrials

PEOPLE = "people"
OPEN = ("skipped", "not_reached")


class CellPair(NamedTuple):
    """Two cells of the run: the reference's difference of error rates, people's, and that with its wider interval."""

    a: Mapping[str, Value]
    b: Mapping[str, Value]
    reference: float
    people: Share
    wider: Share


class Labellers(NamedTuple):
    """How often two labellers of one trial say the same: pairs, those that are equal, and the share with its ends."""

    pairs: int
    equal: int
    share: Share
    kappa: float | None


@dataclass(frozen=True)
class PeoplesResults:
    """An adjudication: its settings, and the trials with their labels."""

    settings: AdjudicationSettings
    trials: LabelledTrials

    @property
    def reference(self) -> str:
        """The reading that people are held against first."""
        return self.trials.reference

    @property
    def readings(self) -> list[str]:
        """The readings, the reference first."""
        return list(self.trials.rows.readings)

    @cached_property
    def labelled(self) -> int:
        """How many trials people call right or wrong."""
        return int(self.trials.rows.decided.sum())

    @property
    def labels(self) -> int:
        """How many trials have a label, "cannot tell" among them."""
        return self.labelled + sum(one.drawn.status == "undecided" for one in self.trials.trials)

    @cached_property
    def undecided(self) -> int:
        """How many trials they could not decide, skipped or label differently."""
        return int((self.trials.rows.people == UNDECIDED).sum())

    @cached_property
    def not_reached(self) -> int:
        """How many drawn trials nobody came to."""
        return sum(one.people == NO_LABEL for one in self.trials.trials)

    @property
    def skipped(self) -> int:
        """How many drawn trials people went past."""
        return sum(one.drawn.status == "skipped" for one in self.trials.trials)

    @property
    def left(self) -> int:
        """How many drawn trials have no label: skipped, or not reached."""
        return self.skipped + self.not_reached

    @cached_property
    def pages_left(self) -> list[str]:
        """The files of pages with trials that nobody came to."""
        draw, left = self.trials.draw, {one.drawn.key for one in self.trials.trials if one.drawn.status in OPEN}
        pages = [page for one in draw.rounds for page in one.pages] if draw is not None else []
        return [str(draw.folder / page.file) for page in pages if draw and not left.isdisjoint(page.keys)]

    def shared(self, label: int) -> tuple[int, int]:
        """Of the trials that people decided and all readings with a label call so, how many; on how many of them
        people say the opposite."""
        rows = self.trials.rows
        same = rows.decided.copy()
        for codes in rows.readings.values():
            same &= (codes == label) | (codes == NO_LABEL)
        return int(same.sum()), int((same & (rows.people == 1 - label)).sum())

    @cached_property
    def people(self) -> list[str]:
        """Who labelled, by name; "" is somebody without one."""
        return sorted({row.labeller for labels in self.trials.labelled.labels.values() for row in labels})

    @cached_property
    def error(self) -> Share | None:
        """The error rate by people of these trials."""
        return self.trials.rows.error_rate()

    @cached_property
    def error_of_new(self) -> Share | None:
        """The same of new questions of the same sort."""
        worth = self.trials.effective_items.get(OVERALL)
        return None if worth is None else self.trials.rows.error_rate(effective_items=worth)

    @cached_property
    def off(self) -> OffBy | None:
        """By how much the reference's error rate is off."""
        return self.trials.rows.off(self.reference)

    @cached_property
    def called(self) -> tuple[Share | None, Share | None]:
        """The share that people call right among those that the reference calls right, and those it calls wrong."""
        right, wrong = (self.trials.rows.called(self.reference, label) for label in (RIGHT, WRONG))
        return right, wrong

    @cached_property
    def skill(self) -> Share | None:
        """The first less the second: what a label of the reference says."""
        right, wrong = self.called
        return None if right is None or wrong is None else difference(right, wrong)

    @cached_property
    def deciding(self) -> list[str]:
        """The readings that may be the best."""
        named = self.settings.decides or [one for one in self.readings if one not in self.trials.run.undeciding]
        return [one for one in self.readings if one in named]

    @cached_property
    def agrees(self) -> dict[str, Share | None]:
        """The share on which each reading and people agree."""
        return {name: self.trials.rows.agrees(name) for name in self.readings}

    @cached_property
    def best(self) -> str | None:
        """The reading that agrees best with people, of those that decide."""
        return self.trials.rows.best(self.deciding)

    @cached_property
    def against(self) -> dict[str, BetterReading]:
        """The best reading against each other one, by the name of the other."""
        if self.best is None:
            return {}
        others = [name for name in self.readings if name != self.best]
        return {pair.other: pair for pair in self.trials.rows.against(self.best, others)}

    @cached_property
    def more_labels(self) -> int | None:
        """How many more labels would know by how much the reference is off within `precision`; 0: that is known."""
        if self.settings.sampling in ("items", "probability"):
            return None
        return further_labels(self.trials.rows.error_groups(self.reference), self.settings.precision / 100)

    @cached_property
    def half_as_wide(self) -> int | None:
        """How many more labels would make the interval of the error rate half as wide."""
        if self.error is None or self.settings.sampling in ("items", "probability"):
            return None
        half = max(self.error.value - self.error.low, self.error.high - self.error.value) / 2
        return further_labels(self.trials.rows.error_groups(), half)

    @cached_property
    def named(self) -> list[tuple[Cell, dict[str, Value]]]:
        """The cells in order, each with its name."""
        cells = [cell for cell in self.trials.cells if cell != OVERALL]
        return list(zip(cells, named_cells(cells, self.trials.by), strict=True))

    @cached_property
    def pairs(self) -> list[CellPair]:
        """All pairs of cells in which people have a rate, the first that of the higher one under the reference."""
        rows, reference = self.trials.rows, self.reference
        inside = {cell: self.trials.inside(cell) for cell, _ in self.named}
        known = [(cell, name) for cell, name in self.named if rows.error_rate(inside[cell]) is not None]
        number = len(known) * (len(known) - 1) // 2
        if not number:
            return []
        z = NormalDist().inv_cdf(1 - self.settings.alpha / number / 2)
        usual = {cell: rows.error_rate(inside[cell]) for cell, _ in known}
        wide = {cell: rows.error_rate(inside[cell], z=max(z, Z95)) for cell, _ in known}
        own = {cell: rows.own_rate(reference, rows.labelled(reference, inside[cell])) for cell, _ in known}
        made = []
        for (a, name_a), (b, name_b) in combinations(known, 2):
            shares = [usual[a], usual[b], wide[a], wide[b]]
            one, other, far, further = (share for share in shares if share is not None)
            made.append(CellPair(name_a, name_b, own[a] - own[b], difference(one, other), difference(far, further)))
        return made

    @cached_property
    def turned(self) -> list[CellPair]:
        """The pairs of cells whose order people turn, the one that lies furthest on the other side first."""
        margin = self.settings.margin / 100
        turned = [
            pair
            for pair in self.pairs
            if abs(pair.reference) >= margin
            and (pair.wider.high < 0 < pair.reference or pair.reference < 0 < pair.wider.low)
        ]
        return sorted(turned, key=lambda pair: -abs(pair.people.value))

    @cached_property
    def labellers(self) -> Labellers | None:
        """How well two labellers of one trial agree; None where no trial has two labels."""
        from auditfw.formulas.agreement.coefficients import cohen

        pairs = self.trials.labelled.pairs()
        if not pairs:
            return None
        equal = sum(one == other for one, other in pairs)
        share = Share(equal / len(pairs), *wilson(equal, len(pairs)))
        table = [[pairs.count((i, j)) for j in (WRONG, RIGHT)] for i in (WRONG, RIGHT)]
        kappa = float(cohen([table])[0])
        return Labellers(len(pairs), equal, share, None if isnan(kappa) else kappa)

    @property
    def labeller_error(self) -> float | None:
        """At least how often one of two labellers is wrong; None where none is known, or they differ too often."""
        return None if self.labellers is None else grade_error(1 - self.labellers.share.value)
