"""The solver that tunes parameters until a simulator does what was intended."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tuned_simulators import toy

import auditfw
from auditfw.components.executor.simulator import Simulate
from auditfw.components.scoring.alignment import AlignmentScoring
from auditfw.components.solver.tune import Tune
from auditfw.components.stop.budgets import Budgets
from auditfw.core.errors import DataError, UsageError
from auditfw.formulas.parameter_search import read_params
from auditfw.kinds.solving import Ask, Attempt, Example, Problem

PROBLEM = Problem("p", (Example({"y": 0.5}, {"fitness": 0.6, "energy": 0.5}),))


def asked(*tried: tuple[str, float], problem: Problem = PROBLEM) -> str:
    history = [Attempt(n, program, score, "") for n, (program, score) in enumerate(tried, 1)]
    return Tune(toy())(Ask(problem, history, len(tried) + 1, 3, None)).program


def test_first_proposal_is_the_middle_or_what_is_given() -> None:
    assert json.loads(asked()) == {"x": 0.5}
    assert json.loads(asked(problem=Problem("p", (Example({}, {"a": 1}),), (), {"params": {"x": 0.2, "y": 7}}))) == {
        "x": 0.2,
        "y": 1.0,
    }
    reply = Tune(toy(), start={"x": 0.1})(Ask(PROBLEM, [], 1, 0, None))
    assert (json.loads(reply.program), reply.seconds) == ({"x": 0.1}, 0.01)


def refined(problem: Problem = PROBLEM, prior: Any = (), **settings: Any) -> Any:
    simulator = toy()
    stop = Budgets(max_iterations=40)
    return auditfw.Refine(Tune(simulator, **settings), AlignmentScoring(), stop, Simulate(simulator))(problem, prior)


def test_loop_refines_until_intended() -> None:
    loop = refined()
    assert (loop.reason, loop.solved) == ("success", True)
    assert abs(read_params(loop.returned.program)["x"] - 0.3) <= 0.04 * 0.3  # energy is right: 0.01 * 2 keys * 2 / 1
    assert loop.ledger.seconds == pytest.approx(0.01 * loop.ledger.iterations)
    assert len({one.program for one in loop.ledger.tried}) == loop.ledger.iterations
    for kept in range(loop.ledger.iterations):
        assert refined(prior=loop.ledger.tried[:kept]).ledger == loop.ledger


def test_loop_without_a_solution_returns_its_best() -> None:
    loop = refined(Problem("q", (Example({}, {"fitness": 9.0, "energy": 0.5}),)))
    assert (loop.reason, loop.solved, loop.ledger.iterations) == ("iterations", False, 40)
    found = read_params(loop.returned.program)
    assert found["x"] > 0.85
    assert abs(found["y"] - 0.5) < 0.02


def test_two_examples_share_their_parameters() -> None:
    examples = tuple(Example({"y": y}, {"fitness": 0.4, "energy": 1 - y}) for y in (0.1, 0.2))
    loop = refined(Problem("both", examples))
    assert loop.solved
    assert read_params(loop.returned.program).keys() == {"x"}


@pytest.mark.parametrize(
    ("settings", "simulator", "message"),
    [
        ({}, {"bounds": {}}, "no bounds to search within"),
        ({}, {"bounds": {"x": (0, None)}}, "has no end"),
        ({"only": ("z",)}, {}, "no parameter 'z'"),
        ({"bounds": {"x": (0, 2)}}, {}, "wider than the simulator's bounds"),
        ({"bounds": {"x": (0.5, 0.2)}}, {}, "lower end is above"),
        ({"start": {"x": 2}}, {}, "out of bounds"),
        ({"start": {"w": 2}}, {}, "not a parameter to refine"),
        ({"step": 0}, {}, "step"),
        ({"seconds": 0}, {}, "seconds"),
    ],
)
def test_solver_tells_what_is_missing_before_the_first_request(
    settings: dict[str, Any], simulator: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        Tune(toy(**simulator), **settings).check()


def test_nothing_left_to_refine() -> None:
    with pytest.raises(DataError, match="fixes every parameter"):
        asked(problem=Problem("p", (Example({"x": 0.1, "y": 0.5}, {"a": 1}),)))
    still = Tune(toy(), bounds={"x": (0.5, 0.5)}, only=("x",))
    tried = [Attempt(1, '{"x": 0.5}', 0.5, "")]
    assert "no parameters are left" in still(Ask(PROBLEM, tried, 2, 0, None)).why
