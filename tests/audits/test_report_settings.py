"""What `report.*` shows and leaves out, in each of the four audits: the example, the texts of answers, the picture."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import run_auditfw
from sentences import all_audits as says

from auditfw.audits.claim_report import shown_sections
from auditfw.core.document import Section
from auditfw.core.errors import UsageError
from auditfw.kinds.context import ReportLimits

SECRET = "zebraquartz"  # in every answer, reason and program
NINE = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]
FILES: Mapping[str, Sequence[Mapping[str, object]]] = {
    "parsing": [
        {"id": f"t{i}", "raw_text": f"{SECRET} so: {NINE[i % 9] if i % 3 else i % 9}", "ground_truth": str(i % 9),
         "item": f"q{i}", "model": "ab"[i % 2], "stored": i % 3 == 1}
        for i in range(90)
    ],
    "consistency": [
        {"id": f"r{i}", "one": "ABAB"[i % 4], "other": "ABAA"[i % 4], "answer": f"{SECRET} {i}",
         "reason": f"{SECRET} because of {i}", "question": f"What is {i}?"}
        for i in range(40)
    ],
    "self_audit": [
        {"id": name, "train": [{"input": "x", "output": 1}], "test": [{"input": "x", "output": 1}]} for name in "abc"
    ],
    "alignment": [
        {"label": f"s{i}", "intended": {"y": i}, "params": {"x": i}, "actual": {"y": i + i % 3}} for i in range(1, 9)
    ],
    "attempts": [
        {"problem": name, "output": SECRET, "program": SECRET, "feedback": SECRET, "score": 0.2} for name in "abc"
    ],
}  # fmt: skip
WORDS = {
    "parsing": [
        "experiment=answer_parsing", "source=jsonl", "source.path=parsing.jsonl", "by=[model]", "matcher=numeric",
        "parser=[raw,last_number]", "normalizer=[none]",
        "audit.baseline=null", "audit.near.least=1",
    ],
    "consistency": [
        "experiment=cross_agent", "source=jsonl", "source.path=consistency.jsonl", "policy=[]", "by=[]",
        "audit.raters=[one,other]", "audit.reference=one", "audit.labels=found", "audit.acceptable=[]",
        "source.columns={one.reason: reason}",
    ],
    "self_audit": [
        "experiment=self_audit", "source=problems", "source.path=self_audit.jsonl", "solver=replay",
        "solver.path=attempts.jsonl", "solver.past_end=stop", "scoring=exact",
    ],
    "alignment": [
        "experiment=posiwid", "scenarios=jsonl", "scenarios.path=alignment.jsonl", "simulator=table",
    ],
}  # fmt: skip
REPORTS = "report=[console,markdown,html,junit,sarif,codequality,annotations]"


def everything(folder: Path, audit: str, *words: str) -> str:
    """What a run prints, and all of what its reports and result hold."""
    folder.mkdir()
    for name, rows in FILES.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    run = [*WORDS[audit], "gate=[]", REPORTS, f"hydra.run.dir={audit}", *words]
    done = run_auditfw(run, folder, {"COLUMNS": "200"})
    assert done.returncode in (0, 1), done.stderr
    of_reports = [
        file for file in (folder / audit).iterdir() if file.suffix in (".json", ".html", ".md", ".xml", ".sarif")
    ]
    texts = [file.read_text("utf-8") for file in of_reports]
    near = folder / audit / "near.parquet"
    return "\n".join([done.stdout, *texts, *([str(pl.read_parquet(near).to_dicts())] if near.exists() else [])])


@pytest.mark.parametrize("audit", ["parsing", "consistency", "self_audit"])  # the fourth reads no texts
def test_no_text_of_an_answer_without_texts(audit: str, tmp_path: Path) -> None:
    assert SECRET in everything(tmp_path / "with", audit)
    quiet = everything(tmp_path / "without", audit, "report.texts=false")
    at = quiet.find(SECRET)
    assert at < 0, quiet[max(0, at - 200) : at + 100]
    assert "Texts are left out (report.texts=false)." in quiet


def test_near_misses_keep_their_places_without_texts(tmp_path: Path) -> None:
    decides = "audit.decides=[raw+none]"  # they do not, and are told in short
    told, quiet = (
        everything(tmp_path / word, "parsing", f"report.texts={word}", decides) for word in ("true", "false")
    )
    assert re.search(r"so: [a-z]+ → \d", told)
    assert re.search(r'\(words 30\), as "[a-z]+" where \d is expected; no reading accepts them', told)
    assert says.ANSWERS_ARE_RIGHT_IN_ANOTHER in quiet
    assert "'answer': None, 'truth': None, 'place': 'parsing.jsonl:3'" in quiet


@pytest.mark.parametrize("audit", ["parsing", "consistency", "alignment"])  # the loop has no case on its screen
def test_no_case_before_the_answer_without_the_example(audit: str, tmp_path: Path) -> None:
    head = {"parsing": "One of ", "consistency": "One of the ", "alignment": "Lowest-scoring scenario: "}[audit]
    assert f"## {head}" in everything(tmp_path / "with", audit)
    assert f"## {head}" not in everything(tmp_path / "without", audit, "report.example=false")


@pytest.mark.parametrize(
    ("limits", "safe", "shown"),
    [
        ({}, "", ["One", "Data"]),
        ({}, "1", ["One", "Data"]),  # which is about code, not about texts
        ({"example": False}, "", ["Data"]),
        ({"texts": False}, "0", ["Data"]),
        ({"max_examples": 0}, "0", ["Data"]),
        ({"max_examples": 1}, "0", ["One", "Data"]),
    ],
)
def test_the_example_is_left_out_by_settings_alone(
    limits: dict[str, Any], safe: str, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", safe)
    sections = [Section("One", screen="example"), Section("Data", screen="data")]
    assert [one.title for one in shown_sections(sections, ReportLimits(**limits))] == shown


@pytest.mark.parametrize("audit", WORDS)
def test_what_cannot_be_refuses_every_audit(audit: str, tmp_path: Path) -> None:
    bad = {
        "report.lines=10": "report.lines: expected 16 or more, got 10",
        "report.line=20": "report.line: no such key - did you mean 'report.lines'?",
        "report.text=false": "report.text: no such key - did you mean 'report.texts'?",
        "report.picture=maybe": "report.picture: expected true or false, got 'maybe'",
    }
    for word, told in list(bad.items())[: None if audit == "parsing" else 1]:  # the settings are the same class
        done = run_auditfw(["check", *WORDS[audit], word], tmp_path)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr


def test_a_report_of_texts_needs_them(tmp_path: Path) -> None:
    done = run_auditfw([*WORDS["parsing"], "report=[texts]", "report.texts=false"], tmp_path)
    assert done.returncode == 2
    assert says.WRITES_THE_TEXTS_OF_ANSWERS in done.stderr


def test_sixteen_lines_are_the_fewest() -> None:
    assert (ReportLimits(lines=16).lines, ReportLimits(lines=None).lines, ReportLimits().lines) == (16, None, 24)
    with pytest.raises(UsageError, match="expected 16 or more, got 15"):
        ReportLimits(lines=15)
