"""The refine loop: budgets before each request, everything charged, the contradictions decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Named, Played, Scripted, Virtual, play
from searching import examples
from sentences import self_audit as says

import auditfw
from auditfw.audits.self_audit.loop import Refine, seed_of
from auditfw.components.stop.budgets import Budgets
from auditfw.core.errors import DataError, UsageError
from auditfw.kinds.ledger import Spent, StopReason
from auditfw.kinds.solving import Ask, Clock, Example, Problem, Reply, RequestTimeoutError, TransientError

TRUTH = [[1, 2], [3, 4]]
PROGRAMS = {
    "RIGHT": {"train": [TRUTH], "test": []},
    "P75": {"train": [[[1, 2], [3, 0]]], "test": []},
    "P50": {"train": [[[1, 2], [0, 0]]], "test": []},
    "P50B": {"train": [[[0, 0], [3, 4]]], "test": []},
    "P0": {"train": [[[0, 0], [0, 0]]], "test": []},
    "FLOAT": {"train": [[[1.9, 2.2], [3.7, 4.1]]], "test": []},
    "WIDE": {"train": [[[1, 2, 3], [3, 4, 5]]], "test": []},
    "FAIL": {"train": [{"fail": "[[1, 2], [3, 4]]"}], "test": []},
}


def step(text: str, seconds: float = 1.0, **more: Any) -> dict[str, Any]:
    """A reply with a program of this name, or a failure."""
    if text in PROGRAMS:
        return {"do": "reply", "seconds": seconds, "text": f"```python\n{text}\n```", **more}
    return {"do": text, "seconds": seconds, **more}


def played(*steps: Mapping[str, Any], **stop: Any) -> Played:
    budgets = Budgets(**{"request_timeout": 60, "retry_factor": 1.0, **stop})
    return play({"train_outputs": [TRUTH], "programs": PROGRAMS, "llm_script": steps}, budgets)


def ending(found: Played) -> tuple[str | None, int, int | None]:
    """Stop reason, requests sent, iteration of what is returned."""
    best = found.loop.returned
    return found.loop.reason, found.loop.ledger.requests, None if best is None else best.number


ROWS = {
    "Q1 no time left: no request": (
        [step("RIGHT")],
        {"max_total_time": 0},
        ("time", 0, None),
    ),
    "Q1 the time is tested before each request": (
        [step("P50", 6.0), step("P75", 6.0), step("RIGHT")],
        {"max_total_time": 10},
        ("time", 2, 2),
    ),
    "Q2 failed iterations are charged": (
        [step("error", 8.0), step("error", 8.0), step("error", 8.0), step("RIGHT")],
        {"max_total_time": 30},  # 8 + 5 + 8, 8, and no room for a pause
        ("time", 3, None),
    ),
    "Q2 too many requests for ever ends": (
        [step("rate_limit")] * 40,
        {"max_iterations": 3},
        ("error", 6, None),
    ),
    "Q2 too many requests for ever ends with the time": (
        [step("rate_limit")] * 40,
        {"max_total_time": 20, "max_iterations": 100},  # 1 + 5 + 1, the same, 1, and no room for a pause
        ("time", 5, None),
    ),
    "Q2 timeouts count though the iteration ends in an error": (
        [step("timeout"), step("error"), step("timeout"), step("RIGHT")],
        {"max_total_timeouts": 2},
        ("timeouts", 3, None),
    ),
    "Q3 nothing unless it is right": (
        [step("P75"), step("P50")],
        {"max_iterations": 2, "return_best_result": False},
        ("iterations", 2, None),
    ),
    "Q3 nothing is returned, but a right one is": (
        [step("P75"), step("RIGHT")],
        {"max_iterations": 2, "return_best_result": False},
        ("success", 2, 2),
    ),
    "Q4 a timeout is one by its type": (
        [step("asyncio_timeout"), step("RIGHT")],
        {"max_total_timeouts": 1},
        ("timeouts", 1, None),
    ),
    "Q4 an error that says Timeout is none": (
        [step("error", message="Gateway Timeout 504"), step("RIGHT")],
        {"max_total_timeouts": 1},
        ("success", 2, 1),
    ),
    "Q4 an error that says Exceeded ends nothing": (
        [step("error", message="Exceeded time allotted to the request by server"), step("RIGHT")],
        {},
        ("success", 2, 1),
    ),
    "Q4 a budget of none allows a loop without timeouts": (
        [step("RIGHT")],
        {"max_total_timeouts": 0},
        ("success", 1, 1),
    ),
    "Q5 a first score of 0 is kept": ([step("P0")], {"max_iterations": 1}, ("iterations", 1, 1)),
    "Q5 the latest of two equals": (
        [step("P50"), step("P50B")],
        {"max_iterations": 2},
        ("iterations", 2, 2),
    ),
    "Q5 the earliest of two equals": (
        [step("P50"), step("P50B")],
        {"max_iterations": 2, "ties": "earliest"},
        ("iterations", 2, 1),
    ),
    "Q6 the last try of an iteration tests the time": (
        [step("timeout", 60.0)],
        {"max_total_time": 60, "max_iterations": 1, "retries": 0},
        ("time", 1, None),
    ),
    "Q7 truncated floats are not right": (
        [step("FLOAT"), step("RIGHT")],
        {},
        ("success", 2, 2),
    ),
    "Q7 an error text that is the right grid is not right": (
        [step("FAIL")],
        {"max_iterations": 1},
        ("iterations", 1, 1),
    ),
    "Q8 good enough ends when asked": (
        [step("P50"), step("P75"), step("RIGHT")],
        {"target_score": 0.75},
        ("success", 2, 2),
    ),
    "Q8 a plateau ends when asked": (
        [step("P50"), step("P50B"), step("P0"), step("RIGHT")],
        {"patience": 2},
        ("patience", 3, 2),
    ),
    "Q9 tries and pauses are settings": (
        [step("error"), step("error"), step("error"), step("RIGHT")],
        {"retries": 3},
        ("success", 4, 1),
    ),
    "Q10 not solved, and said so": ([step("P75")], {"max_iterations": 1}, ("iterations", 1, 1)),
    "Q10 never answered is an error, whatever there was to improve": (
        [step("error")] * 9,
        {"patience": 2},
        ("error", 4, None),
    ),
    "Q10 never answered is an error": ([step("auth")] * 2, {"max_iterations": 1}, ("error", 2, None)),
    "tokens": (
        [step("P50", prompt_tokens=60, completion_tokens=40), step("RIGHT")],
        {"max_tokens": 100},
        ("tokens", 1, 1),
    ),
    "tokens that are not told stop a loop under a budget of them": (
        [step("P50"), step("RIGHT")],
        {"max_tokens": 100},
        ("tokens", 1, 1),
    ),
    "tokens that are not told, allowed": (
        [step("P50"), step("RIGHT")],
        {"max_tokens": 100, "unknown_usage": "allow"},
        ("success", 2, 2),
    ),
    "cost": ([step("P50", cost=0.5), step("RIGHT")], {"max_cost": 0.5}, ("cost", 1, 1)),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    steps, stop, expected = ROWS[name]
    found = played(*steps, **stop)
    assert ending(found) == expected
    assert not found.loop.solved or found.loop.reason == "success"


def test_q3_the_last_attempt_stays_in_the_trace() -> None:
    found = played(step("P75"), max_iterations=1, return_best_result=False)
    assert found.loop.returned is None
    assert [one.program for one in found.loop.ledger.tried] == ["P75"]


def test_q7_one_score() -> None:
    """Wrong shape 0, a failure 0, no cast: the same score decides success, is shown and is returned."""
    names = ("FLOAT", "WIDE", "FAIL", "P75")
    found = played(*map(step, names), max_iterations=4)
    assert [(one.score, one.exact, one.misshapen) for one in found.loop.ledger.tried] == [
        (0.0, False, 0),
        (0.0, False, 1),
        (0.0, False, 0),
        (0.75, False, 0),
    ]


def test_q11_problems_without_examples_are_refused() -> None:
    rows = [{"id": "a", "train": [], "test": [{"input": 1}]}]
    told = {"experiment": "self_audit", "source": {"use": "frame", "frame": rows}, "by": []}
    with pytest.raises(DataError, match=r"problem 'a': has no training example.*audit.empty_training=success"):
        auditfw.run({**told, "solver": {"use": "replay", "path": "none.jsonl"}})


def test_time_is_clamped_and_charged() -> None:
    """The document's numbers, then a failure with its pause: nothing is left out of the sum."""
    steps = [step("P50", 5.2), step("P75", 8.1), step("error", 12.3), step("RIGHT", 4.0)]
    found = played(*steps, max_total_time=300, request_timeout=3600)
    assert found.solver.timeouts == pytest.approx([300, 294.8, 286.7, 269.4])
    assert found.timer.slept == [5.0]
    assert found.loop.ledger.seconds == pytest.approx(5.2 + 8.1 + 12.3 + 5.0 + 4.0)
    assert found.timer.time == pytest.approx(found.loop.ledger.seconds)


