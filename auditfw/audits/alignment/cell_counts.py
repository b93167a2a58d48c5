"""What is kept of scored scenarios for one cell: mergeable counts and moments, key by key and over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditfw.core.records import Value
from auditfw.core.statistics import Moments, Ratio
from auditfw.formulas.outcome_columns import EachMetric

from .actual import BASELINE, MISSING, NOT_MEANT, SCORED, Codes
from .conclusions.musts import Requirements, must_counts, must_flags
from .conclusions.weightings import ItemTotals, OtherScores, OtherTally, merge_totals, merged_others, totals_of
from .intended import Floats
from .key_scores import KeyScores

Cell = tuple[Value, ...]
BOUNDED = "bounded must"  # a level of outcomes: what must be met where no intention names a level


@dataclass
class KeyTally:
    """One outcome key in one cell; `further` are the moments of further metrics by their place in the run.

    `zeros` counts what was intended to be 0, `signed` what could be meant to be negative; `within` says how often the
    intended number is in the interval of the mean over replicates.
    """

    counts: Counter[int] = field(default_factory=Counter)
    direction: Moments = field(default_factory=Moments)
    magnitude: Moments = field(default_factory=Moments)
    combined: Moments = field(default_factory=Moments)
    further: dict[int, Moments] = field(default_factory=dict)
    levels: Counter[str] = field(default_factory=Counter)
    variance: Moments = field(default_factory=Moments)
    loss: Moments = field(default_factory=Moments)
    within: Moments = field(default_factory=Moments)
    zeros: int = 0
    signed: int = 0
    unit: str = ""

    def merge(self, other: KeyTally) -> None:
        """Adds another's scenarios."""
        self.counts.update(other.counts)
        for name in ("direction", "magnitude", "combined", "variance", "loss", "within"):
            getattr(self, name).merge(getattr(other, name))
        for place, moments in other.further.items():
            self.further.setdefault(place, Moments()).merge(moments)
        self.levels.update(other.levels)
        self.zeros += other.zeros
        self.signed += other.signed
        self.unit = self.unit or other.unit


@dataclass
class AlignmentCounts:
    """One cell: its scenarios, their overall scores, and its keys by first appearance.

    `others` are the scores under other weights by name; `items` holds for each item the number and the sum of its
    overall scores, and is empty where each scenario is its own.
    """

    scenarios: int = 0
    overall: Moments = field(default_factory=Moments)
    direction: Ratio = field(default_factory=Ratio)
    magnitude: Ratio = field(default_factory=Ratio)
    keys: dict[str, KeyTally] = field(default_factory=dict)
    others: dict[str, OtherTally] = field(default_factory=dict)
    items: ItemTotals = field(default_factory=dict)

    def merge(self, other: AlignmentCounts) -> None:
        """Adds another's scenarios."""
        self.scenarios += other.scenarios
        self.overall.merge(other.overall)
        self.direction.merge(other.direction)
        self.magnitude.merge(other.magnitude)
        for key, tally in other.keys.items():
            self.keys.setdefault(key, KeyTally()).merge(tally)
        merged_others(self.others, other.others)
        merge_totals(self.items, other.items)

    @classmethod
    def sum(cls, tallies: Mapping[Cell, AlignmentCounts]) -> AlignmentCounts:
        """All cells together, in the order given."""
        whole = cls()
        for tally in tallies.values():
            whole.merge(tally)
        return whole


@dataclass
class Effect:
    """What an output that nobody intended did against the baseline: how often it moved, which way, how far at most.

    `worst` is the number of the scenario in which it moved most, `ratio` that movement over the baseline's size.
    """

    seen: int = 0
    up: int = 0
    down: int = 0
    change: Moments = field(default_factory=Moments)
    ratio: float = 0.0
    worst: int = -1
    base: float = 0.0
    unit: float = 0.0

    def merge(self, other: Effect) -> None:
        """Adds another's scenarios."""
        self.seen += other.seen
        self.up += other.up
        self.down += other.down
        self.change.merge(other.change)
        self.base, self.unit = other.base, other.unit
        if other.ratio > self.ratio:
            self.ratio, self.worst = other.ratio, other.worst


