"""Recorded outcomes in a second file, joined by id or label: what has no partner is counted on both sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import Command
from sentences import alignment as says

INTENDED = [{"id": f"s{i}", "intended": {"y": float(i)}} for i in range(-4, 5) if i]
WORDS = ["experiment=posiwid", "by=[]", "scenarios=jsonl", "scenarios.path=meant.jsonl", "report=[markdown]"]
WORDS += ["simulator=table", "simulator.path=recorded.csv"]


def joined(command: Command, folder: Path, labels: list[str], *words: str) -> tuple[dict[str, Any], str]:
    """The result and the report of a run over the outcomes recorded under these labels."""
    (folder / "meant.jsonl").write_text("".join(json.dumps(row) + "\n" for row in INTENDED))
    (folder / "recorded.csv").write_text("id,y\n" + "".join(f"{label},{label.strip('sx')}\n" for label in labels))
    done = command(*WORDS, f"hydra.run.dir=run{len(labels)}", *words)
    assert done.returncode in (0, 1), done.stderr
    run = folder / f"run{len(labels)}"
    return json.loads((run / "result.json").read_text("utf-8")), (run / "report.md").read_text("utf-8")


def test_partners_are_counted_on_both_sides(command: Command, tmp_path: Path) -> None:
    labels = [str(row["id"]) for row in INTENDED]
    whole, report = joined(command, tmp_path, labels)
    assert [warning for warning in whole["warnings"] if "left out" not in warning] == []
    assert whole["answer"]["status"] == "stable"
    assert "Joined by label" not in whole["answer"]["scope"]
    assert "| records without a scenario | 0 |" in report
    part, report = joined(command, tmp_path, [*labels[1:], "x7", "x9"], "audit.no_data=zero")
    assert part["counts"] == {"read": 8, "audited": 7, "missing": 1}
    assert says.OF_RECORDS_IN_HAVE_NO in part["warnings"]
    assert says.NO_RECORD_OF_IT_IN in part["warnings"]
    scope = part["answer"]["scope"]
    assert says.JOINED_BY_LABEL_SCENARIO_WITHOUT in scope
    rows = ["| records | 9 |", "| records without a scenario | 2 |", "| scenarios without a record | 1 |"]
    assert all(row in report for row in rows)


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers(command: Command, tmp_path: Path, workers: int) -> None:
    _, report = joined(command, tmp_path, ["s1", "s2", "x3"], f"engine.workers={workers}")
    assert "| scenarios without a record | 6 |" in report
