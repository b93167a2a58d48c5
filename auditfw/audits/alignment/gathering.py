"""All blocks of a run, gathered in the order of the tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from auditfw.core.errors import DataError, IncompleteError, nearest
from auditfw.core.tables import TrialTable
from auditfw.formulas.alignment import is_finite
from auditfw.kinds.context import Context
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.simulation import Columns

from .actual import Outcomes, averaged
from .counts import AlignmentCounts, Cell, Effect
from .exhibits import Lowest
from .scenario_sample import Draw, Drawn
from .scoring import KeyScores
from .status import FAILED, MISSING, NONFINITE, SCENARIO_STATUS, STATUS
from .tables import param_columns, scenario_frame, trial_frame
from .work import AlignmentScorer, BaselineOutcomes, Numbered, OutcomeBlock, merged, stretch_of

WORST = 10
PROBLEMS_SHOWN = 5
PARAMS_KEPT = 64


@dataclass(frozen=True)
class Bad:
    """One of the scenarios with the lowest score: its keys with both ends of what was meant, actual and combined."""

    overall: float
    number: int
    label: str | None
    keys: tuple[tuple[str, float, float, float, float], ...]


@dataclass
class ParamSpread:
    """The least and the largest value of a parameter, and how many scenarios gave it."""

    least: float
    largest: float
    given: int

    def with_(self, other: ParamSpread) -> ParamSpread:
        """The spread over both."""
        ends = min(self.least, other.least), max(self.largest, other.largest)
        return ParamSpread(*ends, self.given + other.given)


class AlignmentResults:
    """What a run found: tallies by cell, buckets, problems, worst scenarios, a draw; rows go to the tables."""

    def __init__(self, bench: Context, work: AlignmentScorer, most: int) -> None:
        self.bench, self.work = bench, work
        self.table: TrialTable = bench.table("scenarios")
        self.tallies: dict[Cell, AlignmentCounts] = {}
        self.effects: dict[str, Effect] = {}
        self.dropped: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.buckets: Counter[str] = Counter()
        self.problems: list[str] = []
        self.worst: list[Bad] = []
        self.params: dict[str, ParamSpread] = {}
        self.returned: dict[str, None] = {}
        self.differing: list[str] = []
        self.remarks: dict[str, tuple[int, str]] = {}
        self.first_empty: str | None = None
        self.named: dict[int, str] = {}
        self.scenarios = 0
        self.lowest = Lowest(bench.limits.max_exhibits)
        self._draw = Draw(bench.seed, most)
        self._whole: AlignmentCounts | None = None

    def gather(self, evidence: Evidence, starts: Sequence[int] | None) -> None:
        """Has every batch simulated and scored, and takes it in."""
        rows = evidence.rows
        for block in self.bench.engine.map(self.work, numbered(evidence, starts), rows):
            if starts is None:
                block.start = self.scenarios
            with np.errstate(all="ignore"):
                self._take(block)
            self.bench.progress(self.scenarios, rows)
        self._whole = None

    def _take(self, block: OutcomeBlock) -> None:
        self.scenarios += block.size
        self.dropped.update(block.dropped)
        self.notes.update(block.notes)
        self.returned.update(dict.fromkeys(block.returned))
        self.differing += block.differing
        for why, name in block.remarks:
            n, first = self.remarks.get(why, (0, name))
            self.remarks[why] = (n + 1, first)
        if not block.size:
            return
        self.buckets.update({name: int((block.scenario == code).sum()) for code, name in enumerate(SCENARIO_STATUS)})
        merged(self.tallies, block.tallies)
        self.bench.check_cells(len(self.tallies))
        for key, effect in block.effects.items():
            if effect.worst >= 0:
                self.named[effect.worst] = block.labels[effect.worst - block.start] or str(effect.worst)
            self.effects.setdefault(key, Effect()).merge(effect)
        self._note_problems(block)
        self._rank(block)
        self._spread(block)
        self._draw.add(block)
        self.lowest.add(block)
        self.bench.trials.add_frame(trial_frame(block))
        self.table.add_frame(scenario_frame(block))

    def _note_problems(self, block: OutcomeBlock) -> None:
        for i in np.flatnonzero(np.isin(block.scenario, (*FAILED, MISSING))).tolist():
            name = _name(block, i)
            if block.scenario[i] == MISSING:
                self.first_empty = self.first_empty or name
            elif len(self.problems) < PROBLEMS_SHOWN:
                self.problems.append(f"scenario {name}: {block.why.get(i) or SCENARIO_STATUS[block.scenario[i]]}")
            if len(self.problems) >= PROBLEMS_SHOWN and self.first_empty:
                return

    def _rank(self, block: OutcomeBlock) -> None:
        """Keeps the scenarios with the lowest scores; of equal ones the first."""
        held = np.flatnonzero(~np.isnan(block.overall))
        bar = self.worst[-1].overall if len(self.worst) == WORST else np.inf
        held = held[block.overall[held] < bar]
        for i in held[np.argsort(block.overall[held], kind="stable")][:WORST].tolist():
            keys = tuple(_told(one, i) for one in block.found if one.codes[i] <= NONFINITE)
            self.worst.append(Bad(float(block.overall[i]), block.start + i, block.labels[i], keys))
        self.worst = sorted(self.worst, key=lambda bad: (bad.overall, bad.number))[:WORST]

    def _spread(self, block: OutcomeBlock) -> None:
        """The range of every parameter that is a number, to see which were varied."""
        for name, values in param_columns(block.params).items():
            numbers = [v for v in values if is_finite(v)] if not isinstance(block.params, Columns) else values
            if len(numbers) and (name in self.params or len(self.params) < PARAMS_KEPT):
                here = ParamSpread(float(np.min(numbers)), float(np.max(numbers)), len(numbers))
                old = self.params.get(name)
                self.params[name] = here if old is None else old.with_(here)

    @property
    def varied(self) -> list[str]:
        """The parameters that take more than one value."""
        return [name for name, spread in self.params.items() if spread.least < spread.largest]

    def name_of(self, number: int) -> str:
        """What the scenario in which an output moved most is called."""
        return self.named.get(number, str(number))

    def drawn(self) -> Drawn:
        """The scenarios drawn."""
        return self._draw.drawn()

    def whole(self) -> AlignmentCounts:
        """All cells together; summed once, when everything is gathered."""
        if self._whole is None:
            self._whole = AlignmentCounts.sum(self.tallies)
        return self._whole

    def counts(self) -> dict[str, int]:
        """The buckets: outcomes by what became of them, and scenarios that the set dropped."""
        found: Counter[str] = Counter(self.dropped)
        for one in self.whole().keys.values():
            for code, n in one.counts.items():
                found["audited" if code == 0 else STATUS[code]] += n
        counts = {"read": found.total(), "audited": found["audited"]}
        return counts | {bucket: n for bucket, n in sorted(found.items()) if n and bucket != "audited"}


def numbered(evidence: Evidence, starts: Sequence[int] | None) -> Iterator[Numbered]:
    """The tasks with their places, and the numbers of their first scenarios where known."""
    for place, task in enumerate(evidence.tasks):
        yield Numbered(task, 0 if starts is None else starts[place], place)


def first_look(work: AlignmentScorer, evidence: Evidence) -> tuple[AlignmentScorer, list[int]]:
    """Reads all scenarios before the first one runs, and runs the baseline where there is one.

    Raises DataError naming the scenario where something cannot be meant.
    """
    starts: list[int] = []
    found: list[tuple[Numbered, int]] = []
    known: dict[str, None] = {}
    start = 0
    for place, task in enumerate(evidence.tasks):
        one = Numbered(task, start, place)
        batch = task()
        read = work.read(batch.columns, start)
        starts.append(start)
        found.extend((one, i) for i in np.flatnonzero(read.baseline).tolist())
        if work.baseline is not None and len(known) < 1_000:
            known.update(dict.fromkeys(label for label in read.labels if label is not None))
        start += len(read.labels)
    if work.baseline is None:
        return work, starts
    if len(found) != 1:
        what = "no scenario has this label" if not found else f"{len(found)} scenarios have this label"
        raise DataError("audit.baseline", what, work.baseline, nearest(work.baseline, list(known)))
    return replace(work, base=run_baseline(work, *found[0])), starts


def run_baseline(work: AlignmentScorer, one: Numbered, row: int) -> BaselineOutcomes:
    """Simulates the baseline scenario. Raises IncompleteError where it gives nothing."""
    batch = one.task()
    read = work.read(batch.columns, one.start)
    runs = []
    for replicate in range(work.replicates):
        part = stretch_of(work, batch.columns, read, one.start, (replicate, [row]))
        runs.append(Outcomes.of(work.simulator(part), 1, work.bool_as_number))
    for run in runs:
        if run.failed is not None:
            why = run.found.why[0] or run.found.status[0]
            raise IncompleteError("audit.baseline", f"the baseline scenario '{work.baseline}' gave nothing", why)
    values, units = {}, {}
    for key in runs[0].names():
        got = averaged(runs, key, work.rule.floor, Counter())
        if got.codes[0] == 0:
            values[key] = float(got.values[0])
            if got.noise is not None:
                units[key] = float(np.sqrt(2 * got.noise.variance[0] / work.replicates))
    return BaselineOutcomes(values, units)


def _told(one: KeyScores, i: int) -> tuple[str, float, float, float, float]:
    of = one.compared
    moves = of.change is not None and bool(of.change[i])
    low, high = (float("nan"),) * 2 if moves else (float(of.low[i]), float(of.high[i]))
    return one.key, low, high, float(of.actual[i]), float(one.combined[i])


def _name(block: OutcomeBlock, i: int) -> str:
    label = block.labels[i]
    return f"{block.start + i}" if label is None else f"'{label}'"
