"""The alignment audit's work on one batch: scenarios through the simulator, and their scores as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.errors import DataError
from auditfw.core.imports import np
from auditfw.core.records import Value
from auditfw.formulas.alignment import AlignmentRule
from auditfw.formulas.outcome_columns import EachMetric
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context
from auditfw.kinds.simulation import ScenarioBatch, Simulated, Simulator

from .actual import BASELINE, MISSING, NONFINITE, SCORED, Codes, Notes, Outcomes, averaged
from .cell_counts import AlignmentCounts, Cell, Effect, Movement, ScenarioCounter
from .conclusions.musts import FirstRun, OtherScores, RepeatDifference, Requirements, other_rules, reweighted
from .intended import Floats, KeyScores, key_scores, overall_scores
from .settings import PARAM, AlignmentSettings
from .trials import Names, Numbered, ScenarioRules, batch_of

KEYS_LISTED = 100
ITEM = "item"


@dataclass(frozen=True)
class BaselineOutcomes:
    """The baseline scenario's outcomes by key, and for each the noise unit of a difference from it."""

    values: Mapping[str, float]
    units: Mapping[str, float]


@dataclass
class OutcomeBlock:
    """A scored batch: scenarios as rows, outcome `keys` as columns; `dropped` and `notes` are the batch's.

    `items` is empty where scenarios have no such column, `others` are the scores under other weights by name. `numbers`
    are the intended keys of which some scenario gave a number, `first` is what the scenario gave that runs again at the
    end of the run.
    """

    size: int
    start: int
    labels: Sequence[str | None]
    params: Sequence[Mapping[str, Any]]
    by: dict[str, list[Value]]
    keys: list[KeyScores]
    overall: Floats
    matched: Any
    scenario: Codes
    why: dict[int, str]
    items: list[Value] = field(default_factory=list)
    others: dict[str, OtherScores] = field(default_factory=dict)
    requirements: Requirements = field(default_factory=Requirements)
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Notes = field(default_factory=Counter)
    tallies: dict[Cell, AlignmentCounts] = field(default_factory=dict)
    effects: dict[str, Effect] = field(default_factory=dict)
    returned: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    first: FirstRun | None = None
    remarks: list[tuple[str, str]] = field(default_factory=list)
    differing: list[RepeatDifference] = field(default_factory=list)
    repeated: int = 0


@dataclass(frozen=True)
class AlignmentScorer:
    """What is done with each batch; picklable, so that other processes can do it.

    `further` are the metrics of single outcomes; `movement` says when an output that nobody intended has moved;
    `other_rules` are the formulas under other weights.
    """

    simulator: Simulator
    rule: AlignmentRule
    key_weights: Mapping[str, float]
    by: tuple[str, ...]
    seed: int
    replicates: int
    tolerance: float
    rules: ScenarioRules
    bool_as_number: bool
    further: tuple[EachMetric, ...]
    movement: Movement
    try_again: bool
    base: BaselineOutcomes | None = None
    other_rules: Mapping[str, AlignmentRule] = field(default_factory=dict)

    def __call__(self, task: Numbered | ScenarioBatch) -> OutcomeBlock | Outcomes:
        """Scores the scenarios of a task; those that ran already are run again, and that is all."""
        if isinstance(task, ScenarioBatch):
            return Outcomes.of(self.simulator(task), len(task), self.bool_as_number)
        return self.scored(task)

    def scored(self, numbered: Numbered) -> OutcomeBlock:
        """The scenarios of a task, simulated and scored."""
        with np.errstate(all="ignore"):
            return _BatchScores(self, numbered).block()


