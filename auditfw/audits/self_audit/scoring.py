"""What one process does with a few problems: their loops, and every reading of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from auditfw.core.digits import fixed
from auditfw.core.document import Exhibit, snippet
from auditfw.core.errors import brief
from auditfw.core.records import Value
from auditfw.formulas.loop_counts import LoopView, Traits, traits
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import Spent, Stop, StopReason, StopRule, Tried
from auditfw.kinds.solving import Problem

from .conclusions.records import RecordCheck, check_records
from .loop import Loop, Refine
from .readings import LIVE, NOTHING, Allowed, curve, to_success, views
from .resume import KILLED
from .trials import StoredProblem

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
