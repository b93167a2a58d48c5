"""The console report at any width, in any encoding, with colours only where asked."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest
from made_up_audit import Stream
from rich.cells import cell_len
from sentences import report as says

from auditfw.components.report.console import ConsoleReport
from auditfw.core.records import Result


def told(monkeypatch: pytest.MonkeyPatch, result: Result, encoding: str = "utf-8", **env: str) -> str:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    stream = Stream(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    assert ConsoleReport()(result, result.folder) == ()
    return stream.text()


def unwrapped(out: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\n[│╭|+] ?", " ", "\n" + out))


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_console_says_everything_at_any_width(
    monkeypatch: pytest.MonkeyPatch, plain: Result, hostile: Result, width: int
) -> None:
    for result in (plain, hostile):
        out = told(monkeypatch, result, COLUMNS=str(width))
        *lines, last = out.splitlines()
        assert last.startswith("run folder: outputs/")
        assert max(map(cell_len, lines)) <= width
        assert {line[0] for line in lines} == {"╭", "│"}
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", out)
        assert "##vso[" not in out
    said = unwrapped(told(monkeypatch, plain, COLUMNS=str(width)))
    for word in ["FAIL", "1,061", "+8.80", "[+7.30, +10.30]", "inconclusive", "960", "22 more rows", "+13.33"]:
        assert word in said
    assert says.OF_TRIALS_AUDITED_NOT_AUDITED in said
    assert "flips_to_true" not in said
    assert "Washington" not in said


def test_console_table(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    lines = told(monkeypatch, plain, COLUMNS="100").splitlines()
    assert lines[:2] == [
        says.DATA_AND_GATES_FAIL_EXIT_CODE,
        says.OF_TRIALS_AUDITED_NOT_AUDITED_NO,
    ]
    assert lines[2].startswith("│ Warning: ")
    assert lines.index("╭ Gates") < lines.index("╭ Measurements")
    at = lines.index("╭ Measurements")
    assert [line.rstrip() for line in lines[at : at + 6]] == [
        "╭ Measurements",
        "│                                                       changed",
        says.READING_ERROR_PP_LABELS_RIGHT,
        "│ ──────────────────────────────────────────────────────────────────────────────────────────────────",
        "│ stored+v1         61.20    0.00 [-1.50, +1.50]              0        0        0  1,080           0",
        "│ answer_v2+v2      55.50   -5.70 [-7.20, -4.20]          1,061      530      531  1,080           –",
    ]
    assert says.MISMATCHES_OF_ANSWER_ONLY_THE in lines
    assert "│ after_think+v2: 120 counted, 960 missing" in lines


def test_console_colours_only_where_asked(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    assert "\x1b" not in told(monkeypatch, plain)
    coloured = told(monkeypatch, plain, FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[32mpass" in coloured
    assert "\x1b[1;31mfail" in coloured
    assert "\x1b[33minconclusive" in coloured
    bare = told(monkeypatch, plain, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")
    assert not re.search("\x1b\\[[0-9;]*3[0-9]", bare)
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == re.sub("\x1b\\[[0-9;]*m", "", bare)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_console_in_a_narrow_encoding(monkeypatch: pytest.MonkeyPatch, hostile: Result, encoding: str) -> None:
    lines = told(monkeypatch, hostile, encoding, COLUMNS="80").splitlines()
    assert {line[0] for line in lines[:-1]} == {"+", "|"}
    assert any("delta pp" in line and "-> right" in line for line in lines)
    assert any("<U+001B>[31m[red]" in line for line in lines)


@pytest.mark.parametrize("columns", ["0", "-5", "000", "99999999999", "\u00b2", "wide", " "])
def test_columns_that_are_no_width(monkeypatch: pytest.MonkeyPatch, plain: Result, columns: str) -> None:
    assert told(monkeypatch, plain, COLUMNS=columns, LINES=columns) == told(monkeypatch, plain)


def test_console_in_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    lines = told(monkeypatch, plain, FORCE_COLOR="1", TERM="dumb", COLUMNS="40").splitlines()
    assert {line[0] for line in lines[:-1]} == {"+", "|"}
    assert max(map(cell_len, lines[:-1])) <= 40
    assert not any("\x1b" in line for line in lines)


def test_console_without_gates_or_measurements(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    empty = replace(plain, verdict="none", measurements=[], gates=[], sections=[], warnings=[], folder=None)
    out = told(monkeypatch, empty)
    assert out.splitlines()[0] == says.DATA_NO_GATES_EXIT_CODE
    assert len(out.splitlines()) == 2
