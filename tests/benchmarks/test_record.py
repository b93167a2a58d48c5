"""Figures of releases are kept a line each, and a figure is held to the last one of its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import record
from benchmarks.record import Change, append, compared, entry, last_of, run


def test_a_line_has_what_makes_it_comparable(tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    append(history, entry("sources", "1.0", "2026-11-23", {"a": 1.5}))
    append(history, entry("rules", "1.0", "2026-11-23", {"a": 9.0}))
    append(history, entry("sources", "1.1", "2026-12-01", {"a": 2.0}))
    lines = [json.loads(line) for line in history.read_text("utf-8").splitlines()]
    assert [list(line) for line in lines] == [["benchmark", "version", "date", "cpu", "cores", "figures"]] * 3
    assert all(line["cpu"] and line["cores"] >= 1 for line in lines)
    assert (last_of(history, "sources") or {})["version"] == "1.1"
    assert last_of(history, "sweep") is None
    assert last_of(tmp_path / "missing.jsonl", "sources") is None


@pytest.mark.parametrize(
    ("before", "now", "slid"),
    [(2.0, 2.0, False), (2.0, 2.5, False), (2.0, 2.6, True), (2.0, 1.0, False), (None, 9.0, False), (0.0, 9.0, False)],
)
def test_a_slide_is_more_than_a_quarter(before: float | None, now: float, slid: bool) -> None:
    assert Change("a", before, now).slid(1.25) is slid
    [change] = compared({"a": now}, {} if before is None else {"a": before, "gone": 1.0})
    assert change == Change("a", before, now)


def test_figures_are_shown_kept_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history, figures = tmp_path / "history.jsonl", tmp_path / "figures.json"
    figures.write_text('{"jsonl s/GB": 3.0, "csv s/GB": 8}', "utf-8")
    where = ["--history", str(history)]
    assert run(["sources", str(figures), *where]) == 0
    assert not history.exists()
    assert capsys.readouterr().out.splitlines()[0] == "sources: no release before"
    assert run(["sources", str(figures), "startup=0.5", "--version", "1.0", "--date", "2026-11-23", *where]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"kept in {history}"
    assert run(["sources", "jsonl s/GB=4.5", "csv s/GB=7", "new=1", *where]) == 1
    title, *lines = capsys.readouterr().out.splitlines()
    assert title.startswith("sources: 1.0 of 2026-11-23 (")
    assert "ANOTHER" not in title
    assert [line.split() for line in lines] == [
        ["jsonl", "s/GB", "3", "4.5", "1.50", "x", "SLIDE"],
        ["csv", "s/GB", "8", "7", "0.88", "x"],
        ["new", "new", "1"],
    ]
    assert run(["sources", "jsonl s/GB=4.5", "--most", "2", *where]) == 0
    assert len(history.read_text("utf-8").splitlines()) == 1


def test_another_machine_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {**entry("sources", "1.0", "2026-11-23", {"a": 1.0}), "cpu": "an older one"}
    append(tmp_path / "h.jsonl", line)
    assert run(["sources", "a=1", "--history", str(tmp_path / "h.jsonl")]) == 0
    assert "(an older one, " in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [["sources"], ["sources", "a=1", "--version", "1"], ["sources", "a=1", "--version", "1", "--date", "today"]],
)
def test_what_is_not_enough(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(words)
    assert caught.value.code == 2
    assert "error" in capsys.readouterr().err


def test_the_history_of_the_package_can_be_read() -> None:
    lines = record.HISTORY.read_text("utf-8").splitlines() if record.HISTORY.exists() else []
    for line in map(json.loads, lines):
        assert set(line) == {"benchmark", "version", "date", "cpu", "cores", "figures"}
