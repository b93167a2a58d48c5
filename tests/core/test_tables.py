"""A table written while its frames come in: one file, the same bytes however it was cut; failures are told."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import threading
from array import array
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core import masking
from auditfw.core import tables as trials
from auditfw.core.errors import IncompleteError
from auditfw.core.results.parquet_stream import ParquetStream
from auditfw.core.tables import NO_CODE, PART_ROWS, PackedRows, TextColumn, TrialTable, pieces


def test_what_is_shown_of_another_table_is_the_table_by_itself(tmp_path: Path) -> None:
    rows = 2 * PART_ROWS + 1_000
    columns: dict[str, list[Any]] = {
        "id": [f"{i % 977}-{i}" for i in range(rows)],
        "cell": [None if i < PART_ROWS + 10 else i % 3 for i in range(rows)],
        "own": [None if i % 5 == 0 else i % 2 == 0 for i in range(rows)],
        "late": [None if i < 2 * PART_ROWS else "x" for i in range(rows)],
    }
    shown = [pl.col("cell").alias("stratum"), pl.col("id")]
    tables = {}
    for name in ("all", "first", "second", "alone"):
        (tmp_path / name).mkdir()
        tables[name] = TrialTable(str(tmp_path / name))
    for at in range(0, rows, 1_777):
        batch: dict[str, Any] = {key: values[at : at + 1_777] for key, values in columns.items()}
        tables["all"].add(batch)
        tables["alone"].add({"stratum": batch["cell"], "id": batch["id"]})
    for name in ("first", "second"):
        tables[name].show(shown, tables["all"])
        tables[name].end()
    for name in ("first", "second", "alone", "all"):
        whole = tables[name].close()
        assert isinstance(whole, pl.LazyFrame)
        expected = columns if name == "all" else {"stratum": columns["cell"], "id": columns["id"]}
        assert whole.collect().to_dict(as_series=False) == expected
    alone, first, second = ((tmp_path / n / "trials.parquet").read_bytes() for n in ("alone", "first", "second"))
    assert alone == first == second


@pytest.mark.parametrize("secret", [None, "x-43"])
def test_rows_that_come_packed_are_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str | None
) -> None:
    monkeypatch.setattr(masking, "_hidden", set() if secret is None else {secret})
    batches = [
        {"id": [f"x-{i}" for i in range(at, at + 100)], "late": TextColumn([None if at < 200 else "y"] * 100),
         "code": bytes([at % 7, NO_CODE] * 50), "rank": array("Q", range(at, at + 100))}
        for at in range(0, 400, 100)
    ]  # fmt: skip
    tables = {}
    for name in ("added", "packed"):
        (tmp_path / name).mkdir()
        tables[name] = TrialTable(str(tmp_path / name))
    inside = TrialTable(None)
    for batch in batches:
        tables["added"].add(batch)
    for some in (batches[:1], batches[1:]):
        tables["packed"].add_packed(PackedRows.of(some))
        inside.add_packed(PackedRows.of(some))
    assert tables["packed"].names == inside.names == ["id", "late", "code", "rank"]
    assert tables["packed"].height == inside.height == 400
    held, _ = inside.close(), [table.close() for table in tables.values()]
    files = [(tmp_path / name / "trials.parquet") for name in tables]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert isinstance(held, pl.DataFrame)
    assert held.drop("id").equals(
        pl.read_parquet(files[0]).drop("id")
    )  # what is in memory is masked when it is written
    assert (b"x-43" in pl.read_parquet(files[1])["id"].str.join().item().encode()) is (secret is None)


@pytest.mark.parametrize("shown", [None, [pl.col("late"), pl.col("id").alias("name")]], ids=["as_they_came", "shown"])
@pytest.mark.parametrize("as_it_is", [False, True])
def test_of_more_rows_than_are_joined_there_is_a_folder_of_parts_of_one_schema(
    as_it_is: bool, shown: list[pl.Expr] | None, tmp_path: Path
) -> None:
    batches: list[dict[str, Any]] = [
        {"id": [f"x-{i}" for i in range(at, at + 10)], "late": [None if at < 40 else 7] * 10, "none": [None] * 10}
        for at in range(0, 120, 10)
    ]
    held = {}
    for most, name in ((None, "all"), (120, "one"), (119, "parts")):
        (tmp_path / name).mkdir()
        table = TrialTable(str(tmp_path / name))
        table.most_joined = most
        for batch in batches:
            whole = [pl.col(one) for one in batch]
            table.add_packed(PackedRows.of([batch], (shown or whole) if as_it_is else None))
        if not as_it_is:
            table.show(shown or [pl.col(one) for one in batches[0]], table)
        table.end()
        closed = table.close()
        assert isinstance(closed, pl.LazyFrame)
        held[name] = closed.collect()
        assert [one.name for one in (tmp_path / name).iterdir()] == ["trials.parquet"]
    files = [tmp_path / name / "trials.parquet" for name in held]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert held["parts"].equals(held["all"])
    parts = pieces(files[2])
    assert [one.name for one in parts] == [f"part-{n:05}.parquet" for n in range(12)]
    assert {tuple(pl.read_parquet_schema(one).items()) for one in parts} == {tuple(held["all"].schema.items())}
    assert {pl.read_parquet_metadata(one)["auditfw.schema"] for one in parts} == {"auditfw.trials/1"}


def frame(rows: int, seed: int) -> pl.DataFrame:
    """Columns of the usual types: few different values, many, nulls, one value throughout."""
    draw = random.Random(seed)

    def of(*values: Any) -> list[Any]:
        return [draw.choice(values) for _ in range(rows)]

    return pl.DataFrame(
        {
            "id": pl.Series([f"i{n}-{draw.random()}" for n in range(rows)], dtype=pl.String),
            "label": pl.Series(of("VALID", "REJECT", None, "é𝄞"), dtype=pl.String),
            "status": pl.Series(["audited"] * rows, dtype=pl.String),
            "flag": pl.Series(of(True, False, None), dtype=pl.Boolean),
            "value": pl.Series(of(0.5, -0.0, None, 1e300), dtype=pl.Float64),
            "number": pl.Series([draw.randrange(10 ** draw.randrange(1, 15)) for _ in range(rows)], dtype=pl.Int64),
            "nothing": pl.Series([None] * rows, dtype=pl.String),
            "day": pl.Series(of(date(2020, 1, 1), date(1970, 1, 1)), dtype=pl.Date),
        }
    )


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 25), min_size=1, max_size=8), st.integers(0, 99))
def test_frames_of_any_size_are_one_file(tmp_path_factory: pytest.TempPathFactory, sizes: list[int], seed: int) -> None:
    folder = tmp_path_factory.mktemp("run")
    whole = frame(sum(sizes), seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "PART_ROWS", 10)
        table, at = TrialTable(str(folder)), 0
        for size in sizes:
            table.take(whole[at : at + size])
            at += size
        found = table.close()
    assert found is not None
    assert found.lazy().collect().equals(whole)
    wanted: dict[str, Any] = {"row_group_size": 10, "metadata": {"auditfw.schema": "auditfw.trials/1"}}
    whole.lazy().sink_parquet(folder / "sunk", compression="zstd", maintain_order=True, **wanted)
    assert (folder / "trials.parquet").read_bytes() == (folder / "sunk").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["sunk", "trials.parquet"]


def test_frames_that_fit_those_before_are_written_with_them(tmp_path: Path) -> None:
    """A stream of its own is begun for a wider frame alone: a table of very many frames has few parts."""
    table = TrialTable(str(tmp_path))
    frames = [{"a": [1]}, {"a": [0.5], "b": ["x"]}, *[{"a": [n], "b": [None]} for n in range(50)], {"b": ["y"]}]
    for one in frames:
        table.take(pl.DataFrame(one))
    table.end()
    assert len(list(tmp_path.glob(".parts-*/0*.parquet"))) == 2
    found = table.close()
    assert found is not None
    expected = pl.concat([pl.DataFrame(one) for one in frames], how="diagonal_relaxed")
    assert found.lazy().collect().equals(expected)


@pytest.mark.parametrize(
    "parts",
    [
        [{"a": [None, None]}, {"a": ["x", None, "y"]}],
        [{"a": [1]}, {"a": [0.5]}, {"a": [2]}],
        [{"a": [1]}, {"b": ["x"]}],
    ],
)
def test_frames_of_several_schemas_are_joined(parts: list[dict[str, list[Any]]], tmp_path: Path) -> None:
    table = TrialTable(str(tmp_path))
    for part in parts:
        table.take(pl.DataFrame(part))
    found = table.close()
    assert found is not None
    expected = pl.concat([pl.DataFrame(part) for part in parts], how="diagonal_relaxed")
    assert found.lazy().collect().equals(expected)


@pytest.mark.parametrize("way", ["columns", "stream", "several streams"])
@pytest.mark.parametrize("size", [0, 3, PART_ROWS + 1])
def test_a_file_written_beside_other_work_has_the_same_bytes(way: str, size: int, tmp_path: Path) -> None:
    files = []
    for ended in (False, True):
        folder = tmp_path / str(ended)
        folder.mkdir()
        table = TrialTable(str(folder))
        for text in ("x", "y"):
            columns: dict[str, list[Any]] = {"a": [text] * size}
            if way == "columns":
                table.add(columns)
            else:
                more = {"b": [1] * size} if way == "several streams" and text == "y" else {}
                table.take(pl.DataFrame(columns | more, schema_overrides={"a": pl.String}))
        if ended:
            table.end()
        found = table.close()
        assert found is not None
        assert found.lazy().collect()["a"].to_list() == ["x"] * size + ["y"] * size
        assert [path.name for path in folder.iterdir()] == ["trials.parquet"]
        files.append((folder / "trials.parquet").read_bytes())
    assert files[0] == files[1]


def test_a_table_without_rows_has_no_file_however_it_ends(tmp_path: Path) -> None:
    table = TrialTable(str(tmp_path))
    table.end()
    assert table.close() is None
    assert list(tmp_path.iterdir()) == []


def test_a_table_in_memory_may_be_ended_too() -> None:
    table = TrialTable(None)
    table.add({"a": [1, 2]})
    table.end()
    found = table.close()
    assert found is not None
    assert found.lazy().collect()["a"].to_list() == [1, 2]


@pytest.mark.parametrize("folder", [True, False])
@pytest.mark.parametrize("rows", [0, 2])
def test_types_do_not_depend_on_the_values(folder: bool, rows: int, tmp_path: Path) -> None:
    """Columns without a value are of their declared type, else texts; empty ones, too."""
    table = TrialTable(str(tmp_path) if folder else None, "some")
    table.types = {"cost": pl.Float64, "n": pl.Int64}
    for _ in range(2):
        table.add({"cost": [None] * rows, "n": [1] * rows, "free": [None] * rows})
    closed = table.close()
    assert closed is not None
    assert closed.lazy().collect_schema() == {"cost": pl.Float64, "n": pl.Int64, "free": pl.String}
    streamed = TrialTable(str(tmp_path) if folder else None, "streamed")
    streamed.take(pl.DataFrame({"free": [None] * rows}))
    closed = streamed.close()
    assert closed is not None
    assert closed.lazy().collect_schema() == {"free": pl.String}
    for name in ("some", "streamed") if folder else ():
        assert pl.read_parquet_metadata(tmp_path / f"{name}.parquet")["auditfw.schema"] == f"auditfw.{name}/1"


def test_what_goes_wrong_beside_other_work_is_raised_at_the_end(tmp_path: Path) -> None:
    table = TrialTable(str(tmp_path))
    table.add({"a": list(range(PART_ROWS))})
    [part] = tmp_path.glob(".parts-*/*.parquet")
    part.unlink()
    table.end()
    with pytest.raises(IncompleteError, match=r"trials\.parquet: cannot be written or read"):
        table.close()
    assert not (tmp_path / "trials.parquet").exists()


def test_memory_is_bounded_by_what_is_written(tmp_path: Path) -> None:
    """Frames beyond those that wait are not taken before some are written."""
    stream = ParquetStream(tmp_path / "whole.parquet", pl.Schema({"a": pl.Int64}), 1_000, {})
    for n in range(200):
        stream.put(pl.DataFrame({"a": range(1_000 * n, 1_000 * (n + 1))}))
    stream.close()
    assert pl.read_parquet(tmp_path / "whole.parquet")["a"].to_list() == list(range(200_000))


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    stream = ParquetStream(tmp_path / "no" / "such.parquet", pl.Schema({"a": pl.Int64}), 10, {})

    def fill() -> None:
        for _ in range(100):
            stream.put(pl.DataFrame({"a": [1]}))
        stream.close()

    with pytest.raises(OSError, match="such"):  # by the first `put` that finds no room, or by the end
        fill()


def test_a_stream_that_is_given_up_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    stream = ParquetStream(tmp_path / "part.parquet", pl.Schema({"a": pl.Int64}), 10, {})
    stream.put(pl.DataFrame({"a": [1]}))
    [own] = set(threading.enumerate()) - before
    del stream
    gc.collect()
    own.join(60)
    assert not own.is_alive()


ENDING = """
import sys
import polars as pl
from auditfw.core.tables import TrialTable

class Last:
    def __init__(self, task):
        self.task = task
    def __del__(self):
        self.task()
        print("ended")

table = TrialTable(sys.argv[1])
frame = pl.select(pl.int_range(300_000).hash(seed).alias(str(seed)) for seed in range(8))
for one in (frame, frame.with_columns(last=1)):
    table.take(one)
if sys.argv[2] == "joining":
    table.end()
_last = Last(table._joining or table._stream._writing)
sys.exit(7)
"""


@pytest.mark.parametrize("state", ["writing", "joining"])
def test_the_interpreter_ends_after_what_is_written(state: str, tmp_path: Path) -> None:
    """Rust that asks for an interpreter that has ended takes the process with it."""
    words = [sys.executable, "-c", ENDING, str(tmp_path), state]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, "ended\n", "")


def test_how_many_rows_came_is_known_however_they_came() -> None:
    by_column, by_frame, shown = TrialTable(None), TrialTable(None), TrialTable(None)
    by_column.add({"a": [1, 2]})
    by_column.add({"a": [3]})
    by_frame.take(pl.DataFrame({"a": [1, 2]}))
    shown.show([pl.col("a")], by_column)
    assert [one.height for one in (by_column, by_frame, shown, TrialTable(None))] == [3, 2, 3, 0]
