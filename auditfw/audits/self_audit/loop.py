"""The refine loop: attempts until one is right or a budget is used up, everything charged on one clock."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Protocol

from auditfw.core.errors import AuditError, UsageError, brief
from auditfw.core.interrupts import look, pause
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import Ledger, Spent, Stop, StopReason, Tried
from auditfw.kinds.solving import (
    Ask,
    Attempt,
    Clock,
    Example,
    Executor,
    Problem,
    Reply,
    RequestTimeoutError,
    Scoring,
    Solver,
    TraceEndError,
    TransientError,
)

from .evaluate import Evaluation, evaluate
from .journal import OFTEN, Streak, fault, may_pass


class Timer:
    """The time of a run: a monotonic clock, and sleeping."""

    def now(self) -> float:
        """Seconds from some fixed moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        pause(seconds)


class Diary(Protocol):
    """Where a loop writes down what happens, as it happens."""

    def started(self, problem: Problem, number: int, request: int) -> None: ...

    def finished(self, problem: Problem, tried: Tried, outputs: Sequence[Any] | None) -> None: ...


class NoDiary:
    """Writes nothing down."""

    def started(self, problem: Problem, number: int, request: int) -> None:
        """A request is about to be sent."""

    def finished(self, problem: Problem, tried: Tried, outputs: Sequence[Any] | None) -> None:
        """An iteration is over."""


@dataclass(frozen=True)
class Loop:
    """What came of one problem: its iterations and why there are no more.

    `reason` is None where recorded attempts ended before the stop rule did; `returned` is the attempt given back;
    `closed` says that there never was a further attempt, even if a rule had gone on; `faults` has an entry for
    each request of this run, "" where the user's code did not fail.
    """

    ledger: Ledger
    reason: StopReason | None
    returned: Tried | None
    closed: bool = False
    faults: Sequence[str] = ()

    @property
    def solved(self) -> bool:
        """Whether the attempt given back has every training example right."""
        return self.returned is not None and self.returned.exact


@dataclass(frozen=True)
class Refine:
    """The loop with its parts: `clock` "work" takes seconds as the solver counts them and sleeps none of its pauses.

    Call it with a problem and, to go on with an interrupted loop, its finished iterations. Raises AuditError where
    the solver or the executor cannot go on at all; whatever else they raise is a failed request. With `watchful` a
    loop pauses only after an error that may pass, and ends where the same line of the user's code fails the same way
    three times in a row.
    """

    solver: Solver
    scoring: Scoring
    stop: Stop
    executor: Executor | None = None
    clock: Clock = "work"
    seed: int = 0
    timer: Timer = field(default_factory=Timer)
    diary: Diary = field(default_factory=NoDiary)
    watchful: bool = False

    def __call__(self, problem: Problem, prior: Sequence[Tried] = ()) -> Loop:
        faults: list[str] = []
        return replace(self._loop(problem, list(prior), faults), faults=faults)

    def _loop(self, problem: Problem, tried: list[Tried], faults: list[str]) -> Loop:
        shown = replace(problem, test=tuple(Example(one.input) for one in problem.test))
        while True:
            look()
            ledger = Ledger(tuple(tried))
            reason = (tried[-1].ended if tried else None) or self.stop(ledger)
            if reason is None and self.hopeless(faults):
                reason = "error"
            if reason is not None:
                return self._ended(ledger, reason)
            step = _Iteration(self, problem, shown, ledger, faults)
            try:
                one = step.run()
            except TraceEndError as end:
                return replace(self._ended(ledger, "iterations" if end.known else None), closed=end.known)
            self.diary.finished(problem, one, step.outputs)
            tried.append(one)

    def hopeless(self, faults: Sequence[str]) -> bool:
        """Whether the last requests all failed the same way, by a fault of the user's code."""
        if not self.watchful:
            return False
        streak = Streak()
        streak.add(faults[-OFTEN:])
        return streak.over

    def _ended(self, ledger: Ledger, reason: StopReason | None) -> Loop:
        unanswered = bool(ledger.tried) and not any(one.answered for one in ledger.tried)
        if unanswered and reason in ("iterations", "patience") and ledger.timeouts < ledger.requests:
            reason = "error"
        return Loop(ledger, reason, returned(self.stop, ledger, reason))


def returned(stop: Stop, ledger: Ledger, reason: StopReason | None) -> Tried | None:
    """The attempt a live loop gives back: the best one, or only an exact one where `return_best_result` is false."""
    if reason == "success":
        return ledger.tried[-1] if ledger.exact or stop.return_best_result else None
    return ledger.best(stop.ties) if stop.return_best_result else None


def seed_of(seed: int, problem: str, iteration: int) -> int:
    """The seed of one request: of the run's seed, the audit, the problem's id and the iteration's number."""
    key = f"{seed}\0self_audit\0{problem}\0{iteration}".encode("utf-8", "replace")
    return int.from_bytes(sha256(key).digest()[:8], "big") >> 1  # 63 bits: a signed whole number holds it


