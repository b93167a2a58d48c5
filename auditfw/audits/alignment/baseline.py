"""The scenario that others are compared with: all scenarios are read to find it, and it runs before the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from auditfw.core.errors import DataError, IncompleteError, nearest
from auditfw.core.imports import np
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.simulation import ScenarioBatch

from .actual import Outcomes, averaged
from .scoring import AlignmentScorer, BaselineOutcomes
from .trials import Numbered, batch_of


class ReadFirst(NamedTuple):
    """The work with what the baseline gave, the number of each task's first scenario, and what runs again at the end.

    That is nothing where all scenarios are in one task, which runs some of them again itself.
    """

    work: AlignmentScorer
    starts: Sequence[int] | None = None
    again: Sequence[ScenarioBatch] = ()


def first_look(work: AlignmentScorer, evidence: Evidence) -> ReadFirst:
    """Reads all scenarios before the first one runs, and runs the baseline where there is one.

    Raises DataError naming the scenario where something cannot be meant.
    """
    starts: list[int] = []
    baselines: list[tuple[Numbered, int]] = []
    known: dict[str, None] = {}
    start, first, again = 0, 0, []
    for task in evidence.tasks:
        numbered = Numbered(task, start)
        batch = task()
        read = work.rules.read(batch.columns, start)
        starts.append(start)
        baselines.extend((numbered, i) for i in np.flatnonzero(read.baseline).tolist())
        if work.rules.baseline is not None and len(known) < 1_000:
            known.update(dict.fromkeys(label for label in read.labels if label is not None))
        if work.try_again and not start and read.labels:
            again, first = [batch_of(work.seed, batch.columns, read, 0, (0, [read.repeated]))], len(read.labels)
        start += len(read.labels)
    again = again if start > first else []
    if work.rules.baseline is None:
        return ReadFirst(work, starts, again)
    if len(baselines) != 1:
        what = "no scenario has this label" if not baselines else f"{len(baselines)} scenarios have this label"
        raise DataError("audit.baseline", what, work.rules.baseline, nearest(work.rules.baseline, list(known)))
    return ReadFirst(replace(work, base=run_baseline(work, *baselines[0])), starts, again)


def run_baseline(work: AlignmentScorer, numbered: Numbered, row: int) -> BaselineOutcomes:
    """Simulates the baseline scenario. Raises IncompleteError where it gives nothing."""
    batch = numbered.task()
    read = work.rules.read(batch.columns, numbered.start)
    runs = []
    for replicate in range(work.replicates):
        part = batch_of(work.seed, batch.columns, read, numbered.start, (replicate, [row]))
        runs.append(Outcomes.of(work.simulator(part), 1, work.bool_as_number))
    for run in runs:
        if run.failed is not None:
            why = run.simulated.why[0] or run.simulated.status[0]
            raise IncompleteError(
                "audit.baseline", f"the baseline scenario '{work.rules.baseline}' returned no outcome", why
            )
    values, units = {}, {}
    for key in runs[0].names():
        got = averaged(runs, key, work.rule.floor, Counter())
        if got.codes[0] == 0:
            values[key] = float(got.values[0])
            if got.noise is not None:
                # the standard error of a difference of two means, each of all replicates
                units[key] = float(np.sqrt(2 * got.noise.variance[0] / work.replicates))
    return BaselineOutcomes(values, units)
