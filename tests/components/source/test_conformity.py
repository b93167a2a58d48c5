"""Conformity runs: trials of databases and their metadata."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.data.conformity import write_metadata, write_run
from files_read import database, put, read, refused

from auditfw.components.source.conformity import Conformity
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError

pytestmark = pytest.mark.usefixtures("here")


def trial(name: str, truth: str | None = "Paris", label: int | None = 1, **more: Any) -> dict[str, Any]:
    row = {
        "trial": name,
        "run_id": "r",
        "variant": "base",
        "condition": "control",
        "dataset": "facts",
        "item": f"i-{truth}",
    }
    return {
        **row,
        "ground_truth": truth,
        "raw_text": f"raw {name}",
        "parsed_answer_text": f"p {name}",
        "is_correct": label,
        **more,
    }


def runs(rows: list[dict[str, Any]], **experiments: Any) -> Conformity:
    write_run(Path("runs/one"), rows, "r")
    entries = experiments or {"0.5": {"run_id": "r", "run_dir": "one", "status": "completed"}}
    write_metadata(Path("meta.json"), entries)
    return Conformity(metadata="meta.json", runs_dir="runs")


def test_conformity_rows() -> None:
    source = runs([trial("a", question="Where?"), trial("b", None, None, variant="think"), trial("c", "", 0)])
    rows, tally = read(source, "ground_truth", "raw_text", "temperature")
    assert rows[0] == {
        "id": "a-0", "ground_truth": "Paris", "raw_text": "raw a", "temperature": 0.5, "trial_id": "a",
        "variant": "base", "condition": "control", "dataset": "facts", "item_id": "i-Paris", "item": "i-Paris",
        "model_id": "models/base",
        "question": "Where?", "parsed_text": "p a", "stored": 1, "refusal": 0,
    }  # fmt: skip
    assert [(row["ground_truth"], row["raw_text"], row["stored"]) for row in rows[1:]] == [
        (None, None, None),
        ("", "raw c", 0),
    ]
    assert [entry.path for entry in tally["evidence"].inputs()] == ["meta.json", "runs/one/simulation.db"]
    assert tally["evidence"].warnings == (
        "condition 'asch_history_5' of source.conditions is in no run",
        "condition 'authoritative_bias' of source.conditions is in no run",
    )
    assert read(source, "raw_text", optional=("stored",))[0][0] == {"id": "a-0", "raw_text": "raw a", "stored": 1}


def test_conformity_leaves_out_and_says_so() -> None:
    source = runs(
        [
            trial("a"),
            trial("b", condition="other"),
            trial("c", run_id="elsewhere"),
            trial("d", condition="asch_history_5"),
        ]
    )
    rows, tally = read(source, "condition")
    assert [row["id"] for row in rows] == ["a-0", "d-3"]
    warnings = tally["evidence"].warnings
    assert warnings[0] == "runs/one/simulation.db: 1 trial of other runs than 'r' left out"
    assert "condition 'other' left out: 1 trial (source.conditions)" in warnings


def test_conformity_runs_in_order_of_temperature() -> None:
    entries = {key: {"run_id": "r", "run_dir": "one", "status": "completed"} for key in ("1", "0.25")}
    source = runs([trial("a")], **entries, **{"0": {"run_id": "r", "run_dir": "gone", "status": "failed"}})
    assert [row["temperature"] for row in read(source, "temperature")[0]] == [0.25, 1.0]


DONE = {"run_id": "r", "run_dir": "one", "status": "completed"}


@pytest.mark.parametrize(
    ("kind", "experiments", "words"),
    [
        (NothingAudited, {"0": {**DONE, "status": "running"}}, ["no completed run", "0: running"]),
        (DataError, {"0.0": DONE, "0": DONE}, ["'0.0' and '0'"]),
        (DataError, {"warm": DONE}, ["'warm'"]),
        (DataError, {"nan": DONE}, ["'nan'"]),
        (DataError, {"0": {"run_id": "r", "status": "completed"}}, ["has no run_dir"]),
        (DataError, {"0": {**DONE, "run_dir": "two"}}, ["runs/two/simulation.db", "no such file"]),
        (DataError, {"0": []}, ["expected an object for the run", "got a list"]),
    ],
)
def test_conformity_metadata(kind: type[AuditError], experiments: Any, words: list[str]) -> None:
    refused(kind, runs([trial("a")], **experiments), *words)


@pytest.mark.parametrize("name", ["run_id", "run_dir"])
@pytest.mark.parametrize("value", ["x\0", "\ud800"])
def test_names_that_no_run_has(name: str, value: str) -> None:
    runs([trial("a")])
    put("meta.json", json.dumps({"experiments": {"0": {**DONE, name: value}}}))
    source = Conformity(metadata="meta.json", runs_dir="runs")
    refused(DataError, source, f"meta.json: the {name} of the run '0' has characters that no name has")


def test_conformity_metadata_refused() -> None:
    runs([trial("a")])
    refused(UsageError, Conformity(), "source.metadata")
    refused(UsageError, Conformity(metadata="meta.json"), "source.runs_dir")
    refused(DataError, Conformity(metadata="meta.jsn", runs_dir="runs"), "no such file", "meta.json")
    refused(DataError, Conformity(metadata="meta.json", runs_dir="rums"), "no such file", "'runs'")
    refused(
        NothingAudited, Conformity(metadata=put("m.json", '{"experiments": {}}'), runs_dir="runs"), "no completed run"
    )
    refused(DataError, Conformity(metadata=put("m.json", "[]"), runs_dir="runs"), "'experiments'")
    refused(DataError, Conformity(metadata=put("m.json", "{\n,"), runs_dir="runs"), "m.json:2")
    refused(
        DataError, Conformity(metadata="meta.json", runs_dir="runs", conditions=("x",)), "source.conditions=[control]"
    )
    refused(DataError, runs([trial("a")]), "no column 'colour'", required=("colour",))
    refused(NothingAudited, runs([]), "hold no trial")
    put("runs/one/simulation.db", Path(database()).read_bytes())
    refused(DataError, Conformity(metadata="meta.json", runs_dir="runs"), "no such table")


@pytest.mark.parametrize("way", ["../elsewhere", "one/../../elsewhere", "an absolute path", "a link"])
def test_conformity_reads_runs_outside_of_its_folder_only_where_it_may(way: str) -> None:
    write_run(Path("elsewhere"), [trial("z")], "r")
    Path("runs").mkdir()
    Path("runs/link").symlink_to("../elsewhere")
    named = {"an absolute path": str(Path("elsewhere").absolute()), "a link": "link"}.get(way, way)
    source = runs([trial("a")], **{"0.5": {**DONE, "run_dir": named}})
    refused(DataError, source, "meta.json", "the run 'r' is outside source.runs_dir", "source.outside=true")
    assert [row["id"] for row in read(replace(source, outside=True), "raw_text")[0]] == ["z-0"]


def test_conformity_views_are_refused() -> None:
    source = runs([trial("a")])
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.executescript("ALTER TABLE conformity_items RENAME TO x; CREATE VIEW conformity_items AS SELECT * FROM x")
    refused(DataError, source, "simulation.db", "a view is where a table is expected")


def test_conformity_labels() -> None:
    source = runs([trial("a"), trial("b", "x", None)])
    refused(DataError, source, "simulation.db: output 'b-1'", "source.null_labels=missing")
    lenient = Conformity(metadata="meta.json", runs_dir="runs", null_labels="missing")
    assert [row["stored"] for row in read(lenient, "stored")[0]] == [1, None]
    refused(DataError, runs([trial("a", label=2)]), "output 'a-0'", "got 2")
    refused(DataError, runs([trial("a", label="true")]), "output 'a-0'", "got 'true'")  # type: ignore[arg-type]


def test_conformity_where_and_nulls() -> None:
    runs([trial("a"), trial("b", "None", variant="think"), trial("c", None, item="opinion")])
    source = Conformity(
        metadata="meta.json", runs_dir="runs", where="item_id <> 'i-Paris'", nulls={"ground_truth": ("None",)}
    )
    rows, tally = read(source, "ground_truth", optional=())
    assert rows == [{"id": "b-1", "ground_truth": None}, {"id": "c-2", "ground_truth": None}]
    assert (tally["dropped"], sum(tally["notes"].values())) == ({"filtered": 1}, 1)
    refused(UsageError, Conformity(metadata="meta.json", runs_dir="runs", where="colour = 1"), "no column 'colour'")


def test_conformity_text_that_is_not_utf8() -> None:
    """A text that itself holds U+FFFD is UTF-8."""
    source = runs([trial("a"), trial("b"), trial("c")])
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.execute("UPDATE conformity_outputs SET raw_text = CAST(x'41ff' AS TEXT) WHERE output_id = 'b-1'")
        db.execute("UPDATE conformity_outputs SET raw_text = 'C\ufffd' WHERE output_id = 'c-2'")
        db.commit()
    rows, tally = read(source, "raw_text", "item_id", "condition")
    assert [row["raw_text"] for row in rows] == ["raw a", "A\ufffd", "C\ufffd"]
    assert sum(tally["notes"].values()) == 1
    assert rows[1]["condition"] == "control"
    assert list(tally["notes"]) == [
        "runs/one/simulation.db: text that is not UTF-8, read with U+FFFD (first: raw_text of 'b-1')"
    ]


def test_conformity_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    from auditfw.components.source import conformity

    source = runs([trial(f"t{n:04}") for n in range(50)])
    whole, _ = read(source, "raw_text")
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.execute("UPDATE conformity_outputs SET rowid = rowid + 4611686018427387904 WHERE rowid > 30")
        db.commit()
    monkeypatch.setattr(conformity, "SPAN", 7)
    parts, tally = read(source, "raw_text")
    assert (parts, tally["tasks"]) == (whole, 8)


KEYLESS = "CREATE TABLE t AS SELECT * FROM conformity_trials; DROP TABLE conformity_trials; "
NAMED = "ALTER TABLE t RENAME TO conformity_trials; "
AGAIN = "INSERT INTO conformity_trials SELECT {}, run_id, model_id, 'again', item_id, condition_id, seed, 0, 0 "


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("", ["a-0 base", "b-1 base", "c-2 base"]),
        ("UPDATE conformity_trials SET rowid = 10 - rowid", ["a-0 base", "b-1 base", "c-2 base"]),
        ("DELETE FROM conformity_trials WHERE trial_id = 'b'", ["a-0 base", "c-2 base"]),
        (KEYLESS + NAMED, ["a-0 base", "b-1 base", "c-2 base"]),
        (
            KEYLESS + NAMED + AGAIN.format("'b'") + "FROM conformity_trials WHERE trial_id = 'b'",
            ["a-0 base", "b-1 again", "b-1 base", "c-2 base"],
        ),
        (
            AGAIN.format("'x'")
            + "FROM conformity_trials WHERE trial_id = 'b'; "
            + "UPDATE conformity_outputs SET trial_id = 'x' WHERE rowid = 1",
            ["a-0 again", "b-1 base", "c-2 base"],
        ),
    ],
    ids=["beside", "elsewhere", "without a trial", "without a key", "two trials of one id", "a later trial"],
)
def test_conformity_finds_the_trial_of_each_output(change: str, found: list[str]) -> None:
    source = runs([trial("a"), trial("b"), trial("c")])
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.executescript(change)
    rows, _ = read(source, "variant", "raw_text")
    assert sorted(f"{row['id']} {row['variant']}" for row in rows) == found


def test_conformity_counts_trials_by_condition_whatever_they_are() -> None:
    from auditfw.components.source import conformity

    names = ["control", "asch_history_5", "authoritative_bias"]
    source = runs([trial(f"t{n}", condition=names[n % 3]) for n in range(8)])
    run = conformity.completed(source.metadata, source.runs_dir)[0]
    assert sorted(conformity.survey(run).trials) == [
        ("r", "asch_history_5", 3), ("r", "authoritative_bias", 2), ("r", "control", 3)
    ]  # fmt: skip
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE conformity_trials SET run_id = 'other' WHERE trial_id = 't0'")
        db.execute("UPDATE conformity_trials SET condition_id = 'gone' WHERE trial_id IN ('t1', 't2')")
        db.commit()
    assert sorted(conformity.survey(run).trials, key=str) == [
        ("other", "control", 1), ("r", "asch_history_5", 2), ("r", "authoritative_bias", 1), ("r", "control", 2),
        ("r", None, 2),
    ]  # fmt: skip


def test_conformity_looks_over_many_runs_as_over_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from auditfw.components.source import conformity

    names = [f"n{n}" for n in range(7)]
    for n, name in enumerate(names):
        write_run(Path(f"runs/{name}"), [trial(f"t{k}", run_id=name) for k in range(n + 1)], name)
    entries = {f"0.{n}": {"run_id": name, "run_dir": name, "status": "completed"} for n, name in enumerate(names)}
    write_metadata(Path("meta.json"), entries)
    source = Conformity(metadata="meta.json", runs_dir="runs")
    evidence = source.open(["raw_text"], ())
    assert evidence.rows == sum(range(8))
    found = [(row["temperature"], row["id"]) for row in read(source, "temperature")[0]]
    assert found == [(n / 10, f"t{k}-{k}") for n in range(7) for k in range(n + 1)]
    monkeypatch.setattr(conformity, "FEW_RUNS", 8)
    assert list(source.open(["raw_text"], ()).tasks) == list(evidence.tasks)


def test_conformity_says_of_several_damaged_runs_which_is_the_first() -> None:
    rows = [trial("a")]
    names = [f"n{n}" for n in range(6)]
    for name in names:
        write_run(Path(f"runs/{name}"), [{**row, "run_id": name} for row in rows], name)
    entries = {f"0.{n}": {"run_id": name, "run_dir": name, "status": "completed"} for n, name in enumerate(names)}
    write_metadata(Path("meta.json"), entries)
    for name in ("n2", "n4"):
        Path(f"runs/{name}/simulation.db").write_bytes(b"no database")
    with pytest.raises(DataError, match="n2/simulation"):
        Conformity(metadata="meta.json", runs_dir="runs").open(["raw_text"], ())


def test_conformity_damaged_in_the_middle() -> None:
    source = runs([trial(f"t{n:03}", raw_text="x" * 900) for n in range(60)])
    path = Path("runs/one/simulation.db")
    data = bytearray(path.read_bytes())
    pages = [at for at in range(0, len(data), 4096) if b"x" * 900 in data[at : at + 4096]]
    data[pages[5] : pages[5] + 60] = b"\xff" * 60
    path.write_bytes(data)
    evidence = source.open(["raw_text"], None)
    with pytest.raises(DataError, match="is damaged"):
        [task() for task in evidence.tasks]
