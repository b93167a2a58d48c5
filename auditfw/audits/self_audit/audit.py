"""The self-audit: from problems through their loops to the outcome."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from itertools import islice
from typing import Any, ClassVar

from auditfw.audits.batches import Batches, collect
from auditfw.audits.findings import looked_for
from auditfw.core.document import some
from auditfw.core.inputs import watch
from auditfw.core.interrupts import keeps
from auditfw.kinds.capabilities import capability, files_read
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.ledger import Stop
from auditfw.kinds.registry import name_of, register
from auditfw.kinds.solving import Clock

from .counts import LoopTable
from .journal import Journal, StoredAttempts, digest, is_own_code, settle
from .loop import NoDiary, Refine
from .outcome import outcome_of
from .scoring import ProblemTask, SelfAuditScorer, check_same, continued, prior
from .settings import SelfAuditSettings
from .trials import StoredProblems, gather

# The budget plan: what a run may cost at worst, reported before its first request.


def budget_plan(problems: int, stop: Stop, clock: Clock) -> list[str]:
    """Lines with the most requests, seconds and cost of so many problems; what nothing bounds is said to be so."""
    each = stop.max_iterations * (1 + stop.retries)
    seconds, setting = worst_seconds(stop)
    most = f"{some(stop.max_iterations, 'iteration')} x {some(1 + stop.retries, 'try', 'tries')}"
    lines = [
        f"clock: {clock}",
        f"requests: at most {problems:,} x {most} = "
        f"{problems * each:,} ({problems * stop.max_iterations:,} if none fails)",
    ]
    if seconds is None:
        lines.append("seconds: not bounded: set stop.request_timeout or stop.max_total_time")
    else:
        lines.append(f"seconds: at most {problems:,} x {seconds:,.6g} = {problems * seconds:,.6g} ({setting})")
    tokens = capability(stop, "max_tokens")
    for name, limit in (("tokens", tokens), ("cost", stop.max_cost)):
        if limit is None:
            lines.append(f"{name}: not bounded: stop.max_{name} is null")
        else:
            lines.append(f"{name}: at most {problems:,} x {limit:,} = {problems * limit:,}, plus one more request each")
    return lines


def worst_seconds(stop: Stop) -> tuple[float | None, str]:
    """The most seconds of one problem, and by which setting; None where nothing bounds them."""
    if stop.max_total_time is not None:
        return stop.max_total_time, "stop.max_total_time"
    if stop.request_timeout is None:
        return None, ""
    pauses = math.fsum(stop.pause(failures, None) for failures in range(1, stop.retries + 1))
    total = stop.max_iterations * ((1 + stop.retries) * stop.request_timeout + pauses)
    return total, "stop.request_timeout, every request at its limit"


AT_ONCE = 64  # problems that cost next to nothing
HEAVY = 20_000  # so many cheap trials are worth the work of one problem: two of them are worth a second process


@register("audit", "self_audit")
@dataclass(frozen=True)
class SelfAudit(SelfAuditSettings):
    """Runs a solve-and-check loop on problems within budgets, and says what other stop rules would have cost and saved.

    `stop_rules` are replayed on the stored attempts. `facts` names columns that the solver may see beside the
    examples. `empty_training` says what a problem without training examples is: refused, or solved at once as in the
    reference. `retry_unfinished` repeats requests that were open when a resumed run was killed: they may be paid twice.
    `wrong` are the bounds of the answer: the share of answers that solve training and are wrong on the tests.
    `known` are findings that are no fault, {kind: {value, why}}: without effect up to 1.5 times that value.
    """

    name: ClassVar[str] = "self_audit"
    resumes: ClassVar[bool] = True

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do and cost at worst, for `auditfw check`: reads the problems, sends no request."""
        self.check_parts()
        gathered = gather(self, by)
        n = len(gathered.problems)
        examples = sum(len(one.problem.train) for one in gathered.problems)
        lines = [f"problems: {n:,}, with {examples:,} training examples", f"by: {', '.join(by) or 'nothing'}"]
        lines += [f"readings: {', '.join(reading.name for reading in self.readings(gathered.labelled))}"]
        lines += looked_for(self.name, gathered.evidence.columns)
        return lines + budget_plan(n, self.stop, self.clock)

    def run(self, context: Context) -> Outcome:
        """Runs every loop, writes each attempt down as it ends, and counts."""
        watched = watch(files_read(self.solver)).joined(watch(files_read(self.executor)))
        gathered = gather(self, context.by)
        context.check_cells(len({one.cell for one in gathered.problems}))
        with continued(context.resume, context.folder) as stored:
            settings, solver = self._digests(context.seed)
            warned = [*stored.remarks, *check_same(stored, settings, solver)]
            tasks = self._tasks(gathered, stored)
            self.check_parts()
            if context.folder is not None:
                Journal(context.folder).begin(settings, solver, list(stored.lines.values()))
                keeps(context.folder)
            counts = self._work(tasks, gathered, context)
            context.trials.end()
            if context.folder is not None:
                settle(context.folder, [one.problem.id for one in gathered.problems])
        evidence = gathered.evidence
        evidence.check()
        watched.check()
        inputs = {one.path: one for one in (*evidence.inputs(), *watched.inputs())}
        evidence = replace(evidence, inputs=lambda: list(inputs.values()), warnings=(*evidence.warnings, *warned))
        return outcome_of(self, counts, replace(gathered, evidence=evidence), context)

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

    def _refine(self, context: Context) -> Refine:
        diary = NoDiary() if context.folder is None else Journal(context.folder, costly=self.clock == "wall")
        parts = self.solver, self.scoring, self.stop, self.executor, self.clock, context.seed
        return Refine(*parts, diary=diary, watchful=is_own_code(self.solver))

    def _work(self, tasks: Sequence[ProblemTask], gathered: StoredProblems, context: Context) -> LoopTable:
        limits, browsed = context.limits, 0 if context.folder is None else context.limits.max_exhibits
        readings = self.readings(gathered.labelled)
        counts = LoopTable(readings, context.by, context.seed, limits.max_examples, limits.max_rows, browsed)
        context.progress(0, len(tasks))
        batches = Batches(_in_batches(tasks, AT_ONCE if self.light else 1), len(tasks), self._weight(tasks))
        take = counts.taker(context, gathered.problems, self.max_error_rate)
        counts.left = len(tasks) - collect(
            context, SelfAuditScorer(self._refine(context), self.stop_rules), batches, take
        )
        return counts

    def _weight(self, tasks: Sequence[ProblemTask]) -> int:
        """How much the work weighs, in rows of a cheap audit: this decides whether it is worth further processes."""
        open_ones = sum(len(task.prior) < self.stop.max_iterations for task in tasks)
        return open_ones if self.light or open_ones < 2 else open_ones * HEAVY


def _in_batches(tasks: Sequence[ProblemTask], size: int) -> Iterator[list[ProblemTask]]:
    rest = iter(tasks)
    while some := list(islice(rest, size)):
        yield some


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