@dataclass
class ScenarioCounter:
    """Counts a batch: its scores key by key, its overall scores, the buckets of its scenarios.

    `others` are its scores under other weights, `items` the items of its scenarios.
    """

    work: Any
    keys: Sequence[KeyScores]
    overall: Floats
    scenario: Codes
    others: Mapping[str, OtherScores]
    items: Sequence[Value]

    def __post_init__(self) -> None:
        no_data_is_zero = self.work.rules.no_data_is_zero
        self.gave = np.full(len(self.overall), True) if no_data_is_zero else self.scenario != MISSING
        further: Sequence[EachMetric] = self.work.further
        self.further = [
            [np.where(one.codes == SCORED, metric.each(one.compared), np.nan) for metric in further]
            for one in self.keys
        ]
        self.bounded = [False if one.bounded is None else one.bounded for one in self.keys]
        self.met = [
            one.compared.met(self.work.tolerance, own) for one, own in zip(self.keys, self.bounded, strict=True)
        ]
        self.must = [must_flags(one, self.gave) for one in self.keys]
        self.must_bounded = [must & own for must, own in zip(self.must, self.bounded, strict=True)]
        self.signed = [_signed(one) for one in self.keys]
        self.within = [_within(one) for one in self.keys]

    def requirements(self, named: bool, names: Sequence[str]) -> Requirements:
        """In how many scenarios what must be met was missed; `named` says that some level is, `names` are theirs."""
        every, bounded = (
            must_counts(self.keys, flags, self.met, names, self.items) for flags in (self.must, self.must_bounded)
        )
        return Requirements(named, every, bounded)

    def tallies(self, by: Mapping[str, Sequence[Value]]) -> dict[Cell, AlignmentCounts]:
        """A tally for each cell; a scenario that is only the baseline is in none."""
        counted = self.scenario != BASELINE
        if not by:
            return {(): self._tally(None if counted.all() else np.flatnonzero(counted))}
        rows: dict[Cell, list[int]] = {}
        for i, cell in enumerate(zip(*by.values(), strict=True)):
            if counted[i]:
                rows.setdefault(cell, []).append(i)
        return {cell: self._tally(np.array(places)) for cell, places in rows.items()}

    def _tally(self, rows: Any) -> AlignmentCounts:
        overall = self.overall if rows is None else self.overall[rows]
        direction, magnitude = _Sums(len(self.overall)), _Sums(len(self.overall))
        tally = AlignmentCounts(int(overall.size), Moments.of(overall[~np.isnan(overall)]))
        for place, one in enumerate(self.keys):
            codes = one.codes if rows is None else one.codes[rows]
            if codes.size and codes.min() < NOT_MEANT:
                tally.keys[one.key] = self._key(place, rows)
                direction.add(one.direction)
                magnitude.add(one.magnitude)
        tally.direction, tally.magnitude = direction.ratio(rows), magnitude.ratio(rows)
        tally.others = {name: self._other(one, tally.keys, rows) for name, one in self.others.items()}
        tally.items = totals_of(self.items, self.overall, rows)
        return tally

    def _other(self, one: OtherScores, keys: Mapping[str, KeyTally], rows: Any) -> OtherTally:
        def own(column: Floats) -> Moments:
            return _moments(column if rows is None else column[rows])

        by_key = zip(self.keys, one.combined, strict=True)
        columns = {key.key: own(column) for key, column in by_key if key.key in keys}
        return OtherTally(own(one.overall), columns, totals_of(self.items, one.overall, rows))

    def _key(self, place: int, rows: Any) -> KeyTally:
        one = self.keys[place]

        def own(column: Any) -> Any:
            return column if rows is None else column[rows]

        codes = own(one.codes)
        tally = KeyTally(_counted(codes), unit=one.unit)
        tally.direction = _moments(own(one.direction))
        tally.magnitude = _moments(own(one.magnitude))
        tally.combined = _moments(own(one.combined))
        if one.noise is not None:
            tally.variance, tally.loss = _moments(own(one.noise.variance)), _moments(own(one.noise.loss))
            tally.within = _moments(own(self.within[place]))
        for number, values in enumerate(self.further[place]):
            tally.further[number] = _moments(own(values))
        self._levels(tally, place, own)
        tally.signed = int(np.count_nonzero(own(self.signed[place])))
        zero = one.compared.low == 0.0
        if zero.any():
            tally.zeros = int(np.count_nonzero(own(zero & (one.compared.high == 0.0)) & (codes <= MISSING)))
        return tally

    def _levels(self, tally: KeyTally, place: int, own: Callable[[Any], Any]) -> None:
        """How many of each level are met: not one that did not come from a scenario that gave others.

        "assumed" counts those that `audit.tolerance` is for, "small" those of them below the floor.
        """
        one, must = self.keys[place], own(self.must[place])
        met = own(self.met[place]) & own(one.matched)
        tally.levels.update({"must": int(must.sum()), "must met": int((must & met).sum())})
        bounded = own(self.must_bounded[place])
        tally.levels.update({BOUNDED: int(bounded.sum()), f"{BOUNDED} met": int((bounded & met).sum())})
        if one.should is not None:
            should = (own(one.codes) <= MISSING) & own(self.gave) & own(one.should)
            tally.levels.update({"should": int(should.sum()), "should met": int((should & met).sum())})
        assumed = own((one.codes != NOT_MEANT) & ~np.asarray(self.bounded[place]))
        small = assumed & (np.abs(own(one.compared.low)) < one.compared.floor)
        tally.levels.update({"assumed": int(assumed.sum()), "small": int(small.sum())})


