"""What one process does with a few problems: their loops, and every reading of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from auditfw.core.digits import fixed
from auditfw.core.document import Exhibit, snippet
from auditfw.core.errors import DataError, IncompleteError, UsageError, brief
from auditfw.core.files import append, present, read_bytes
from auditfw.core.imports import pl
from auditfw.core.masking import masked
from auditfw.core.records import Reading, Value
from auditfw.core.remote.places import shown
from auditfw.formulas.loop_counts import LoopView, Traits, traits
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import Spent, Stop, StopReason, StopRule, Tried
from auditfw.kinds.solving import Problem

from .conclusions.records import RecordCheck, check_records
from .journal import NAME, StoredAttempts, held, merged, read
from .loop import Loop, Refine
from .readings import FLAG, LIVE, NOTHING, STORED, TRIAL_COLUMNS, Allowed, curve, to_success, views
from .trials import StoredProblem

# Going on with an interrupted run: its journal, those that continued it before, and the requests it left open.

NEXT = ".continued"
MOST_POINTERS = 1 << 20  # bytes
KILLED = "the run was killed before this request was answered"


@contextmanager
def continued(resume: str | None, folder: str | None) -> Iterator[StoredAttempts]:
    """The attempts of the run to go on with and of those that went on with it before, all held against others.

    Raises UsageError where another command is at work on one of them, DataError for a damaged journal.
    """
    with ExitStack() as stack:
        if folder is not None:
            stack.enter_context(held(Path(folder)))
        if resume is None:
            yield StoredAttempts()
            return
        first = Path(resume)
        if not first.is_dir():
            raise UsageError("resume", "no such run folder", resume, "name the folder of an interrupted run")
        chain: list[Path] = []
        _follow(first, chain)
        for run in chain:
            stack.enter_context(held(run))
        stored = merged([read(run / NAME) for run in chain])
        stored.remarks += [f"{chain[0]} was continued before: the attempts of {run} are used too" for run in chain[1:]]
        if folder is not None:
            _point(first, Path(folder))
        yield stored


def _follow(run: Path, chain: list[Path]) -> None:
    """The run and every run that continued it, each once."""
    if run in chain or (chain and not present(run / NAME)):
        return
    chain.append(run)
    pointer = run / NEXT
    if present(pointer):
        for line in read_bytes(pointer, MOST_POINTERS).decode("utf-8", "replace").splitlines():
            _follow(Path(os.path.normpath(run / line.replace("\0", ""))), chain)


def _point(run: Path, folder: Path) -> None:
    pointer = run / NEXT
    try:
        append(pointer, f"{os.path.relpath(folder, run)}\n", sync=True)
    except OSError as error:
        raise IncompleteError(str(pointer), "cannot write", f"{error.strerror}, errno {error.errno}") from None


def check_same(stored: StoredAttempts, settings: str, solver: str) -> list[str]:
    """Raises UsageError where the attempts were made by another kind of loop; a warning for other solver settings."""
    if stored.settings and stored.settings != settings:
        do = "use the overrides of the interrupted run, or start again without resume"
        raise UsageError("resume", "the interrupted run had another solver, scoring or seed", stored.settings, do)
    if stored.solver and stored.solver != solver:
        return ["resume: the interrupted run had other solver settings; its attempts are kept"]
    return []


def prior(stored: StoredAttempts, problem: str, digest: str, retry_unfinished: bool) -> tuple[list[Tried], bool]:
    """A problem's finished attempts, and whether one was left open that is now counted as used up.

    Raises DataError where the problem is another than that of the journal.
    """
    problem = masked(problem)
    known = stored.problems.get(problem, digest)
    if known != digest:
        do = "resume with the data of the interrupted run"
        raise DataError("source", f"the problem '{problem}' changed since the interrupted run", None, do)
    attempts = stored.of(problem)
    open_at = stored.unfinished().get(problem)
    if open_at is None or retry_unfinished or open_at[0] != len(attempts) + 1:
        return attempts, False
    spent = Spent(requests=open_at[1], tokens=None, cost=None)
    return [*attempts, Tried(open_at[0], None, False, spent, answered=False, why=KILLED)], True


HEAD, TAIL = 1_200, 400
UNCHECKED = RecordCheck()
NO_VIEWS: Mapping[str, LoopView] = {}


def _none(problem: Problem) -> Sequence[object]:
    """The recorded attempts of a solver that has none."""
    return ()


@dataclass(frozen=True, slots=True)
class ProblemTask:
    """One problem with its finished attempts; `reopened` says that the last was open when the run was killed."""

    stored: StoredProblem
    prior: Sequence[Tried] = ()
    reopened: bool = False


@dataclass(frozen=True, slots=True)
class LoopDone:
    """What came of one problem, ready to be counted: every reading, facts of the trace, what a report shows.

    `status` is the bucket it counts in; `reopened` counts the iterations that were open when a run was killed, now used
    up; `requested` are the requests sent by this run, not those of the journal; `faults` as in `Loop`. `tests_first` is
    whether the tests are right after one attempt, None where that is not known. Of its attempts
    `unreported` have no tokens; `untimed` are the numbers of those without seconds, `unscored` of those without a
    score, each with the reason why it has none. `recorded` are the attempts that the solver has on record, used or not.
    """

    id: str
    cell: tuple[Value, ...]
    reason: StopReason | None
    views: Mapping[str, LoopView]
    traits: Traits
    spent: Spent
    attempts: int
    score: float | None
    why: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    live: LoopView = NOTHING
    to_success: LoopView = NOTHING
    curve: Sequence[Allowed] = ()
    exhibit: Exhibit | None = None
    reopened: int = 0
    requested: int = 0
    unreported: int = 0
    untimed: Sequence[int] = ()
    tests_first: bool | None = None
    unscored: Sequence[tuple[int, str]] = ()
    faults: Sequence[str] = ()
    records: RecordCheck = UNCHECKED
    recorded: int = 0

    @property
    def solved(self) -> bool | None:
        """Whether the loop solved it; None where that is not known."""
        return self.live.solved

    def bare(self) -> LoopDone:
        """The same without what is counted as it comes: a run holds one for each of its problems."""
        bare: dict[str, Any] = {"views": NO_VIEWS, "curve": (), "to_success": NOTHING, "records": UNCHECKED}
        return replace(self, **bare, exhibit=None, faults=())

    @property
    def status(self) -> str:
        return "error" if self.reason == "error" else "audited"


@dataclass(frozen=True)
class SelfAuditScorer:
    """The work on some problems, as it is sent to every process."""

    refine: Refine
    rules: Mapping[str, StopRule] = field(default_factory=dict)

    @cached_property
    def stop(self) -> Stop:
        return self.refine.stop

    def __call__(self, tasks: Sequence[ProblemTask]) -> list[LoopDone]:
        return [self._one(task) for task in tasks]

    def _one(self, task: ProblemTask) -> LoopDone:
        problem = task.stored.problem
        if task.reopened:
            self.refine.diary.finished(problem, task.prior[-1], None)
        loop = self.refine(problem, task.prior)
        tried, records = loop.ledger.tried, self._records(problem, loop)
        by_name = views(loop, self.stop, self.rules)
        facts = traits([one.score for one in tried], sum(one.misshapen > 0 for one in tried), task.stored.stored)
        return LoopDone(
            id=problem.id,
            cell=task.stored.cell,
            reason=loop.reason,
            views=by_name,
            live=by_name[LIVE],
            traits=facts,
            spent=Spent(*(getattr(loop.ledger, one.name) for one in fields(Spent))),
            attempts=len(tried),
            score=best.score if (best := loop.ledger.best(self.stop.ties)) is not None else None,
            why=next((one.why for one in reversed(tried) if one.why), ""),
            facts=problem.facts,
            to_success=to_success(loop, self.stop),
            curve=curve(loop, self.stop),
            exhibit=None if loop.solved else exhibit(problem.id, loop, self.stop),
            reopened=sum(one.why == KILLED for one in tried),
            requested=loop.ledger.requests - sum(one.spent.requests for one in task.prior),
            faults=loop.faults,
            records=records,
            recorded=sum(1 for _ in capability(self.refine.solver, "outputs", _none)(problem)),
            unreported=sum(one.spent.tokens is None and one.answered for one in tried),
            untimed=tuple(one.number for one in tried if one.spent.seconds is None),
            tests_first=tried[0].tests if tried else None,
            unscored=tuple((one.number, brief(one.why, 60)) for one in tried if one.score is None),
        )

    def _records(self, problem: Problem, loop: Loop) -> RecordCheck:
        """What the solver's records say of the attempts, held against the loop."""
        recorded = capability(self.refine.solver, "recorded")
        if recorded is None or loop.reason == "error":
            return UNCHECKED
        on_scale = capability(self.refine.scoring, "on_scale", float)
        return check_records(problem.id, recorded(problem), loop.ledger, on_scale)


