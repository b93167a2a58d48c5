"""Rules replayed on stored traces: what they would have done, and what is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.audits.self_audit.loop import Loop
from auditfw.audits.self_audit.readings import replayed, run_all, views
from auditfw.components.metric.loops import regret, saved_requests, solve_rate, tokens
from auditfw.components.stop.budgets import Budgets
from auditfw.components.stop_rule.limits import LimitsRule
from auditfw.formulas.loop_counts import LoopCounts, traits
from auditfw.kinds.ledger import Ledger, Spent, Tried

SCORES = (0.2, 0.5, 0.5, 0.4, 1.0)


def trace(*scores: float | None, seconds: float = 10.0) -> Ledger:
    spent = Spent(1, seconds, 0, 3, None)
    return Ledger(tuple(Tried(n, score, score == 1.0, spent) for n, score in enumerate(scores, 1)))


def loop_of(ledger: Ledger, reason: Any, **more: Any) -> Loop:
    return Loop(ledger, reason, ledger.best(), **more)


RULES = {
    "one": (LimitsRule(max_iterations=1), (False, 0.2, 1, "iterations")),
    "two": (LimitsRule(max_iterations=2), (False, 0.5, 2, "iterations")),
    "three, latest": (LimitsRule(max_iterations=3), (False, 0.5, 3, "iterations")),
    "three, earliest": (LimitsRule(max_iterations=3, ties="earliest"), (False, 0.5, 2, "iterations")),
    "four, the last": (LimitsRule(max_iterations=4, pick="last"), (False, 0.4, 4, "iterations")),
    "patience 1": (LimitsRule(patience=1), (False, 0.5, 3, "patience")),
    "patience 3": (LimitsRule(patience=3), (True, 1.0, 5, "success")),
    "half is enough": (LimitsRule(target_score=0.5), (False, 0.5, 2, "success")),
    "twenty seconds": (LimitsRule(max_total_time=20), (False, 0.5, 2, "time")),
    "tokens": (LimitsRule(max_tokens=7), (False, 0.5, 3, "tokens")),
    "no bound": (LimitsRule(), (True, 1.0, 5, "success")),
}


@pytest.mark.parametrize("name", RULES)
def test_replayed_rules(name: str) -> None:
    rule, expected = RULES[name]
    found = replayed(rule, loop_of(trace(*SCORES), "success"), Budgets())
    assert (found.solved, found.score, found.iteration, found.reason) == expected
    assert found.requests == found.attempts
    assert found.seconds == 10.0 * found.requests


def test_readings_of_a_short_trace_are_null() -> None:
    """Two attempts stored, then the time was up: what goes further is unknown; a success would have been final."""
    short = loop_of(trace(0.2, 0.5), "time")
    found = views(short, Budgets(), {"two": LimitsRule(max_iterations=2), "three": LimitsRule(max_iterations=3)})
    assert {name: view.solved for name, view in found.items()} == {
        "live": False,
        "run_all": None,
        "two": False,
        "three": None,
    }
    assert run_all(loop_of(trace(0.2, 1.0), "success"), Budgets()).solved is True
    assert run_all(loop_of(trace(0.2, 0.5), "iterations", closed=True), Budgets()).solved is False
    whole = run_all(loop_of(trace(0.2, 1.0), "success"), Budgets())
    assert (whole.requests, whole.seconds) == (10, 100.0), "what was not made is priced at the mean of what was"
    assert set(views(loop_of(trace(), "error"), Budgets(), {}).values()) == {
        views(short, Budgets(), {})["run_all"].__class__(None)
    }


def test_loops_counted() -> None:
    """Two loops under a rule that stops after one attempt: one solved later, one never."""
    rule, stop = LimitsRule(max_iterations=1), Budgets(max_iterations=3)
    counted = LoopCounts()
    for scores in ((0.25, 1.0), (0.5, 0.25, 0.25)):
        loop = loop_of(trace(*scores), "success" if 1.0 in scores else "iterations")
        counted.add(replayed(rule, loop, stop), run_all(loop, stop), traits(scores, 0, None))
    assert solve_rate()(counted).value == 0.0
    assert saved_requests()(counted).value == 4.0
    assert regret()(counted).value == pytest.approx((1.0 - 0.25 + 0.0) / 2)
    assert (counted.lost, counted.better, counted.tied) == (1, 1, 0)
    assert tokens()(counted).value == 6.0
