"""From tallies to what the metrics read: all scenarios, each key, each cell, each key of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.records import Reading, Value, named_cells, sorted_cells
from auditfw.core.statistics import Moments
from auditfw.formulas.outcome_columns import EachMetric, OutcomeCounts
from auditfw.kinds.context import Sample

from .actual import NONFINITE, SCORED, STATUS
from .cell_counts import AlignmentCounts, Cell, KeyTally

ACTUAL = Reading("actual", "candidate")
INTENDED = Reading("intended", "reference")


def samples(
    tallies: Mapping[Cell, AlignmentCounts], by: Sequence[str], further: Sequence[EachMetric], free: float | None
) -> list[Sample]:
    """The samples of the reading `actual`: overall, by key, by cell, by cell and key. Cells in ascending order."""
    order = sorted_cells(tallies)
    whole = next(iter(tallies.values())) if len(tallies) == 1 else AlignmentCounts.sum(tallies)
    all_samples = _both(whole, {}, further, free)
    split = bool(by) and any(value is not None for cell in order for value in cell)
    for cell, named in zip(order, named_cells(order, by), strict=True) if split else ():
        all_samples += _both(tallies[cell], named, further, None)
    return all_samples


def _both(
    tally: AlignmentCounts, cell: dict[str, Value], further: Sequence[EachMetric], free: float | None
) -> list[Sample]:
    keys = [Sample(ACTUAL, {**cell, "key": key}, _of_key(key, one, further)) for key, one in tally.keys.items()]
    return [Sample(ACTUAL, cell, _of_all(tally, further, free)), *keys]


def _of_all(tally: AlignmentCounts, further: Sequence[EachMetric], free: float | None) -> OutcomeCounts:
    counts: Counter[int] = Counter()
    levels: Counter[str] = Counter()
    moments: dict[Any, Moments] = {metric: Moments() for metric in further}
    loss = Moments()
    for one in tally.keys.values():
        counts.update(one.counts)
        levels.update(one.levels)
        loss.merge(one.loss)
        for place, metric in enumerate(further):
            moments[metric].merge(one.further.get(place, Moments()))
    matched = counts[SCORED] + counts[NONFINITE]
    return OutcomeCounts(
        key=None,
        scenarios=tally.scenarios,
        matched=matched,
        missing=counts.total() - matched,
        direction=tally.direction,
        magnitude=tally.magnitude,
        overall=tally.overall,
        further=moments,
        levels=levels,
        loss=loss,
        free=free,
    )


def _of_key(key: str, one: KeyTally, further: Sequence[EachMetric]) -> OutcomeCounts:
    matched = one.counts[SCORED] + one.counts[NONFINITE]
    counts = ", ".join(f"{STATUS[code]} {n:,}" for code, n in sorted(one.counts.items()))
    return OutcomeCounts(
        key=key,
        scenarios=one.counts.total(),
        matched=matched,
        missing=one.counts.total() - matched,
        direction=one.direction,
        magnitude=one.magnitude,
        overall=one.combined,
        further={metric: one.further.get(place, Moments()) for place, metric in enumerate(further)},
        levels=one.levels,
        variance=one.variance,
        loss=one.loss,
        why_empty=f"never scored: {counts}" if not matched else "only a change is intended, which has no magnitude",
    )