def exhibit(problem: str, loop: Loop, stop: Stop) -> Exhibit:
    """An unsolved problem's best attempt, shown verbatim."""
    best = loop.ledger.best(stop.ties)
    facts = [("stop reason", loop.reason or "stored attempts end"), ("attempts", str(loop.ledger.iterations))]
    facts.append(("scores", ", ".join(_score(one) for one in loop.ledger.tried)))
    if best is None:
        why = next((one.why for one in reversed(loop.ledger.tried) if one.why), "no attempt was made")
        return Exhibit(problem, facts, [snippet("no attempt could be evaluated", why, HEAD)])
    facts.append(("best attempt", f"{best.number}, score {_score(best)}"))
    shown = [snippet("feedback", best.feedback, HEAD, TAIL)] if best.feedback else []
    if best.program:
        shown.insert(0, snippet("program", best.program, HEAD, TAIL))
    return Exhibit(problem, facts, shown)


def _score(one: Tried) -> str:
    return "–" if one.score is None else fixed(one.score, 4)


# Columns of trials.parquet for some problems.

SPENT = ("requests", "seconds", "timeouts", "tokens", "cost")


def types_of(readings: Sequence[Reading]) -> dict[str, Any]:
    """The types of these columns, whatever they hold."""
    kinds = {**{reading.name: FLAG for reading in readings}, **TRIAL_COLUMNS}
    return {name: getattr(pl, kind) for name, kind in kinds.items()}


