"""Bad inputs at the real command: one line that says where, what and what to do, and the documented exit code.

The numbers are those of the catalogue of bad inputs the command was built against: 1-37 configuration and command
line, 38-74 trial data of any source, 75-92 file formats.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Command

Content = str | bytes | Callable[[Path], None]

PLAIN = ("by=[]", "report=[console,markdown,junit]")  # without the page, which takes a second to draw
DATA = ("source=jsonl", "source.path=d.jsonl", *PLAIN)
TABLE = ("source=csv", "source.path=d.csv", *PLAIN)
SQL = ("source=sqlite", "source.path=d.db", *PLAIN)
MINE = ("parser=[mine]", *DATA)
OWN = ("experiment=mine", *DATA)
TRIAL = {"id": "1", "raw_text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris", "stored": True}
HEADER = "id,raw_text,parsed_text,ground_truth,stored"


def trials(*changes: dict[str, Any]) -> str:
    """JSON Lines: one sound trial for each mapping, with its changes."""
    rows = [{**TRIAL, "id": str(i), **change} for i, change in enumerate(changes, 1)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def experiment(text: str) -> dict[str, Content]:
    """An experiment of the user's own, in the user's own conf/, and a sound trial."""
    head = "# @package _global_\ndefaults:\n  - answer_parsing\n  - _self_\n"
    return {"conf/experiment/mine.yaml": head + text, **GOOD}


def parser(steps: str) -> dict[str, Content]:
    """A parser of the user's own, and a sound trial."""
    head = "# @package audit.parsers.mine\ndefaults: [steps@_here_, _self_]\nsteps:\n"
    return {"conf/parser/mine.yaml": head + steps, **GOOD}


def plugin(body: str, text: str = "Paris") -> dict[str, Content]:
    """A step of the user's own with this body, a parser that uses it, and two trials, of which one says Rome."""
    code = IMPORTS + '@register("step", "own")\n@dataclass(frozen=True)\nclass Own:\n    """A step of ours."""\n\n'
    code += f"    def __call__(self, text):\n        {body}\n"
    return {**parser("  - own\n"), "plugins/own.py": code, "d.jsonl": trials({}, {"raw_text": "Rome", "stored": False})}


def database(*statements: str, then: Callable[[Path], None] = lambda path: None) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            for statement in statements or (TRIALS_TABLE, ONE_ROW):
                db.execute(statement)
            db.commit()
        then(path)

    return make


def copied_without_log(path: Path) -> None:
    """Leaves a database in WAL mode whose log holds the rows, without that log."""
    with closing(sqlite3.connect(path.with_name("whole.db"))) as db:
        for statement in ("PRAGMA journal_mode=WAL", TRIALS_TABLE, ONE_ROW):
            db.execute(statement)
        db.commit()
        db.execute("PRAGMA wal_checkpoint")
        db.execute(ONE_ROW.replace("'1'", "'2'"))
        db.commit()
        path.write_bytes(path.with_name("whole.db").read_bytes())


def parquet(**columns: list[Any]) -> Callable[[Path], None]:
    return lambda path: pl.DataFrame(columns).write_parquet(path)


IMPORTS = "from dataclasses import dataclass\nfrom auditfw.kinds.registry import register\n\n"
TRIALS_TABLE = "CREATE TABLE t (id TEXT, raw_text TEXT, parsed_text TEXT, ground_truth TEXT, stored)"
ONE_ROW = "INSERT INTO t VALUES ('1', 'Paris', 'Paris', 'Paris', 1)"
JOIN = "source.join={source: {use: csv, path: g.csv}, on: {id: key}, columns: {grade: grade}}"
NAN, INF = float("nan"), float("inf")
HUGE = trials({}, {"stored": "1e999"}).replace('"1e999"', "1e999")
LOOKALIKES = ("007", "1e5", "TRUE", "-0", "1,000", "0x1F", "12:30", "NA", "1_000")
ALL_AGREE = "+gates.agree={use: bound, metric: flips, max: 0}"
GOOD: dict[str, Content] = {"d.jsonl": trials({})}
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)
MERGES = "m0: &m0 {k0: 0}\n" + "".join(f"m{i}: &m{i}\n  <<: [*m{i - 1}, *m{i - 1}]\n" for i in range(1, 22))


