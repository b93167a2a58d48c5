"""The self-audit's settings, and its run: from problems through their loops to samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, ClassVar, Literal, cast

from auditfw.core.document import some
from auditfw.core.errors import AuditError, Faults, IncompleteError, NothingAudited, UsageError
from auditfw.core.inputs import watch_part
from auditfw.core.interrupts import keeps
from auditfw.core.notes import remarks
from auditfw.core.records import Reading
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.context import Task as EngineTask
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.ledger import Stop, StopRule
from auditfw.kinds.registry import name_of, register
from auditfw.kinds.solving import Clock, Executor, Scoring, Solver

from .budget import budget_plan
from .charts import Shelf
from .counts import TAKEN, SelfAuditCounts, rows
from .evaluate import NO_EXECUTOR
from .exhibits import Browsed
from .faults import OFTEN, Streak, is_own_code
from .journal import Journal, StoredAttempts, digest, records, settle
from .loop import NoDiary, Refine
from .problems import COLUMNS, StoredProblem, as_scored, check_names, check_outputs, check_unique, given
from .readings import LIVE, RUN_ALL, STORED
from .report import LoopResults, tell
from .resume import check_same, continued, prior
from .scoring import ProblemTask, SelfAuditScorer

STRETCH = 64
HEAVY = 20_000  # so many cheap trials are worth the work of one problem: two of them are worth a second process


@dataclass(frozen=True)
class StoredProblems:
    """All problems of a run, and how many rows were read and dropped on the way."""

    evidence: Evidence
    problems: list[StoredProblem]
    counts: Counter[str]
    notes: Counter[str]

    @property
    def labelled(self) -> bool:
        return "stored" in self.evidence.columns


@register("audit", "self_audit")
@dataclass(frozen=True)
class SelfAudit:
    """Runs a solve-and-check loop on problems within budgets, and says what other stop rules would have cost and saved.

    `stop_rules` are replayed on the stored attempts. `facts` names columns that the solver may see beside the
    examples. `empty_training` says what a problem without training examples is: refused, or solved at once as in the
    reference. `retry_unfinished` repeats requests that were open when a resumed run was killed: they may be paid twice.
    """

    name: ClassVar[str] = "self_audit"
    resumes: ClassVar[bool] = True

    source: Source
    solver: Solver
    stop: Stop
    scoring: Scoring
    executor: Executor | None = None
    stop_rules: dict[str, StopRule] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    empty_training: Literal["refuse", "success"] = "refuse"
    retry_unfinished: bool = False
    max_error_rate: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.max_error_rate <= 1.0:
            raise UsageError("max_error_rate", "must lie between 0 and 1", self.max_error_rate)

    @property
    def clock(self) -> Clock:
        """The clock of the run: that of the stop rule, else the solver's own."""
        return self.stop.clock or self.solver.clock

    def gather(self, by: Sequence[str]) -> StoredProblems:
        """Reads every problem before the first request is sent. Raises DataError naming file and line."""
        check_names(by, tuple(self.stop_rules), TAKEN)
        wanted = list(dict.fromkeys([*COLUMNS, *self.facts]))
        evidence = self.source.open(list(dict.fromkeys([*by, *self.facts])), wanted)
        counts, notes = Counter[str](), Counter[str]()
        problems: list[StoredProblem] = []
        faults = Faults()
        for task in evidence.tasks:
            batch = task()
            counts.update(batch.dropped)
            notes.update(batch.notes)
            found = given(batch, by, self.facts, self.empty_training == "success", faults)
            problems += [as_scored(one, self.scoring) for one in found]
        faults.refuse()
        counts["read"] = counts.total() + len(problems)
        check_unique(problems)
        if not problems:
            raise NothingAudited("source", "holds no problem", None, "look at the path, the query and the filters")
        check_outputs(problems, self.scoring)
        return StoredProblems(evidence, problems, counts, notes)

    def check_parts(self) -> None:
        """Finds out what is missing before the first request. Raises AuditError."""
        self.solver.check()
        if self.executor is not None:
            self.executor.check()
        elif getattr(self.solver, "programs", False):
            raise UsageError("executor", "the solver returns programs, and nothing runs them", None, NO_EXECUTOR)

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do and cost at worst, for `auditfw check`: reads the problems, sends no request."""
        self.check_parts()
        gathered = self.gather(by)
        n = len(gathered.problems)
        examples = sum(len(one.problem.train) for one in gathered.problems)
        lines = [f"problems: {n:,}, with {examples:,} training examples", f"by: {', '.join(by) or 'nothing'}"]
        lines += [f"readings: {', '.join(reading.name for reading in self.readings(gathered))}"]
        return lines + budget_plan(n, self.stop, self.clock)

    def readings(self, gathered: StoredProblems) -> list[Reading]:
        """The loop as it ran, with every iteration, under each rule; and the recorded label where there is one."""
        found = [Reading(RUN_ALL, "reference"), Reading(LIVE, "candidate")]
        found += [Reading(name, "candidate") for name in self.stop_rules]
        return [*found, Reading(STORED, "baseline")] if gathered.labelled else found

    def run(self, bench: Context) -> Outcome:
        """Runs every loop, writes each attempt down as it ends, and counts."""
        watched = watch_part(self.solver).joined(watch_part(self.executor))
        gathered = self.gather(bench.by)
        bench.check_cells(len({one.cell for one in gathered.problems}))
        with continued(bench.resume, bench.folder) as stored:
            settings, solver = self._digests(bench.seed)
            warned = [*stored.remarks, *check_same(stored, settings, solver)]
            tasks = self._tasks(gathered, stored)
            self.check_parts()
            if bench.folder is not None:
                Journal(bench.folder).begin(settings, solver, list(stored.lines.values()))
                keeps(bench.folder)
            tally = self._work(tasks, gathered, bench)
            if bench.folder is not None:
                settle(bench.folder, [one.problem.id for one in gathered.problems])
        gathered.evidence.check()
        watched.check()
        inputs = {one.path: one for one in (*gathered.evidence.inputs(), *watched.inputs())}
        return replace(self._outcome(tally, gathered, bench, warned), inputs=list(inputs.values()))

    def _digests(self, seed: int) -> tuple[str, str]:
        """What the attempts depend on, and the settings of the solver and executor."""
        kinds = [name_of(self.solver), _settings(self.scoring), seed, self.empty_training]
        parts = [_settings(self.solver), _settings(self.executor)]
        return _digest(kinds), _digest(parts)

    def _tasks(self, gathered: StoredProblems, stored: StoredAttempts) -> list[ProblemTask]:
        """The problems with what is known of each. Raises DataError where one changed since."""
        tasks = []
        for one in gathered.problems:
            known: tuple[list[Any], bool] = ([], False)
            if stored.problems:
                known = prior(stored, one.problem.id, digest(one.problem), self.retry_unfinished)
            tasks.append(ProblemTask(one, *known))
        return tasks

    def _refine(self, bench: Context) -> Refine:
        diary = NoDiary() if bench.folder is None else Journal(bench.folder, costly=self.clock == "wall")
        parts = self.solver, self.scoring, self.stop, self.executor, self.clock, bench.seed
        return Refine(*parts, diary=diary, watchful=is_own_code(self.solver))

    def _work(self, tasks: Sequence[ProblemTask], gathered: StoredProblems, bench: Context) -> SelfAuditCounts:
        work = SelfAuditScorer(self._refine(bench), self.stop_rules)
        readings = self.readings(gathered)
        limits, browsed = bench.limits, Browsed(0 if bench.folder is None else bench.limits.max_exhibits)
        tally = SelfAuditCounts(readings, bench.by, bench.seed, limits.max_examples, limits.max_rows, browsed)
        light = getattr(self.solver, "light", False) and self.executor is None
        stretches = _stretches(tasks, STRETCH if light else 1)
        finished = 0
        bench.progress(finished, len(tasks))
        # The engine hands a task to the work; here the task is the problems themselves.
        map_ = bench.engine.map(cast(Any, work), cast(Iterator[EngineTask], stretches), self._weight(tasks, light))
        for done in map_:
            bench.trials.add(rows(done, bench.by, readings))
            for one in done:
                tally.add(one)
            finished += len(done)
            bench.progress(finished, len(tasks))
            if tally.streak.over:
                if tally.counts["error"] > self.max_error_rate * len(tasks):
                    break
                tally.streak = Streak()
        tally.left = len(tasks) - finished
        return tally

    def _weight(self, tasks: Sequence[ProblemTask], light: bool) -> int:
        """How much the work weighs, in rows of a cheap audit: this decides whether it is worth further processes."""
        open_ones = sum(len(task.prior) < self.stop.max_iterations for task in tasks)
        return open_ones if light or open_ones < 2 else open_ones * HEAVY

    def _outcome(
        self, tally: SelfAuditCounts, gathered: StoredProblems, bench: Context, warned: Sequence[str]
    ) -> Outcome:
        counts = {"read": gathered.counts["read"], "audited": tally.counts["audited"]}
        further = Counter(gathered.counts) + Counter({"error": tally.counts["error"], "not_run": tally.left})
        counts |= {bucket: n for bucket, n in sorted(further.items()) if n and bucket not in counts}
        samples = tally.samples()
        tier = None if self.executor is None else self.executor.tier
        rules, shelf = tuple(self.stop_rules), self._shelf(tally, gathered, bench)
        story = LoopResults(tally, self.stop, self.clock, bench.by, bench.limits, counts, tier, rules, shelf)
        notes: Mapping[str, Any] = {"requests_of_this_run": tally.requested, "clock": self.clock, "tier": tier}
        return Outcome(
            counts=counts,
            readings=self.readings(gathered),
            samples=samples,
            inputs=[],
            sections=partial(tell, story),
            warnings=[*gathered.evidence.warnings, *warned, *self._warnings(tally, gathered)],
            incomplete=self._incomplete(tally),
            absent={} if gathered.labelled else {"contradictions": "the source has no column 'stored'"},
            notes=notes,
        )

    def _shelf(self, tally: SelfAuditCounts, gathered: StoredProblems, bench: Context) -> Shelf | None:
        """The problems that a page shows: what is told of them stands in the journal, whoever wrote it."""
        if not tally.browsed.most or bench.folder is None:
            return None
        problems = (one.problem for one in gathered.problems)
        return Shelf.of(tally.browsed, problems, partial(records, bench.folder), self.stop.ties)

    def _incomplete(self, tally: SelfAuditCounts) -> AuditError | None:
        failed, tried = tally.counts["error"], tally.counts.total()
        if not failed or failed / tried <= self.max_error_rate:
            return None
        do = "mend it, or allow them with audit.max_error_rate"
        if tally.streak.over:
            left = f" with {some(tally.left, 'problem')} not run" if tally.left else ""
            do = f"mend {tally.streak.fault}: the same error {OFTEN} times in a row ended the run{left}"
        return IncompleteError(
            "solver", f"failed on {failed} of {some(tried, 'problem')}", "; ".join(tally.problems), do
        )

    def _warnings(self, tally: SelfAuditCounts, gathered: StoredProblems) -> list[str]:
        found = remarks(gathered.notes)
        if n := len(tally.reopened):
            listed = ", ".join(tally.reopened[:10])
            found.append(
                f"{some(n, 'request')} {'was' if n == 1 else 'were'} open when the run was killed, and "
                f"{'counts' if n == 1 else 'count'} as used up: {listed}; "
                "audit.retry_unfinished=true repeats them"
            )
        if tally.untold and (self.stop.max_cost is not None or getattr(self.stop, "max_tokens", None) is not None):
            found.append(
                f"{some(tally.untold, 'reply', 'replies')} {'does' if tally.untold == 1 else 'do'} not tell "
                f"{'its' if tally.untold == 1 else 'their'} usage: a budget of tokens or cost cannot hold there"
            )
        unknown = tally.of(RUN_ALL, None).missing
        if unknown:
            them = "it" if unknown == 1 else "them"
            found.append(
                f"run_all is unknown for {some(unknown, 'problem')} whose loop ended early: its rates leave {them} out"
            )
        tier = None if self.executor is None else self.executor.tier
        if tier == "process":
            found.append(
                "candidate programs ran with limits only (tier process): they could read files and the network"
            )
        return found


def _stretches(tasks: Sequence[ProblemTask], size: int) -> Iterator[list[ProblemTask]]:
    rest = iter(tasks)
    while stretch := list(islice(rest, size)):
        yield stretch


def _settings(value: object) -> object:
    """A component as its registered name and its settings, whatever its class is called."""
    if is_dataclass(value) and not isinstance(value, type):
        return name_of(value), {one.name: _settings(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: _settings(one) for key, one in value.items()}
    return [_settings(one) for one in value] if isinstance(value, list | tuple) else value


def _digest(value: object) -> str:
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