def rows(
    done: Sequence[LoopDone], stored: Sequence[StoredProblem], by: Sequence[str], readings: Sequence[Reading]
) -> Mapping[str, list[Any]]:
    """Columns of trials.parquet for some problems, as they are stored and what came of them."""
    columns: dict[str, list[Any]] = {"id": [one.id for one in done]}
    columns |= {name: [one.cell[at] for one in done] for at, name in enumerate(by)}
    columns["status"] = [one.status for one in done]
    for reading in readings:
        labels = reading.name == STORED
        columns[reading.name] = [one.traits.stored if labels else one.views[reading.name].solved for one in done]
    live = [one.live for one in done]
    known = [one.solved is not None for one in live]
    columns["solved"] = [bool(one.solved) for one in live]
    columns["stop_reason"] = [one.reason for one in done]
    columns["iteration"] = [one.iteration for one in live]
    columns["soft_score"] = [one.score if sure else None for one, sure in zip(live, known, strict=True)]
    columns["attempts"] = [one.attempts for one in done]
    for name in SPENT:
        columns[name] = [getattr(one.spent, name) for one in done]
    columns["test_solved"] = [one.tests for one in live]
    columns["test_first"] = [one.tests_first for one in done]
    columns["unscored"] = [len(one.unscored) for one in done]
    columns["untimed"] = [len(one.untimed) for one in done]
    columns["row.item"] = [one.item for one in stored]
    columns["row.place"] = [shown(one.place) or None for one in stored]
    return columns