class _Iteration:
    """One iteration: at most 1 + retries requests, of which the first that is answered is evaluated."""

    def __init__(self, refine: Refine, problem: Problem, shown: Problem, ledger: Ledger, faults: list[str]) -> None:
        self.refine, self.problem, self.shown, self.ledger, self.faults = refine, problem, shown, ledger, faults
        self.number = ledger.iterations + 1
        self.spent = Spent()
        self.reason: StopReason | None = None
        self.outputs: Sequence[Any] | None = None

    def run(self) -> Tried:
        """Sends requests until one is answered. Sets `reason` where a budget ends the loop in between."""
        why = ""
        for request in range(1, 2 + self.refine.stop.retries):
            look()
            self.refine.diary.started(self.problem, self.number, request)
            answer = self._request()
            if isinstance(answer, Reply):
                return self._evaluated(answer)
            why = f"{type(answer).__name__}: {brief(str(answer))}" if str(answer) else type(answer).__name__
            if (
                self.refine.hopeless(self.faults)
                or self._over()
                or request > self.refine.stop.retries
                or not self._rest(request, answer)
            ):
                break
        return Tried(self.number, None, False, self.spent, answered=False, why=why, ended=self.reason)

    def _books(self) -> Ledger:
        return Ledger(self.ledger.tried, self.spent)

    def _over(self) -> bool:
        self.reason = self.refine.stop(self._books())
        return self.reason is not None

    def _request(self) -> Reply | Exception:
        """Sends one request and charges it."""
        stop, work = self.refine.stop, self.refine.clock == "work"
        ask = Ask(
            problem=self.shown,
            history=history(self.ledger),
            iteration=self.number,
            seed=seed_of(self.refine.seed, self.problem.id, self.number),
            timeout=stop.timeout(self._books()),
        )
        begun = self.refine.timer.now()
        answer: Reply | Exception
        try:
            answer = self.refine.solver(ask)
            if not isinstance(answer, Reply):
                raise UsageError("solver", "expected a Reply", f"a {type(answer).__name__}")
        except (AuditError, TraceEndError):
            raise
        except Exception as error:
            answer = error
        self.faults.append(self._fault(answer))
        # on the work clock a late request costs what its solver reports, else the whole timeout
        late = isinstance(answer, RequestTimeoutError | TimeoutError)
        reported = _duration(getattr(answer, "seconds", None))
        if reported is None and not isinstance(answer, Reply):
            reported = _duration(ask.timeout) or 0.0 if late else 0.0
        self._charge(
            reported if work else self.refine.timer.now() - begun,
            requests=1,
            timeouts=late,
            tokens=answer.tokens if isinstance(answer, Reply) else 0,
            cost=answer.cost if isinstance(answer, Reply) else 0.0,
        )
        return answer

    def _fault(self, answer: Reply | Exception) -> str:
        if isinstance(answer, Reply) or not self.refine.watchful:
            return ""
        return fault(answer, capability(self.refine.solver, "place", ""))

    def _rest(self, failures: int, error: Exception) -> bool:
        """Pauses before a repeated request. False where the pause alone would use up the time left."""
        if self.refine.watchful and not may_pass(error):
            return True
        wait = error.wait if isinstance(error, TransientError) else None
        pause = self.refine.stop.pause(failures, wait)
        limit = self.refine.stop.max_total_time
        if limit is not None and self._books().reported_seconds + pause >= limit:
            self.reason = "time"
            return False
        if self.refine.clock == "wall" and pause > 0:
            begun = self.refine.timer.now()
            self.refine.timer.sleep(pause)
            pause = self.refine.timer.now() - begun
        self._charge(pause)
        return not self._over()

    def _evaluated(self, reply: Reply) -> Tried:
        begun = self.refine.timer.now()
        try:
            evaluation = evaluate(self.problem, reply, self.refine.scoring, self.refine.executor)
        except AuditError:
            raise
        except Exception as error:
            self.faults[-1] = fault(error) if self.refine.watchful else ""
            why = f"executor or scoring failed: {type(error).__name__}: {brief(str(error))}"
            return Tried(self.number, None, False, self.spent, program=reply.program, why=why, ended="error")
        if self.refine.clock == "wall":
            self._charge(self.refine.timer.now() - begun)
        self.outputs = evaluation.outputs
        return _tried(self.number, self.spent, reply, evaluation)

    def _charge(
        self,
        seconds: float | None,
        requests: int = 0,
        timeouts: int = 0,
        tokens: int | None = 0,
        cost: float | None = 0.0,
    ) -> None:
        was = self.spent
        self.spent = Spent(
            requests=was.requests + requests,
            seconds=None if was.seconds is None or seconds is None else was.seconds + seconds,
            timeouts=was.timeouts + timeouts,
            tokens=None if was.tokens is None or tokens is None else was.tokens + tokens,
            cost=None if was.cost is None or cost is None else was.cost + cost,
        )


def _duration(reported: object) -> float | None:
    """Seconds as a solver reported them; None where it reported none, or no length of time."""
    if isinstance(reported, bool) or not isinstance(reported, int | float):
        return None
    return float(reported) if 0 <= reported <= sys.float_info.max else None


def history(ledger: Ledger) -> list[Attempt]:
    """The stored attempts as later requests see them: those that could be evaluated."""
    return [Attempt(one.number, one.program, one.score, one.feedback) for one in ledger.tried if one.score is not None]


def _tried(number: int, spent: Spent, reply: Reply, evaluation: Evaluation) -> Tried:
    return Tried(
        number,
        evaluation.score,
        evaluation.exact,
        spent,
        program=reply.program,
        feedback=evaluation.feedback,
        why=evaluation.why,
        misshapen=evaluation.misshapen,
        tests=evaluation.tests,
    )
