"""What is found is a metric, a bound of the gate `whole` and something to know, in each of the four audits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import auditfw

TEXT = "What is the answer to number {}, please?"
CASES: Mapping[str, tuple[str, float, dict[str, Any], dict[str, Any]]] = {
    "parsing": (
        "rows_twice",
        20,
        {"trials": [
            {"id": f"{i}{again}", "raw_text": TEXT.format(i), "ground_truth": str(i), "item": f"t{i}", "stored": i % 2}
            for again in ("", "b") for i in range(60 if not again else 20)
        ]},
        {"experiment": "answer_parsing", "source": {"use": "jsonl", "path": "trials.jsonl"}, "parser": ["raw"],
         "normalizer": ["none"], "matcher": "exact", "by": [], "audit": {"baseline": None}},
    ),
    "consistency": (
        "rows_twice",
        20,
        {"rows": [
            {"id": f"{i}{again}", "one": "ABAB"[i % 4], "other": "ABAA"[i % 4], "question": TEXT.format(i)}
            for again in ("", "b") for i in range(60 if not again else 20)
        ]},
        {"experiment": "cross_agent", "source": {"use": "jsonl", "path": "rows.jsonl"}, "policy": [],
         "audit": {"raters": ["one", "other"], "reference": "one", "labels": "found", "acceptable": []}},
    ),
    "alignment": (
        "outcome_sign",
        8,
        {"scenarios": [
            {"label": f"s{i}", "intended": {"y": i}, "params": {"x": i}, "actual": {"y": -i}} for i in range(1, 9)
        ]},
        {"experiment": "posiwid", "scenarios": {"use": "jsonl", "path": "scenarios.jsonl"},
         "simulator": {"use": "table"}},
    ),
    "self_audit": (
        "records_differ",
        2,
        {"problems": [{"id": name, "train": [{"input": "x", "output": 1}]} for name in "abc"],
         "attempts": [
             {"problem": name, "output": 1, "score": score} for name, score in {"a": 1, "b": 0.2, "c": 0.3}.items()
         ]},
        {"experiment": "self_audit", "source": {"use": "problems", "path": "problems.jsonl"},
         "solver": {"use": "replay", "path": "attempts.jsonl", "past_end": "stop"}, "scoring": "exact"},
    ),
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A kind with its value, and the settings of a run in a folder with its files."""
    kind, value, files, settings = CASES[request.param]
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    monkeypatch.chdir(tmp_path)
    return kind, value, settings


def test_a_finding_is_a_metric_and_fails_the_gate_until_it_is_known(case: tuple[str, float, dict[str, Any]]) -> None:
    kind, value, settings = case
    more = {"metrics": {"m": {"use": kind}}, "gate": ["whole"]}
    result = auditfw.run({**settings, **more})
    [finding] = [one for one in result.findings if one.kind == kind]
    assert (finding.value, finding.known) == (value, False)
    assert [one.estimate.value for one in result.measurements if one.metric == "m" and not one.cell] == [value]
    assert [one.status for one in result.gates if one.name == "whole"] == ["fail"]
    known = {kind: {"value": value, "why": "on purpose"}}
    quiet = auditfw.run({**settings, **more, "audit": {**settings.get("audit", {}), "known": known}})
    [finding] = [one for one in quiet.findings if one.kind == kind]
    assert (finding.known, finding.effect) == (True, "reported")
    assert [one.status for one in quiet.gates if one.name == "whole"] == ["pass"]
    assert quiet.not_checked == result.not_checked != []
