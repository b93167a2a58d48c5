"""Records as sources take them: composite ids, numbers that are not finite, empty files, advice, counts of rows."""

from __future__ import annotations

import gzip
import json
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from test_sources import lines, put, read, refused

import auditfw
from auditfw.commands.list import check
from auditfw.components.files.file_settings import FileSet, Unpivot
from auditfw.components.files.formats.arrays import advice
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import FrameSource, Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.sqlite import Sqlite
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


DOCUMENTS = [
    {"doc_id": 0, "filter": "strict", "m": {"name": "a"}},
    {"doc_id": 0, "filter": "loose", "m": {"name": "a"}},
    {"doc_id": 1, "filter": "strict", "m": {"name": "b"}},
]


@pytest.mark.parametrize(
    ("columns", "ids"),
    [
        ({"id": "{doc_id}/{filter}"}, ["0/strict", "0/loose", "1/strict"]),
        ({"id": "{m.name}:{doc_id}-{filter}!"}, ["a:0-strict!", "a:0-loose!", "b:1-strict!"]),
        ({"id": "{item}/{variant}", "item": "doc_id", "variant": "filter"}, ["0/strict", "0/loose", "1/strict"]),
        ({"id": "{doc_id}/{#}"}, ["0/1", "0/2", "1/3"]),
        ({"id": "#", "pair": "{filter}{doc_id}"}, ["1", "2", "3"]),
    ],
)
def test_composite_ids(columns: dict[str, str], ids: list[str]) -> None:
    rows, _ = read(
        JsonLines(path=lines(*DOCUMENTS), columns=columns), "filter" if "variant" not in columns else "variant"
    )
    assert [row["id"] for row in rows] == ids


