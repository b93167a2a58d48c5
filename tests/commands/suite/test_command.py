"""The command: what it prints, its files, its codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw.commands.suite.command import suite
from auditfw.commands.suite.numbers import _apart
from auditfw.core.errors import UsageError

TEXT = """\
suite:
  defaults: {max_drop: 1}
  entries:
    held: {candidate: same, baseline: old, tier: critical}
    open: {candidate: same, baseline: old, tier: critical, max_drop: 0.5}
    "b<x>": {candidate: worse, baseline: old}
    gone: {candidate: gone, min: 3}
    aside: {candidate: worse, baseline: old, tier: advisory}
"""


def test_files_and_screen(at: Path, write: Callable[[str], Path], tmp_path: Path) -> None:
    done = run_auditfw(("suite", str(write(TEXT)), f"out={tmp_path / 'out'}"), at)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "╭ Release: NO-GO"
    assert lines[1] == says.BREACHED_AND_NOT_RUN
    assert [line.split()[1:4] for line in lines if " critical " in line and "│" in line][:2] == [
        ["held", "held", "critical"],
        ["open", "undecided", "critical"],
    ]
    document = json.loads((tmp_path / "out" / "suite.json").read_text("utf-8"))
    assert document["schema"] == "auditfw.suite/1"
    assert (document["decision"], document["exit_code"]) == ("NO-GO", 1)
    statuses = {one["name"]: (one["status"], one["tier"]) for one in document["entries"]}
    assert statuses["open"] == ("undecided", "critical")
    assert document["measurements"] == {"suite_breaches": 2.0, "suite_undecided": 1.0, "suite_missing": 1.0}
    cases = {
        case.attrib["name"]: [child.tag for child in case]
        for case in ElementTree.parse(tmp_path / "out" / "junit.xml").iter("testcase")
    }
    assert cases == {"held": [], "open": ["skipped"], "b<x>": ["failure"], "gone": ["error"], "aside": ["skipped"]}
    markdown = (tmp_path / "out" / "suite.md").read_text("utf-8")
    assert "| held | critical | right\\_of\\_all |" in markdown or "| held | critical | right_of_all |" in markdown


def test_what_is_printed_is_what_is_written(
    at: Path, write: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for flag, name in (("--json", "suite.json"), ("--markdown", "suite.md")):
        assert suite([str(write(TEXT)), flag, f"out={tmp_path}"]) == 1
        assert capsys.readouterr().out == (tmp_path / name).read_text("utf-8")
    assert suite([str(write(TEXT)), "gone=old", "b<x>=same", "open=old2", "--json", f"out={tmp_path}"]) == 1


@pytest.mark.parametrize("words", [[], ["--json"], ["a.yaml", "--json", "--markdown"]])
def test_words_that_are_wrong(words: list[str]) -> None:
    with pytest.raises(UsageError, match="suite: "):
        suite(words)


def test_an_interval_of_two() -> None:
    """Newcombe's example: 56 of 70 and 48 of 80 differ by 20 % [5.2, 33.3] (1998, table II, by Wilson's intervals)."""
    value, low, high = _apart((80.0, 69.18, 87.70), (60.0, 49.05, 70.03))
    assert (value, low, high) == (20.0, pytest.approx(5.24, abs=0.05), pytest.approx(33.4, abs=0.1))
    assert _apart((80.0, None, 87.70), (60.0, 49.05, 70.03)) == (20.0, None, None)