def test_pauses_grow_and_heed_the_other_side() -> None:
    steps = [step("rate_limit"), step("rate_limit", wait=60.0), step("connection"), step("RIGHT")]
    found = played(*steps, retries=3, retry_factor=2.0)
    assert found.timer.slept == [5.0, 60.0, 20.0]
    assert ending(found) == ("success", 4, 1)


def test_no_pause_beyond_the_budget() -> None:
    found = played(step("error", 8.0), step("RIGHT"), max_total_time=10)
    assert found.timer.slept == []
    assert ending(found) == ("time", 1, None)
    assert found.loop.ledger.seconds == 8.0


@dataclass(frozen=True)
class Working:
    """A solver that counts its own seconds, one of each kind of trouble first."""

    clock: ClassVar[Clock] = "work"
    calls: list[Ask]

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, ask: Ask) -> Reply:
        self.calls.append(ask)
        trouble: list[Exception] = [RequestTimeoutError("late"), TransientError("busy", seconds=0.5), ValueError("odd")]
        if len(self.calls) <= len(trouble):
            raise trouble[len(self.calls) - 1]
        return Reply(outputs=[TRUTH, [[9]]], seconds=0.25, tokens=7, cost=0.125)


def test_work_clock_counts_pauses_and_sleeps_none() -> None:
    timer, calls = Virtual(), list[Ask]()
    problem = Problem("p", (Example(0, TRUTH),), (Example(1, [[8]]),))
    stop = Budgets(retries=1, request_timeout=30.0)
    refine = Refine(Working(calls), auditfw.load("scoring", "grid"), stop, timer=timer)
    loop = refine(problem)
    assert timer.slept == []
    spent = [one.spent for one in loop.ledger.tried]
    assert spent == [Spent(2, 30.0 + 5.0 + 0.5, 1, 0, 0.0), Spent(2, 0.0 + 5.0 + 0.25, 0, 7, 0.125)]
    assert loop.reason == "success"
    assert loop.returned is not None
    assert loop.returned.tests is False, "the test output is known, and another one"
    assert all(one.output is None for ask in calls for one in ask.problem.test), "no solver sees a test's output"
    assert [ask.iteration for ask in calls] == [1, 1, 2, 2]
    assert calls[2].seed == seed_of(0, "p", 2) != calls[0].seed