def _signed(one: KeyScores) -> Any:
    """Where what is meant of a key could be negative; where only a change is meant, it has no lower end."""
    base = one.compared.base is not None and one.compared.base < 0
    return ((one.compared.low < 0.0) | base) & (one.codes <= MISSING)


def _within(one: KeyScores) -> Floats | None:
    """Whether the intended number is in the interval of the mean over replicates: 1 or 0, None without replicates."""
    if one.noise is None:
        return None
    apart = np.abs(one.compared.actual - one.compared.target)
    held = np.isfinite(apart) & (one.codes == SCORED)
    return np.where(held, (apart <= one.noise.half).astype(np.float64), np.nan)


def _counted(codes: Codes) -> Counter[int]:
    if not codes.any():
        return Counter({SCORED: codes.size} if codes.size else {})
    counts = np.bincount(codes, minlength=NOT_MEANT + 1)[:NOT_MEANT]
    return Counter({code: int(counts[code]) for code in np.flatnonzero(counts).tolist()})


def _moments(values: Floats) -> Moments:
    """The moments of the numbers that are finite."""
    with np.errstate(all="ignore"):
        sure = np.isfinite(values.sum())
    return Moments.of(values if sure else values[np.isfinite(values)])


class _Sums:
    """Scores summed over the keys of each scenario."""

    def __init__(self, size: int) -> None:
        self.total, self.count = np.zeros(size), np.zeros(size)

    def add(self, column: Floats) -> None:
        held = ~np.isnan(column)
        if held.all():
            self.total += column
            self.count += 1.0
        else:
            self.total += np.where(held, column, 0.0)
            self.count += held

    def ratio(self, rows: Any) -> Ratio:
        total = self.total if rows is None else self.total[rows]
        count = self.count if rows is None else self.count[rows]
        ratio = Ratio(int(count.sum()), scenarios=int(np.count_nonzero(count)))
        ratio.total.add(float(total.sum()))
        ratio.squares, ratio.cross = float(total.dot(total)), float(total.dot(count))
        ratio.counts = float(count.dot(count))
        return ratio


@dataclass(frozen=True)
class Movement:
    """When an output counts as moved: by more than `units` noise units, and `share` of the baseline's size."""

    units: float
    share: float
    floor: float

    def effect(self, base: float, unit: float, moved: Floats, free: Any, start: int) -> Effect:
        """What one output did in the scenarios that `free` marks, which intended nothing of it; `moved` by how much.

        The baseline's size is `base`, and at least the floor; `start` is the number of the first scenario.
        """
        size = np.abs(moved) / max(abs(base), self.floor)
        far = free & (np.abs(moved) > self.units * unit) & (size > self.share)
        effect = Effect(int(free.sum()), int((far & (moved > 0)).sum()), int((far & (moved < 0)).sum()))
        effect.change, effect.base, effect.unit = Moments.of(moved[free]), base, unit
        if far.any():
            worst = int(np.argmax(np.where(far, size, -1.0)))
            effect.ratio, effect.worst = float(size[worst]), start + worst
        return effect


def merged(into: dict[Cell, AlignmentCounts], other: Mapping[Cell, AlignmentCounts]) -> None:
    """Adds the tallies of another block."""
    for cell, tally in other.items():
        into.setdefault(cell, AlignmentCounts()).merge(tally)