def test_composite_ids_of_every_source() -> None:
    flat = [{"doc_id": row["doc_id"], "filter": row["filter"]} for row in DOCUMENTS]
    put("a.json", json.dumps({"rows": flat}))
    put("a.csv", "doc_id,filter\n" + "".join(f"{row['doc_id']},{row['filter']}\n" for row in flat))
    pl.DataFrame(flat).write_parquet("a.parquet")
    with closing(sqlite3.connect("a.db")) as db:
        db.execute("CREATE TABLE t (doc_id, filter)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [tuple(row.values()) for row in flat])
        db.commit()
    columns = {"id": "{doc_id}/{filter}"}
    sources = [
        JsonLines(path=lines(*flat), columns=columns), JsonArray(path="a.json", records="rows", columns=columns),
        DelimitedText(path="a.csv", columns=columns), Parquet(path="a.parquet", columns=columns),
        Sqlite(path="a.db", query="SELECT * FROM t", columns=columns), FrameSource(frame=flat, columns=columns),
    ]  # fmt: skip
    for source in sources:
        assert [row["id"] for row in read(source)[0]] == ["0/strict", "0/loose", "1/strict"], source


def test_composite_ids_with_files_unpivoted_and_filtered() -> None:
    lines({"k": 1}, {"k": 2}, name="a.jsonl")
    lines({"k": 1}, {"k": 2}, name="b.jsonl")
    files = (FileSet("a.jsonl", {"run": "x"}), FileSet("b.jsonl", {"run": "y"}))
    rows, _ = read(JsonLines(files=files, columns={"id": "{run}/{k}"}, where="id <> 'y/2'"), "k")
    assert [row["id"] for row in rows] == ["x/1", "x/2", "y/1"]
    turn = Unpivot("side", ("p", "q"), {"raw_text": "{value}", "id": "{k}/{side}"})
    path = lines({"k": 1, "p": "x", "q": "y"}, name="c.jsonl")
    assert [row["id"] for row in read(JsonLines(path=path, unpivot=turn), "raw_text")[0]] == ["1/p", "1/q"]


def test_a_column_whose_name_has_braces_is_that_column() -> None:
    assert read(JsonLines(path=lines({"{a}": 7}), columns={"id": "{a}"}))[0][0]["id"] == "7"


@pytest.mark.parametrize(
    ("kind", "columns", "words"),
    [
        (DataError, {"id": "{doc}/{filter}"}, ["source.columns.id: no column 'doc' in a.jsonl", "found: doc_id"]),
        (UsageError, {"id": "{doc_id/{filter}"}, ["source.columns.id", "braces must stand around", "{NAME}"]),
        (UsageError, {"id": "{}"}, ["braces must stand around"]),
        (UsageError, {"id": "{x}/{filter}", "x": "{doc_id}"}, ["'x' is itself put together"]),
        (DataError, {"id": "{doc_id}/{late}"}, ["a.jsonl:1", "the id is null"]),
        (DataError, {"id": "{m}/{filter}"}, ["a.jsonl:1", "the id is null"]),
    ],
)
def test_composite_ids_refused(kind: type[AuditError], columns: dict[str, str], words: list[str]) -> None:
    path = lines(*DOCUMENTS, {"doc_id": 9, "filter": "x", "late": 1})
    refused(kind, JsonLines(path=path, columns=columns), *words)


def test_composite_ids_of_judgements() -> None:
    rows = [{"qid": "q", "epoch": n, "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}} for n in range(2)]
    columns = {"id": "{qid}/{epoch}"}
    done = auditfw.run(
        {"experiment": "cross_agent", "source": {"use": "pairs", "path": lines(*rows), "columns": columns}}
    )
    assert done.counts == {"read": 2, "audited": 2}
    for name in ("scholar", "auditor"):
        lines(*({"qid": "q", "epoch": n, "label": "VALID"} for n in range(2)), name=f"{name}.jsonl")
    paths = {"scholar": "scholar.jsonl", "auditor": "auditor.jsonl"}
    done = auditfw.run({"experiment": "cross_agent", "source": {"use": "raters", "paths": paths, "columns": columns}})
    assert done.counts["audited"] == 4


# Numbers that are not finite, and conditions before ids


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("use", ["jsonl", "json"])
def test_a_number_that_is_not_finite_matters_only_where_it_is_read(token: str, use: str) -> None:
    text = [f'{{"id": 1, "t": "a", "n": {token}, "deep": {{"p": [1, {token}]}}}}', '{"id": 2, "t": "NaN", "n": 5}']
    put("a.jsonl", "\n".join(text))
    put("a.json", f'{{"mean": {token}, "rows": [{",".join(text)}]}}')
    source = JsonLines(path="a.jsonl") if use == "jsonl" else JsonArray(path="a.json", records="rows")
    rows, tally = read(source, "t", optional=())
    assert ([row["t"] for row in rows], tally["notes"]) == (["a", "NaN"], {})
    rows, tally = read(source, "t", "n", "deep", optional=())
    assert [(row["n"], row["deep"]) for row in rows] == [(None, {"p": [1, None]}), (5, None)]
    told = {f"{name}: NaN or Infinity read as null (first: {source.path}:1)": 1 for name in ("n", "deep")}
    assert tally["notes"] == told


def test_a_number_too_large_is_refused_only_where_it_is_read() -> None:
    put("a.jsonl", '{"id": 1, "t": "a", "n": 1e999}\n')
    assert read(JsonLines(path="a.jsonl"), "t", optional=())[0] == [{"id": "1", "t": "a"}]
    refused(DataError, JsonLines(path="a.jsonl"), "a.jsonl:1: a number too large (1e999)", "null", required=("n",))


def test_tables_and_frames_say_so_too() -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "n": [float("nan"), 2.0], "unread": [float("inf"), 1.0]})
    frame.write_parquet("a.parquet")
    for source in (Parquet(path="a.parquet"), FrameSource(frame=frame), FrameSource(frame=frame.to_dicts())):
        rows, tally = read(source, "n", optional=())
        assert [row["n"] for row in rows] == [None, 2.0]
        assert len(tally["notes"]) == 1
        assert read(source, "id", optional=())[1]["notes"] == {}


def test_recorded_outcomes_that_are_not_finite_stay_what_they_are(tmp_path: Path) -> None:
    put("s.jsonl", '{"label": "a", "intended": {"y": 1}, "params": {}, "note": NaN}\n')
    put("r.jsonl", '{"label": "a", "actual": {"y": NaN}}\n')
    done = auditfw.run({
        "experiment": "posiwid", "by": [], "scenarios": {"use": "jsonl", "path": "s.jsonl"},
        "simulator": {"use": "table", "path": "r.jsonl"},
    })  # fmt: skip
    assert done.counts == {"read": 1, "audited": 0, "nonfinite": 1}


@pytest.mark.parametrize("bad", [None, "", [1], True, float("nan")], ids=str)
@pytest.mark.parametrize("use", ["jsonl", "json", "records"])
def test_a_condition_comes_before_the_check_of_ids(bad: Any, use: str) -> None:
    rows = [{"id": 1, "ok": 1}, {"id": bad, "ok": 0}, {"id": 2, "ok": 1}, {"id": 1, "ok": 0}, {"id": 1, "ok": 0}]
    sources = {
        "jsonl": lambda where: JsonLines(path=lines(*rows), where=where),
        "json": lambda where: JsonArray(path=put("a.json", json.dumps(rows)), where=where),
        "records": lambda where: FrameSource(frame=rows, where=where),
    }
    found, tally = read(sources[use]("ok = 1"), "ok")
    assert ([row["id"] for row in found], tally["dropped"]) == (["1", "2"], {"filtered": 3})
    refused(DataError, sources[use]("ok >= 0"), ": the id is ")
    if bad is None:
        assert len(read(sources[use]("id IS NOT NULL AND (ok = 1)"), "ok")[0]) == 2


# Empty files


def test_an_empty_file_among_others_is_told_and_not_fatal() -> None:
    put("a.csv", "id,t\n1,x\n")
    put("b.csv", "")
    put("c.csv", "id,t\n")
    put("d.csv", "id,t\n2,y\n")
    rows, tally = read(DelimitedText(files=tuple(FileSet(f"{name}.csv") for name in "abcd")), "t")
    assert [row["id"] for row in rows] == ["1", "2"]
    assert tally["evidence"].warnings == ("2 of 4 files hold no record: b.csv, c.csv",)
    assert [one.path for one in tally["evidence"].inputs()] == ["a.csv", "b.csv", "c.csv", "d.csv"]
    refused(NothingAudited, DelimitedText(files=(FileSet("b.csv"), FileSet("b.csv"))), "b.csv", "is empty")
    refused(NothingAudited, DelimitedText(path="b.csv"), "b.csv: is empty")


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet", ".jsonl.gz", ".db"])
def test_many_empty_files_of_every_format(suffix: str) -> None:
    names = [f"f{n}{suffix}" for n in range(300)]
    for name in names:
        put(name, "")
    row = {"id": 1, "t": "x"}
    kind: Any = {".json": JsonArray, ".parquet": Parquet, ".db": Sqlite}.get(suffix, JsonLines)
    if suffix == ".parquet":
        pl.DataFrame([row]).write_parquet(names[7])
    elif suffix == ".db":
        Path(names[7]).unlink()
        with closing(sqlite3.connect(names[7])) as db:
            db.execute("CREATE TABLE t AS SELECT 1 AS id, 'x' AS t")
            db.commit()
    else:
        text = json.dumps([row] if suffix == ".json" else row).encode()
        put(names[7], gzip.compress(text) if suffix.endswith(".gz") else text)
    more = {"query": "SELECT * FROM t"} if suffix == ".db" else {}
    rows, tally = read(kind(files=tuple(map(FileSet, names)), **more), "t")
    assert [row["t"] for row in rows] == ["x"]
    [told] = tally["evidence"].warnings
    assert told.startswith(f"299 of 300 files hold no record: f0{suffix}, ")
    assert told.endswith(" and 294 more")


# What is said of arrays and of ids that repeat

SAMPLE = {"id": 1, "input": "q", "target": "t", "messages": [{"role": "user", "content": "q"}] * 9, "tags": []}
LOG = {"version": 2, "eval": {"tags": [], "x": [{"a": 1}] * 99}, "tags": [], "samples": [SAMPLE] * 3, "stats": {}}


@pytest.mark.parametrize(
    ("whole", "mapped", "said"),
    [
        (LOG, [], "write source.records=samples"),
        (LOG, ["a"], "write source.records=eval.x"),
        ({"rows": [{"a": 1}]}, [], "write source.records=rows"),
        ({"tags": [], "messages": SAMPLE["messages"], "items": [{"x": 1}]}, [], "write source.records=items"),
        ({"messages": SAMPLE["messages"]}, [], "no array in it looks like samples"),
        ({"messages": SAMPLE["messages"]}, ["content"], "write source.records=messages"),
        ({"results": {"results": [{"prompt": "p", "score": 1}] * 4}}, [], "write source.records=results.results"),
        ({"a": [{"x": 1}] * 3, "b": [{"y": 1}]}, ["y[0]"], "write source.records=b"),
        ({"a": [{"x": 1}] * 3, "b": [{"y": 1, "z": 2}]}, ["{y}/{z}"], "write source.records=b"),
        ({"a": [{"x": 1}] * 3, "b": [{"y": 1}]}, [], "array of the samples: a (3 objects), b (1 objects)"),
        ({"data.x": [{"id": 1}]}, [], "'data.x': rename the key that has a dot"),
        ({"n": 1, "eval": {"tags": []}}, [], "there is no array of objects in it"),
        (SAMPLE | {"output": "o"}, [], "it looks like one record"),
        (SAMPLE | {"steps": [{"k": 1}]}, ["target"], "it looks like one record"),
        ({str(n): SAMPLE for n in range(5)}, [], "the object holds 5 records by key"),
        ({"v": 1, "details": {str(n): SAMPLE for n in range(5)}}, ["target"], "'details' holds 5 records by key"),
    ],
)
def test_the_array_that_holds_the_samples_is_named(whole: Any, mapped: list[str], said: str) -> None:
    assert said in advice(whole, mapped)
    path = put("a.json", json.dumps(whole))
    refused(DataError, JsonArray(path=path, columns={f"c{n}": text for n, text in enumerate(mapped)}), said)


@pytest.mark.parametrize("records", ["tags", "eval", "eval.tags", "smples", "samples.tags", "version"])
def test_keys_that_lead_elsewhere_get_the_same_advice(records: str) -> None:
    path = put("a.json", json.dumps(LOG))
    refused(AuditError, JsonArray(path=path, records=records), "source.records=samples")
    assert len(read(JsonArray(path=path, records="samples", columns={"id": "#"}))[0]) == 3


def filtered(*names: str) -> list[dict[str, Any]]:
    return [{"id": n, "filter": name, "acc": (n + k) % 2} for k, name in enumerate(names) for n in range(6)]


REPEATED: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "by filter": (filtered("strict", "loose"), "differ by filter", "6 of 12 rows"),
    "by epoch": ([{"id": n, "epoch": e, "u": f"{n}.{e}"} for e in (1, 2, 4) for n in range(4)], "by epoch", "8 of 12"),
    "by one of an object": ([{"id": n, "c": {"model": m}} for m in "ab" for n in range(4)], "by c.model", "4 of 8"),
    "by two": (
        [{"id": n, "task": t, "model": m} for t in "xy" for m in "ab" for n in range(3)], "by model, task", "9 of 12",
    ),
    "one pair": ([{"id": 1, "split": "a"}, {"id": 1, "split": "b"}, {"id": 2, "split": "a"}], "by split", "1 of 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_what_is_offered_where_ids_repeat_makes_them_unique(name: str) -> None:
    """The id, and the condition, that are offered are taken as they stand, and nothing is left out as a duplicate."""
    rows, differ, left_out = REPEATED[name]
    path = lines(*rows)
    with pytest.raises(AuditError) as caught:
        read(JsonLines(path=path))
    said = str(caught.value).split("\n")[0]
    assert differ in said
    assert said.index("source.columns.id=") < said.index("source.duplicates=first")
    assert f"source.duplicates=first leaves out {left_out}" in said
    words = shlex.split(said.partition(" write ")[2].partition("; source.duplicates")[0].replace("),", ")").rstrip(","))
    overrides = [word.rstrip(",") for word in words if word.startswith("source.")]
    known = {
        key.removeprefix("source."): value.strip('"') for key, _, value in (word.partition("=") for word in overrides)
    }
    found, tally = read(JsonLines(path=path, columns={"id": known["columns.id"]}))
    assert (len(found), tally["dropped"]) == (len(rows), {})
    if "where" in known:
        ids = [row["id"] for row in read(JsonLines(path=path, where=known["where"]))[0]]
        assert len(set(ids)) == len(ids) > 0


def test_ids_that_repeat_from_file_to_file_or_in_equal_rows() -> None:
    lines({"id": 1, "t": "a"}, {"id": 2, "t": "b"})
    lines({"id": 1, "t": "c"}, {"id": 2, "t": "d"}, name="b.jsonl")
    files = (FileSet("a.jsonl"), FileSet("b.jsonl"))
    with pytest.raises(
        AuditError, match=r"set: \{file: a\}.*columns\.id='\"\{id\}/\{file\}\"'.*first leaves out 2 of 4"
    ):
        read(JsonLines(files=files))
    files = (FileSet("a.jsonl", {"run": 1}), FileSet("b.jsonl", {"run": 2}))
    with pytest.raises(AuditError, match=r"differ by run: write source\.columns\.id='\"\{id\}/\{run\}\"'"):
        read(JsonLines(files=files))
    path = lines({"id": 1, "t": "a"}, {"id": 1, "t": "a"}, name="c.jsonl")
    with pytest.raises(AuditError, match=r"rows of one id are the same: source\.duplicates=first leaves out 1 of 2"):
        read(JsonLines(path=path))
    path = lines({"id": 1, "raw_text": "a", "acc": 0}, {"id": 1, "raw_text": "b", "acc": 1}, name="d.jsonl")
    with pytest.raises(
        AuditError, match=r"source\.columns\.id='#' for the row number; source\.duplicates=first leaves"
    ):
        read(JsonLines(path=path))


# How many rows there are


def uneven(count: int, longest: int, seed: int) -> list[dict[str, Any]]:
    """Rows of very uneven length: short ones first, long ones later."""
    random = Random(seed)
    return [{"id": n, "t": "x" * random.randrange(1, 4 if n < count // 2 else longest)} for n in range(count)]


@pytest.mark.parametrize("count", [0, 1, 120, 1_000, 1_001, 2_500])
@pytest.mark.parametrize("use", ["jsonl", "jsonl.gz", "json", "json.gz", "csv", "parquet", "records", "db"])
def test_rows_are_counted(count: int, use: str) -> None:
    rows = [{"id": -1, "t": "\n\n"}, *uneven(count, 300, 1)]
    text = "".join(json.dumps(row) + "\n\n" for row in rows)
    array = json.dumps({"about": "y" * 5_000, "rows": rows}, indent=2)
    table = "id,t\n" + "".join(f'{row["id"]},"{row["t"]}"\n' for row in rows)
    name = f"a.{use}"
    source: Any
    if use.startswith("json"):
        content = (text if "jsonl" in use else array).encode()
        put(name, gzip.compress(content) if use.endswith(".gz") else content)
        source = JsonLines(path=name) if "jsonl" in use else JsonArray(path=name, records="rows")
    elif use == "csv":
        source = DelimitedText(path=put(name, table))
    elif use == "db":
        with closing(sqlite3.connect(name)) as db:
            db.execute("CREATE TABLE t (id, t)")
            db.executemany("INSERT INTO t VALUES (?, ?)", [tuple(row.values()) for row in rows])
            db.commit()
        source = Sqlite(path=name, query="SELECT * FROM t -- all of them\n;")
    else:
        frame = pl.DataFrame(rows)
        frame.write_parquet(name)
        source = Parquet(path=name) if use == "parquet" else FrameSource(frame=rows)
    size = source.open(["t"], ()).counted()
    assert str(size) == f"{count + 1:,}"


def test_rows_of_several_files_up_to_a_limit_and_of_several_a_record() -> None:
    names = [lines(*uneven(count, 900, count), name=f"{count}.jsonl") for count in (3, 1_700, 40)]
    files = tuple(map(FileSet, names))
    assert str(JsonLines(files=files, duplicates="all").open(["t"], ()).counted()) == "1,743"
    assert str(JsonLines(files=files, duplicates="all", limit=50).open(["t"], ()).counted()) == "50"
    turn = Unpivot("side", ("a", "b"), {"raw_text": "t"})
    assert str(JsonLines(files=files, duplicates="all", unpivot=turn).open(["t"], ()).counted()) == "3,486"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [JsonLines, JsonArray, DelimitedText])
def test_an_estimate_has_a_range_that_holds_the_truth(kind: Any, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "affordable", 40_000)
    monkeypatch.setattr("auditfw.components.files.formats.jsonl.BLOCK", 4_000)
    rows = uneven(6_000, 900, seed)
    put("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    put("a.json", json.dumps(rows))
    put("a.csv", "id,t\n" + "".join(f"{row['id']},{row['t']}\n" for row in rows))
    name = {JsonLines: "a.jsonl", JsonArray: "a.json", DelimitedText: "a.csv"}[kind]
    size = kind(path=name).open(["t"], ()).counted()
    assert size.low <= 6_000 <= (size.high or 6_000)
    assert size.low < size.likely
    assert "(an estimate: " in str(size)


def test_check_counts_the_rows_of_an_array_in_a_large_document(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": n, "raw_text": "Paris", "ground_truth": "Paris", "events": ["é" * (n % 700)]} for n in range(120)]
    put("a.json", json.dumps({"header": "z" * 40_000, "samples": rows}, indent=1))
    assert check(["by=[]", "source=json", "source.path=a.json", "source.records=samples"]) == 0
    told = capsys.readouterr().out
    assert "rows: 120\n" in told
    assert "labels to compute: 120 x 5\n" in told


# Samples that ended in an error


def sample(**changes: Any) -> dict[str, Any]:
    """A sample as Inspect logs have it; one that failed has no choices, no completion and no scores."""
    good = {
        "output": {"completion": "14", "choices": [{"message": {"content": [{"type": "text", "text": "14"}]}}]},
        "scores": {"match": {"value": "C"}}, "target": "14",
    }  # fmt: skip
    failed = {"output": {"completion": "", "choices": []}, "scores": {}, "error": {"message": "Boom", "traceback": "x"}}
    return {**good, **(failed if changes.pop("failed", False) else {}), **changes}


SAMPLES = [
    (sample(), "audited"),
    (sample(failed=True), "sample_error"),
    (sample(failed=True, target=None), "sample_error"),
    (sample(failed=True, output={"completion": "14"}), "audited"),  # it has an output
    (sample(failed=True, scores={"match": {"value": "I"}}), "audited"),  # it was scored
    (sample(failed=True, error=None), "audited"),  # an empty answer, and no error
    (sample(failed=True, error=""), "audited"),
    (sample(failed=True, error={}), "audited"),
    (sample(failed=True, error=False), "audited"),
    (sample(failed=True, error="None"), "audited"),
    (sample(failed=True, error="rate limit"), "sample_error"),
    (sample(failed=True, error=True), "sample_error"),
    (sample(failed=True, output=None), "sample_error"),
    (sample(target=None), "no_ground_truth"),
]
MAPPED = {"ground_truth": "target", "stored": "scores.match.value"}
SCORED = {"stored_true": ["C"], "stored_false": ["I"]}


@pytest.mark.parametrize("raw", ["output.completion", "output.choices[0].message.content"])
@pytest.mark.parametrize("error", [{}, {"error": "error.message"}])
def test_samples_that_ended_in_an_error_are_a_bucket(raw: str, error: dict[str, str]) -> None:
    rows = [{"id": n, **row} for n, (row, _) in enumerate(SAMPLES)]
    put("a.json", json.dumps({"samples": rows}))
    source = {"use": "json", "path": "a.json", "records": "samples", "columns": {**MAPPED, "raw_text": raw, **error}}
    done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source, "audit": SCORED})
    status = done.trials.lazy().collect()["status"].to_list()
    wanted = [bucket for _, bucket in SAMPLES]
    if error:  # only objects with a message are errors then
        wanted = [
            b if b != "sample_error" or isinstance(SAMPLES[n][0]["error"], dict) else "audited"
            for n, b in enumerate(wanted)
        ]
    if "choices" in raw:  # the sample with another output has no choices
        wanted[3] = "sample_error"
    assert status == wanted
    assert done.counts == {"read": len(rows), **{bucket: wanted.count(bucket) for bucket in sorted(set(wanted))}}


def test_errors_in_a_table_and_without_stored_labels() -> None:
    table = "id,raw_text,ground_truth,error\n1,a,a,\n2,,b,timeout\n3,c,c,warning\n4,,d,\n5,,e,nan\n"
    for source in (
        {"use": "csv", "path": put("a.csv", table)},
        {"use": "csv", "path": put("b.csv", table.replace("error", "why")), "columns": {"error": "why"}},
    ):
        done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source})
        assert done.counts == {"read": 5, "audited": 4, "sample_error": 1}


def test_an_error_that_comes_after_the_first_records_is_found() -> None:
    rows = [{"id": n, "raw_text": "a", "ground_truth": "a"} for n in range(1_200)]
    path = lines(*rows, {"id": "x", "raw_text": "", "ground_truth": "a", "error": "boom"})
    source = {"use": "jsonl", "path": path}
    done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source})
    assert done.counts == {"read": 1_201, "audited": 1_200, "sample_error": 1}
    done = auditfw.run({"experiment": "answer_parsing", "by": ["error"], "source": source})
    assert done.counts == {"read": 1_201, "audited": 1_200, "sample_error": 1}


def test_a_mapped_error_that_no_record_has_is_told() -> None:
    path = lines({"id": 1, "raw_text": "a", "ground_truth": "a"})
    source = {"use": "jsonl", "path": path, "columns": {"error": "meta.error"}}
    done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source})
    assert done.counts == {"read": 1, "audited": 1}
    assert "no record has 'meta.error' (source.columns.error): no sample ended in an error" in done.warnings