def test_history_holds_what_was_evaluated() -> None:
    asked: list[list[int]] = []

    @dataclass(frozen=True)
    class Watching(Scripted):
        def __call__(self, ask: Ask) -> Reply:
            asked.append([one.number for one in ask.history])
            return super().__call__(ask)

    timer = Virtual()
    steps = [step("P50"), {"do": "reply", "text": "no code"}, step("P75"), step("RIGHT")]
    stop = Budgets()
    refine = Refine(Watching(steps, timer), auditfw.load("scoring", "grid"), stop, Named(PROGRAMS), "wall", timer=timer)
    refine(Problem("p", (Example(0, TRUTH),)))
    assert asked == [[], [1], [1], [1, 3]]


def test_programs_need_an_executor() -> None:
    timer = Virtual()
    refine = Refine(Scripted([step("RIGHT")], timer), auditfw.load("scoring", "grid"), Budgets(), timer=timer)
    with pytest.raises(UsageError, match="returns programs, and nothing runs them"):
        refine(Problem("p", (Example(0, TRUTH),)))


def test_a_component_that_fails_ends_the_loop_as_an_error() -> None:
    found = played({"do": "reply", "text": "```python\nUNKNOWN\n```"})
    assert ending(found) == ("error", 1, None)
    assert says.EXECUTOR_OR_SCORING_FAILED_KEYERROR in found.loop.ledger.tried[0].why


