"""Which scenarios miss what must be, and the values of one parameter that divide them from the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditfw.audits.alignment.actual import MISSING
from auditfw.audits.alignment.cell_counts import BOUNDED, MUST, level_flags
from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.intended import Flags, Floats
from auditfw.audits.alignment.scenario_sample import Drawn
from auditfw.core.imports import np
from auditfw.core.records import Value
from auditfw.formulas.alignment import is_finite
from auditfw.formulas.outcomes.ranges import MissRange, miss_range


@dataclass(frozen=True)
class MissedScenarios:
    """Which of some scenarios ran (`every`) and which `missed` what; `in_all` are all of the run that do."""

    what: str = "an outcome"
    missed: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))
    every: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))
    in_all: int = 0


def missed_scenarios(results: AlignmentResults, drawn: Drawn) -> MissedScenarios:
    """The scenarios that miss a requirement; where none of the run does, those that miss any outcome but wishes."""
    required, work = results.requirements, results.work
    if required.counts.missed:
        what, counts, level = "a requirement", required.counts, MUST if required.named else BOUNDED
    else:
        what, counts, level = "an outcome", required.every, MUST
    gave = np.full(len(drawn), True) if work.rules.no_data_is_zero else drawn.codes != MISSING
    missed, every = np.zeros(len(drawn), np.bool_), np.zeros(len(drawn), np.bool_)
    for scores in drawn.keys:
        flags = level_flags(scores, gave, scores.met(work.tolerance))
        every |= flags[level]
        missed |= flags[level] & ~flags[f"{level} met"]
    return MissedScenarios(what, missed, every, counts.missed)


def missed_rule(results: AlignmentResults, drawn: Drawn, of: MissedScenarios) -> MissRange | None:
    """The values of one parameter that divide the scenarios that miss from the others; None where none do."""
    rows, numbers = np.flatnonzero(of.every).tolist(), dict[Value, int]()
    items = [numbers.setdefault(drawn.items[i], len(numbers)) for i in rows] if drawn.items else []
    return miss_range(parameter_columns(results, drawn, of), of.missed[rows], items)


def parameter_columns(results: AlignmentResults, drawn: Drawn, of: MissedScenarios) -> dict[str, Floats]:
    """The values of each parameter that all scenarios that ran have as a number."""
    each = [drawn.params[i] for i in np.flatnonzero(of.every).tolist()]
    names = [name for name in results.varied if all(is_finite(params.get(name)) for params in each)]
    return {name: np.array([float(params[name]) for params in each]) for name in names}
