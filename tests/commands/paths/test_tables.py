"""`auditfw FILE` of what no harness wrote: the audit that fits, and what is said of a file that is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from files_read import lines
from places import ROOT
from running import Command, run_auditfw
from sentences import commands as says

from auditfw.audits.consistency.rules import UNKNOWN_LABEL, Rules, as_label
from auditfw.commands.paths.command import recognised
from auditfw.components.files.file_settings import PEEKED

SAMPLES = ROOT / "auditfw" / "samples"
REFERENCE = "audit.reference=auditor"
OWN = {"raw_text": "It is 4.", "ground_truth": "4", "stored": 1}
WRONG = {"raw_text": "It is 5.", "ground_truth": "4", "stored": 0}


@pytest.mark.parametrize(
    ("place", "what", "words"),
    [
        (
            "openqa_judges/pairs.jsonl",
            "judgements of scholar, auditor",
            ["experiment=cross_agent", "source=pairs", "PATH", "audit.raters=[scholar,auditor]", REFERENCE],
        ),
        ("arc/tasks", "ARC tasks", ["experiment=self_audit", "source=arc", "PATH"]),
        (
            "mito_posiwid/posiwid_report_zimmerman.json",
            "a POSIWID report",
            [
                "experiment=posiwid_report", "scenarios=posiwid_report", "scenarios.path=FILE", "simulator=table",
                "simulator.format=posiwid_report", "simulator.path=FILE",
            ],
        ),
    ],
)  # fmt: skip
def test_the_audit_that_fits_is_chosen(place: str, what: str, words: list[str]) -> None:
    path = str(SAMPLES / place)
    full = [word.replace("PATH", f"source.path={path}").replace("FILE", path) for word in words]
    [proposed] = recognised([path])[1]
    assert (proposed.what, list(proposed.words)) == (what, full)


def test_a_table_of_our_own_columns_runs(command: Command, tmp_path: Path) -> None:
    path = lines(
        *[{**OWN, "model": "a"}, {**OWN, "model": "b"}, WRONG | {"model": "b"}], name=str(tmp_path / "mine.jsonl")
    )
    done = command(path, "report=[json]")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == (says.AUDITFW_STORED_ANSWERS_JSONL_OF.format(path))
    assert json.loads(done.stdout)["counts"] == {"read": 3, "audited": 3}


@pytest.mark.parametrize(
    ("name", "text", "code", "words"),
    [
        (
            "x.jsonl",
            '{"response": "A", "answer": "A", "correct": 1, "ok": 1}\n'
            '{"response": "B", "answer": "A", "correct": 0, "ok": 1}\n',
            3,
            says.NOT_RECOGNISED_AS_A_LOG_STORED,
        ),
        ("x.csv", "a,b\n1,2\n", 3, "source.columns={raw_text: THEIRS, ground_truth: THEIRS}"),
        (  # the truths alone tell what competes
            "x.csv",
            "theirs,truth,ok\n2.97,2.7,0\n5,5,1\n",
            3,
            "'source.columns={raw_text: THEIRS, ground_truth: truth, stored: ok}' \"source.columns.id='#'\" 'by=[]' "
            "'parser=[answer_v2,last_number,announced_number]' 'normalizer=[none]' matcher=numeric "
            "audit.matcher.which=last audit.baseline=search\n",
        ),
        ("x.csv", "got,answer\n2.97,2.7\n", 3, "'source.columns={raw_text: got, ground_truth: answer}'"),
        (
            "x.csv",
            "response,answer\nRome,None\nParis,Paris\nRome,n/a\n",
            3,
            "'by=[]' \"source.nulls={ground_truth: ['None','n/a']}\" 'parser=[answer_v2,last_line]'",
        ),
        ("x.md", "# A page\n\nof text\n", 3, says.NOT_RECOGNISED_AS_A_LOG_CSV),
        ("x.md", "a page\nof, text\n", 3, says.NOT_RECOGNISED_AS_A_LOG_READ),
        (
            "x.jsonl",
            '{"a": 1}\nnot JSON\n{"a": 2}\n',
            3,
            says.NOT_RECOGNISED_AS_A_LOG_READ_AS,
        ),
        ("x.jsonl", "", 5, "x.jsonl: is empty"),
        ("x.db", "SQLite format 3\x00", 3, says.IS_DAMAGED_THE_END_OF),
        ("x.zip", "PK\x03\x04 no archive", 3, says.IS_A_ZIP_ARCHIVE_THAT),
        ("x.json", '{"a": 1}', 3, says.NOT_RECOGNISED_AS_A_LOG_OBJECT_WITH_A),
    ],
)
def test_what_is_not_known(tmp_path: Path, name: str, text: str, code: int, words: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = run_auditfw((name,), tmp_path, None)
    assert done.returncode == code
    assert done.stderr.startswith("auditfw: error: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_two_files_of_judgements_are_two_raters(tmp_path: Path) -> None:
    rows = [{"id": str(i), "label": "good" if i % 2 else "bad"} for i in range(6)]
    one, two = (lines(*rows, name=str(tmp_path / name)) for name in ("a.jsonl", "b.jsonl"))
    words = recognised([one, two])[1][0].words
    assert f"source.paths={{a: {one},b: {two}}}" in words
    assert "audit.labels=[bad,good]" in words


@pytest.mark.parametrize(
    ("labels", "listed"),
    [  # as the reader compares them: `rules.as_text`
        ([False, True], "['false','true']"),
        ([0.0, 1.0], "['0','1']"),
        ([10, 9, -1.5], "['-1.5','9','10']"),
        ([1e3, 1e-7], "['1e-07','1000']"),
        (["1e3", "false", "0.0"], "['0.0','1e3','false']"),
        ([True, "yes", 1], "['1','true',yes]"),
        (["a", "b", None, " ", ["c"], {"d": 1}], "[a,b]"),
    ],
)
def test_labels_are_spelt_as_the_reader_spells_them(tmp_path: Path, labels: list[Any], listed: str) -> None:
    rows = [{"id": i, "label": label} for i, label in enumerate(labels)]
    pairs = [{"id": i, "a": {"label": label}, "b": {"label": labels[0]}} for i, label in enumerate(labels)]
    files = [lines(*rows, name=str(tmp_path / name)) for name in ("a.jsonl", "b.jsonl")]
    for form in ("a.json", "b.json"):
        (tmp_path / form).write_text(json.dumps(rows), encoding="utf-8")
    merged = lines(*pairs, name=str(tmp_path / "pairs.jsonl"))
    for paths in (files, [str(tmp_path / "a.json"), str(tmp_path / "b.json")], [merged]):
        assert f"audit.labels={listed}" in recognised(paths)[1][0].words
    audited = [label for label in labels if as_label(label).strip()]
    rules = Rules(("a", "b"), tuple(listed.strip("[]").replace("'", "").split(",")), {})
    assert UNKNOWN_LABEL not in [rules.label("a", label) for label in audited]


def test_labels_of_a_table_that_was_not_seen_to_its_end_are_those_that_it_holds(tmp_path: Path) -> None:
    rows = [{"id": i, "label": i % 2 == 0} for i in range(PEEKED)]
    paths = [lines(*rows, name=str(tmp_path / name)) for name in ("a.jsonl", "b.jsonl")]
    words = recognised(paths)[1][0].words
    assert "audit.labels=found" in words
    assert not [word for word in words if word.startswith("audit.acceptable")], "nothing tells which label is"
