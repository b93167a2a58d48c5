"""Bad inputs at the real command: one line that says where, what and what to do, and the documented exit code.

The numbers are those of the catalogue of bad inputs the command was built against: 1-37 configuration and command
line, 38-74 trial data of any source, 75-92 file formats.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import Command

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


WAITING = (54, 55, 57, 58)  # rows whose cases wait for a deadline or read long texts


def marked(cases: Sequence[Case]) -> list[Any]:
    """Of every other row of the catalogue the first case; all others are slow."""
    first = {case.row: case for case in reversed(cases)}
    quick = [case for case in first.values() if case.row not in WAITING and case.row % 2]
    return [pytest.param(case, id=str(case), marks=[] if case in quick else [pytest.mark.slow]) for case in cases]


def check(case: Case, folder: Path, command: Command) -> None:
    """Types what the case says, in a folder with its files, and compares."""
    lay(folder, case.files)
    before = set(folder.iterdir())
    done = command(*case.argv, env=dict(case.env))
    said = done.stderr.splitlines()
    assert done.returncode == case.code, done.stderr
    assert [line for line in said if not line.startswith("auditfw: error: ")] == []
    left = {path.name for path in set(folder.iterdir()) - before}
    assert left <= {"outputs", *(word.partition("=")[2] for word in case.argv)}
    assert [path for path in folder.rglob(".*") if path.is_file() or path.name == ".parts"] == []
    if case.code in (0, 1):
        warnings = "\n".join(result(folder)["warnings"])
        assert [word for word in case.words if word not in warnings] == [], warnings
        assert [word for word in case.absent if word in warnings] == [], warnings
        assert said == []
    else:
        assert [word for word in case.words if word not in said[0]] == [], said
    if case.code in (2, 3):
        assert list(folder.rglob("result.json")) == []
        assert done.stdout == ""
