"""Checksums: they are of the very bytes that were read, or the run ends; no edit in between goes unnoticed."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from benchmarks.data.conformity import write_metadata, write_run
from running import Command

import auditfw
from auditfw.components.files import zstd
from auditfw.config.schema import load
from auditfw.core.errors import DataError
from auditfw.core.inputs import watch
from auditfw.kinds.solving import Ask

OLD, NEW = b"Paris", b"Lyons"
TRIAL = {"id": "1", "raw_text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris", "stored": True}
JUDGED = {"qid": "Paris", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}
SCENE = {"label": "Paris", "intended": {"y": 1.0}, "params": {"x": 1.0}}
TASK = {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}], "note": "Paris"}
CASE = {
    "trial": "t", "run_id": "r", "variant": "base", "condition": "control", "dataset": "facts", "item": "i",
    "ground_truth": "Paris", "raw_text": "Paris", "parsed_answer_text": "Paris", "is_correct": 1,
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("here")


def put(name: str, content: str | bytes) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def edit(path: str, old: bytes = OLD, new: bytes = NEW) -> None:
    """Changes bytes in place; size and time of modification are afterwards what they were."""
    before = os.stat(path)
    data = Path(path).read_bytes()
    with open(path, "r+b") as file:
        file.write(data.replace(old, new) if old in data else data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = os.stat(path)
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def database(path: str, log: bool = False) -> str:
    """A table of one row; with `log` the row is in the write-ahead log alone."""
    for end in ("", "-wal", "-shm"):
        Path(path + end).unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL" if log else "SELECT 1")
        db.execute("CREATE TABLE r (id TEXT, t TEXT)")
        db.execute("INSERT INTO r VALUES ('1', 'Paris')")
        db.commit()
        if log:
            kept = {end: Path(path + end).read_bytes() for end in ("", "-wal")}
    for end, data in kept.items() if log else ():
        put(path + end, data)
    return path


def conformity() -> dict[str, Any]:
    write_run(Path("runs/one"), [CASE], "r")
    write_metadata(Path("meta.json"), {"0.5": {"run_id": "r", "run_dir": "one", "status": "completed"}})
    return {"use": "conformity", "metadata": "meta.json", "runs_dir": "runs"}


def one(use: str, name: str, content: str | bytes, **more: Any) -> dict[str, Any]:
    return {"use": use, "path": put(name, content), **more}


def parquet(use: str, columns: dict[str, list[Any]]) -> dict[str, Any]:
    pl.DataFrame(columns).write_parquet("a.parquet")
    return {"use": use, "path": "a.parquet"}


def zst(data: bytes) -> bytes:
    return zstd.library().compress(data)


LINE = json.dumps(TRIAL) + "\n"
QUERY = "SELECT * FROM r"
JOIN = {"source": {"use": "csv", "path": "b.csv"}, "on": {"id": "id"}, "columns": {"grade": "grade"}}
TWO = {"a": "a.jsonl", "b": {"use": "csv", "path": "b.csv", "columns": {"id": "qid"}}}

# What a source, a scenario set, a simulator or a solver reads: how it is made, and the file that is edited.
FORMS: dict[str, tuple[str, Callable[[], dict[str, Any]], str]] = {
    "jsonl": ("source", lambda: one("jsonl", "a.jsonl", LINE), "a.jsonl"),
    "gz": ("source", lambda: one("jsonl", "a.jsonl.gz", gzip.compress(LINE.encode(), mtime=0)), "a.jsonl.gz"),
    "zst": ("source", lambda: one("jsonl", "a.jsonl.zst", zst(LINE.encode())), "a.jsonl.zst"),
    "json": ("source", lambda: one("json", "a.json", json.dumps([TRIAL])), "a.json"),
    "csv": ("source", lambda: one("csv", "a.csv", "id,t\n1,Paris\n"), "a.csv"),
    "parquet": ("source", lambda: parquet("parquet", {"id": ["1"], "t": ["Paris"]}), "a.parquet"),
    "sqlite": ("source", lambda: {"use": "sqlite", "path": database("a.db"), "query": QUERY}, "a.db"),
    "sqlite log": ("source", lambda: {"use": "sqlite", "path": database("a.db", True), "query": QUERY}, "a.db-wal"),
    "joined": (
        "source",
        lambda: put("b.csv", "id,grade\n1,Paris\n") and one("jsonl", "a.jsonl", LINE, join=JOIN),
        "b.csv",
    ),
    "conformity": ("source", conformity, "runs/one/simulation.db"),
    "metadata": ("source", conformity, "meta.json"),
    "pairs": ("source", lambda: one("pairs", "a.jsonl", json.dumps(JUDGED)), "a.jsonl"),
    "raters": (
        "source",
        lambda: (
            put("a.jsonl", '{"qid": "1", "label": "V"}')
            and put("b.csv", "qid,label\n1,Paris\n")
            and {"use": "raters", "paths": TWO}
        ),
        "b.csv",
    ),
    "arc": (
        "source",
        lambda: put("tasks/t.json", json.dumps(TASK)) and {"use": "arc", "path": "tasks"},
        "tasks/t.json",
    ),
    "solutions": (
        "source",
        lambda: (
            put("s.json", '{"t": [[[4]]], "Paris": []}')
            and one("arc", "t.json", json.dumps(TASK), solutions="s.json")
        ),
        "s.json",
    ),
    "problems": ("source", lambda: one("problems", "a.jsonl", json.dumps({"id": "Paris", **TASK})), "a.jsonl"),
    "scenarios": ("scenarios", lambda: one("jsonl", "a.jsonl", json.dumps(SCENE)), "a.jsonl"),
    "flat scenarios": (
        "scenarios",
        lambda: parquet("parquet", {"label": ["Paris"], "intended.y": [1.0], "params.x": [1.0]}),
        "a.parquet",
    ),
    "series": ("scenarios", lambda: one("series", "a.csv", "time,Paris\n0,1\n1,2\n"), "a.csv"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_an_edit_is_noticed_whatever_reads_the_file(form: str) -> None:
    kind, make, path = FORMS[form]
    part = load(kind, make())
    opened = [part.open((), None) if kind == "source" else part.open() for _ in range(2)]
    before = {found.path: found.sha256 for found in opened[0].inputs()}
    if "tasks" not in before:
        assert before[path] == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert [list(task().columns) for task in opened[0].tasks]
    opened[0].check()
    edit(path)
    for evidence in opened:  # one was read before the edit, the other was not
        for ask in (evidence.check, evidence.inputs):
            with pytest.raises(DataError, match=rf"{path}: changed during the run \(written to") as caught:
                ask()
            assert caught.value.exit_code == 3
    again = {
        found.path: found.sha256
        for found in load(kind, make()).open(*(((), None) if kind == "source" else ())).inputs()
    }
    assert (
        again == before or form == "sqlite log"
    )  # a log has random numbers; `make` wrote the first bytes again: nothing of the edit is remembered


def put_back(path: str) -> None:
    edit(path)
    edit(path, NEW, OLD)


def replaced(path: str) -> None:
    times = os.stat(path)
    put("new", Path(path).read_bytes())
    os.utime("new", ns=(times.st_atime_ns, times.st_mtime_ns))
    os.replace("new", path)


def longer(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"\n")


CHANGES: dict[str, tuple[Callable[[str], None], str]] = {
    "edited": (edit, ("a: changed during the run (written to, moved, or its permissions were changed) - run "
"again when nothing")),
    "put back": (put_back, "a: changed during the run (written to"),
    "replaced": (replaced, "a: changed during the run (another file is in its place)"),
    "longer": (longer, "a: changed during the run (5 bytes before, 6 now)"),
    "later": (os.utime, "a: changed during the run (written to)"),
    "removed": (os.remove, "a: vanished during the run - run again"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_named(change: str) -> None:
    do, message = CHANGES[change]
    watched = watch([put("a", OLD)], ["a-wal"])
    watched.check()
    assert [(found.path, found.bytes) for found in watched.inputs()] == [("a", 5)]
    do("a")
    for ask in (watched.check, watched.inputs):
        with pytest.raises(DataError) as caught:
            ask()
        assert str(caught.value).startswith(message)


def test_another_process_sums_a_file_that_was_opened_here() -> None:
    watched = watch([put("a", OLD)], ["a-wal"])
    (one,) = watched.unsummed
    assert [(part.path, part.size) for part in one.file_parts()] == [("a", 5)]
    assert one.summed().value == hashlib.sha256(Path("a").read_bytes()).hexdigest()
    replace(one, value="ab").keep()  # as another machine says: nothing is read here
    assert ([known.sha256 for known in watched.inputs()], watched.unsummed) == (["ab"], [])


@pytest.mark.parametrize(
    ("change", "line"),
    [(longer, "a: changed during the run (5 bytes before, 6 now)"), (os.remove, "a: cannot be read (No such file")],
)
def test_no_other_file_is_summed(change: Callable[[str], object], line: str) -> None:
    (one,) = watch([put("a", OLD)]).unsummed
    change("a")
    with pytest.raises(DataError) as caught:
        one.summed()
    assert str(caught.value).startswith(line)


def test_a_log_that_comes_later_is_noticed() -> None:
    watched = watch([put("a", OLD)], ["a-wal"])
    put("a-wal", NEW)
    with pytest.raises(DataError, match=r"a-wal: changed during the run - run again"):
        watched.check()


def test_many_edits_at_once_are_all_noticed() -> None:
    """No two changes have one time: a file that was written this very moment is watched from the next on."""
    for n in range(20):
        name = put(f"f{n}", OLD)
        watched = watch([name])
        edit(name)
        with pytest.raises(DataError):
            watched.check()


def test_runs_in_one_process_have_each_the_checksum_of_what_they_read() -> None:
    """Between two runs the file is edited in place: the second has the numbers and the checksum of the new bytes."""
    settings = {"experiment": "answer_parsing", "by": [], "source": one("jsonl", "a.jsonl", LINE), "gate": []}
    for expected in (0.0, 100.0):
        result = auditfw.run(settings)
        assert result.inputs[0].sha256 == hashlib.sha256(Path("a.jsonl").read_bytes()).hexdigest()
        assert result.measurement("error_rate", "answer_v2+v2").estimate.value == expected
        edit("a.jsonl", b'"raw_text": "Paris"', b'"raw_text": "Lyons"')


def simulate(params: dict[str, float]) -> dict[str, float]:
    edit(os.environ["EDITED"])  # it runs in a folder of its own
    return {"y": params["x"]}


def solve(ask: Ask) -> list[Any]:
    edit("a.jsonl")
    return [[[2]], [[4]]]


AUDITS: dict[str, Callable[[], dict[str, Any]]] = {
    "scenarios": lambda: {
        "experiment": "posiwid", "scenarios": one("jsonl", "a.jsonl", json.dumps(SCENE)),
        "simulator": {"use": "python", "function": simulate},
    },
    "outcomes": lambda: {
        "experiment": "posiwid", "scenarios": {"use": "inline", "rows": [SCENE]},
        "simulator": {"use": "table", "path": put("a.jsonl", '{"label": "Paris", "actual": {"y": 1}}')},
    },
    "problems": lambda: {
        "experiment": "self_audit", "source": one("problems", "a.jsonl", json.dumps({"id": "Paris", **TASK})),
        "solver": {"use": "python", "function": solve},
    },
    "attempts": lambda: {
        "experiment": "self_audit", "source": {"use": "frame", "frame": [{"id": "Paris", **TASK}]},
        "solver": {"use": "replay", "path": put("a.jsonl", '{"problem": "Paris", "attempts": [[[2]], [[3]]]}')},
        "stop": {"max_iterations": 1},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", AUDITS)
def test_an_edit_while_the_audit_works_ends_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITED", str(Path("a.jsonl").absolute()))
    settings = AUDITS[name]() | {"engine": {"workers": 1}, "gate": [], "by": []}
    if name in ("outcomes", "attempts"):  # edited when the first answer has been looked up
        part = load(
            "simulator" if name == "outcomes" else "solver", settings["simulator" if name == "outcomes" else "solver"]
        )
        answer = type(part).__call__

        def edited(*words: Any) -> Any:
            found = answer(*words)
            edit("a.jsonl")
            return found

        monkeypatch.setattr(type(part), "__call__", edited)
    with pytest.raises(DataError, match=r"a\.jsonl: changed during the run"):
        auditfw.run(settings)


PLUGIN = """import os
from dataclasses import dataclass
from auditfw.kinds.registry import register

@register("step", "editing")
@dataclass(frozen=True)
class Editing:
    \"\"\"Edits the file that is being audited.\"\"\"

    def __call__(self, text):
        before = os.stat("d.jsonl")
        with open("d.jsonl", "r+b") as file:
            data = file.read().replace(b"Paris", b"Lyons")
            file.seek(0)
            file.write(data)
        os.utime("d.jsonl", ns=(before.st_atime_ns, before.st_mtime_ns))
        return text
"""


def test_the_command_ends_with_3(command: Command) -> None:
    put("plugins/editing.py", PLUGIN)
    put("conf/parser/mine.yaml", "# @package audit.parsers.mine\ndefaults: [steps@_here_, _self_]\nsteps: [editing]\n")
    put("d.jsonl", "".join(LINE.replace('"1"', f'"{n}"') for n in range(3_000)))
    words = ("parser=[mine]", "source=jsonl", "source.path=d.jsonl", "by=[]", "report=[json]")
    done = command(*words, "engine.workers=2")
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("auditfw: error: d.jsonl: changed during the run")
    assert not list(Path("outputs").glob("parsing/*/*/result.json"))
