"""Recorded scores: how they are read, and which are refused with their place."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from refined_problems import run

import auditfw
from auditfw.components.scoring.recorded import RecordedScoring
from auditfw.core.errors import DataError, UsageError

PERCENT: dict[str, Any] = {"range": (0, 100)}
DISTANCE: dict[str, Any] = {"better": "distance"}
COST: dict[str, Any] = {"range": (0, 10), "better": "lower"}


@pytest.mark.parametrize(
    ("output", "settings", "score"),
    [
        (1, {}, 1.0),
        (True, {}, 1.0),
        (False, {}, 0.0),
        (0.25, {}, 0.25),
        ("0.25", {}, 0.25),
        (" 1 ", {}, 1.0),
        ("True", {}, 1.0),
        ("no", {}, 0.0),
        ("2.5e-1", {}, 0.25),
        (1 + 1e-7, {}, 1.0),
        (-1e-7, {}, 0.0),
        (85, PERCENT, 0.85),
        ("85 %", PERCENT, 0.85),
        ("100%", PERCENT, 1.0),
        (0, PERCENT, 0.0),
        (True, PERCENT, 1.0),
        (0, {"range": (-1, 1)}, 0.5),
        (0, DISTANCE, 1.0),
        (3, DISTANCE, 0.25),
        ("3", DISTANCE, 0.25),
        (0, COST, 1.0),
        (2.5, COST, 0.75),
        (10, COST, 0.0),
        (2.5, {**COST, "better": "distance"}, 0.75),
        (0.25, {"better": "lower"}, 0.75),
    ],
)
def test_recorded_scores(output: Any, settings: dict[str, Any], score: float) -> None:
    scoring = RecordedScoring(**settings)
    assert scoring.unreadable(output) == ("", "")
    assert scoring(output, "anything") == pytest.approx(score, abs=1e-15)
    assert (scoring(output, 1) == 1.0) == (score == 1.0)


@pytest.mark.parametrize(
    ("output", "settings", "do"),
    [
        (1.5, {}, "audit.scoring.range=[LOWEST,HIGHEST]"),
        (85, {}, "[0,100] for percent"),
        ("85", {}, "[0,100] for percent"),
        ("85%", {}, "audit.scoring.range=[0,100]"),
        ("85%", {"range": (0, 1)}, "audit.scoring.range=[0,100]"),
        ("1%", {"range": (0, 1)}, "audit.scoring.range=[0,100]"),
        ("8 %", COST, "audit.scoring.range=[0,100]"),
        (-0.1, {}, "better=distance"),
        (1.0001, {}, "audit.scoring.range"),
        (101, PERCENT, "audit.scoring.range"),
        (-1, DISTANCE, "audit.scoring.range"),
        (math.nan, {}, "leave an attempt without a score empty"),
        (math.inf, {}, "empty"),
        (10**400, {}, "empty"),
        ("nan", {}, "empty"),
        ("None", {}, "empty"),
        ("", {}, "empty"),
        ("0,85", {}, "empty"),
        ("1_0", {}, "empty"),
        ("good", {}, "empty"),
        ([0.5], {}, "empty"),
        ({"f1": 0.5}, {}, "empty"),
        (None, {}, "empty"),
    ],
)
def test_what_is_no_score(output: Any, settings: dict[str, Any], do: str) -> None:
    scoring = RecordedScoring(**settings)
    assert do in scoring.unreadable(output)[1]
    with pytest.raises(DataError, match="expected a score"):
        scoring(output, 1)


@pytest.mark.parametrize("bad", [(1,), (1, 1), (2, 1), (0, math.inf), (0, 1, 2)])
def test_ranges_that_are_none(bad: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match="expected the lowest and the highest score"):
        RecordedScoring(range=bad)


@pytest.mark.parametrize(
    ("score", "settings", "recorded"),
    [
        (0.25, {}, 0.25),
        (0.25, PERCENT, 25),
        (0.25, COST, 7.5),
        (0.25, DISTANCE, 3),
        (1.0, DISTANCE, 0),
        (0.0, DISTANCE, math.inf),
    ],
)
def test_a_score_as_it_would_be_recorded(score: float, settings: dict[str, Any], recorded: float) -> None:
    assert RecordedScoring(**settings).on_scale(score) == recorded


def test_nearly_one_is_no_success() -> None:
    assert RecordedScoring()(1 - 1e-17, 1) == 1.0  # the same number
    assert RecordedScoring()(1 - 1e-16, 1) < 1.0
    assert RecordedScoring(range=(0, 100))(100 - 1e-12, 1) < 1.0


PROBLEMS = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in "ab"]


def records(*scores: Any) -> list[dict[str, Any]]:
    return [{"problem": name, "output": score, "score": score, "seconds": 1.0} for name in "ab" for score in scores]


def test_a_score_outside_of_the_range_is_refused_with_its_place(tmp_path: Path) -> None:
    """2.5 was 0 without a word."""
    with pytest.raises(DataError) as caught:
        run(tmp_path, PROBLEMS, records(0.8, 2.5), scoring="recorded", stop={"max_iterations": 2})
    text = str(caught.value).replace(str(tmp_path) + "/", "")
    assert text.startswith("attempts.jsonl:2, problem 'a', attempt 2: expected a score from 0 to 1, got 2.5; 1 more")
    attempts = [{**PROBLEMS[0], "attempts": [0.5, 7]}]
    source = {"use": "frame", "frame": attempts}
    with pytest.raises(DataError, match=r"problem 'a', attempt 2: expected a score from 0 to 1, got 7 "):
        auditfw.run({"experiment": "self_audit", "source": source, "solver": "replay", "scoring": "recorded"})


@pytest.mark.parametrize(
    ("scores", "settings", "means"),
    [
        ((30, 70), PERCENT, (0.3, 0.7)),
        ((7.5, 2.5), COST, (0.25, 0.75)),
        ((3, 1), DISTANCE, (0.25, 0.5)),
        (("0.3", "0.7"), {}, (0.3, 0.7)),
    ],
)
def test_scores_on_a_scale(tmp_path: Path, scores: Any, settings: dict[str, Any], means: tuple[float, float]) -> None:
    """The recorded score beside the output is on the same scale, and no difference."""
    more: dict[str, Any] = {"metrics": {"records_differ": {"use": "records_differ"}}}
    scale = {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
    more["audit"] = {"scoring": {"use": "recorded", **scale}}
    result = run(tmp_path, PROBLEMS, records(*scores), stop={"max_iterations": 2}, **more)
    found = [result.measurement("mean_soft_score", name).estimate.value for name in ("one_attempt", "two_attempts")]
    assert found == pytest.approx(means)
    assert result.measurement("records_differ", "run_all").estimate.value == 0


@pytest.mark.parametrize(
    ("settings", "score", "setting"),
    [
        ({}, 0.7, "audit.scoring.range=[0,0.7]"),
        (PERCENT, 0.7, "audit.scoring.range=[0,70]"),
        ({}, 0.0, ""),  # no scale ends where it begins
        (COST, 0.7, ""),
        (DISTANCE, 0.7, ""),
    ],
)
def test_the_setting_under_which_a_score_is_full_marks(settings: dict[str, Any], score: float, setting: str) -> None:
    assert RecordedScoring(**settings).full_marks(score) == setting


def test_scores_in_delimited_text(tmp_path: Path) -> None:
    """Every cell is a text: all scores were 0."""
    path = tmp_path / "a.csv"
    path.write_text("problem,attempt,output\na,0,0.3\na,1,0.7\nb,0,0.5\nb,1,1.0\n", "utf-8")
    result = run(tmp_path, PROBLEMS, [], solver={"path": str(path)}, scoring="recorded", stop={"max_iterations": 2})
    assert result.trials.select("id", "live", "soft_score").rows() == [("a", False, 0.7), ("b", True, 1.0)]
    journal = run(
        tmp_path, PROBLEMS, records(0.5, 1), scoring="recorded", stop={"max_iterations": 2}, into=tmp_path / "r"
    )
    assert journal.folder is not None
    lines = (tmp_path / "r/attempts.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line).get("score") for line in lines if "outputs" in line] == [0.5, 1.0, 0.5, 1.0]
