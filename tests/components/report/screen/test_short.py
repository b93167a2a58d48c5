"""The first screen: its order, its 24 lines, what is left out first, and the lines on gates."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from sentences import report as says
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
        says.ONE_OF_CHANGED_LABELS_OF,
        "trial 7: 6 x 7, expected: 42",
        says.DATA_AND_GATES_EXIT_CODE,
        "16 truths are empty.",
        says.WARNING_AND_MORE_WARNING,
        says.PASS_LABELS_REPRODUCE_MISMATCHES_AT,
        "Answer: FRAGILE",
        ANSWER.headline,
        *ANSWER.because[:2],
        says.WITHOUT_THE_BY_CASE_IT,
        says.NEXT_READ_THE_FLIPS_OF,
        "run folder: run",
    ]


def test_in_a_narrow_terminal_a_row_is_a_line() -> None:
    lines = shown(result(sections=[WHO]), width=21)
    assert " ".join(lines[2:7]) == says.ONE_YOUR_LABELS_TWO_YOUR


def test_the_picture_stands_where_no_table_has_an_interval() -> None:
    bare = replace(WHO, blocks=[Table(["", "met"], [["height", "3 of 4"]], "<<")])
    for sections, there in (([WHO], False), ([bare], True), ([], True)):
        lines = shown(result(sections=[*result().sections, *sections]))
        assert (says.ERROR_RATE_ERROR_FROM_TO_2 in lines, "a: the first." in lines) == (there, there)


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
    assert {*kept, says.DATA_AND_GATES_FAIL_EXIT, "run folder: run"} <= {*lines}
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
    assert lines[0].startswith(says.ERROR_BY_READING_FROM_TO)
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
    written = says.IS_WRITTEN_BY_AUDITFW_REPORT
    assert lines[-2:] == [written, "run folder: a run"]


@pytest.mark.parametrize(
    ("status", "verdict", "asked", "words"),
    [
        ("fragile", "pass", None, says.NO_GATE_CHECKS_THE_ANSWER),
        ("unknown", "pass", None, says.NO_GATE_CHECKS_THE_ANSWER),
        ("stable", "pass", None, ""),
        ("fragile", "fail", None, ""),
        ("unknown", "pass", "unknown", ""),
        ("fragile", "none", None, says.NO_GATE_CHECKS_THE_ANSWER),
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
        (gate("r", None, answer="fragile"), says.FAIL_A_STABLE_ANSWER_IS),
        (gate("m >= 0.75", 0.71, reading="b", bound=0.75, side="min"), says.FAIL_AT_LEAST),
        (gate("m <= 2", 3.0, metric="g", bound=2, side="max"), "FAIL: g (3, at most 2)"),
        (gate("m < 2", 3.0, bound=2, side="max", strict=True), "FAIL: g (m < 2: 3)"),
        (gate("low of m >= 2", 1.0, reading="b", bound=2, side="min", on="low"), says.FAIL_LOW_OF),
        (gate("m <= 2", None, "inconclusive", reading="b", bound=2, side="max"), "INCONCLUSIVE: g (m <= 2: –; b)"),
        (gate("own rule", None, "inconclusive", metric=None), "INCONCLUSIVE: g (own rule)"),
    ],
)
def test_what_a_gate_found_and_asks_for(one: GateResult, line: str) -> None:
    assert raised_lines(result(gates=[one, GateResult("fine", "r", None, 0.0, "pass")])) == [line]


def test_a_gate_on_a_share_of_outcomes_counts_them() -> None:
    """The reading that every alignment audit has is not named."""
    measured = [Measurement("must_met", "actual", {}, Estimate(0.7625, 80, 0))]
    one = GateResult("must_met", "r", "actual", 0.7625, "fail", "", "must_met", 1.0, "min", on="value")
    lines = raised_lines(result(audit="alignment", measurements=measured, gates=[one]))
    assert lines == [says.FAIL_REQUIREMENTS_MET]


def test_gates_that_passed_are_named_by_what_they_are_about() -> None:
    gates = [GateResult(name, "m <= 0", "a", 0.0, "pass") for name in ("solved", "joins", "one", "two_of", "last")]
    assert passed_lines(result(gates=gates)) == [says.PASS_SOLVE_RATE_JOINED_ROWS]
    assert passed_lines(result(gates=gates[:1])) == [says.PASS_SOLVE_RATE_A]
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
    assert says.ERROR_RATE_ERROR_FROM_TO_2 not in shown(result(sections=sections))
    assert says.ERROR_RATE_ERROR_FROM_TO_2 in shown(result(sections=sections, picture=True))
    full = [WHO, Section("Read", [Note("x")] * 9, screen="example"), *result().sections]
    kept = shown(result(sections=full, picture=True, lines=16))
    assert says.ERROR_RATE_ERROR_FROM_TO_2 in kept
    assert "x" not in kept
