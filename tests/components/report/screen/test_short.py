"""The first screen: its order, its 24 lines, and what is left out first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from auditfw.components.report import wording
from auditfw.components.report.console import printing
from auditfw.components.report.screen.gates import gate_lines
from auditfw.core.document import Chart, Note, Section, Series
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
        gates=[GateResult("baseline_reproduces", "mismatches <= 0", "a", 0.0, "pass")],
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


def shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], one: Result, folder: str | None = "run"
) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    with printing() as page:
        page.write(one, folder)
    return re.sub("^[│╭|+] ?", "", capsys.readouterr().out, flags=re.MULTILINE).splitlines()


def test_everything_in_the_one_order(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(monkeypatch, capsys, result(warnings=["w", "v"]))
    assert lines == [
        "Answer: FRAGILE",
        ANSWER.headline,
        *ANSWER.because,
        "Next: Read the flips of b.",
        f"Scope: {ANSWER.scope[:76]}"[:79].rsplit(" ", 1)[0],
        *lines[7:8],
        "Error rate, error % from 20 to 40",
        *lines[9:11],
        "a: the first.",
        "Audit parsing, gates: PASS (exit code 0; no gate asks for a stable answer)",
        "pass: labels reproduce (mismatches <= 0; a: 0)",
        "3 of 3 trials audited",
        "Warning: w (and 1 more warning)",
        "Answer: FRAGILE",
        ANSWER.headline,
        "Next: Read the flips of b.",
        "All tables: auditfw report RUN, or report.detail=full",
        "run folder: run",
    ]


@pytest.mark.parametrize("long", [0, 3, 40, 400])
def test_never_more_than_a_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], long: int
) -> None:
    words = " ".join(["word"] * long)
    answer = Answer("broken", f"No. {words}", [f"Why. {words}"] * 3, f"Do. {words}", f"Seen. {words} More. {words}")
    names = [f"reading {n}" for n in range(40)]
    curve = Chart("T", "reading", "y", [Series("s", names, [float(n) for n in range(40)])], "points")
    gates = [GateResult(f"g{n}", "m <= 0", "a", 1.0, "fail") for n in range(9)]
    section = Section("Curve", [curve, Note(f"Note. {words}")], page=True, screen="picture")
    one = result(answer=answer, sections=[section], gates=gates, warnings=[f"Beware. {words}"], verdict="fail")
    lines = shown(monkeypatch, capsys, one)
    assert len(lines) <= 24
    assert lines[:2] == ["Answer: BROKEN", lines[1]]
    assert any(line.startswith(("Warning: Beware.", "All tables and 1 warning: ")) for line in lines)
    assert {"Audit parsing, gates: FAIL (exit code 0)", "and 5 more gates", "run folder: run"} <= set(lines)


@pytest.mark.parametrize("long", [0, 40])
def test_the_next_step_stands_at_the_end_before_scope_and_legend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], long: int
) -> None:
    answer = replace(ANSWER, because=[f"Why. {'word ' * long}".rstrip()])
    curve = Chart("T", "reading", "y", [Series("s", list("abcdefgh"), [float(n) for n in range(8)])], "points")
    section = Section("Curve", [curve, Note("word " * 20)], page=True, screen="picture")
    one = result(answer=answer, sections=[section], warnings=["w"])
    lines = shown(monkeypatch, capsys, one)
    assert lines[-5:-2] == ["Answer: FRAGILE", ANSWER.headline, "Next: Read the flips of b."]
    assert len(lines) <= 24


def test_without_an_answer_the_readings_are_the_picture(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(monkeypatch, capsys, result(answer=None, sections=[]), None)
    assert lines[0].startswith("error % by reading, from 10 to 30")
    assert "Measurements" in lines
    assert "All tables" not in " ".join(lines)


def test_full_has_every_table_in_the_same_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(monkeypatch, capsys, result(detail="full", warnings=["w"]))
    heads = (
        "Answer: FRAGILE",
        "Error rate, error % from 20 to 40",
        "Audit parsing, gates: PASS",
        "Gates",
        "Measurements",
    )
    places = [lines.index(head) for head in (*heads, "Warnings")]
    assert places == sorted(places)
    assert lines[-4:-1] == ["Answer: FRAGILE", ANSWER.headline, "Next: Read the flips of b."]


def test_a_link_to_the_page_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    (tmp_path / "report.html").write_text("", "utf-8")
    monkeypatch.chdir(tmp_path.parent)
    lines = shown(monkeypatch, capsys, result(), str(tmp_path))
    assert lines[-2:] == [f"report: {tmp_path.name}/report.html", f"run folder: {tmp_path.name}"]


@pytest.mark.parametrize("detail", ["short", "full"])
def test_a_page_that_is_the_next_step_and_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], detail: Any
) -> None:
    step = replace(ANSWER, next="Read the flips of b in report.html.")
    lines = shown(monkeypatch, capsys, result(detail=detail, answer=step), "a run")
    written = "report.html is written by: auditfw report 'a run' 'report=[html]'"
    assert lines[-2:] == [written, "run folder: a run"]


@pytest.mark.parametrize(
    ("status", "verdict", "asked", "words"),
    [
        ("fragile", "pass", None, "no gate asks for a stable answer"),
        ("unknown", "pass", None, "no gate asks for a stable answer"),
        ("stable", "pass", None, ""),
        ("fragile", "fail", None, ""),
        ("unknown", "pass", "unknown", ""),
    ],
)
def test_a_pass_beside_a_doubtful_answer(status: Any, verdict: Any, asked: Any, words: str) -> None:
    gate = GateResult("g", "rule", "a", 0.0, "pass", answer=asked)
    one = result(answer=replace(ANSWER, status=status), verdict=verdict, gates=[gate])
    assert wording.unasked(one) == words
    assert wording.unasked(replace(one, answer=None)) == ""


def test_a_gate_on_the_answer_is_a_sentence() -> None:
    gate = GateResult("stable", "answer is stable: fragile", None, None, "fail", answer="fragile")
    assert gate_lines(result(gates=[gate])) == ["fail: stable (a stable answer is required; it is fragile)"]


@pytest.mark.parametrize(
    ("words", "width", "detail", "there"),
    [(1, 80, "short", True), (168, 80, "short", False), (168, 80, "full", True)],
)
def test_a_caption_goes_with_its_picture(
    capsys: pytest.CaptureFixture[str], words: int, width: int, detail: Any, there: bool
) -> None:
    """Without room for the picture, in lines or in columns, nothing is left for its caption to explain."""
    answer = replace(ANSWER, because=["word " * words])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("PYTHONIOENCODING", "utf-8")
        with printing() as page:
            page.write(result(answer=answer, detail=detail), "run")
    text = capsys.readouterr().out
    assert ("Error rate," in text, "a: the first." in text) == (there, there)
