"""The readings of one loop: as it ran, with every iteration, and under each replayed stop rule, without any request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from auditfw.formulas.loop_counts import LoopView
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import Ledger, Spent, Stop, StopBounds, StopReason, StopRule, Tried

from .loop import Loop

LIVE, RUN_ALL, STORED = "live", "run_all", "stored"
NOTHING = LoopView(None)
TEXT, WHOLE, NUMBER, FLAG = "String", "Int64", "Float64", "Boolean"  # types of Polars
TRIAL_COLUMNS: Mapping[str, str] = {  # of trials.parquet, beside those of cells and stop rules
    "id": TEXT, "status": TEXT, LIVE: FLAG, RUN_ALL: FLAG, STORED: FLAG, "solved": FLAG, "stop_reason": TEXT,
    "iteration": WHOLE, "soft_score": NUMBER, "attempts": WHOLE, "requests": WHOLE, "seconds": NUMBER,
    "timeouts": WHOLE, "tokens": WHOLE, "cost": NUMBER, "test_solved": FLAG, "test_first": FLAG, "unscored": WHOLE,
    "untimed": WHOLE, "row.item": TEXT, "row.place": TEXT,
}  # fmt: skip


class Allowed(NamedTuple):
    """One loop with so many iterations: its best score, whether it is solved, what the last took (None: not made)."""

    score: float
    solved: bool
    spent: Spent | None


def views(loop: Loop, stop: Stop, rules: Mapping[str, StopRule]) -> dict[str, LoopView]:
    """Every reading by name; all are null where the loop ended with an error."""
    if loop.reason == "error":
        return dict.fromkeys((LIVE, RUN_ALL, *rules), NOTHING)
    by_name = {LIVE: live(loop), RUN_ALL: run_all(loop, stop)}
    return by_name | {name: replayed(rule, loop, stop) for name, rule in rules.items()}


def live(loop: Loop) -> LoopView:
    """What ran; null where recorded attempts ended before the rule did."""
    return NOTHING if loop.reason is None else view_of(loop.ledger, loop.returned, loop.reason)


def run_all(loop: Loop, stop: Stop) -> LoopView:
    """What `max_iterations` attempts would have given, a success being final.

    Null past what was stored. The requests are those stored and one for each iteration more; the seconds of these are
    the mean of the stored ones: an estimate; their tokens and cost are unknown.
    """
    ledger = loop.ledger
    more = max(0, stop.max_iterations - ledger.iterations)
    each = (ledger.seconds or 0.0) / ledger.iterations if ledger.iterations else 0.0
    solved = any(one.exact for one in ledger.tried)
    known = solved or loop.closed or not more
    best = ledger.best(stop.ties) if solved or stop.return_best_result else None
    view = view_of(ledger, best, "success" if solved else "iterations")
    return LoopView(
        solved=view.solved if known else None,
        score=view.score,
        iteration=view.iteration,
        reason=view.reason,
        attempts=ledger.iterations + more,
        requests=ledger.requests + more,
        seconds=None if ledger.seconds is None else ledger.seconds + more * each,
        timeouts=view.timeouts,
        tokens=None if more else view.tokens,
        cost=None if more else view.cost,
        tests=view.tests,
    )


def replayed(rule: StopRule, loop: Loop, stop: Stop) -> LoopView:
    """Where a rule would have stopped on the stored attempts; null where it would have gone on past them.

    Null too where what a budget of it bounds is not recorded. No rule goes further than the live rule's
    `max_iterations`.
    """
    for n in range(loop.ledger.iterations + 1):
        ledger = loop.ledger.first(n)
        reason: StopReason | None = "success" if ledger.exact else rule(ledger)
        if reason is None and (n >= stop.max_iterations or (loop.closed and n == loop.ledger.iterations)):
            reason = "iterations"
        if reason is not None and _unsure(rule, ledger, reason):
            return NOTHING
        if reason is not None:
            return view_of(ledger, _picked(rule, ledger, reason, stop), reason)
    return NOTHING


def _unsure(rule: StopRule, ledger: Ledger, reason: StopReason) -> bool:
    """Whether a replayed budget ends the loop only because what was used is not recorded."""
    used = {"time": ledger.seconds, "tokens": ledger.tokens, "cost": ledger.cost}
    allowed = isinstance(rule, StopBounds) and rule.unknown_usage == "allow"
    return reason in used and used[reason] is None and not allowed


def to_success(loop: Loop, stop: Stop) -> LoopView:
    """What stopping at the first success would have come to with the same limit of iterations, and no other budget."""
    return NOTHING if loop.reason == "error" else replayed(StopBounds(max_iterations=stop.max_iterations), loop, stop)


def curve(loop: Loop, stop: Stop) -> list[Allowed]:
    """What the loop had come to, had it been allowed 1, 2, ... iterations, as far as is known."""
    known: list[Allowed] = []
    best = 0.0
    for one in loop.ledger.tried:
        best = max(best, one.score or 0.0)
        known.append(Allowed(best, one.exact, one.spent))
    if known and (known[-1].solved or loop.closed):
        known += [known[-1]._replace(spent=None)] * (stop.max_iterations - len(known))
    return known


def _picked(rule: StopRule, ledger: Ledger, reason: StopReason, stop: Stop) -> Tried | None:
    if reason == "success" and (ledger.exact or stop.return_best_result):
        return ledger.tried[-1]
    if not stop.return_best_result:
        return None
    last = capability(rule, "pick", "best") == "last"
    return ledger.last() if last else ledger.best(capability(rule, "ties", "latest"))


def view_of(ledger: Ledger, returned: Tried | None, reason: StopReason) -> LoopView:
    """A reading from the books and the attempt returned."""
    return LoopView(
        solved=returned is not None and returned.exact,
        score=(returned.score or 0.0) if returned is not None else 0.0,
        iteration=returned.number if returned is not None else None,
        reason=reason,
        attempts=ledger.iterations,
        requests=ledger.requests,
        seconds=ledger.seconds,
        timeouts=ledger.timeouts,
        tokens=ledger.tokens,
        cost=ledger.cost,
        tests=returned.tests if returned is not None else None,
    )
