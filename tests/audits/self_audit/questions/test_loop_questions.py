"""What is asked of the table of loops: each kind of finding on loops that can be counted by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from made_loops import attempts_of, audit, audited, found
from running import Command
from sentences import self_audit as says

import auditfw
from auditfw.audits.self_audit.questions.solved import reasons
from auditfw.core.errors import DataError, UsageError
from auditfw.core.results.findings import CellCount

GRID = {"input": "x", "output": [[1, 2, 3, 4]]}


def names(places: Any) -> list[str]:
    return [place.rpartition("/")[2] for place in places]


def test_a_healthy_table_has_no_finding(tmp_path: Path) -> None:
    result = audited(tmp_path, ["+", "-+", "--"])
    assert found(result) == {}
    assert [one.kind for one in result.not_checked] == ["scores_out_of_range", "records_differ"]


def test_attempts_without_an_output(tmp_path: Path) -> None:
    loops = ["+", "xx", "-x", "x+"]
    one = found(audited(tmp_path, loops))["no_attempt_answers"]
    assert (one.value, one.of, one.points, one.effect) == (4, 7, 25.0, "reported")
    assert one.text == says.OF_ATTEMPTS_GAVE_NO_OUTPUT
    assert (one.items, names(one.places)) == (
        ["p1", "p2", "p3"], ["attempts.jsonl:2", "attempts.jsonl:5", "attempts.jsonl:6"]
    )  # fmt: skip
    assert one.detail == {"reasons": {"late": 4}, "problems_without": 1}
    one = found(audited(tmp_path, ["+", "x+"]))["no_attempt_answers"]
    assert (one.text, one.points) == (says.OF_ATTEMPTS_GAVE_NO_OUTPUT_TO, 0.0)


def test_their_reasons_and_cells(tmp_path: Path) -> None:
    example = {"input": "x", "output": 1}
    problems = [{"id": name, "train": [example], "hard": name == "a"} for name in "ab"]
    attempts = [{"problem": "a", "why": why} for why in ("late", "b", "c", "d", "late", "")]
    attempts += attempts_of("b", "+")
    one = found(audit(tmp_path, problems, attempts, by=["hard"]))["no_attempt_answers"]
    assert one.text.startswith(says.OF_ATTEMPTS_GAVE_NO_OUTPUT_TO_SCORE)
    assert one.cells == [CellCount({"hard": True}, 1)]


def test_seconds_that_are_missing(tmp_path: Path) -> None:
    problems = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in "abc"]
    attempts = [*attempts_of("a", "-+"), *attempts_of("b", "--", seconds=None), *attempts_of("c", "+")]
    one = found(audit(tmp_path, problems, attempts))["seconds_missing"]
    assert (one.value, one.of, one.items, names(one.places)) == (2, 5, ["b"], ["attempts.jsonl:3"])
    assert one.text == says.OF_ATTEMPTS_HAVE_NO_RECORDED
    assert one.brief == "2 attempts without seconds"
    every = [{**attempt, "seconds": None} for attempt in attempts]
    one = found(audit(tmp_path, problems, every))["seconds_missing"]
    assert (one.value, one.of, one.brief) == (5, 5, "no recorded seconds")
    assert one.text == says.NONE_OF_ATTEMPTS_HAS_RECORDED


@pytest.mark.parametrize(
    ("loops", "found_as"),
    [
        (["ts"] * 6 + ["+"] * 4, (6, "reported", 60.0, 1 / 64)),
        (["ts"] * 7 + ["+"] * 3, (7, "fragile", 70.0, 1 / 128)),
        (["ts"] * 7 + ["+"] * 2 + ["x+", "t"], (7, "fragile", 70.0, 1 / 128)),  # no output, so no tests, at first
        (["ts"] * 8 + ["-+", "+"], (8, "reported", 70.0, 10 / 512)),
        (["ts"] * 2 + ["-+"] * 3, (2, "reported", 0.0, 1.0)),
        (["ts", "t-", "t-"], (3, "reported", 100.0, 1 / 8)),  # the best of equal scores is the latest
    ],
)
def test_right_after_one_attempt_and_wrong_at_the_stop(tmp_path: Path, loops: list[str], found_as: Any) -> None:
    one = found(audited(tmp_path, loops))["tests_fall"]
    assert (one.value, one.effect, one.points, one.p) == found_as


def test_places_are_those_of_attempts_where_these_are_in_a_file(tmp_path: Path) -> None:
    """Of a fall the attempt at the stop; of attempts that stand with their problem the problem."""
    one = found(audited(tmp_path, ["+", "ts-", *["-ts"] * 7, "ts"]))["tests_fall"]
    assert (one.items, names(one.places)) == (["p1", "p9"], ["attempts.jsonl:3", "attempts.jsonl:27"])
    given = [{**attempt, "seconds": None} for attempt in attempts_of("a", "-+")]
    rows = [{"id": name, "train": [{"input": "x", "output": [1, 1]}], "attempts": given} for name in "ab"]
    one = found(audit(tmp_path, rows, [], solver={"path": None}, stop={"max_iterations": 2}))["seconds_missing"]
    assert (one.value, names(one.places)) == (4, ["problems.jsonl:1", "problems.jsonl:2"])


def test_falls_lead_the_answer(tmp_path: Path) -> None:
    result = audited(tmp_path, ["ts"] * 10 + ["+"] * 50 + ["-+"])
    assert result.answer is not None
    assert result.answer.kinds[0] == "tests_fall"
    assert (result.answer.status, result.answer.headline) == (
        "fragile",
        says.ITERATING_LOSES_RIGHT_ANSWERS_OF,
    )
    because = says.OF_ANSWERS_RIGHT_ON_THE
    assert result.answer.because[0] == f"{because} (p = 0.0059)."
    assert "stop.max_iterations=1" in result.answer.next


def test_loops_of_one_item_are_no_further_evidence(tmp_path: Path) -> None:
    """Four runs of each of three problems: 12 falls are three."""
    loops, items = ["ts"] * 12, [f"task{at // 4}" for at in range(12)]
    assert found(audited(tmp_path, loops))["tests_fall"].effect == "fragile"
    one = found(audited(tmp_path, loops, items))["tests_fall"]
    assert (one.effect, one.value, one.items) == ("reported", 12, ["task0", "task1", "task2"])
    assert one.p == pytest.approx(1 / 8)


def test_without_tests_falls_cannot_be_looked_for(tmp_path: Path) -> None:
    bare = [{"id": "a", "train": [{"input": "x", "output": 1}]}]
    whys = {one.kind: one.why for one in audit(tmp_path, bare, attempts_of("a", "-+")).not_checked}
    assert whys["tests_fall"] == says.THE_PROBLEMS_HAVE_NO_TESTS
    unknown = [{**bare[0], "test": [{"input": "y"}]}]
    whys = {one.kind: one.why for one in audit(tmp_path, unknown, attempts_of("a", "-+")).not_checked}
    assert whys["tests_fall"] == says.NO_OUTPUT_OF_A_TEST


def test_rules_that_are_known_in_part(tmp_path: Path) -> None:
    """Patience ends the loops of two of five: what more attempts give them is not known."""
    result = audited(tmp_path, ["+", "-+", "--", "--", "-+"], stop={"max_iterations": 3, "patience": 1},
                     solver={"past_end": "error"}, stop_rule=["one_attempt", "three_attempts"])  # fmt: skip
    one = found(result)["survivors"]
    assert (one.value, one.of, one.effect) == (2, 5, "reported")
    assert (one.detail, one.known) == ({"rules": {"run_all": 3, "three_attempts": 3}}, False)
    assert one.points == pytest.approx(40.0)
    assert one.text == says.RUN_ALL_THREE_ATTEMPTS_KNOWN


def test_rules_that_are_known_for_different_parts(tmp_path: Path) -> None:
    scores = {"a": (1.0,), "b": (0.5, 0.4), "c": (0.3, 0.4, 0.2)}
    problems = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in scores]
    attempts = [{"problem": name, "output": score, "seconds": 1} for name, of in scores.items() for score in of]
    stop = {"max_iterations": 4, "patience": 1}
    result = audit(tmp_path, problems, attempts, scoring="recorded", stop=stop, stop_rule=["three_attempts"])
    one = found(result)["survivors"]
    assert (one.value, one.detail) == (2, {"rules": {"run_all": 1, "three_attempts": 2}})
    assert one.points == pytest.approx(100 * (1 - 1 / 3))
    assert one.text.startswith(says.RUN_ALL_KNOWN_FOR_OF)
    assert " three_attempts: known for 2 of 3 problems" in one.text


def test_failed_loops_are_no_survivors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def solve(ask):\n    if ask.problem.id == 'p1':\n        raise KeyError('p1')\n    return [1]\n"
    (tmp_path / "fails_once.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    solver = {"use": "python", "function": "fails_once:solve"}
    settings = {"solver": solver, "stop": {"max_iterations": 2, "clock": "work"}, "audit": {"max_error_rate": 1.0}}
    problems = [{"id": f"p{at}", "train": [{"input": "x", "output": 1}]} for at in range(3)]
    listed = {"use": "frame", "frame": problems}
    result = auditfw.run({"experiment": "self_audit", "source": listed, "scoring": "exact", "gate": [], **settings})
    assert (result.counts["error"], result.counts["audited"]) == (1, 2)
    assert "survivors" not in found(result)
    whys = {one.kind: one.why for one in result.not_checked}
    assert whys["records_differ"] == says.THE_ATTEMPTS_ARE_MADE_BY


@pytest.mark.parametrize(
    ("unscored", "words"),
    [
        ({"late": 2, "": 1}, "late: 2, no reason: 1"),
        ({"a": 1, "b": 1, "c": 1}, "a: 1, b: 1, c: 1"),
        ({"a": 1, "b": 1, "c": 1, "d": 1}, says.A_OTHER_REASON),
    ],
)
def test_reasons(unscored: dict[str, int], words: str) -> None:
    assert reasons(Counter(unscored)) == words


@pytest.mark.parametrize("loops", [["--", "-s"], ["+"], ["s", "--"]])
def test_something_is_solved(tmp_path: Path, loops: list[str]) -> None:
    assert "nothing_solved" not in found(audited(tmp_path, loops))


def test_nothing_is_solved(tmp_path: Path) -> None:
    problems = [{"id": name, "train": [GRID]} for name in "abc"]
    attempts = [{"problem": name, "output": [[1, 2, 0, four]], "seconds": 1} for name in "abc" for four in (0, 4)]
    result = audit(tmp_path, problems, attempts, scoring="grid")
    one = found(result)["nothing_solved"]
    assert (one.value, one.of, one.effect, one.points) == (3, 3, "unknown", None)
    assert result.answer is not None
    assert (result.answer.status, result.answer.kinds) == ("unknown", ["nothing_solved"])
    assert result.answer.headline == says.NO_PROBLEM_WAS_SOLVED_OF
    assert result.answer.because == [says.NOTHING_WAS_SOLVED_SO_NO]
    assert result.answer.next == says.LOOK_AT_THE_PROBLEMS_WITH
    known = {"known": {"nothing_solved": {"value": 3, "why": "a hard set"}}}
    result = audit(tmp_path, problems, attempts, scoring="grid", audit=known)
    assert found(result)["nothing_solved"].known
    assert result.answer is not None
    assert result.answer.headline == says.NO_ANSWER_SOLVED_TRAINING_AND


def test_recorded_scores_that_may_be_full_marks(tmp_path: Path) -> None:
    problems = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in "ab"]
    attempts = [{"problem": name, "output": score, "seconds": 1} for name in "ab" for score in (0.2, 0.7)]
    result = audit(tmp_path, problems, attempts, scoring="recorded")
    assert result.answer is not None
    assert result.answer.next == says.IF_THAT_SCORE_IS_FULL
    scale = {"scoring": {"use": "recorded", "range": [0, 0.7]}}
    result = audit(tmp_path, problems, attempts, audit=scale)
    assert result.measurement("solve_rate", "live").estimate.value == 1.0
    lower = {"scoring": {"use": "recorded", "better": "lower"}}
    result = audit(tmp_path, problems, attempts, audit=lower)
    assert result.answer is not None
    assert result.answer.next.startswith("Look at the problems")


@pytest.mark.parametrize(("scoring", "do"), [("recorded", "solver.columns.output"), ("exact", "Compare one output")])
def test_every_attempt_scores_zero(tmp_path: Path, scoring: str, do: str) -> None:
    problems = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in "ab"]
    attempts = [{"problem": name, "output": 0, "seconds": 1} for name in "ab"]
    result = audit(tmp_path, problems, attempts, scoring=scoring)
    assert result.answer is not None
    assert result.answer.headline == says.NO_PROBLEM_WAS_SOLVED_EVERY
    assert do in result.answer.next


def test_how_near_loops_came_that_ended_early(tmp_path: Path) -> None:
    """The mean is that of all of them: as many attempts as all made."""
    scores = {"b": (0.5, 0.4), "c": (0.3, 0.4, 0.2)}
    problems = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in scores]
    attempts = [{"problem": name, "output": score, "seconds": 1} for name, of in scores.items() for score in of]
    stop = {"max_iterations": 4, "patience": 1}
    one = found(audit(tmp_path, problems, attempts, scoring="recorded", stop=stop))["nothing_solved"]
    assert one.text.endswith(says.THE_MEAN_SOFT_SCORE_IS)


def test_no_attempt_gave_anything(tmp_path: Path) -> None:
    result = audited(tmp_path, ["xx", "xx"])
    assert result.answer is not None
    assert result.answer.headline == says.NOTHING_WAS_MEASURED_NONE_OF
    assert result.answer.because == ["Why: late: 4."]
    assert not found(result)["no_attempt_answers"].shown


@pytest.mark.parametrize(
    ("scores", "outside", "ends", "explains"),
    [
        ([50, 100], 2, (50.0, 100.0), ["records_differ"]),
        ([0.5, 1.0], 0, None, []),
        ([0.5 + 1e-7, 1 + 9e-7], 0, None, []),
        ([-9e-7, 1.0], 0, None, []),
        ([-0.5, 1.0], 1, (-0.5, -0.5), ["records_differ"]),
        ([0.9, 100], 1, (100.0, 100.0), ["records_differ"]),  # half of those that differ
        (["50 %", "100%"], 2, (50.0, 100.0), ["records_differ"]),
    ],
)
def test_recorded_scores_on_another_scale(
    tmp_path: Path, scores: list[Any], outside: int, ends: Any, explains: list[str]
) -> None:
    """Beside outputs a recorded score decides nothing; where scores are the outputs it is an error."""
    problems = [{"id": "a", "train": [GRID]}]
    outputs = [[[1, 2, 0, 0]], [[1, 2, 3, 4]]]
    attempts = [
        {"problem": "a", "output": out, "score": s, "seconds": 1} for out, s in zip(outputs, scores, strict=True)
    ]
    one = found(audit(tmp_path, problems, attempts, scoring="grid")).get("scores_out_of_range")
    assert (0 if one is None else one.value) == outside
    if one is not None:
        assert ((one.detail["least"], one.detail["largest"]), one.explains, one.effect) == (ends, explains, "reported")


def test_scores_out_of_range_end_the_run(tmp_path: Path) -> None:
    """Unless the scoring says how they are read; the message says from where to where they go."""
    problems = [{"id": "a", "train": [{"input": "x", "output": 1}]}]
    attempts = [{"problem": "a", "output": score, "seconds": 1} for score in (40, 95, 100)]
    with pytest.raises(DataError, match=r"got 40; 2 more like this .*those refused go from 40 to 100") as caught:
        audit(tmp_path, problems, attempts, scoring="recorded")
    assert caught.value.exit_code == 3
    result = audit(tmp_path, problems, attempts, audit={"scoring": {"use": "recorded", "range": [0, 100]}})
    assert result.trials["soft_score"].to_list() == [1.0]


def test_what_is_known_has_no_effect(tmp_path: Path) -> None:
    loops = ["ts"] * 9 + ["+"]
    known = {"known": {"tests_fall": {"value": 9, "why": "the tests are noisy"}}, "wrong": {"broken": 1, "fragile": 1}}
    one = found(audited(tmp_path, loops, audit=known))["tests_fall"]
    assert (one.effect, one.known, one.shown) == ("reported", True, False)
    with pytest.raises(UsageError, match=r"known.tests_falls.*no such kind of finding"):
        audited(tmp_path, loops, audit={"known": {"tests_falls": {"value": 9, "why": "x"}}})


def test_kinds_are_metrics_and_bounds_of_gates(tmp_path: Path) -> None:
    gate = {"use": "findings", "kinds": ["tests_fall", "seconds_missing"]}
    result = audited(tmp_path, ["ts"] * 3 + ["+"], metrics={"m": {"use": "tests_fall"}}, gates={"g": gate})
    assert result.measurement("m", "run_all").estimate.value == 3
    assert [(one.name, one.status) for one in result.gates if one.name == "g"] == [("g", "fail")]


def test_a_check_says_what_is_looked_for(command: Command, tmp_path: Path) -> None:
    audited(tmp_path, ["+"])
    words = ["experiment=self_audit", "source=problems", "source.path=problems.jsonl", "solver=replay"]
    done = command("check", *words, "solver.path=attempts.jsonl", "scoring=exact", cwd=tmp_path)
    listed = "no_attempt_answers, scores_out_of_range, records_differ, seconds_missing, tests_fall, survivors, nothing"
    assert f"looked for: {listed}" in done.stdout


def test_the_columns_they_are_asked_of(tmp_path: Path) -> None:
    trials = audited(tmp_path, ["ts", "x+", "x"], ["a", "a", "b"]).trials
    assert trials["test_first"].to_list() == [True, None, None]
    assert trials["unscored"].to_list() == [0, 1, 1]
    assert trials["untimed"].to_list() == [0, 0, 0]
    assert trials["row.item"].to_list() == ["a", "a", "b"]
    assert names(trials["row.place"].to_list()) == ["problems.jsonl:1", "problems.jsonl:2", "problems.jsonl:3"]
