"""Recorded scores and successes held against computed ones: which are the same, and where those are that are not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from refined_problems import run
from sentences import self_audit as says

import auditfw
from auditfw.audits.self_audit.conclusions.records import RecordCounts, check_records, records_section
from auditfw.kinds.ledger import Ledger, Spent, Tried
from auditfw.kinds.solving import RecordedResult


def tried(number: int, score: float | None, misshapen: int = 0, why: str = "") -> Tried:
    return Tried(number, score, score == 1.0, Spent(), misshapen=misshapen, why=why)


LEDGER = Ledger((tried(1, 0.0, misshapen=1), tried(2, 0.75), tried(3, None, why="no output")))


@pytest.mark.parametrize(
    ("attempt", "score", "success", "compared", "differing"),
    [
        (1, 0.0, False, 2, []),
        (1, 0.76, None, 1, [says.SCORE_AN_OUTPUT_OF_ANOTHER]),
        (2, 0.75, "no", 2, []),
        (2, 0.8, 0, 2, []),  # half a unit of the last digit: 0.75 to 0.85
        (2, 0.7, "0.0", 2, []),
        (2, "0.750", None, 1, []),
        (2, 0.7499, None, 1, ["score 0.7499 0.7500 "]),
        (2, 0.6, True, 2, ["score 0.6 0.7500 ", "success true false "]),
        (2, 1, None, 1, ["score 1 0.7500 "]),  # not 0.75 rounded to a whole number
        (1, 0, None, 1, []),
        (2, "three quarters", "perhaps", 2, ["score three quarters 0.7500 ", "success perhaps false "]),
        (2, True, None, 1, ["score true 0.7500 "]),
        (3, 0.5, False, 2, [says.SCORE_NOTHING_TO_EVALUATE_NO]),
        (4, 0.5, True, 0, []),  # the loop did not ask for it
        (None, 0.75, False, 2, []),  # of all: the best
        (None, 1.0, True, 2, ["score 1.0 0.7500 ", "success true false "]),
    ],
)
def test_what_is_compared(attempt: int | None, score: Any, success: Any, compared: int, differing: list[str]) -> None:
    check = check_records("p", [RecordedResult(attempt, 3, score, success, "a.jsonl:7")], LEDGER)
    assert check.compared == compared
    assert [f"{one.what} {one.recorded} {one.computed} {one.remark}" for one in check.differing] == differing
    assert {(one.place, one.problem) for one in check.differing} <= {("a.jsonl:7", "p")}


@pytest.mark.parametrize(
    ("attempt", "score", "differs"),
    [
        (2, 0.75, False),
        (2, 75, False),
        (2, "75%", False),
        (2, "75 %", False),
        (2, 76, True),
        (1, 0, False),
        (1, 9, True),
    ],
)
def test_a_score_may_be_on_the_scale_of_the_records(attempt: int, score: Any, differs: bool) -> None:
    """In percent; the scale has no number for a score of 0, as that of distances."""
    record = RecordedResult(attempt, 3, score, None, "a.jsonl:7")
    check = check_records("p", [record], LEDGER, lambda score: 100 * score or math.inf)
    assert bool(check.differing) is differs


@pytest.mark.parametrize(
    ("ledger", "attempts", "compared"),
    [(LEDGER, 3, 1), (LEDGER, 4, 0), (Ledger((tried(1, 1.0),)), 4, 1), (Ledger((tried(1, None),)), 1, 0)],
)
def test_a_record_of_all_attempts_counts_once_they_were_asked_for(ledger: Ledger, attempts: int, compared: int) -> None:
    record = RecordedResult(None, attempts, None, True, "a.jsonl:7")
    assert check_records("p", [record], ledger).compared == compared


def test_a_sentence_names_the_first(tmp_path: Path) -> None:
    counts = RecordCounts()
    assert records_section(counts, 5).blocks == []
    counts.add(check_records("p", [RecordedResult(2, 3, 0.75, False, "a.jsonl:1")], LEDGER))
    assert counts.sentence() == says.OF_RECORDED_SCORES_AND_SUCCESSES
    assert not records_section(counts, 5).console
    counts.add(check_records("p", [RecordedResult(1, 3, 0.76, None, "a.jsonl:2")], LEDGER))
    counts.add(check_records("q", [RecordedResult(None, 3, None, True, "a.jsonl:3")], LEDGER))
    assert counts.sentence() == says.OF_RECORDED_SCORES_AND_SUCCESSES_DIFFER
    section = records_section(counts, 1)
    assert section.console
    row = ["a.jsonl:2", "p", "1", "score", "0.76", "0.0000", says.AN_OUTPUT_OF_ANOTHER_SHAPE]
    assert section.blocks[1].rows == [row]  # type: ignore[union-attr]
    assert section.blocks[1].left_out == 1  # type: ignore[union-attr]


PROBLEMS = [
    {"id": "a", "train": [{"input": [[1]], "output": [[1, 2]]}]},
    {"id": "b", "train": [{"input": [[1]], "output": [[1, 2], [3, 4]]}]},
]
ATTEMPTS: list[dict[str, Any]] = [
    {"problem": "a", "attempt": 1, "outputs": [[[1, 2]]], "score": 1, "success": True},
    {"problem": "b", "attempt": 1, "outputs": [[[1, 2, 3]]], "score": 0.0, "success": False},
    {"problem": "b", "attempt": 2, "outputs": [[[1, 2], [3, 5]]], "score": 0.75, "success": "no"},
]
MORE = {
    "stop": {"max_iterations": 2},
    "gate": ["records_hold"],
    "metrics": {"records_differ": {"use": "records_differ"}},
}


def differences(result: auditfw.Result) -> float | None:
    return result.measurement("records_differ", "run_all").estimate.value


def test_a_recorded_score_of_a_grid_of_another_shape_is_named(tmp_path: Path) -> None:
    """A score of 0.76 for a grid of another shape passed, and nothing said where it was."""
    wrong = [ATTEMPTS[0], {**ATTEMPTS[1], "score": 0.76}, {**ATTEMPTS[2], "success": True}]
    result = run(tmp_path, PROBLEMS, wrong, **MORE)
    assert differences(result) == 2
    [gate] = [gate for gate in result.gates if gate.name == "records_hold"]
    assert gate.status == "fail"
    [finding] = [one for one in result.findings if one.kind == "records_differ"]
    assert finding.text.startswith(says.OF_RECORDED_SCORES_AND_SUCCESSES_DIFFER_FROM)
    assert says.PROBLEM_ATTEMPT_SCORE_RECORDED_HERE in finding.text
    assert [place.rpartition("/")[2] for place in finding.places] == ["attempts.jsonl:2", "attempts.jsonl:3"]
    assert (finding.value, finding.of, finding.effect, finding.items) == (2, 6, "reported", ["b"])
    assert finding.points == pytest.approx(100 * 2 / 6)


def test_records_that_hold_raise_no_alarm(tmp_path: Path) -> None:
    result = run(tmp_path, PROBLEMS, ATTEMPTS, **MORE)
    assert differences(result) == 0
    assert {gate.status for gate in result.gates if gate.name == "records_hold"} == {"pass"}
    assert "records_differ" not in {one.kind for one in result.findings}


def test_attempts_without_records_are_undefined(tmp_path: Path) -> None:
    bare = [{name: value for name, value in one.items() if name not in ("score", "success")} for one in ATTEMPTS]
    result = run(tmp_path, PROBLEMS, bare, **MORE)
    one = result.measurement("records_differ", "run_all").estimate
    why = says.THE_ATTEMPTS_HAVE_NO_RECORDED
    assert (one.value, one.undefined) == (None, why)
    assert {gate.status for gate in result.gates} == {"pass"}


def test_a_journal_holds_what_it_says(tmp_path: Path) -> None:
    """Attempts of a run replayed: their scores are those that the run wrote down."""
    first = run(tmp_path, PROBLEMS, ATTEMPTS, into=tmp_path / "one", **MORE)
    journal = tmp_path / "one" / "attempts.jsonl"
    assert first.folder is not None
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    assert {line.get("score") for line in lines if "outputs" in line} == {1.0, 0.0, 0.75}
    again = run(tmp_path, PROBLEMS, [], solver={"path": str(journal)}, **MORE)
    assert differences(again) == 0