def test_settings_are_checked() -> None:
    for wrong in ({"max_iterations": -1}, {"patience": 0}, {"target_score": 1.5}, {"request_timeout": 0}):
        with pytest.raises(UsageError):
            Budgets(**wrong)


names = st.sampled_from(["RIGHT", "P75", "P50", "P0", "timeout", "rate_limit", "error", "auth"])
scripts = st.lists(st.builds(step, names, st.floats(0, 50)), min_size=60, max_size=60)
stops = st.builds(
    Budgets,
    max_iterations=st.integers(0, 8),
    max_total_time=st.none() | st.floats(0, 200),
    max_total_timeouts=st.none() | st.integers(0, 4),
    retries=st.integers(0, 3),
    patience=st.none() | st.integers(1, 3),
    return_best_result=st.booleans(),
    ties=st.sampled_from(["latest", "earliest"]),
)


@settings(max_examples=examples(30), deadline=None)
@given(scripts, stops)
def test_every_second_is_charged_and_every_end_has_a_reason(script: Sequence[Mapping[str, Any]], stop: Budgets) -> None:
    found = play({"train_outputs": [TRUTH], "programs": PROGRAMS, "llm_script": script}, stop)
    ledger = found.loop.ledger
    assert found.loop.reason in get_args(StopReason)
    assert math.isclose(ledger.seconds, found.timer.time, abs_tol=1e-6)
    assert ledger.requests == len(found.solver.timeouts) <= stop.max_iterations * (1 + stop.retries)
    assert ledger.iterations <= stop.max_iterations
    assert all(limit is None or limit > 0 for limit in found.solver.timeouts), "no request without time"
    assert [one.exact for one in ledger.tried[:-1]] == [False] * len(ledger.tried[:-1]), "success stops at once"
    if found.loop.returned is not None:
        assert found.loop.returned.score == max(one.score for one in ledger.tried if one.score is not None)


@settings(max_examples=examples(20), deadline=None)
@given(scripts, stops, st.integers(0, 8))
def test_a_loop_goes_on_where_it_was_left(script: Sequence[Mapping[str, Any]], stop: Budgets, at: int) -> None:
    """The attempts of a first part, given back, end in the same loop."""
    told = {"train_outputs": [TRUTH], "programs": PROGRAMS, "llm_script": script}
    whole = play(told, stop).loop
    prior = list(whole.ledger.tried[:at])
    timer = Virtual()
    sent = sum(one.spent.requests for one in prior)
    solver = Scripted(script[sent:], timer)
    refine = Refine(solver, auditfw.load("scoring", "grid"), stop, Named(PROGRAMS), "wall", timer=timer)
    again = refine(Problem("p", (Example(0, TRUTH),)), prior)
    assert (again.reason, again.returned and again.returned.number) == (
        whole.reason,
        whole.returned and whole.returned.number,
    )
    assert again.ledger.requests == whole.ledger.requests
    assert again.ledger.seconds == pytest.approx(whole.ledger.seconds)
