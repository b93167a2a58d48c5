"""From tallies to what the metrics read: all scenarios, each key, each cell, each key of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.core.records import Reading, Value, named_cells, sorted_cells
from auditfw.core.statistics import Moments
from auditfw.formulas.outcome_columns import EachMetric, OutcomeCounts
from auditfw.kinds.context import Sample

from .actual import NONFINITE, SCORED, STATUS
from .cell_counts import BOUNDED, MUST, AlignmentCounts, Cell, KeyTally, merge_moments
from .conclusions.comparison import DrawnFigures
from .conclusions.musts import ItemTotals, mean_over_items

ACTUAL = Reading("actual", "candidate")
INTENDED = Reading("intended", "reference")


@dataclass(frozen=True)
class SampleMaker:
    """Makes the samples of one reading: under the deciding weights, or under others by `name`.

    `by_bounds` says that only what declares a bound must be met.
    """

    figures: DrawnFigures
    further: Sequence[EachMetric]
    by_bounds: bool = False
    name: str = ""

    @property
    def reading(self) -> Reading:
        return Reading(f"{ACTUAL.name}.{self.name}", "candidate") if self.name else ACTUAL

    def samples(self, tally: AlignmentCounts, named: Mapping[str, Value], cell: Cell | None) -> list[Sample]:
        """The samples of a cell, None for all scenarios together: over all, and key by key."""
        figures, combined = self.figures, f"combined.{self.name}" if self.name else "combined"
        free = max(figures.free.values(), default=None) if cell is None else None
        whole = replace(_of_all(tally, self.name, self.further, free), **figures.lazily(cell, None))
        keys = []
        for key, one in tally.keys.items():
            counts = replace(_of_key(key, one, combined, self.further), **figures.lazily(cell, key))
            keys.append(Sample(self.reading, {**named, "key": key}, counts))
        made = [Sample(self.reading, dict(named), whole), *keys]
        if not self.by_bounds:
            return made
        return [replace(one, data=replace(one.data, levels=_bounded(one.data.levels))) for one in made]


def samples(
    tallies: Mapping[Cell, AlignmentCounts],
    by: Sequence[str],
    further: Sequence[EachMetric],
    figures: Mapping[str, DrawnFigures],
    by_bounds: bool = False,
) -> list[Sample]:
    """The samples of `actual` and of its readings under other weights (`figures` by the name of the weights).

    Overall, by key, by cell, by cell and key. Cells in ascending order.
    """
    order = sorted_cells(tallies)
    whole = next(iter(tallies.values())) if len(tallies) == 1 else AlignmentCounts.sum(tallies)
    split = bool(by) and any(value is not None for cell in order for value in cell)
    all_samples: list[Sample] = []
    for name, own in figures.items():
        maker = SampleMaker(own, further, by_bounds, name)
        all_samples += maker.samples(whole, {}, None)
        for cell, named in zip(order, named_cells(order, by), strict=True) if split else ():
            all_samples += maker.samples(tallies[cell], named, cell)
    return all_samples


def _bounded(levels: Mapping[str, int]) -> Mapping[str, int]:
    return {**levels, MUST: levels[BOUNDED], f"{MUST} met": levels[f"{BOUNDED} met"]}


def _of_all(tally: AlignmentCounts, name: str, further: Sequence[EachMetric], free: float | None) -> OutcomeCounts:
    counts: Counter[int] = Counter()
    levels: Counter[str] = Counter()
    moments: dict[Any, Moments] = {}
    for one in tally.keys.values():
        counts.update(one.counts)
        levels.update(one.levels)
        merge_moments(moments, one.moments)
    matched = counts[SCORED] + counts[NONFINITE]
    return OutcomeCounts(
        key=None,
        scenarios=tally.scenarios,
        matched=matched,
        missing=counts.total() - matched,
        direction=tally.direction,
        magnitude=tally.magnitude,
        overall=tally.scores.get(name) or Moments(),
        further={metric: moments.get(place) or Moments() for place, metric in enumerate(further)},
        levels=levels,
        loss=moments.get("loss") or Moments(),
        within=moments.get("within") or Moments(),
        free=free,
        ends=_ends(tally.items.get(name, {})),
    )


Ends = tuple[float | None, float | None]


def _ends(items: ItemTotals) -> Ends | None:
    """The interval of the mean overall over items, cut to what is possible; None where each scenario is its own."""
    if not items:
        return None
    mean = mean_over_items(items)
    return (None, None) if mean.low is None or mean.high is None else (max(0.0, mean.low), min(1.0, mean.high))


def _of_key(key: str, one: KeyTally, combined: str, further: Sequence[EachMetric]) -> OutcomeCounts:
    matched = one.counts[SCORED] + one.counts[NONFINITE]
    counts = ", ".join(f"{STATUS[code]} {n:,}" for code, n in sorted(one.counts.items()))
    return OutcomeCounts(
        key=key,
        scenarios=one.counts.total(),
        matched=matched,
        missing=one.counts.total() - matched,
        direction=one["direction"],
        magnitude=one["magnitude"],
        overall=one[combined],
        further={metric: one[place] for place, metric in enumerate(further)},
        levels=one.levels,
        variance=one["variance"],
        loss=one["loss"],
        within=one["within"],
        why_empty=f"never scored: {counts}" if not matched else "only a change is intended, which has no magnitude",
    )
