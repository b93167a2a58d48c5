"""Bad trial data of any source, by the rows 38-74 of the catalogue of bad inputs; and texts that are data."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from bad_inputs import (
    ALL_AGREE,
    DATA,
    GOOD,
    HEADER,
    IMPORTS,
    JOIN,
    LOOKALIKES,
    MINE,
    ONE_ROW,
    SQL,
    TABLE,
    TRIAL,
    TRIALS_TABLE,
    Case,
    check,
    copied_without_log,
    database,
    lay,
    marked,
    parser,
    plugin,
    result,
    trials,
)
from running import Command

TRIAL_DATA = [
    Case(
        38,
        "control characters in a path",
        GOOD,
        ("source=jsonl", "source.path='\x1b[2J\n'"),
        3,
        ("\\x1b[2J\\n: no such",),
    ),
    *(
        Case(38, f"a file beside the sample {name}", GOOD, (f"source.path={name}",), 2, ("source.files", do))
        for name, do in (
            ("d.csv", "source=csv source.path=d.csv"),
            ("d.tsv", "source=csv source.path=d.tsv source.delimiter=tab"),
            ("d.jsonl.gz", "source=jsonl source.path=d.jsonl.gz"),
            ("d.json", "source=json source.path=d.json"),
            ("d.parquet", "source=parquet source.path=d.parquet"),
        )
    ),
    Case(38, "no such file", GOOD, ("source=jsonl", "source.path=dd.jsonl"), 3, ("dd.jsonl", "did you mean 'd.jsonl'")),
    Case(38, "no such database", {"d.sqlite": ""}, (*SQL, "source.query=SELECT 1"), 3, ("d.db", "no such file")),
    Case(
        39,
        "text as a database",
        {"d.db": "id,raw_text\n"},
        (*SQL, "source.query=SELECT 1"),
        3,
        ("d.db", "not an SQLite"),
    ),
    Case(
        39,
        "truncated database",
        {"d.db": database(then=lambda path: os.truncate(path, 5000))},
        (*SQL, "source.query=SELECT * FROM t"),
        3,
        ("d.db", "damaged", "5,000 of 8,192 bytes"),
    ),
    Case(
        40,
        "database copied without its log",
        {"d.db": copied_without_log},
        (*SQL, "source.query=SELECT * FROM t"),
        0,
        ("d.db", "write-ahead log", "recent rows are missing"),
    ),
    Case(
        42,
        "labels that are no labels",
        {"d.jsonl": trials({"stored": "2"}, {"stored": 2}, {"stored": "maybe"}, {"stored": 1.0}, {"stored": "false"})},
        DATA,
        3,
        (
            "d.jsonl:1: the stored label is neither true nor false (3 such rows: '2' × 2, 'maybe' × 1) - say which they"
            " are with audit.stored_true=[...] and audit.stored_false=[...]; if rows are shifted or damaged,",
        ),
    ),
    Case(
        42,
        "a row that is shifted",
        {"d.csv": f"{HEADER}\n" + "".join(f"{n},x,x,y,0\n" for n in range(1, 41)) + "41,x,y,0,x\n"},
        TABLE,
        3,
        (
            "d.csv:42: the stored label is neither true nor false (1 such row: 'x' × 1) - if rows are shifted or"
            " damaged, fix them or leave them out with audit.unknown_stored=count; else say which they are",
        ),
    ),
    Case(
        42,
        "shifted rows that are counted",
        {"d.csv": f"{HEADER}\n" + "1,x,x,x,1\n2,x,y,0,x\n3,x,,x,y\n4,y,y,y,1\n"},
        (*TABLE, "audit.unknown_stored=count"),
        0,
        ("2 rows left out: the stored label is neither true nor false ('x' × 1, 'y' × 1; first: the trial '2'; ",),
    ),
    Case(
        43,
        "database text that is not UTF-8",
        {"d.db": database(TRIALS_TABLE, ONE_ROW.replace("'Paris', 'P", "CAST(x'5061ff' AS TEXT), 'P"))},
        (*SQL, "source.query=SELECT * FROM t"),
        0,
        ("d.db", "not UTF-8", "row 1"),
    ),
    Case(
        44,
        "view in place of a table",
        {"d.db": database(TRIALS_TABLE.replace(" t ", " s "), "CREATE VIEW t AS SELECT * FROM s")},
        (*SQL, "source.query=SELECT * FROM t"),
        2,
        ("source.query", "view"),
    ),
    Case(
        45, "ATTACH", {"d.db": database()}, (*SQL, "source.query=\"ATTACH 'x.db' AS x\""), 2, ("source.query", "ATTACH")
    ),
    Case(
        45,
        "two statements",
        {"d.db": database()},
        (*SQL, "source.query='SELECT * FROM t; DROP TABLE t'"),
        2,
        ("source.query", "one SELECT"),
    ),
    Case(
        45,
        "no such table",
        {"d.db": database()},
        (*SQL, "source.query=SELECT * FROM tt"),
        2,
        ("tt", "did you mean 't'"),
    ),
    Case(
        46,
        "query without a row",
        {"d.db": database()},
        (*SQL, "source.query='SELECT * FROM t WHERE 0'"),
        5,
        ("d.db", "no row", "WHERE 0"),
    ),
    Case(46, "all rows filtered", GOOD, (*DATA, "source.where=\"id = 'x'\""), 5, ("nothing was audited", "filtered 1")),
    Case(
        46,
        "all truths missing where the rule of the labels is searched",
        {"d.jsonl": trials({"ground_truth": None}, {"ground_truth": None})},
        (*DATA, "audit.baseline=search"),
        5,
        ("nothing was audited", "no_ground_truth 2"),
    ),
    Case(46, "empty file", {"d.jsonl": ""}, DATA, 5, ("d.jsonl", "no record")),
    Case(
        47,
        "duplicate ids",
        {"d.jsonl": trials({}, {}, {"id": "1"})},
        DATA,
        3,
        ("d.jsonl:3", "'1'", "source.duplicates"),
    ),
    Case(
        48,
        "truth that normalises to nothing",
        {"d.jsonl": trials({"ground_truth": "..", "stored": False}, {"ground_truth": None}, {"ground_truth": "?"}, {})},
        (*DATA, "gate=[]"),
        0,
        ("normalize to nothing: 2 under v1, 2 under v2", "audit.undefined=zero"),
    ),
    Case(
        49,
        "None as a truth",
        {"d.csv": f"{HEADER}\n1,None,None,None,1\n2,nan,nan,nan,1\n3,a,a,a,1\n"},
        TABLE,
        0,
        ("'None' × 1", "'nan' × 1", "source.nulls.ground_truth"),
    ),
    Case(
        50,
        "texts that look like numbers",
        {"d.csv": HEADER + "\n" + "".join(f'{i},"{t}","{t}","{t}",1\n' for i, t in enumerate(LOOKALIKES))},
        (*TABLE, "matcher=exact", "normalizer=[none]", "parser=[raw]", "audit.baseline=null", "gate=[]", ALL_AGREE),
        0,
    ),
    Case(
        50,
        "texts that are equal only as numbers",
        {"d.csv": f"{HEADER}\n1,7,7,007,0\n2,100000,100000,1e5,0\n3,1000,1000,'1,000',0\n".replace("'", '"')},
        (*TABLE, "matcher=exact", "normalizer=[none]", "parser=[raw]", "audit.baseline=null", "gate=[]", ALL_AGREE),
        0,
    ),
    Case(
        51,
        "superscript two",
        {"d.jsonl": trials({"ground_truth": "²", "raw_text": "²"})},
        (*DATA, "gate=[]", "matcher=numeric"),
        0,
    ),
    Case(
        54, "empty texts", {"d.jsonl": trials({"raw_text": None}, {"raw_text": ""}, {"raw_text": "</think>"})}, DATA, 0
    ),
    Case(
        55,
        "fifty delimiters",
        {"d.jsonl": trials({"raw_text": "</think>" * 50 + "Paris"}, {"raw_text": "<think>" * 50 + "</THINK>Paris"})},
        DATA,
        0,
    ),
    Case(
        57,
        "slow blanks",
        {**parser("  - {use: capture, pattern: '(\\s+)$'}\n"), "d.jsonl": trials({"raw_text": " " * 12_000 + "x"}, {})},
        (*MINE, "audit.max_error_rate=1"),
        0,
    ),
    Case(
        57,
        "slow blanks, replaced",
        {
            **parser("  - {use: substitute, pattern: '\\s+$'}\n"),
            "d.jsonl": trials(*[{"raw_text": " " * 20_000 + "x"}] * 4),
        },
        MINE,
        0,
    ),
    Case(
        57,
        "slow blanks behind something",
        {
            **parser("  - {use: substitute, pattern: 'x?\\s+$', deadline: 0.1}\n"),
            "d.jsonl": trials({"raw_text": " " * 20_000 + "x"}, {}),
        },
        MINE,
        4,
        ("1 of 2 trials", "x?", "took longer than 0.1 s"),
    ),
    Case(
        58,
        "exponential pattern on many texts",
        {
            **parser("  - {use: capture, pattern: '((a|aa)+)+$', deadline: 0.1}\n"),
            "d.jsonl": trials(*({"raw_text": "a" * 60 + f"!{n}"} for n in range(300))),
        },
        MINE,
        4,
        ("300 of 300 trials", "took longer than 0.1 s"),
    ),
    Case(
        58,
        "exponential pattern",
        {
            **parser("  - {use: capture, pattern: '((a|aa)+)+$', deadline: 0.1}\n"),
            "d.jsonl": trials({"raw_text": "a" * 60 + "!"}, {}),
        },
        MINE,
        4,
        ("1 of 2 trials", "took longer than 0.1 s"),
    ),
    Case(
        58,
        "exponential pattern allowed",
        {
            **parser("  - {use: capture, pattern: '((a|aa)+)+$', deadline: 0.1}\n"),
            "d.jsonl": trials({"raw_text": "a" * 60 + "!"}, {}),
        },
        (*MINE, "audit.max_error_rate=1"),
        0,
        ("took longer than 0.1 s", "exponential"),
    ),
    Case(
        59,
        "pattern without its group",
        parser("  - {use: capture, pattern: a}\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps[0].group", "0 groups", "group: 0"),
    ),
    Case(59, "optional group", parser("  - {use: capture, pattern: '(x)?Paris'}\n"), MINE, 0),
    Case(
        59,
        "broken pattern",
        parser("  - {use: capture, pattern: '(a'}\n"),
        MINE,
        2,
        ("steps[0].pattern", "not a regular"),
    ),
    Case(
        58,
        "pattern too large to be compiled",
        parser("  - {use: capture, pattern: '(a{1000}){1000}', group: 0}\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps[0].pattern", "1,000,000 counted repeats", "at most 100,000"),
    ),
    Case(
        60,
        "step that raises",
        plugin("return text if text != 'Rome' else 1 / 0"),
        MINE,
        4,
        ("1 of 2 trials", "mine", "ZeroDivisionError", "audit.max_error_rate"),
    ),
    Case(
        60,
        "step that raises, allowed",
        plugin("return text if text != 'Rome' else 1 / 0"),
        (*MINE, "audit.max_error_rate=0.5"),
        0,
        ("mine", "ZeroDivisionError"),
    ),
    Case(61, "step that gives a number", plugin("return len(text)"), MINE, 4, ("must return text, not int",)),
    Case(61, "step that gives nothing", plugin("return None"), MINE, 4, ("must return text, not NoneType",)),
    Case(60, "step that exits", plugin("raise SystemExit(0)"), MINE, 4, ("ended the program", "(0)")),
    Case(
        60,
        "source that raises",
        {
            "plugins/mine.py": IMPORTS + "@register('source', 'mine')\n@dataclass\n"
            'class Mine:\n    """A source."""\n    def open(self, required, optional): return 1 / 0\n'
        },
        ("source=mine",),
        4,
        ("plugins/mine.py:8", "ZeroDivisionError"),
    ),
    Case(
        70,
        "cells of one trial",
        {"d.jsonl": trials({}, {"raw_text": "Rome", "stored": False}, {"stored": False})},
        (*DATA, "by=[id]", "gate=[]", "parser=[raw]"),
        0,
    ),
    Case(72, "labels the baseline cannot reproduce", {"d.jsonl": trials({"stored": False})}, DATA, 1),
    Case(
        73,
        "same ids in two files",
        {"d.jsonl": trials({}), "e.jsonl": trials({"raw_text": "Rome"})},
        ("source=jsonl", "source.files=[{path: d.jsonl}, {path: e.jsonl}]", "by=[]"),
        3,
        ("e.jsonl:1", "duplicate id '1'", "first at d.jsonl:1", "source.duplicates"),
    ),
    Case(
        73,
        "second file that disagrees with itself",
        {**GOOD, "g.csv": "key,grade\n1,a\n1,a\n1,b\n"},
        (*DATA, JOIN),
        3,
        ("g.csv:4", "different grade for the same key as at g.csv:2 (1)", "source.join.source.where"),
    ),
    Case(
        73,
        "second file without a partner",
        {"d.jsonl": trials({}, {}), "g.csv": "key,grade\n2,a\n3,b\n"},
        (
            *DATA[:2],
            "by=[grade]",
            "source.join={source: {use: csv, path: g.csv}, on: {id: key}, columns: {grade: grade}}",
        ),
        0,
        ("source.join: rows without a match, filled with grade=null: 1",),
    ),
    Case(
        73,
        "second file with a misspelt column",
        {**GOOD, "g.csv": "key,grade\n1,a\n"},
        (*DATA, JOIN.replace("key", "kye")),
        3,
        ("g.csv: no column 'kye'", "source.join.source.columns.kye=key"),
    ),
    Case(
        74,
        "group missing in some rows",
        {"d.jsonl": trials({"model": "a"}, {}, {"model": None})},
        (*DATA, "by=[model]"),
        0,
    ),
    Case(74, "group missing in all rows", GOOD, (*DATA, "by=[modle]"), 3, ("d.jsonl", "no column 'modle'", "raw_text")),
]


@pytest.mark.parametrize("case", marked(TRIAL_DATA))
def test_bad_input(case: Case, tmp_path: Path, command: Command) -> None:
    check(case, tmp_path, command)


HOSTILE = {
    "markup": "[/b] [red]Paris[/red] :smile:",
    "escape": "Paris \x1b[2J\x1b]0;title\x07 \r gone",
    "interpolation": "Paris ${oc.env:HOME} ${seed}",
    "script": "Paris <script>alert(1)</script> ](javascript:alert(1)) <img src=x onerror=y>",
    "formula": '=HYPERLINK("http://x")\tParis',
    "override": "Paris \u202e\u200b siraP",
    "command": "::add-mask::Paris\n##vso[task.x]Paris\n::error::Paris",
    "nul": "Paris\x00",
}


def test_hostile_texts_are_data(tmp_path: Path, command: Command) -> None:
    rows = [
        {**TRIAL, "id": f"{name} {text}", "raw_text": text, "parsed_text": text, "stored": False, "group": text}
        for name, text in HOSTILE.items()
    ]
    lay(tmp_path, {"d.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    done = command(
        *DATA,
        "by=[group]",
        "report.detail=full",
        env={"FORCE_COLOR": "1", "GITHUB_ACTIONS": "true", "HOME": "/home/secret"},
    )
    assert (done.returncode, done.stderr) == (1, "")
    counts = result(tmp_path)["counts"]
    assert counts == {"read": len(HOSTILE), "audited": len(HOSTILE)}
    (report,) = tmp_path.rglob("report.md")
    for told in (re.sub(r"\x1b\[[\d;]*m", "", done.stdout), report.read_text("utf-8")):
        assert not set("\x1b\x00\r\x07\u202e\u200b") & set(told)
        assert "/home/secret" not in told
    assert not re.search(r"^\s*(::|##vso)", done.stdout, re.MULTILINE)
    assert "<U+202E>" in done.stdout + report.read_text("utf-8")
    assert "[/b]" in done.stdout
    prose = re.sub(r"!\[[^\n]*?\]\(chart-\d+\.svg\)", "", report.read_text("utf-8"))
    prose = re.sub(r"(?ms)^```+text$.*?^```+$|`+[^\n]*?`+", "", prose)
    assert not re.search(r"(?<!\\)<(script|img)|(?<!\\)\]\(", prose)


def test_group_missing_in_some_rows_is_a_cell(tmp_path: Path, command: Command) -> None:
    lay(tmp_path, {"d.jsonl": trials({"model": "a"}, {}, {"model": None})})
    done = command(*DATA, "by=[model]")
    assert done.returncode == 0
    (report,) = tmp_path.rglob("report.md")
    assert "(missing)" in report.read_text("utf-8")
