"""The benchmark's script and its stored parse agree with the original programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conformity import build
from places import CASES

from benchmarks.data import generator
from benchmarks.plain import script

pytest.importorskip("pandas")

GOLDEN = Path(os.environ.get("AUDITFW_GOLDEN") or CASES / "golden")
TITLES = {
    "answer_v2+v1": "v2 parse + v1 normalization (isolates parsing effect)",
    "answer_v2+v2": "v2 parse + v2 normalization (parse + normalization)",
    "stored+v2": "stored parse + v2 normalization (isolates normalization effect)",
}
FLIPS = {"answer_v2+v1": "flips_parse_only", "answer_v2+v2": "flips_parse_norm", "stored+v2": "flips_norm_only"}
SAME = ("runs_loaded", "rows_total", "rows_factual", "v1_mismatches", "raw_role", "raw_block")
SAME = (*SAME, "parsed_role", "parsed_block", "think_rows", "think_flips")


def golden(name: str) -> list[dict[str, Any]]:
    path = GOLDEN / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


def printed(cell: dict[str, Any]) -> tuple[str, ...]:
    rates = (f"{cell['stored_error']:.2f}", f"{cell['error']:.2f}", f"{cell['delta']:+.2f}")
    where = (f"{cell['temperature']:.1f}", cell["variant"], cell["condition"])
    return (*where, str(cell["n"]), *rates, str(cell["flips"]))


@pytest.mark.parametrize(
    "case",
    [case for case in golden("answer_parsing_audit_e2e") if case["expected"].get("summary")],
    ids=lambda c: c["id"],
)
def test_script_agrees_with_the_original(case: dict[str, Any], tmp_path: Path) -> None:
    metadata, runs_dir = build(case, tmp_path)
    figures, summary = script.audit(runs_dir, metadata)[0], case["expected"]["summary"]
    assert {name: figures[name] for name in SAME} == {name: summary[name] or 0 for name in SAME}
    for reading, title in TITLES.items():
        assert figures["flips"][reading] == summary[FLIPS[reading]]
        cells = [printed(cell) for cell in figures["cells"][reading]]
        shown = {tuple(row) for row in summary["tables"][title]}
        assert shown <= set(cells)
        assert len(shown) == min(40, len(cells))


@pytest.mark.parametrize("case", golden("parse_answer_v1_runner"), ids=lambda c: c["id"])
def test_stored_parse_agrees_with_the_original(case: dict[str, Any]) -> None:
    assert generator.stored_parse(case["input"]["raw_text"] or "") == case["expected"]
