"""Refining a simulator's parameters until it does what was intended: scoring, executor, solver, source, experiment."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import Command

import auditfw
from auditfw.components.executor.simulator import Simulate
from auditfw.components.scoring.alignment import AlignmentScoring
from auditfw.components.simulator.python import PythonSimulator
from auditfw.components.solver.tune import Tune
from auditfw.components.source.intentions import Intentions
from auditfw.components.stop.bounds import Budgets
from auditfw.core.errors import DataError, UsageError
from auditfw.formulas.alignment import Weights, score_alignment
from auditfw.formulas.parameter_search import folded, read_params, search, side, spread
from auditfw.kinds import Simulator
from auditfw.kinds.solving import Ask, Attempt, Example, Problem

numbers = st.floats(-1e6, 1e6, allow_nan=False)


def line(params: Mapping[str, float]) -> dict[str, Any]:
    """Doubles x; y alone decides the rest; above 0.9 it fails, at 0.5 it forgets an outcome."""
    if params["x"] > 0.9:
        raise ValueError("too hot")
    outcomes: dict[str, Any] = {"fitness": 2 * params["x"], "energy": 1 - params.get("y", 0.0), "name": "line"}
    if params["x"] == 0.5:
        del outcomes["energy"]
    return outcomes


def toy(**settings: Any) -> Simulator:
    bounds = {"x": (0, 1), "y": (0, 1)}
    return PythonSimulator(line, **{"bounds": bounds, "isolation": "none", **settings})


# The scoring.


@pytest.mark.parametrize(
    ("output", "settings", "score"),
    [
        ({"a": 1.0, "b": -0.5}, {}, 1.0),
        ({"a": 0.8, "b": -0.5}, {}, 0.95),  # a: sign right, magnitude 0.8, so 0.9; b: 1
        ({"a": 0.8, "b": -0.5}, {"tolerance": 0.05}, 1.0),
        ({"a": 0.8, "b": -0.5}, {"tolerance": 0.04}, 0.95),
        ({"a": 0.8, "b": -0.5}, {"key_weights": {"a": 3}}, 0.925),
        ({"a": 0.8, "b": 0.5}, {"key_weights": {"a": 1, "b": 0}}, 0.9),
        ({"a": 0.8, "b": -0.5}, {"weights": Weights(1, 0)}, 1.0),
        ({"a": 0.8, "b": -0.5}, {"weights": Weights(0, 1)}, 0.9),
        ({"a": -1.0, "b": -0.5}, {}, 0.5),
        ({"a": 1.0}, {}, 0.5),
        ({"a": 0.8}, {"missing": "drop"}, 0.9),
        ({"a": 1.0}, {"missing": "drop", "tolerance": 0.25}, math.nextafter(0.75, 0)),
        ({"a": "1.0", "b": None}, {}, 0.0),
        ({"a": math.nan, "b": -0.5}, {}, 0.5),
        (None, {}, 0.0),
        ([[1]], {}, 0.0),
    ],
)
def test_alignment_scores(output: Any, settings: dict[str, Any], score: float) -> None:
    assert AlignmentScoring(**settings)(output, {"a": 1.0, "b": -0.5}) == pytest.approx(score, abs=1e-15)


def test_bands_and_intended_zero() -> None:
    scoring = AlignmentScoring()
    assert scoring({"a": 3}, {"a": {"between": [2, 4]}}) == 1.0
    assert scoring({"a": 5}, {"a": {"between": [2, 4]}}) == 0.875  # held against 4: magnitude 0.75
    assert scoring({"a": 9}, {"a": {"at_least": 2}}) == 1.0
    assert scoring({"a": 1, "b": 1}, {"a": {"value": 2, "weight": 3}, "b": 1}) == pytest.approx((3 * 0.75 + 1) / 4)
    assert scoring({"a": 0.02}, {"a": 0}) == pytest.approx(0.85)  # direction 1 - 5 * 0.02, magnitude 1 - 0.02 / 0.1
    assert AlignmentScoring(zero_slope=0, floor=1)({"a": 0.02}, {"a": 0}) == 1.0


@settings(deadline=None, max_examples=30)
@given(st.dictionaries(st.sampled_from("abcdefghij"), st.tuples(numbers, numbers), min_size=1))
def test_score_is_the_alignment_of_the_audit(pairs: dict[str, tuple[float, float]]) -> None:
    intended = {key: pair[0] for key, pair in pairs.items()}
    actual = {key: pair[1] for key, pair in pairs.items()}
    overall = score_alignment(intended, actual)["overall"]
    assert AlignmentScoring(tolerance=0.0)(actual, intended) == overall
    assert AlignmentScoring(tolerance=0.1)(actual, intended) == (1.0 if overall >= 0.9 else overall)


def test_remark_names_the_worst_outcome_first() -> None:
    said = AlignmentScoring().remark({"a": 1.0, "b": 0.5}, {"a": 1.0, "b": -0.5, "c": 2})
    assert said == "alignment 0.333333. c did not come, intended 2; b found 0.5, intended -0.5 (0.0000); " + (
        "a found 1, intended 1 (1.0000)"
    )


@pytest.mark.parametrize("intended", [{"a": {"direction": "up"}}, {"a": "much"}, {"a": {"betwen": [1, 2]}}, 3])
def test_intention_that_cannot_be_scored(intended: Any) -> None:
    with pytest.raises(DataError, match=r"audit\.scoring"):
        AlignmentScoring()({"a": 1}, intended)


def test_bad_settings_of_the_scoring() -> None:
    for wrong in ({"tolerance": 1.0}, {"key_weights": {"a": -1}}, {"key_weights": {"a": 0}}, {"floor": 0}):
        with pytest.raises(UsageError):
            AlignmentScoring(**wrong)


# The executor.


def test_program_is_parameters_and_input_what_is_fixed() -> None:
    first, second = Simulate(toy())('{"x": 0.25}', [{"y": 0.5}, {"y": 0.75}])
    assert (first.output, first.error) == ({"fitness": 0.5, "energy": 0.5}, "")
    assert second.output == {"fitness": 0.5, "energy": 0.25}


@pytest.mark.parametrize(
    ("program", "fixed", "error"),
    [
        ("import os", {}, "must be the parameters as one JSON object"),
        ("[0.5]", {}, "not list"),
        ('{"x": NaN, "y": 0}', {}, "'x' is no finite number"),
        ('{"x": true, "y": 0}', {}, "'x' is no finite number"),
        ('{"x": 1' + "0" * 400 + ', "y": 0}', {}, "'x' is no finite number"),
        ("[" * 50_000, {}, "must be the parameters"),
        ("9" * 200_000, {}, "longer than"),
        ('{"x": 0.2}', {}, "'y' is missing"),
        ('{"x": 0.2, "y": 0, "z": 1}', {}, "unknown parameter 'z'"),
        ('{"x": 1.2, "y": 0}', {}, "out of bounds"),
        ('{"x": 0.2, "y": 0}', {"y": 0.1}, "'y' is fixed at 0.1"),
        ('{"x": 0.2, "y": 0}', "warm", "no mapping"),
        ('{"x": 0.95, "y": 0}', {}, "too hot"),
    ],
)
def test_what_fails_is_an_execution_with_its_error(program: str, fixed: Any, error: str) -> None:
    (found,) = Simulate(toy())(program, [fixed])
    assert found.output is None
    assert error in found.error


def test_one_failing_example_leaves_the_others() -> None:
    found = Simulate(toy())('{"y": 0.5}', [{"x": 0.95}, {"x": 0.1}, {"x": 7}])
    assert [bool(one.error) for one in found] == [True, False, True]
    assert found[1].output == {"fitness": 0.2, "energy": 0.5}


def test_tier_is_the_simulators_own_isolation() -> None:
    assert Simulate(toy()).tier == "simulator, in this process"
    assert Simulate(toy(isolation="process")).tier == "simulator, in a process of its own"


def test_recorded_outcomes_cannot_be_refined() -> None:
    with pytest.raises(UsageError, match="nothing to refine"):
        Simulate(auditfw.load("simulator", "sample_mito")).check()


def lucky(params: Mapping[str, float], seed: int) -> dict[str, float]:
    return {"drawn": params["x"] + seed}


def test_attempts_on_a_stochastic_simulator_share_their_luck() -> None:
    executor = Simulate(PythonSimulator(lucky, bounds={"x": (0, 1)}, isolation="none", stochastic=True))
    one, other = (executor(f'{{"x": {x}}}', [{}, {}]) for x in (0, 1))
    assert [b.output["drawn"] - a.output["drawn"] for a, b in zip(one, other, strict=True)] == [1, 1]
    assert one[0].output != one[1].output
    assert Simulate(executor.simulator, seed=1)('{"x": 0}', [{}])[0].output != one[0].output


# The search.


def best_of(score: Any, start: tuple[float, ...], steps: int, explore: int = 0) -> float:
    walk, top = search(start, 7, explore, 0.3), -math.inf
    point = next(walk)
    for _ in range(steps):
        assert all(0 <= at <= 1 for at in point)
        top = max(top, score(point))
        point = walk.send(score(point))
    return top


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_search_finds_the_top_of_a_smooth_hill(top: list[float]) -> None:
    found = best_of(lambda p: -sum((a - b) ** 2 for a, b in zip(p, top, strict=True)), (0.5,) * len(top), 200)
    assert found > -1e-3


def test_search_leaves_a_hill_that_is_not_the_highest() -> None:
    def two(point: tuple[float, ...]) -> float:
        return max(0.5 - abs(point[0] - 0.5), 1 - 5 * abs(point[0] - 0.1))

    assert best_of(two, (0.5,), 300) > 0.99


def test_search_leaves_a_plateau_at_once() -> None:
    """A simplex that is flat ends its climb: three points, two of half the step, and then one elsewhere."""
    walk = search((0.5, 0.5), 7, 0, 0.3)
    points = [next(walk), *(walk.send(0.5) for _ in range(5))]
    assert points[1:5] == [(0.8, 0.5), (0.5, 0.8), (0.35, 0.5), (0.5, 0.35)]
    assert points[5] == spread(1, 2, 7)


def test_points_and_ranges() -> None:
    assert folded((-0.25, 1.25, 0.5)) == (0.25, 0.75, 0.5)
    points = [spread(n, 2, 1) for n in range(64)]
    quarters = [sum((x < 0.5) == left and (y < 0.5) == low for x, y in points) for left in (0, 1) for low in (0, 1)]
    assert all(13 <= n <= 19 for n in quarters)
    wide, narrow = side(0.001, 1.0), side(1.0, 3.0)
    assert (wide.value(1 / 3, 6), narrow.value(0.5, 6)) == (0.01, 2.0)
    assert (wide.share(0.01), narrow.share(9.0)) == (pytest.approx(1 / 3), 1.0)
    assert side(0.001, 1.0, "linear").value(0.5, 6) == 0.5005
    assert side(1 / 3, 1.0).value(0.0, 2) == 1 / 3


# The solver.

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
        ({"start": {"w": 2}}, {}, "no parameter to refine"),
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
    with pytest.raises(DataError, match="holds every parameter fixed"):
        asked(problem=Problem("p", (Example({"x": 0.1, "y": 0.5}, {"a": 1}),)))
    still = Tune(toy(), bounds={"x": (0.5, 0.5)}, only=("x",))
    tried = [Attempt(1, '{"x": 0.5}', 0.5, "")]
    assert "no parameters are left" in still(Ask(PROBLEM, tried, 2, 0, None)).why


# The source.


def scenarios(*rows: dict[str, Any]) -> Any:
    from auditfw.components.scenarios.files import FrameScenarios

    return FrameScenarios(frame=list(rows))


def test_scenarios_become_problems() -> None:
    rows = [
        {"label": "one", "intended": {"fitness": 0.5}, "params": {"x": 0.1, "y": 0.2}, "group": "g"},
        {
            "label": "two",
            "intended": {"fitness": {"between": [0.2, 0.3]}},
            "params": {"x": 0.1, "y": 0.3},
            "group": "g",
        },
    ]
    source = Intentions(scenarios(*rows), fixed=("y",))
    evidence = source.open(["group"], ["id", "train", "params", "test"])
    (batch,) = [task() for task in evidence.tasks]
    assert batch.columns["id"] == ["one", "two"]
    assert batch.columns["train"][0] == [{"input": {"y": 0.2}, "output": {"fitness": 0.5}}]
    assert batch.columns["group"] == ["g", "g"]
    assert batch.columns["params"][1] == {"x": 0.1, "y": 0.3}
    assert set(evidence.columns) == set(batch.columns)
    with pytest.raises(DataError, match="no column 'grup'"):
        source.open(["grup"], [])
    with pytest.raises(DataError, match="no parameter 'z' to hold fixed"):
        next(iter(Intentions(scenarios(rows[0]), fixed=("z",)).open([], []).tasks))()


@pytest.mark.parametrize(
    ("intended", "message"),
    [
        ({}, "nothing is intended"),
        ({"a": {"direction": "up"}}, "needs a baseline"),
        ({"a": {"value": "x"}}, "no number"),
    ],
)
def test_scenario_that_is_no_problem(intended: Any, message: str) -> None:
    evidence = Intentions(scenarios({"label": "s", "intended": intended, "params": {"x": 1}})).open([], None)
    with pytest.raises(DataError, match=message):
        next(iter(evidence.tasks))()


# The experiment.


@pytest.fixture(scope="module")
def done(command_in: Command, tmp_path_factory: pytest.TempPathFactory) -> tuple[CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("alignment")
    return command_in(folder, "experiment=self_audit_alignment", "hydra.run.dir=run", "engine.workers=2"), folder


@pytest.mark.slow
def test_experiment_as_installed(done: tuple[CompletedProcess[str], Path]) -> None:
    """What the SIR model can do is reached; what only rules of thumb promise is not, and those loops end."""
    ran, folder = done
    assert ran.returncode == 0, ran.stderr
    assert "simulator, in this process" in ran.stdout
    result = json.loads((folder / "run/result.json").read_text("utf-8"))
    assert result["counts"] == {"read": 24, "audited": 24}
    rows = pl.read_parquet(folder / "run/trials.parquet")
    model = rows.filter(group="final_size")
    assert model["solved"].sum() == model.height == 8
    assert rows.filter(pl.col("group") != "final_size")["solved"].sum() == 0
    assert set(rows["stop_reason"]) == {"success", "iterations"}
    assert rows["soft_score"].is_between(0.5, 1).all()
    measured = {(m["metric"], m["reading"]): m["value"] for m in result["measurements"]}
    assert measured["total_requests", "live"] == rows["requests"].sum() < 24 * 60
    assert measured["total_requests", "run_all"] == 24 * 60
    assert measured["total_requests", "ten_attempts"] == 24 * 10


@pytest.mark.slow
def test_results_are_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    few = {"experiment": "self_audit_alignment", "scenarios": {"limit": 2}, "stop": {"max_iterations": 4}}
    for workers in (1, 2):
        auditfw.run({**few, "engine": {"workers": workers}, "report": ["markdown", "junit"]}, tmp_path / f"{workers}")
    for name in ("result.json", "trials.parquet", "measurements.parquet", "attempts.jsonl", "report.md", "junit.xml"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


@pytest.mark.slow
def test_check_tells_the_worst_case(command: Command) -> None:
    ran = command("check", "experiment=self_audit_alignment")
    assert ran.returncode == 0, ran.stderr
    assert "problems: 24, with 24 training examples" in ran.stdout
    assert "24 x 60 iterations" in ran.stdout
