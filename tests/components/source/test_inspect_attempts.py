"""Epochs of the logs of Inspect as recorded attempts at their samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from files_read import read, refused
from inspect_logs import LOGS, eval_log, head, json_log, sample
from running import Command

import auditfw
from auditfw.components.source.inspect import InspectAttempts
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")
ADDS = LOGS / "adds.eval"
REPLAY: dict[str, Any] = {"solver": {"use": "replay", "past_end": "stop"}, "scoring": "recorded"}


def attempts(source: InspectAttempts) -> list[tuple[Any, ...]]:
    rows, _ = read(source, "attempts", optional=())
    return [(row["id"], *[tuple(one.values()) for one in row["attempts"]]) for row in rows]


def test_a_sample_is_a_problem_and_each_epoch_an_attempt() -> None:
    first = sample(model_usage={"m": {"total_tokens": 7}, "n": {"total_tokens": 4}}, working_time=1.5, total_time=9.0)
    failed = sample(1, 3, scores={}, error={"message": "no reply"}, total_time=2)
    second = sample(1, 2, "I", total_time=2.5, model_usage={"m": {"total_tokens": 0}})
    path = eval_log(second, failed, first, sample(2, 1, float("nan"), working_time=0, total_time=3.0))
    assert attempts(InspectAttempts(path=path)) == [
        ("1", (1.0, None, 1.5, 11), (0.0, None, 2.5, 0), (None, "no reply", 2.0, None)),
        ("2", (None, "not scored", 0.0, None)),
    ]
    rows, tally = read(InspectAttempts(path=path), "model", optional=("stored", "train", "question"))
    assert [(row["input"], row["output"], row["model"]) for row in rows] == [("2+2?", 1.0, "mock/one")] * 2
    assert tally["evidence"].columns == ("id", "#place", "input", "output", "attempts", "model")


@pytest.mark.parametrize(
    ("value", "settings", "share"),
    [
        ("C", {}, 1.0),
        ("N", {}, 0.0),
        ("P", {}, 1.0),
        ("P", {"threshold": 0.9}, 0.5),
        ("P", {"threshold": 0.9, "partial": 0.2}, 0.2),
        (0.4, {}, 0.4),
        ("0.4", {}, 0.4),
        (0.6, {}, 1.0),
        (4, {"threshold": 5}, 0.8),
        (-1, {}, 0.0),
        pytest.param(10**400, {}, 1.0, id="too large for a float"),
        pytest.param(-(10**400), {}, 0.0, id="too small for a float"),
        ({"f1": 0.3, "em": 1}, {"key": "f1"}, 0.3),
    ],
)
def test_the_share_of_a_score(value: Any, settings: dict[str, Any], share: float) -> None:
    ((_, (got, *_)),) = attempts(InspectAttempts(path=json_log(sample(value=value)), **settings))
    assert got == share


def test_a_time_too_large_for_a_float_is_none() -> None:
    ((_, (_, _, seconds, _)),) = attempts(InspectAttempts(path=json_log(sample(total_time=10**400))))
    assert seconds is None


@pytest.mark.parametrize("usage", ["x", [1], 5, {"m": "x"}, {"m": [1]}, {"m": {}, "n": 5}])
def test_a_usage_of_another_shape_is_refused(usage: Any) -> None:
    source = InspectAttempts(path=eval_log(sample(model_usage=usage)))
    refused(DataError, source, "is not a sample", "xpected 'object", required=("attempts",))


@pytest.mark.parametrize("usage", [None, {}, {"m": None}, {"m": {}}, {"m": {"total_tokens": "x"}}])
def test_a_usage_without_a_count_has_no_tokens(usage: Any) -> None:
    ((_, (_, _, _, tokens)),) = attempts(InspectAttempts(path=eval_log(sample(model_usage=usage))))
    assert tokens is None


def test_a_score_that_is_a_word_is_refused() -> None:
    source = InspectAttempts(path=eval_log(sample(value="GOOD")))
    refused(DataError, source, "says neither right nor wrong (GOOD)", "source.scorer", required=("attempts",))


def test_epochs_that_are_missing_and_logs_of_several_models() -> None:
    eval_log(sample(1, 3), sample(1, 1, "I"), name="a.eval")
    eval_log(sample(1, 1), sample(2, 1), log_head=head(model="mock/two", task_id="u"), name="b.eval")
    rows, tally = read(InspectAttempts(path="*.eval", where="epoch < 4"), "attempts", optional=())
    assert [(row["id"], [one["output"] for one in row["attempts"]]) for row in rows] == [
        ("mock/one/1", [0.0, 1.0]),
        ("mock/two/1", [1.0]),
        ("mock/two/2", [1.0]),
    ]
    assert tally["notes"] == {"samples with missing epochs: only their existing epochs are attempts": 1}
    assert tally["evidence"].size is None


def solve_rates(source: dict[str, Any]) -> dict[str, float | None]:
    settings = {"experiment": "self_audit", "source": {"use": "inspect_attempts", **source}, **REPLAY}
    result = auditfw.run({**settings, "stop": {"max_iterations": 3}})
    return {one.reading: one.estimate.value for one in result.measurements if one.metric == "solve_rate"}


def test_what_other_stop_rules_would_have_given() -> None:
    """Of four problems the first, second and third epoch solve one each, and none the last."""
    right = {1: 1, 2: 2, 3: 3}
    epochs = [(n, epoch) for epoch in (3, 1, 2) for n in (1, 2, 3, 4)]
    path = eval_log(*[sample(n, epoch, "C" if right.get(n) == epoch else "I") for n, epoch in epochs])
    rates = solve_rates({"path": path})
    assert [rates[name] for name in ("one_attempt", "two_attempts", "three_attempts")] == [0.25, 0.5, 0.75]
    assert rates["run_all"] == rates["live"] == 0.75
    assert "stored" not in rates


@pytest.mark.parametrize(("scorer", "solved"), [(None, 6), ("answer", 1), ("match2", 3)])
def test_a_log_of_three_epochs(scorer: str | None, solved: int) -> None:
    rows, _ = read(InspectAttempts(path=str(ADDS), scorer=scorer), "attempts", optional=())
    assert (len(rows), {len(row["attempts"]) for row in rows}) == (40, {3})
    assert solve_rates({"path": str(ADDS), "scorer": scorer})["live"] == solved / 40


def test_the_command(command: Command) -> None:
    words = (f"source.path={ADDS}", "solver.past_end=stop", "scoring=recorded", "stop.max_iterations=3")
    done = command(
        "experiment=self_audit",
        "source=inspect_attempts",
        "solver=replay",
        *words,
        "report=[console]",
        "report.detail=full",
    )
    assert done.returncode == 0, done.stderr
    assert "What each further attempt buys: 40 problems" in done.stdout
    assert "108 requests" in done.stdout


def test_attempts_beside_their_problem(command: Command) -> None:
    """Any source of problems may have the column."""
    problem = {
        "id": "a",
        "input": "x",
        "output": 1,
        "attempts": [{"output": 0.25, "seconds": 2}, {"output": 1, "seconds": 0}],
    }
    Path("p.jsonl").write_text(json.dumps(problem) + "\n", "utf-8")
    words = ("source=problems", "source.path=p.jsonl", "solver=replay", "scoring=recorded", "report=[json]", "gate=[]")
    done = command("experiment=self_audit", *words, "stop.max_iterations=2")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    found = {(one["metric"], one["reading"]): one["value"] for one in result["measurements"]}
    assert found["mean_soft_score", "one_attempt"] == 0.25
    assert (found["solve_rate", "live"], found["total_seconds", "live"]) == (1.0, 2.0)
    Path("p.jsonl").write_text(json.dumps({**problem, "attempts": None}) + "\n", "utf-8")
    assert "problem 'a': no recorded attempts" in command("experiment=self_audit", *words).stderr


def test_problems_without_attempts_are_refused() -> None:
    Path("p.jsonl").write_text('{"id": "a", "input": 1, "output": 1}\n', "utf-8")
    settings = {"experiment": "self_audit", "source": {"use": "problems", "path": "p.jsonl"}, **REPLAY}
    with pytest.raises(UsageError, match=r"needs the column 'attempts'.*write solver\.path=FILE"):
        auditfw.run(settings)
