"""What only later records of a file have is read like what the first ones have: raters, reasons, evidence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import auditfw
from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.formats.scanned_cells import OTHER
from auditfw.components.source.pairs import PairsSource
from auditfw.core.errors import AuditError
from auditfw.core.native import VARIABLE, compiled
from auditfw.core.native.columns import ABSENT, BENEATH, PLAIN
from auditfw.core.records import Result

pytestmark = pytest.mark.slow  # whole runs, or very many texts

BUILT = pytest.mark.skipif(compiled() is None, reason="the kernel is not built")
LATE = PEEKED + 500
ROWS = LATE + 500
Rows = list[dict[str, Any]]
NONE = {"interval": {"method": "none"}}
METRICS = dict.fromkeys(("percent_agreement", "kappa", "weighted_kappa", "scott_pi", "fleiss_kappa"), NONE)
METRICS |= dict.fromkeys(("krippendorff_alpha", "gwet_ac1", "abstain_rate"), NONE)


@pytest.fixture(params=["python", pytest.param("native", marks=BUILT)])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(VARIABLE, request.param)
    return str(request.param)


def records(late: Callable[[dict[str, Any]], Any], early: Callable[[dict[str, Any]], Any] = lambda row: None) -> Rows:
    """So many pairs that agree; `late` changes the last 500 of them, `early` the others."""
    rows: Rows = []
    for i in range(ROWS):
        label = "REJECT" if i % 3 else "VALID"
        row: dict[str, Any] = {"qid": f"q{i:04}", "scholar": {"label": label}, "auditor": {"label": label}}
        (early if i < LATE else late)(row)
        rows.append(row)
    return rows


def written(folder: Path, rows: Rows) -> Path:
    path = folder / "p.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def audited(path: Path, use: str = "pairs", **audit: Any) -> Result:
    validators = list(audit.get("validators", ()))
    found = {"findings": {"use": "findings", "of": validators[0]}} if validators else {}
    settings = {"experiment": "cross_agent", "source": {"use": use, "path": str(path)}, "audit": audit}
    return auditfw.run({**settings, "metrics": METRICS | found})


def value(result: Result, metric: str, reading: str = "all") -> float | None:
    return result.measurement(metric, reading).estimate.value


def with_reason(row: dict[str, Any]) -> None:
    row["scholar"]["reason"], row["auditor"]["reason"] = "ask bob@example.com", "it is so"


def with_ids(row: dict[str, Any]) -> None:
    row["scholar"]["retrieved_ids"], row["auditor"]["retrieved_ids"] = ["p1"], ["p2"]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("late", "validator"),
    [
        (with_reason, {"reasons": {"use": "reasons", "shortest": 0}}),
        (with_ids, {"same_evidence": {"use": "same_evidence"}}),
    ],
)
def test_validators_see_what_comes_late(
    late: Any, validator: dict[str, Any], turned: bool, tmp_path: Path, kernel: str
) -> None:
    rows = records(late)
    result = audited(written(tmp_path, rows[::-1] if turned else rows), validators=validator)
    assert value(result, "findings") == 500


@pytest.mark.parametrize("use", ["jsonl", "json"])
def test_flags_of_a_wide_table_that_come_late(use: str, tmp_path: Path) -> None:
    def flagged(row: dict[str, Any]) -> None:
        row["flags"] = {"provenance_violation": True}

    rows = [{"id": r.pop("qid"), **r} for r in records(flagged)]
    for row in rows:
        row["scholar"], row["auditor"] = row["scholar"]["label"], row["auditor"]["label"]
    path = written(tmp_path, rows)
    if use == "json":
        path.write_text(json.dumps(rows))
    late = [row for row in rows[LATE:] if row["scholar"] == "VALID"]
    assert value(audited(path, use), "hard_flags") == len(late) > 0


def add_critic(row: dict[str, Any]) -> None:
    row["critic"] = {"label": "REJECT"}


def test_a_late_rater_nobody_asked_for_is_told_and_counted(tmp_path: Path, kernel: str) -> None:
    path = written(tmp_path, records(add_critic))
    result = audited(path)
    assert result.counts == {"read": ROWS, "audited": ROWS}
    assert [text for text in result.warnings if "critic" in text] == [
        f"{path}: labels of the rater 'critic', who has none at the start of the file, are left out"
        " (to read them, name it in audit.raters): 500"
    ]


def test_a_late_rater_that_is_named_is_taken(tmp_path: Path, kernel: str) -> None:
    result = audited(written(tmp_path, records(add_critic)), raters=["scholar", "auditor", "critic"])
    assert result.counts == {"read": ROWS, "audited": ROWS}
    assert not [text for text in result.warnings if "critic" in text]
    agreed = sum(i % 3 != 0 for i in range(LATE, ROWS)) / 500
    assert value(result, "percent_agreement", "critic") == pytest.approx(agreed)


@pytest.mark.parametrize("named", [None, ["scholar", "auditor"]])
def test_a_rater_that_begins_late(named: Any, tmp_path: Path, kernel: str) -> None:
    def silent(row: dict[str, Any]) -> None:
        row["auditor"] = None

    result = audited(written(tmp_path, records(lambda row: None, silent)), raters=named)
    assert result.counts == {"read": ROWS, "audited": 500, "one_sided": LATE}


def test_a_rater_that_no_record_has(tmp_path: Path) -> None:
    with pytest.raises(AuditError) as raised:
        audited(written(tmp_path, records(add_critic)), raters=["scholar", "auditor", "critc"])
    assert raised.value.exit_code == 3
    assert str(raised.value) == (
        "audit.raters: no record has a rater 'critc' (found: scholar, auditor) - known: auditor, scholar"
    )


def test_other_objects_are_no_raters(tmp_path: Path, kernel: str) -> None:
    def noted(row: dict[str, Any]) -> None:
        row |= {"meta": {"lang": "en"}, "answer_json": {"claim": "x", "label": "y"}, "kind": "label", "run": [1]}

    result = audited(written(tmp_path, records(noted)))
    assert result.counts == {"read": ROWS, "audited": ROWS}
    assert not [text for text in result.warnings if "at the start" in text]


def test_names_with_dots(tmp_path: Path, kernel: str) -> None:
    def dotted(row: dict[str, Any]) -> None:
        row["a.b"] = row.pop("scholar")

    path = written(tmp_path, records(dotted, dotted))
    assert PairsSource(str(path)).raters() == ("auditor", "a.b")
    assert value(audited(path), "kappa", "a.b") == 1.0


@BUILT
def test_the_scanner_finds_a_label_in_any_other_object() -> None:
    module: Any = compiled()
    lines = ['{"a": {"label": "x"}}', '{"a": 1, "b": {"label": "y"}, "c": "z"}', '{"b": 1}', '{"b": {"c": 1}}']
    data = "\n".join([*lines, *lines]).encode()
    mine, other = module.lines(data, ((b"a", b"label"), (OTHER.encode(), b"label")), 8)
    assert list(other[2]) == [ABSENT, PLAIN, ABSENT, ABSENT] * 2
    assert list(mine[2]) == [PLAIN, BENEATH, ABSENT, ABSENT] * 2


@pytest.mark.parametrize(
    ("columns", "by"),
    [
        ({}, ["topic"]),
        ({"cell": "topic"}, ["cell"]),
        ({"cell": "meta.topic"}, ["cell"]),
        ({"cell": "meta.a.b"}, ["cell"]),
    ],
)
def test_columns_that_are_needed_and_come_late(columns: dict[str, str], by: list[str], tmp_path: Path) -> None:
    def told(row: dict[str, Any]) -> None:
        row |= {"topic": "x", "meta": {"topic": "x", "a.b": "x", "a": {"b": "x"}}}

    path = written(tmp_path, records(told))
    source = {"use": "pairs", "path": str(path), "columns": columns}
    result = auditfw.run({"experiment": "cross_agent", "source": source, "by": by, "metrics": METRICS})
    assert result.measurement("percent_agreement", "scholar", **{by[0]: "x"}).estimate.counted == 500


def test_needed_columns_that_no_record_has(tmp_path: Path) -> None:
    path = written(tmp_path, records(add_critic))
    for columns, by in (({}, "topic"), ({"topic": "meta.topic"}, "topic")):
        source = {"use": "pairs", "path": str(path), "columns": columns}
        with pytest.raises(AuditError) as raised:
            auditfw.run({"experiment": "cross_agent", "source": source, "by": [by]})
        assert raised.value.exit_code == 3
        assert "among the first" not in str(raised.value)


@pytest.mark.parametrize("more", [{"where": "topic IS NULL"}, {"nulls": {"topic": ["x"]}}])
def test_conditions_on_columns_that_come_late(more: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, records(lambda row: row.update(topic="x")))
    source = {"use": "pairs", "path": str(path), **more}
    result = auditfw.run({"experiment": "cross_agent", "source": source, "metrics": METRICS})
    assert result.counts["audited"] == (LATE if "where" in more else ROWS)


def test_files_of_raters_whose_evidence_and_faults_come_late(tmp_path: Path) -> None:
    for rater in ("scholar", "auditor"):
        rows = [{"qid": n, "label": "VALID"} for n in range(ROWS)]
        for row in rows[LATE:]:
            row["flags"] = {"provenance_violation": rater == "auditor"}
        path = written(tmp_path, rows).rename(tmp_path / f"{rater}.jsonl")
        path.write_text(path.read_text() + "{broken\n")
    source = {"use": "raters", "paths": {rater: str(tmp_path / f"{rater}.jsonl") for rater in ("scholar", "auditor")}}
    audit = {"malformed": "count"}
    result = auditfw.run({"experiment": "cross_agent", "source": source, "audit": audit, "metrics": METRICS})
    assert result.counts == {"read": 2 * ROWS + 2, "audited": 2 * ROWS, "malformed": 2}
    assert [text for text in result.warnings if "different evidence" in text]