class _BatchScores:
    """One batch: its scenarios simulated, then scored and counted by `block`."""

    def __init__(self, work: AlignmentScorer, numbered: Numbered) -> None:
        self.work, self.start = work, numbered.start
        batch = numbered.task()
        self.columns, self.dropped = batch.columns, batch.dropped
        self.notes: Notes = Counter(batch.notes)
        self.numbers: set[str] = set()
        self.read = work.rules.read(batch.columns, self.start)
        self.size = len(self.read.labels)
        self.params = self.read.params
        if self.read.moved:
            self.notes["parameters clipped to their bounds (audit.out_of_bounds=clip)"] += self.read.moved
        self.runs = [self._simulate(replicate) for replicate in range(work.replicates)] if self.size else []

    def _simulate(self, replicate: int) -> Outcomes:
        simulated = self.work.simulator(self._part(replicate))
        return Outcomes.of(simulated, self.size, self.work.bool_as_number)

    def _part(self, replicate: int, rows: Sequence[int] | None = None) -> ScenarioBatch:
        return batch_of(self.work.seed, self.columns, self.read, self.start, (replicate, rows))

    def block(self) -> OutcomeBlock:
        """Scores and counts everything."""
        work, meant = self.work, self.read.meant
        keys = [self._key(key) for key in meant.aims] if self.size else []
        overall, matched = overall_scores(keys, work.key_weights, self.size, meant)
        scenario = self._scenario(matched)
        overall = self._with_zeros(overall, matched, scenario)
        by = self._cells()
        block = OutcomeBlock(
            self.size, self.start, self.read.labels, self.params, by, keys, overall, matched, scenario,
            self._why(), dropped=Counter(self.dropped), notes=self.notes,
        )  # fmt: skip
        if self.size:
            block.items, block.others = self._items(), self._others(keys, scenario)
            counter = ScenarioCounter(work, keys, overall, scenario, block.others, block.items)
            block.tallies = counter.tallies(by)
            named = any(aims.declared for aims in meant.aims.values())
            block.requirements = counter.requirements(named, Names(self.read.labels, self.start))
            block.effects = self._effects()
            block.returned = tuple(self.runs[0].names())[:KEYS_LISTED]
            block.numbers = frozenset(self.numbers)
            block.remarks = self._remarks()
            if work.try_again and self.start == 0:
                self._run_again(block)
        return block

    def _key(self, key: str) -> KeyScores:
        aims = self.read.meant.aims[key]
        got = averaged(self.runs, key, self.work.rule.floor, self.notes, aims.meant)
        if (got.codes <= NONFINITE).any():
            self.numbers.add(key)
        base = self.work.base.values.get(key) if self.work.base is not None else None
        return key_scores(self.work.rule, key, aims, base, got)

    def _scenario(self, matched: Any) -> Codes:
        """The bucket of each scenario: scored where any key was, else why none was."""
        codes = np.where(matched > 0, SCORED, MISSING).astype(np.uint8)
        for run in self.runs:
            if run.failed is not None:
                codes = np.where((run.failed != SCORED) & (matched == 0), np.maximum(codes, run.failed), codes)
        for i in np.flatnonzero(self.read.baseline & (codes == MISSING)).tolist():
            if not self.read.meant.orders[i]:
                codes[i] = BASELINE
        return codes

    def _why(self) -> dict[int, str]:
        return {
            i: run.simulated.why[i]
            for run in reversed(self.runs)
            if run.failed is not None
            for i in np.flatnonzero(run.failed).tolist()
        }

    def _others(self, keys: Sequence[KeyScores], scenario: Codes) -> dict[str, OtherScores]:
        """The scores under the other weights."""
        scores = {}
        for name, rule in self.work.other_rules.items():
            own = [reweighted(one, rule) for one in keys]
            overall, matched = overall_scores(own, self.work.key_weights, self.size, self.read.meant)
            scores[name] = OtherScores([one.combined for one in own], self._with_zeros(overall, matched, scenario))
        return scores

    def _with_zeros(self, overall: Floats, matched: Any, scenario: Codes) -> Floats:
        """The overall scores, 0 of scenarios that gave nothing where these are to count (`audit.no_data=zero`)."""
        if not self.work.rules.no_data_is_zero:
            return overall
        return np.where((matched == 0) & (scenario != BASELINE), 0.0, overall)

    def _items(self) -> list[Value]:
        """The item of each scenario, where they have that column. Raises DataError for a null."""
        items = [_as_value(value) for value in self.columns.get(ITEM, ())]
        if None in items:
            name = Names(self.read.labels, self.start, quoted=True, places=self.columns.get("place", ()))
            do = "give each scenario its item, or leave the column out"
            raise DataError(f"scenario {name[items.index(None)]}", "item is null", None, do)
        return items

    def _cells(self) -> dict[str, list[Value]]:
        cells: dict[str, list[Value]] = {}
        for name in self.work.by:
            if name in self.columns:
                column = list(self.columns[name])
            else:
                column = [row.get(name.removeprefix(PARAM)) for row in self.params]
            cells[name] = [_as_value(value) for value in column]
        return cells

    def _effects(self) -> dict[str, Effect]:
        """How the outputs that nobody intended moved against the baseline, output by output."""
        base, work = self.work.base, self.work
        effects: dict[str, Effect] = {}
        for key, at in base.values.items() if base is not None else ():
            got = averaged(self.runs, key, work.rule.floor, Counter())
            free = (got.codes == SCORED) & ~self.read.baseline
            aims = self.read.meant.aims.get(key)
            if aims is not None:
                free &= np.zeros(self.size, bool) if aims.meant is None else ~aims.meant
            if free.any() and base is not None:
                effects[key] = work.movement.effect(at, base.units.get(key, 0.0), got.values - at, free, self.start)
        return effects

    def _remarks(self) -> list[tuple[str, str]]:
        """What the simulator says of scenarios that did not fail, each with the scenario's name."""
        simulated, names = self.runs[0].simulated, Names(self.read.labels, self.start, quoted=True)
        if not any(simulated.why):
            return []
        return [(why, names[i]) for i, why in enumerate(simulated.why) if why and simulated.status[i] == "ok"]

    def _run_again(self, block: OutcomeBlock) -> None:
        """Simulates some scenarios once more, last first, and the first in a process of its own where that can be."""
        one = self.read.repeated
        rows = sorted({one, self.size // 2, self.size - 1}, reverse=True)
        names, run = Names(self.read.labels, self.start, quoted=True), self.runs[0]
        first = FirstRun(
            [names[i] for i in rows],
            {key: run.column(key)[0][rows] for key in run.names()},
            {scores.key: scores.taken(rows) for scores in block.keys},
            self.work.tolerance,
        )
        block.first = first.taken(rows.index(one))
        again = Outcomes.of(self.work.simulator(self._part(0, rows)), len(rows), self.work.bool_as_number)
        block.differing, block.repeated = first.differing(again), len(rows) * len(block.keys)
        fresh: Callable[[ScenarioBatch], Simulated | None] | None = capability(self.work.simulator, "fresh")
        alone = fresh(self._part(0, [one])) if fresh is not None else None
        if alone is not None:
            block.differing += block.first.differing(Outcomes.of(alone, 1, self.work.bool_as_number), apart=True)
            block.repeated += len(block.keys)


def _as_value(value: Any) -> Value:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    item = getattr(value, "item", None)
    return _as_value(item()) if item is not None else str(value)


def scorer_of(audit: AlignmentSettings, context: Context) -> AlignmentScorer:
    """The work on each batch of scenarios, as it is sent to every process."""
    simulator = audit.simulator
    return AlignmentScorer(
        simulator=simulator,
        rule=audit.rule(),
        other_rules=other_rules(audit.rule(), audit.other_weights),
        key_weights=audit.key_weights,
        by=context.by,
        seed=context.seed,
        replicates=audit.replicates,
        tolerance=audit.tolerance,
        rules=ScenarioRules(
            baseline=audit.baseline,
            no_data_is_zero=audit.no_data == "zero",
            limits=simulator.limits(),
            optional=capability(simulator, "optional", frozenset()),
            out_of_bounds=audit.out_of_bounds,
        ),
        bool_as_number=audit.bool_as_number,
        further=tuple(metric for metric in audit.metrics.values() if isinstance(metric, EachMetric)),
        movement=Movement(audit.unintended.units, audit.unintended.share, audit.floor),
        try_again=audit.try_again and not audit.recorded and not simulator.stochastic and audit.replicates == 1,
    )
