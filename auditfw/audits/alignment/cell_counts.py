"""What is kept of scored scenarios for one cell: mergeable counts and moments, key by key and over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, NamedTuple

from auditfw.core.imports import np
from auditfw.core.records import Value
from auditfw.core.statistics import Moments, Ratio

from .actual import BASELINE, MISSING, NONFINITE, NOT_MEANT, SCORED, Codes, Noise
from .conclusions.musts import ItemTotals, OtherScores, Requirements, merge_totals, must_counts, must_flags, totals_of
from .intended import Floats, KeyScores

Cell = tuple[Value, ...]
MUST, BOUNDED = "must", "bounded must"  # a level of outcomes: what must be met where no intention names a level


class LargestMiss(NamedTuple):
    """How far apart the two are at most (-1 where none came for a number), what came, the ends of what was meant."""

    apart: float = -1.0
    actual: float = nan
    low: float = nan
    high: float = nan


NO_MISS = LargestMiss()


def distances(one: KeyScores) -> Floats:
    """How far each outcome is from what was meant, in its own unit; -1 where no number was meant or none came.

    An outcome that is not finite is infinitely far.
    """
    with np.errstate(all="ignore"):
        apart = np.where(one.codes == SCORED, np.abs(one.compared.actual - one.compared.target), -1.0)
    return np.where(one.codes == NONFINITE, np.inf, np.where(np.isnan(apart), -1.0, apart))


def largest_of(one: KeyScores, apart: Floats, rows: Floats | None) -> LargestMiss:
    """The first of the largest misses in these rows (None: in all), which are `apart` so far."""
    own = apart if rows is None else apart[rows]
    if not own.size or own.max() < 0:
        return NO_MISS
    at = int(np.argmax(own)) if rows is None else int(rows[np.argmax(own)])
    of = one.compared
    return LargestMiss(float(apart[at]), float(of.actual[at]), float(of.low[at]), float(of.high[at]))


@dataclass
class KeyTally:
    """One outcome key in one cell: its outcomes by bucket, how many are of which level, the moments of its columns.

    Columns go by name, further metrics by their place in the run, scores under other weights as `combined.NAME`.
    """

    counts: Counter[int] = field(default_factory=Counter)
    levels: Counter[str] = field(default_factory=Counter)
    moments: dict[Any, Moments] = field(default_factory=dict)
    unit: str = ""
    largest: LargestMiss = NO_MISS

    def __getitem__(self, column: Any) -> Moments:
        return self.moments.get(column) or Moments()

    @property
    def met(self) -> int:
        """The outcomes that are what was intended."""
        return self.levels["must met"] + self.levels["should met"]

    @property
    def ran(self) -> int:
        """The outcomes of scenarios that ran, whether or not they came."""
        return self.counts[SCORED] + self.counts[NONFINITE] + self.counts[MISSING]

    def merge(self, other: KeyTally) -> None:
        """Adds another's scenarios."""
        self.counts.update(other.counts)
        self.levels.update(other.levels)
        merge_moments(self.moments, other.moments)
        self.unit = self.unit or other.unit
        self.largest = max(self.largest, other.largest, key=lambda one: one.apart)


@dataclass
class AlignmentCounts:
    """One cell: its scenarios, and its keys by first appearance.

    `scores` are the moments of the overall scores by the name of the weights ("": those that decide); `items` holds for
    each of them the number and the sum of every item's scores, and nothing where each scenario is its own.
    """

    scenarios: int = 0
    scores: dict[str, Moments] = field(default_factory=dict)
    items: dict[str, ItemTotals] = field(default_factory=dict)
    direction: Ratio = field(default_factory=Ratio)
    magnitude: Ratio = field(default_factory=Ratio)
    keys: dict[str, KeyTally] = field(default_factory=dict)

    @property
    def overall(self) -> Moments:
        """The overall scores under the weights that decide."""
        return self.scores.get("") or Moments()

    def merge(self, other: AlignmentCounts) -> None:
        """Adds another's scenarios."""
        self.scenarios += other.scenarios
        merge_moments(self.scores, other.scores)
        self.direction.merge(other.direction)
        self.magnitude.merge(other.magnitude)
        for key, tally in other.keys.items():
            self.keys.setdefault(key, KeyTally()).merge(tally)
        for name, totals in other.items.items():
            merge_totals(self.items.setdefault(name, {}), totals)

    @classmethod
    def sum(cls, tallies: Mapping[Cell, AlignmentCounts]) -> AlignmentCounts:
        """All cells together, in the order given."""
        whole = cls()
        for tally in tallies.values():
            whole.merge(tally)
        return whole


