"""The first screen: its order, its 24 lines, what is left out first, and the lines on gates."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from terminal import screen

from auditfw.components.report import wording
from auditfw.components.report.console import printing
from auditfw.components.report.screen.gates import passed_lines, raised_lines
from auditfw.core.document import Chart, Note, Section, Series, Table, estimated
from auditfw.core.records import Answer, Estimate, GateResult, Measurement, Result

ANSWER = Answer(
    "fragile",
    "The error lies between 20 and 40 % depending on scoring.",
    ["b moves the error by 20 points [10, 30].", "c moves it, too.", "d hardly does."],
    "Read the flips of b.",
    "100 trials of 20 items. A change of 5 % would be seen. 3 cells are too small to tell.",
)
CURVE = Chart("Error rate", "reading", "error %", [Series("reading", ["a", "b"], [20.0, 40.0])], "points")


def result(**changes: Any) -> Result:
    whole = Result(
        audit="parsing",
        verdict="pass",
        exit_code=0,
        counts={"read": 3, "audited": 3},
        by=(),
        measurements=[Measurement("error_rate", "a", {}, Estimate(20.0, 3, 0, 10.0, 30.0))],
        gates=[GateResult("baseline_reproduces", "mismatches <= 0", "a", 0.0, "pass", "", "mismatches", 0.0, "max")],
        warnings=[],
        inputs=[],
        config_hash="",
        seed=0,
        versions={},
        sections=[Section("Curve", [CURVE, Note("a: the first.")], page=True, screen="picture")],
        answer=ANSWER,
        detail="short",
    )
    return replace(whole, **changes)


def shown(one: Result, folder: str | None = "run", width: int = 80, high: int = 24) -> list[str]:
    """The lines of a terminal of this size, without its bar."""
    return [re.sub("^[│╭|+] ?", "", line) for line in screen(one, folder, width, high)]


WHO = Section(
    "Right answers by model, %",
    [
        Table(
            ["", "your labels", "b"],
            [["one", estimated(60.0, 55.0, 65.0), "70"], ["two", estimated(50.0, 40.0, 60.0), ""]],
            "<<>",
        ),
        Note("(3 more)"),
    ],
    screen="who",
)
EXAMPLE = Section("One of 20 changed labels of b", [Note("trial 7: 6 x 7, expected: 42")], screen="example")
READ = Section("Read", [Note("16 truths are empty.")], screen="data")


def test_everything_in_the_one_order() -> None:
    answer = replace(ANSWER, change="Without the 15 by case it would hold.")
    one = result(answer=answer, warnings=["w", "v"], sections=[*result().sections, READ, EXAMPLE, WHO])
    assert shown(one) == [
        "Right answers by model, %",
        "     your labels   b",
        "one  60 [55, 65]  70",
        "two  50 [40, 60]",
        "(3 more)",
        "One of 20 changed labels of b",
        "trial 7: 6 x 7, expected: 42",
        "Data and gates (exit code 0; no gate checks the answer)",
        "16 truths are empty.",
        "Warning: w (and 1 more warning)",
        "PASS: labels reproduce (mismatches 0, at most 0; a)",
        "Answer: FRAGILE",
        ANSWER.headline,
        *ANSWER.because[:2],
        "Without the 15 by case it would hold.",
        "Next: Read the flips of b.",
        "run folder: run",
    ]


def test_in_a_narrow_terminal_a_row_is_a_line() -> None:
    lines = shown(result(sections=[WHO]), width=21)
    assert " ".join(lines[2:7]) == "one: your labels 60 [55, 65], b 70 two: your labels 50 [40, 60] (3 more)"


def test_the_picture_stands_where_no_table_has_an_interval() -> None:
    bare = replace(WHO, blocks=[Table(["", "met"], [["height", "3 of 4"]], "<<")])
    for sections, there in (([WHO], False), ([bare], True), ([], True)):
        lines = shown(result(sections=[*result().sections, *sections]))
        assert ("Error rate, error % from 20 to 40" in lines, "a: the first." in lines) == (there, there)


@pytest.mark.parametrize("long", [0, 3, 40, 400])
def test_what_is_left_out_first(long: int) -> None:
    """The answer, the question, failed gates and the first warning stay, however long the rest is."""
    words = " ".join(["word"] * long)
    answer = Answer("broken", "It is not so.", [f"Why. {words}"] * 3, "Do.", "Seen.")
    gates = [GateResult(f"g{n}", "m <= 0", "a", 1.0, "fail") for n in range(9)]
    passed = GateResult("good", "m <= 0", "a", 0.0, "pass")
    example = Section("One case", [Note(f"case {words}")], screen="example")
    one = result(
        answer=answer,
        sections=[WHO, example],
        gates=[*gates, passed],
        warnings=["Beware."],
        verdict="fail",
        exit_code=1,
    )
    lines = shown(one)
    assert len(lines) <= 24
    kept = {"Answer: BROKEN", "It is not so.", "Next: Do.", "Warning: Beware.", "Right answers by model, %"}
    assert {*kept, "Data and gates: FAIL (exit code 1)", "run folder: run"} <= {*lines}
    assert "and 5 more gates" in " ".join(lines)
    assert ("One case" in lines, f"Why. {words}".strip() in lines) == (long < 400, long < 40)
    assert "One case" in shown(one, high=80)


def test_nothing_is_left_out_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    long = Section("One case", [Note("word " * 600)], screen="example")
    with printing() as page:
        page.write(result(sections=[WHO, long]), "run")
    out = capsys.readouterr().out
    assert out.count("word") == 600
    assert out.count(ANSWER.headline) == 1


def test_without_an_answer_the_readings_are_the_picture() -> None:
    lines = shown(result(answer=None, sections=[]), None)
    assert lines[0].startswith("error % by reading, from 10 to 30")
    assert "Measurements" in lines


def test_full_has_every_table_between_the_question_and_the_answer() -> None:
    lines = shown(result(detail="full", warnings=["w"], sections=[*result().sections, WHO, EXAMPLE]))
    heads = (
        WHO.title,
        EXAMPLE.title,
        "Error rate, error % from 20 to 40",
        "Data and gates (exit code 0; no gate checks the answer)",
        "Gates",
        "Measurements",
        "Warnings",
        "Answer: FRAGILE",
    )
    places = [lines.index(head) for head in heads]
    assert places == sorted(places)
    assert lines.count(ANSWER.headline) == 1
    assert lines[-1] == "run folder: run"


def test_a_link_to_the_page_where_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "report.html").write_text("", "utf-8")
    monkeypatch.chdir(tmp_path.parent)
    assert shown(result(), str(tmp_path))[-1] == f"page: {tmp_path.name}/report.html"


@pytest.mark.parametrize("detail", ["short", "full"])
def test_a_page_that_is_the_next_step_and_not_there(detail: Any) -> None:
    step = replace(ANSWER, next="Read the flips of b in report.html.")
    lines = shown(result(detail=detail, answer=step), "a run")
    written = "report.html is written by: auditfw report 'a run' 'report=[html]'"
    assert lines[-2:] == [written, "run folder: a run"]


@pytest.mark.parametrize(
    ("status", "verdict", "asked", "words"),
    [
        ("fragile", "pass", None, "no gate checks the answer"),
        ("unknown", "pass", None, "no gate checks the answer"),
        ("stable", "pass", None, ""),
        ("fragile", "fail", None, ""),
        ("unknown", "pass", "unknown", ""),
        ("fragile", "none", None, "no gate checks the answer"),
    ],
)
def test_a_pass_beside_a_doubtful_answer(status: Any, verdict: Any, asked: Any, words: str) -> None:
    gate = GateResult("g", "rule", "a", 0.0, "pass", answer=asked)
    one = result(answer=replace(ANSWER, status=status), verdict=verdict, gates=[gate])
    assert wording.unasked(one) == words
    assert wording.unasked(replace(one, answer=None)) == ""


def gate(rule: str, value: float | None, status: Any = "fail", metric: str | None = "m", **further: Any) -> GateResult:
    return GateResult("g", rule, further.pop("reading", None), value, status, metric=metric, **further)


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (gate("r", None, answer="fragile"), "FAIL: g (a stable answer is required; it is fragile)"),
        (gate("m >= 0.75", 0.71, reading="b", bound=0.75, side="min"), "FAIL: g (m 0.7100, at least 0.75; b)"),
        (gate("m <= 2", 3.0, metric="g", bound=2, side="max"), "FAIL: g (3, at most 2)"),
        (gate("m < 2", 3.0, bound=2, side="max", strict=True), "FAIL: g (m < 2: 3)"),
        (gate("low of m >= 2", 1.0, reading="b", bound=2, side="min", on="low"), "FAIL: g (low of m >= 2: 1; b)"),
        (gate("m <= 2", None, "inconclusive", reading="b", bound=2, side="max"), "INCONCLUSIVE: g (m <= 2: –; b)"),
        (gate("own rule", None, "inconclusive", metric=None), "INCONCLUSIVE: g (own rule)"),
    ],
)
def test_what_a_gate_found_and_asks_for(one: GateResult, line: str) -> None:
    assert raised_lines(result(gates=[one, GateResult("fine", "r", None, 0.0, "pass")])) == [line]


def test_gates_that_passed_are_named_by_what_they_are_about() -> None:
    gates = [GateResult(name, "m <= 0", "a", 0.0, "pass") for name in ("solved", "joins", "one", "two_of", "last")]
    assert passed_lines(result(gates=gates)) == ["PASS: solve rate, joined rows match, one, two of and 1 more"]
    assert passed_lines(result(gates=gates[:1])) == ["PASS: solve rate (m <= 0: 0; a)"]
    assert passed_lines(result(gates=[])) == raised_lines(result()) == []


@pytest.mark.parametrize(
    ("lines", "high", "most"), [(24, 60, 24), (16, 60, 16), (None, 60, 59), (None, 10, 24), (40, 24, 40)]
)
def test_as_many_lines_as_are_asked_for(lines: int | None, high: int, most: int) -> None:
    one = replace(result(lines=lines, gates=[]), answer=replace(ANSWER, because=ANSWER.because[:1]))
    rest = len(shown(replace(one, sections=[WHO]), high=high))
    for n, there in ((most - rest - 1, True), (most - rest, False)):  # lines of an example, besides its head
        told = shown(replace(one, sections=[WHO, Section("Case", [Note("x")] * n, screen="example")]), high=high)
        assert ("Case" in told, len(told)) == (there, most if there else rest)


def test_a_picture_that_is_asked_for_comes_before_the_example() -> None:
    sections = [*result().sections, WHO, EXAMPLE]
    assert "Error rate, error % from 20 to 40" not in shown(result(sections=sections))
    assert "Error rate, error % from 20 to 40" in shown(result(sections=sections, picture=True))
    full = [WHO, Section("Read", [Note("x")] * 9, screen="example"), *result().sections]
    kept = shown(result(sections=full, picture=True, lines=16))
    assert "Error rate, error % from 20 to 40" in kept
    assert "x" not in kept
