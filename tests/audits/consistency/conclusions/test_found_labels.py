"""The labels that the data hold: in every form of judgements, with aliases, and reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judged_orders import SOUND, audited

import auditfw
from auditfw.core.errors import DataError
from auditfw.core.records import Result

LABELS = [("good", "good")] * 12 + [("bad", "bad")] * 12 + [("good", "bad")] * 2


def run(source: dict[str, Any], **audit: Any) -> Result:
    settings = {"reference": "human", "labels": "found", **audit}
    more = {"metric": ["kappa"], "gate": [], "policy": []}
    return auditfw.run({"experiment": "cross_agent", "source": source, "audit": settings, **more})


def write(file: Path, rows: list[Any]) -> str:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(file)


def found_in(result: Result) -> str:
    (text,) = [text for text in result.warnings if "audit.labels=found" in text]
    return text.partition("): ")[2]


def test_the_labels_of_a_table_are_found_and_reported(tmp_path: Path) -> None:
    declared, found = audited(tmp_path, SOUND), audited(tmp_path, SOUND, labels="found")
    assert declared.measurements == found.measurements
    assert found_in(found) == "'A' × 180, 'B' × 180"
    assert declared.warnings == []


def test_merged_records_and_files_of_raters(tmp_path: Path) -> None:
    pairs = [{"qid": f"q{i}", "human": {"label": h}, "gpt": {"label": g}} for i, (h, g) in enumerate(LABELS)]
    merged = run({"use": "pairs", "path": write(tmp_path / "p.jsonl", pairs)})
    paths = {
        name: write(tmp_path / f"{name}.jsonl", [{"qid": p["qid"], "label": p[name]["label"]} for p in pairs])
        for name in ("human", "gpt")
    }
    joined = run({"use": "raters", "paths": paths})
    assert found_in(merged) == found_in(joined) == "'bad' × 26, 'good' × 26"
    assert merged.measurements == joined.measurements
    assert merged.inputs[0].bytes > 0


def test_aliases_and_case(tmp_path: Path) -> None:
    rows = [
        {"id": i, "human": h.upper() if i % 2 else h, "gpt": {"good": "ok"}.get(g, g)}
        for i, (h, g) in enumerate(LABELS)
    ]
    source = {"use": "jsonl", "path": write(tmp_path / "p.jsonl", rows)}
    found = run(source, raters=["human", "gpt"], aliases={"gpt": {"ok": "GOOD"}}, case="fold")
    assert found.measurement("kappa", "gpt").estimate.value == pytest.approx(288 / 340), (
        "24 of 26 agree, chance 336 / 676"
    )
    with pytest.raises(DataError, match=r"audit\.labels: the data hold fewer than two labels \('x' × 52\)"):
        run(source, raters=["human", "gpt"], aliases=dict.fromkeys(("good", "GOOD", "bad", "BAD", "ok"), "x"))


def test_bins_come_in_order(tmp_path: Path) -> None:
    rows = [{"id": i, "human": x, "gpt": x} for i, x in enumerate([0.5, 1.5, 12.0] * 10)]
    source = {"use": "jsonl", "path": write(tmp_path / "p.jsonl", rows), "bins": {n: [1, 10] for n in ("human", "gpt")}}
    assert found_in(run(source, raters=["human", "gpt"])) == "'<1' × 20, '1 to <10' × 20, '>=10' × 20"
    with pytest.raises(DataError, match=r"a label that is not declared: human says '<1'"):
        run(source, raters=["human", "gpt"], labels=["1 to <10", ">=10"])


def test_a_column_that_holds_no_labels_is_refused(tmp_path: Path) -> None:
    rows = [{"id": i, "human": f"text {i}", "gpt": "a"} for i in range(101)]
    source = {"use": "jsonl", "path": write(tmp_path / "p.jsonl", rows)}
    with pytest.raises(DataError, match=r"audit\.labels: the data hold 102 different labels .* numbers become labels"):
        run(source, raters=["human", "gpt"])