@dataclass(frozen=True)
class Case:
    """One row of the catalogue: what lies in the folder, what is typed, the exit code, and words of the first error.

    For a run that ends well the words stand in its warnings instead, and the absent ones do not.
    """

    row: int
    what: str
    files: Mapping[str, Content]
    argv: tuple[str, ...]
    code: int
    words: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.row}-{self.what}".replace(" ", "-")


CONFIGURATION = [
    Case(1, "misspelt key", GOOD, ("gatez.kappa=0.8", *DATA), 2, ("gatez", "no such key", "did you mean 'gates'")),
    Case(1, "misspelt group", GOOD, ("paser=x", *DATA), 2, ("paser", "no such key", "did you mean 'parser'")),
    Case(1, "misspelt group added", GOOD, ("+metrc=[n]", *DATA), 2, ("metrc", "unknown", "did you mean 'metric'")),
    Case(1, "misspelt group deleted", GOOD, ("~matchr", *DATA), 2, ("~matchr", "no such key", "mean 'matcher'")),
    Case(
        1,
        "settings below a group",
        GOOD,
        (*DATA, "parser.stored.column=raw_text"),
        2,
        ("parser", "no such key", "audit.parsers.NAME"),
    ),
    Case(
        1, "setting of what is not set", GOOD, (*DATA, "source.join.on={a: b}"), 2, ("source.join.on", "'source.join={")
    ),
    Case(1, "misspelt setting", GOOD, (*DATA, "source.colums={}"), 2, ("source.colums", "did you mean 'columns'")),
    Case(
        1,
        "misspelt setting in an experiment",
        experiment("audit: {undefinde: drop}\n"),
        OWN,
        2,
        ("audit.undefinde", "did you mean 'undefined'"),
    ),
    Case(2, "unknown option", GOOD, ("parser=answer_v9", *DATA), 2, ("parser", "answer_v9", "did you mean 'answer_v")),
    Case(
        2, "unknown option in a list", GOOD, ("parser=[raw,zzz]", *DATA), 2, ("parser", "zzz", "known: ", "last_line")
    ),
    Case(2, "unknown verb", {}, ("chek",), 2, ("chek", "did you mean 'check'")),
    Case(2, "unknown flag", {}, ("--mutlirun",), 2, ("--mutlirun", "did you mean '--multirun'")),
    Case(
        3,
        "unknown component in a list",
        parser("  - strip\n  - aftr_last\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps[1]", "no step named 'aftr_last'", "did you mean 'after_last'"),
    ),
    Case(
        3,
        "unknown component below a variant",
        {"conf/parser/mine.yaml": "# @package audit.parsers.mine\n# Mine.\ndefaults: [stesp@_here_, _self_]\n"},
        ("list",),
        2,
        ("mine.yaml", "no parser named 'stesp'", "did you mean 'steps'"),
    ),
    Case(4, "tab", experiment("audit:\n\tundefined: drop\n"), OWN, 2, ("mine.yaml:6:1", "a tab")),
    Case(5, "duplicate key", experiment("seed: 1\nby: []\nseed: 2\n"), OWN, 2, ("mine.yaml:7", "'seed'", "line 5")),
    Case(
        6,
        "backspace in a pattern",
        parser('  - {use: capture, pattern: "\\b(a)\\b"}\n'),
        MINE,
        2,
        ("mine.yaml:4", "control character", "single quotes"),
    ),
    Case(
        6,
        "backspace in a pattern on the command line",
        parser("  - {use: capture, pattern: (a)}\n"),
        (*MINE, "audit.parsers.mine.steps=[{use: capture, pattern: '(\x08a)'}]"),
        2,
        ("audit.parsers.mine.steps", "control character"),
    ),
    Case(
        7,
        "unknown escape",
        parser('  - {use: capture, pattern: "(\\d+)"}\n'),
        MINE,
        2,
        ("mine.yaml:4", "unknown escape", "single quotes"),
    ),
    Case(
        8,
        "pattern that is a list",
        parser("  - use: capture\n    pattern: [A-D]\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps[0].pattern", "expected text", "list", "quote it"),
    ),
    Case(
        9,
        "pattern with a colon",
        parser("  - use: capture\n    pattern: Answer: (.*)\n"),
        MINE,
        2,
        ("mine.yaml:5", "mapping values", "quote"),
    ),
    Case(
        10,
        "interpolation in a pattern",
        parser("  - {use: capture, pattern: '(a${2})'}\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps", "[$]{"),
    ),
    Case(
        10,
        "escaped interpolation in a pattern",
        parser("  - {use: capture, pattern: '(\\${x})'}\n"),
        MINE,
        2,
        ("mine.yaml:4", "backslash", "[$]{"),
    ),
    Case(
        11,
        "YES for a label",
        experiment("audit: {stored_true: [YES, 'y']}\n"),
        OWN,
        2,
        ("audit.stored_true[0]", "expected text", "True", "quote it"),
    ),
    Case(
        12, "octal for text", experiment("audit: {delimiter: 0777}\n"), OWN, 2, ("audit.delimiter", "511", "quote it")
    ),
    Case(12, "text for a number", GOOD, (*DATA, "seed=one"), 2, ("seed", "expected a whole number", "one")),
    Case(
        13,
        "bound beyond numbers",
        GOOD,
        (*DATA, "gates.baseline_reproduces.max=1e400"),
        2,
        ("gates.baseline_reproduces.max", "finite", "inf"),
    ),
    Case(
        15,
        "gate on an unknown metric",
        GOOD,
        (*DATA, "+gates.mine={use: bound, metric: flps, max: 0}"),
        2,
        ("gates.mine.metric", "'flps'", "did you mean 'flips'"),
    ),
    Case(
        15,
        "gate on an unknown reading",
        GOOD,
        (*DATA, "+gates.mine={use: bound, metric: flips, max: 0, reading: stored+v3}"),
        2,
        ("gates.mine.reading", "'stored+v3'", "did you mean 'stored+v"),
    ),
    Case(
        16,
        "code in a rule",
        experiment("""gates: {mine: {use: rule, where: '"flips@stored+v2" >= 0 and __import__(1)'}}\n"""),
        OWN,
        2,
        ("gates.mine.where", "not a SQL condition", "__import__"),
    ),
    Case(17, "no gate", GOOD, ("gate=[]", *DATA), 0),
    Case(
        18,
        "bounds nothing can meet",
        GOOD,
        (*DATA, "gates.baseline_reproduces.min=1"),
        2,
        ("gates.baseline_reproduces.min", "above max"),
    ),
    Case(
        18,
        "two gates nothing can meet",
        GOOD,
        (*DATA, "+gates.few={use: bound, metric: flips, max: 3}", "+gates.many={use: bound, metric: flips, min: 5}"),
        1,
        ("gates few and many cannot both pass: flips <= 3 and >= 5",),
    ),
    Case(
        18,
        "a gate on every reading and one on one",
        GOOD,
        (
            *DATA,
            "+gates.few={use: bound, metric: n, min: 1, max: 3}",
            "+gates.many={use: bound, metric: n, min: 5, reading: stored+v1}",
        ),
        1,
        ("gates few and many cannot both pass: n@stored+v1 in [1, 3] and >= 5",),
    ),
    Case(
        18,
        "two gates on different numbers",
        GOOD,
        (
            *DATA,
            "+gates.few={use: bound, metric: n, max: 3, reading: stored+v1}",
            "+gates.many={use: bound, metric: n, min: 5, reading: stored}",
        ),
        1,
        absent=("cannot both pass",),
    ),
    Case(19, "alias bomb", experiment(LAUGHS), OWN, 2, ("mine.yaml", "expands to more than 100,000 nodes")),
    Case(20, "merge bomb", experiment(MERGES), OWN, 2, ("mine.yaml", "expands to more than 100,000 nodes")),
    Case(
        21, "deep nesting", experiment("x: " + "[" * 3000 + "]" * 3000 + "\n"), OWN, 2, ("mine.yaml", "nested deeper")
    ),
    Case(
        22,
        "tag of an object",
        experiment("x: !!python/object/apply:os.system [touch pwned]\n"),
        OWN,
        2,
        ("mine.yaml:5", "tag", "python/object/apply"),
    ),
    Case(
        23,
        "target in a file",
        experiment("audit: {_target_: os.system}\n"),
        OWN,
        2,
        ("mine.yaml:5", "_target_ is not supported", "os.system", "register"),
    ),
    Case(
        23,
        "target on the command line",
        GOOD,
        (*DATA, "+source._target_=os.system"),
        2,
        ("source._target_", "_target_ is not supported", "register"),
    ),
    Case(
        24,
        "secret from the environment in safe mode",
        GOOD,
        (*DATA, "audit.delimiter=${oc.env:AUDIT_KEY}"),
        2,
        ("audit.delimiter", "${oc.env:AUDIT_KEY}", "AUDITFW_SAFE"),
        {"AUDITFW_SAFE": "1", "AUDIT_KEY": "hush"},
    ),
    Case(25, "circle", experiment("seed: ${objective}\nobjective: ${seed}\n"), OWN, 2, ("seed", "circle")),
    Case(
        25, "interpolation of nothing", GOOD, (*DATA, "audit.delimiter=${nowhere}"), 2, ("audit.delimiter", "nowhere")
    ),
    Case(26, "missing settings", GOOD, (*DATA, "gate=[bound,rule]"), 2, ("gates.bound.metric", "not given")),
    Case(
        27,
        "sweep by accident",
        GOOD,
        ("check", "-m", *DATA, "seed=range(0,10000)", "source.limit=range(1,10001)"),
        2,
        ("check -m", "a sweep of 100,000,000 jobs", "narrow it"),
    ),
    Case(29, "several values without a sweep", GOOD, ("parser=raw,stored", *DATA), 2, ("parser=[raw,stored]", "-m")),
    Case(30, "pattern unquoted", GOOD, (*DATA, "audit.delimiter=(a|b)+"), 2, ("audit.delimiter=(a|b)+", "quote")),
    Case(31, "run folder that climbs", GOOD, (*DATA, "hydra.run.dir=x/../../y"), 2, ("hydra.run.dir", "'..'")),
    Case(32, "run folder too long", GOOD, (*DATA, f"hydra.run.dir={'x' * 300}"), 4, ("xxx", "errno 36")),
    Case(
        33,
        "run folder used",
        {**GOOD, "r/attempts.jsonl": "{}\n"},
        (*DATA, "hydra.run.dir=r"),
        2,
        ("hydra.run.dir", "holds a run", "(r)"),
    ),
    Case(34, "run folder under a file", GOOD, (*DATA, "hydra.run.dir=d.jsonl/r"), 4, ("d.jsonl/r", "errno 20")),
    Case(
        35,
        "entry behind an override",
        {"conf/experiment/mine.yaml": "# @package _global_\ndefaults: [override /gate: [], /source: csv]\n"},
        ("experiment=mine",),
        2,
        ("defaults", "behind an override", "overrides last"),
    ),
    Case(35, "UTF-16", {"conf/experiment/mine.yaml": "seed: 1\n".encode("utf-16")}, OWN, 2, ("mine.yaml", "UTF-16")),
    Case(35, "not UTF-8", {"conf/experiment/mine.yaml": b"seed: \xff\n"}, OWN, 2, ("mine.yaml", "not UTF-8 at byte 6")),
    Case(35, "empty config", {"conf/experiment/mine.yaml": ""}, ("experiment=mine",), 2, ("# @package _global_",)),
    Case(
        35,
        "parser without its header",
        {"conf/parser/mine.yaml": "use: steps\n", **GOOD},
        ("parser=[raw,mine]", *DATA),
        2,
        ("parser", "wrong place", "conf/parser/", "# @package audit.parsers.NAME"),
    ),
    Case(
        35,
        "list of what cannot be read",
        {"conf/experiment/mine.yaml": b"# \xff\n"},
        ("list",),
        2,
        ("mine.yaml", "UTF-8"),
    ),
    Case(
        35,
        "list of what is no file",
        {"conf/experiment/mine.yaml": os.mkfifo},
        ("list",),
        2,
        ("mine.yaml", "not a file"),
    ),
    Case(35, "config that is a folder", {"conf/experiment/mine.yaml/x": ""}, OWN, 2, ("mine.yaml", "not a file")),
    Case(
        35, "config that is a fifo", {"conf/parser/mine.yaml": os.mkfifo, **GOOD}, MINE, 2, ("mine.yaml", "not a file")
    ),
    Case(35, "config that is a list", {"conf/experiment/mine.yaml": "- 1\n"}, OWN, 2, ("mine.yaml", "mapping", "list")),
    Case(35, "byte-order mark", {k: b"\xef\xbb\xbf" + str(v).encode() for k, v in experiment("").items()}, OWN, 0),
    Case(
        36,
        "plugin that raises",
        {"plugins/mine.py": "import nowhere_to_be_found\n"},
        ("list",),
        2,
        ("plugins/mine.py", "cannot be imported", "nowhere_to_be_found"),
    ),
    Case(
        36,
        "component that is no dataclass",
        {"plugins/mine.py": IMPORTS + "@register('step', 'mine')\nclass Mine:\n    'A step.'\n"},
        ("list",),
        2,
        ("mine.Mine", "a dataclass", "below @register"),
    ),
    Case(36, "plugin that exits", {"plugins/mine.py": "raise SystemExit(0)\n"}, ("list",), 2, ("plugins/mine.py",)),
    Case(
        36,
        "parser of a plugin without a column",
        {
            "plugins/mine.py": IMPORTS + "@register('parser', 'mine')\n@dataclass\n"
            'class Mine:\n    """A parser."""\n    only_with = None\n    def __call__(self, text): return ""\n'
        },
        ("list",),
        2,
        ("mine.Mine", "a parser needs column", "auditfw.kinds"),
    ),
    Case(
        36,
        "plugin with a taken name",
        {
            "plugins/mine.py": IMPORTS + "@register('step', 'strip')\n@dataclass\n"
            'class Mine:\n    """A step."""\n    def __call__(self, text): return ""\n'
        },
        ("list",),
        2,
        ("mine.Mine", "the step 'strip' is taken", "another name"),
    ),
]

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
            " damaged, mend them or leave them out with audit.unknown_stored=count; else say which they are",
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
        ("normalise to nothing: 2 under v1, 2 under v2", "audit.undefined=zero"),
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
        {**parser("  - {use: capture, pattern: '(\\s+)$'}\n"), "d.jsonl": trials({"raw_text": " " * 20_000 + "x"}, {})},
        (*MINE, "audit.max_error_rate=1"),
        0,
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
    Case(61, "step that gives a number", plugin("return len(text)"), MINE, 4, ("must give text, not int",)),
    Case(61, "step that gives nothing", plugin("return None"), MINE, 4, ("must give text, not NoneType",)),
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
        ("e.jsonl:1", "'1' stands twice", "first at d.jsonl:1", "source.duplicates"),
    ),
    Case(
        73,
        "second file that disagrees with itself",
        {**GOOD, "g.csv": "key,grade\n1,a\n1,a\n1,b\n"},
        (*DATA, JOIN),
        3,
        ("g.csv:4", "another grade for the same key than at g.csv:2 (1)", "source.join.source.where"),
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
        ("source.join: rows without a partner, with grade=null: 1",),
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

FORMATS = [
    Case(
        75,
        "last line cut off",
        {"d.jsonl": trials({}, {})[:-9]},
        DATA,
        3,
        ("d.jsonl:2", "cut off", "tolerate_torn_tail"),
    ),
    Case(75, "cut-off line allowed", {"d.jsonl": trials({}, {})[:-9]}, (*DATA, "source.tolerate_torn_tail=true"), 0),
    Case(
        76,
        "blank lines CRLF and a byte-order mark",
        {"d.jsonl": b"\xef\xbb\xbf" + trials({}, {}).replace("\n", "\r\n\r\n").encode()},
        DATA,
        0,
    ),
    Case(
        76,
        "CRLF and a byte-order mark in CSV",
        {"d.csv": f"\ufeff{HEADER}\r\n1,Paris,Paris,Paris,1\r\n\r\n2,Paris,Paris,Paris,1\r\n"},
        TABLE,
        0,
    ),
    Case(76, "trailing comma", {"d.jsonl": '{"id": 1,}\n'}, DATA, 3, ("d.jsonl:1:", "trailing comma")),
    Case(76, "comment", {"d.jsonl": trials({}) + "# more\n"}, DATA, 3, ("d.jsonl:2:1", "comments are not JSON")),
    Case(
        77,
        "line separator in a text",
        {"d.jsonl": trials({"raw_text": "Pa\u2028ris"}).replace("\\u2028", "\u2028")},
        DATA,
        0,
    ),
    Case(78, "key twice", {"d.jsonl": '{"id": 1, "id": 2}\n'}, DATA, 3, ("d.jsonl:1", "twice", "'id'")),
    Case(79, "NaN nobody reads", {"d.jsonl": trials({"x": NAN, "y": -INF}, {})}, DATA, 0, (), absent=("NaN", "null")),
    Case(79, "NaN in a field", {"d.jsonl": trials({"stored": NAN}, {})}, DATA, 0, ("stored: NaN", "null", "d.jsonl:1")),
    Case(79, "1e999 in a field", {"d.jsonl": HUGE}, DATA, 3, ("d.jsonl:2", "1e999", "null")),
    Case(79, "1e999 nobody reads", {"d.jsonl": HUGE.replace("stored", "x")}, DATA, 0),
    Case(80, "long ids", {"d.jsonl": trials({"id": 10**29}, {"id": 10**29 + 1})}, DATA, 0),
    Case(80, "long ids twice", {"d.jsonl": trials({"id": 10**29}, {"id": str(10**29)})}, DATA, 3, (f"'1{'0' * 29}'",)),
    Case(
        81,
        "half a surrogate",
        {"d.jsonl": trials({"raw_text": "Paris \ud800"})},
        DATA,
        0,
        ("d.jsonl", "U+FFFD", "line 1"),
    ),
    Case(
        82,
        "deep JSON",
        {"d.jsonl": '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}\n"},
        DATA,
        3,
        ("d.jsonl:1", "too deep"),
    ),
    Case(82, "endless number", {"d.jsonl": f'{{"id": {"9" * 5000}}}\n'}, DATA, 3, ("d.jsonl:1", "too many digits")),
    Case(
        83,
        "list in place of lines",
        {"d.jsonl": "[\n" + trials({}) + "]"},
        DATA,
        3,
        ("d.jsonl", "array", "source=json"),
    ),
    Case(
        83,
        "lines in place of a list",
        {"d.jsonl": trials({}, {})},
        ("source=json", *DATA[1:]),
        3,
        ("d.jsonl", "one JSON object a line", "source=jsonl"),
    ),
    Case(83, "gzip unnamed", {"d.jsonl": gzip.compress(b"{}")}, DATA, 3, ("d.jsonl", "gzip", "d.jsonl.gz")),
    Case(84, "ids of mixed types", {"d.jsonl": trials({"id": 1}, {"id": "1"})}, DATA, 3, ("d.jsonl:2", "'1'")),
    Case(
        85, "ragged row", {"d.csv": f'{HEADER}\n1,"a\nb",a,a,1\n2,a,a\n'}, TABLE, 3, ("d.csv:4", "5 fields", "found 3")
    ),
    Case(85, "wrong quotes", {"d.csv": f'{HEADER}\n1,"a"b,a,a,1\n'}, TABLE, 3, ("d.csv:2", "quoting", "source.quote")),
    Case(85, "semicolons", {"d.csv": HEADER.replace(",", ";") + "\n"}, TABLE, 3, ("d.csv", "source.delimiter=';'")),
    Case(85, "column twice", {"d.csv": f"{HEADER},id\n"}, TABLE, 3, ("d.csv:1", "twice", "id")),
    Case(85, "line ends in cells", {"d.csv": f'{HEADER}\n1,"Paris\nis it","Paris",Paris,1\n'}, TABLE, 0),
    Case(
        92,
        "missing column",
        {"d.parquet": parquet(id=["1"], raw=["a"], gold=["a"], nested=[{"a": 1}])},
        ("source=parquet", "source.path=d.parquet", "by=[]", "source.columns.raw_text=raw"),
        3,
        ("d.parquet", "no column 'ground_truth'", "found: id, raw, gold, nested", "source.columns.ground_truth="),
    ),
    Case(
        92,
        "missing mapped column",
        {"d.parquet": parquet(id=["1"], raw_text=["a"], gold=[{"text": "a"}])},
        ("source=parquet", "source.path=d.parquet", "by=[]", "source.columns={ground_truth: gold.txt}"),
        3,
        ("source.columns.ground_truth", "'gold.txt'", "d.parquet"),
    ),
    Case(
        92,
        "nested column",
        {"d.parquet": parquet(id=["1"], raw_text=["a"], gold=[{"text": "a"}])},
        ("source=parquet", "source.path=d.parquet", "by=[]", "source.columns={ground_truth: gold.text}"),
        0,
        ("no column 'stored'",),
    ),
    Case(
        92,
        "text as Parquet",
        {"d.jsonl": trials({})},
        ("source=parquet", *DATA[1:]),
        3,
        ("d.jsonl", "not a Parquet file"),
    ),
]

CASES = [*CONFIGURATION, *TRIAL_DATA, *FORMATS]


def lay(folder: Path, files: Mapping[str, Content]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str | bytes):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        else:
            content(path)


def result(folder: Path) -> dict[str, Any]:
    (found,) = folder.rglob("result.json")
    told: dict[str, Any] = json.loads(found.read_text("utf-8"))
    assert sum(told["counts"].values()) == 2 * told["counts"]["read"]
    return told


FIRST = {case.row: case for case in reversed(CASES)}
WAITING = (54, 55, 57, 58)  # rows whose cases wait for a deadline or read long texts
QUICK = [case for case in FIRST.values() if case.row not in WAITING and case.row % 2]
"""Of every other row of the catalogue the first case; all others are slow."""
MARKED = [pytest.param(case, id=str(case), marks=[] if case in QUICK else [pytest.mark.slow]) for case in CASES]


@pytest.mark.parametrize("case", MARKED)
def test_bad_input(case: Case, tmp_path: Path, command: Command) -> None:
    lay(tmp_path, case.files)
    before = set(tmp_path.iterdir())
    done = command(*case.argv, env=dict(case.env))
    said = done.stderr.splitlines()
    assert done.returncode == case.code, done.stderr
    assert [line for line in said if not line.startswith("auditfw: error: ")] == []
    left = {path.name for path in set(tmp_path.iterdir()) - before}
    assert left <= {"outputs", *(word.partition("=")[2] for word in case.argv)}
    assert [path for path in tmp_path.rglob(".*") if path.is_file() or path.name == ".parts"] == []
    if case.code in (0, 1):
        warnings = "\n".join(result(tmp_path)["warnings"])
        assert [word for word in case.words if word not in warnings] == [], warnings
        assert [word for word in case.absent if word in warnings] == [], warnings
        assert said == []
    else:
        assert [word for word in case.words if word not in said[0]] == [], said
    if case.code in (2, 3):
        assert list(tmp_path.rglob("result.json")) == []
        assert done.stdout == ""


def test_all_that_is_missing_is_told_at_once(tmp_path: Path, command: Command) -> None:
    lay(tmp_path, GOOD)
    said = command(*DATA, "gate=[bound,rule]", "seed=one").stderr
    assert re.findall("error: ([a-z.]+):", said) == ["gates.bound.metric", "gates.rule.where", "seed"]


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
    done = command(*DATA, "by=[group]", env={"FORCE_COLOR": "1", "GITHUB_ACTIONS": "true", "HOME": "/home/secret"})
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
    prose = re.sub(r"(?ms)^```+text$.*?^```+$|`+[^\n]*?`+", "", report.read_text("utf-8"))
    assert not re.search(r"(?<!\\)<(script|img)|(?<!\\)\]\(", prose)


def test_group_missing_in_some_rows_is_a_cell(tmp_path: Path, command: Command) -> None:
    lay(tmp_path, {"d.jsonl": trials({"model": "a"}, {}, {"model": None})})
    done = command(*DATA, "by=[model]")
    assert done.returncode == 0
    (report,) = tmp_path.rglob("report.md")
    assert "(missing)" in report.read_text("utf-8")


def test_secrets_are_not_saved(tmp_path: Path, command: Command) -> None:
    """A setting that holds a path may read the environment, whose value nothing shows; no other setting may."""
    lay(tmp_path, {"hush-hush.jsonl": GOOD["d.jsonl"]})
    words = ("report=[console,json,markdown,junit,html,sarif]", "source.path=${oc.env:AUDIT_KEY}.jsonl")
    done = command(*DATA, *words, "hydra.run.dir=run", env={"AUDIT_KEY": "hush-hush"})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["inputs"][0]["path"] == "[masked].jsonl"
    gone = command(*DATA, *words, env={"AUDIT_KEY": "no-such-thing"})
    labels = "audit.stored_true=['1','True','${oc.env:AUDIT_KEY}']"
    refused = command(*DATA, labels, "hydra.run.dir=other", env={"AUDIT_KEY": "hush-hush"})
    assert (gone.returncode, refused.returncode, (tmp_path / "other").exists()) == (3, 2, False)
    assert "audit.stored_true[2]: ${oc.env:AUDIT_KEY}: only settings that hold a path or a key" in refused.stderr
    assert "hush-hush" not in done.stdout + done.stderr + refused.stderr
    assert "no-such-thing" not in gone.stdout + gone.stderr
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(files) > 8
    assert not any(b"hush-hush" in path.read_bytes() for path in files)