def merge_moments(into: dict[Any, Moments], other: Mapping[Any, Moments]) -> None:
    """Adds the moments of further scenarios, by name."""
    for name, moments in other.items():
        into.setdefault(name, Moments()).merge(moments)


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
        gave = np.full(len(self.overall), True) if no_data_is_zero else self.scenario != MISSING
        self.met = [scores.met(self.work.tolerance) for scores in self.keys]
        self.flags = [level_flags(scores, gave, met) for scores, met in zip(self.keys, self.met, strict=True)]
        self.columns = [self._columns(place) for place in range(len(self.keys))]
        self.apart = [distances(one) for one in self.keys]

    def _columns(self, place: int) -> dict[Any, Floats]:
        """The numbers of a key, a row a scenario."""
        one, further = self.keys[place], self.work.further
        columns: dict[Any, Floats] = {
            "direction": one.direction, "magnitude": one.magnitude, "combined": one.combined
        }  # fmt: skip
        if one.noise is not None:
            columns |= {"variance": one.noise.variance, "loss": one.noise.loss, "within": _within(one, one.noise)}
        for number, metric in enumerate(further):
            columns[number] = np.where(one.codes == SCORED, metric.each(one.compared), np.nan)
        return columns | {f"combined.{name}": own.combined[place] for name, own in self.others.items()}

    def requirements(self, named: bool, names: Sequence[str]) -> Requirements:
        """In how many scenarios what must be met was missed; `named` says that some level is, `names` are theirs."""
        every, bounded = (
            must_counts(self.keys, [flags[level] for flags in self.flags], self.met, names, self.items)
            for level in (MUST, BOUNDED)
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
        def of_rows(column: Any) -> Any:
            return column if rows is None else column[rows]

        direction, magnitude = _Sums(len(self.overall)), _Sums(len(self.overall))
        scores = {"": self.overall, **{name: one.overall for name, one in self.others.items()}}
        tally = AlignmentCounts(
            of_rows(self.scenario).size, {name: _moments(of_rows(score)) for name, score in scores.items()}
        )
        tally.items = {name: totals_of(self.items, score, rows) for name, score in scores.items()}
        for one, columns, flags, apart in zip(self.keys, self.columns, self.flags, self.apart, strict=True):
            codes = of_rows(one.codes)
            if codes.size and codes.min() < NOT_MEANT:
                levels = Counter({name: int(np.count_nonzero(of_rows(flag))) for name, flag in flags.items()})
                moments = {name: _moments(of_rows(column)) for name, column in columns.items()}
                largest = largest_of(one, apart, rows)
                tally.keys[one.key] = KeyTally(_counted(codes), levels, moments, one.unit, largest)
                direction.add(one.direction)
                magnitude.add(one.magnitude)
        tally.direction, tally.magnitude = direction.ratio(rows), magnitude.ratio(rows)
        return tally


def level_flags(one: KeyScores, gave: Any, met: Any) -> dict[str, Any]:
    """The scenarios of each level, and where it is met: not where nothing came of a scenario that gave others.

    "assumed" are those that `audit.tolerance` is for, "small" those of them below the floor, "zero" what was intended
    to be 0, "signed" what could be meant to be negative.
    """
    compared, codes, must = one.compared, one.codes, must_flags(one, gave)
    bounded = np.zeros(len(codes), bool) if one.bounded is None else one.bounded
    flags = {MUST: must, BOUNDED: must & bounded}
    if one.should is not None:
        flags["should"] = (codes <= MISSING) & gave & one.should
    flags |= {f"{name} met": flag & met & one.matched for name, flag in flags.items()}
    flags["assumed"] = (codes != NOT_MEANT) & ~bounded
    flags["small"] = flags["assumed"] & (np.abs(compared.low) < compared.floor)
    flags["zero"] = (compared.low == 0.0) & (compared.high == 0.0) & (codes <= MISSING)
    # where only a change is meant, it has no lower end
    flags["signed"] = ((compared.low < 0.0) | (compared.base is not None and compared.base < 0)) & (codes <= MISSING)
    return flags


def _within(one: KeyScores, noise: Noise) -> Floats:
    """Whether the intended number is in the interval of the mean over replicates: 1 or 0, NaN where none came."""
    apart = np.abs(one.compared.actual - one.compared.target)
    held = np.isfinite(apart) & (one.codes == SCORED)
    return np.where(held, (apart <= noise.half).astype(np.float64), np.nan)


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
