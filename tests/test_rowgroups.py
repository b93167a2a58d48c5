"""Row groups of several files put together: byte for byte what is written at once; what is odd is refused."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditfw import trials
from auditfw.rowgroups import join
from auditfw.thrift import decoded, encoded
from auditfw.trials import TrialTable


def frame(rows: int, seed: int) -> pl.DataFrame:
    """Columns of the usual types: few different values, many, nulls, one value throughout."""
    draw = random.Random(seed)

    def of(*values: Any) -> list[Any]:
        return [draw.choice(values) for _ in range(rows)]

    return pl.DataFrame(
        {
            "id": [f"i{n}-{draw.random()}" for n in range(rows)],
            "label": of("VALID", "REJECT", None, "é𝄞"),
            "status": ["audited"] * rows,
            "flag": of(True, False, None),
            "value": of(0.5, -0.0, None, 1e300),
            "number": [draw.randrange(10 ** draw.randrange(1, 15)) for _ in range(rows)],
            "nothing": pl.Series([None] * rows, dtype=pl.String),
            "text": ["x" * draw.randrange(300) for _ in range(rows)],
            "day": of(date(2020, 1, 1), date(1970, 1, 1)),
        }
    )


def written(frames: list[pl.DataFrame], folder: Path, size: int) -> list[Path]:
    paths = [folder / f"{n:03}.parquet" for n in range(len(frames))]
    for part, path in zip(frames, paths, strict=True):
        part.write_parquet(path, compression="zstd", row_group_size=size)
    return paths


def sunk(paths: list[Path], target: Path, size: int) -> bytes:
    parts = [pl.scan_parquet(path) for path in paths]
    pl.concat(parts, how="diagonal_relaxed").sink_parquet(
        target, compression="zstd", row_group_size=size, maintain_order=True
    )
    return target.read_bytes()


@pytest.mark.parametrize(("rows", "size"), [(1, 10), (9, 10), (10, 10), (35, 10), (81, 4), (5_001, 1_000)])
def test_row_groups_together_are_the_file_written_at_once(rows: int, size: int, tmp_path: Path) -> None:
    for seed in range(3):
        whole = frame(rows, seed)
        paths = written([whole[at : at + size] for at in range(0, rows, size)], tmp_path, size)
        assert join(paths, tmp_path / "joined")
        assert (tmp_path / "joined").read_bytes() == sunk(paths, tmp_path / "sunk", size)


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [pl.DataFrame({"a": [1]}), pl.DataFrame({"a": ["x"]})],
        [pl.DataFrame({"a": [1]}), pl.DataFrame({"b": [1]})],
        [pl.DataFrame({"a": [[1], [2, 3]]})],
        [pl.DataFrame({"a": [{"b": 1}]})],
        [pl.DataFrame({"a": [1] * 11})],
        [pl.DataFrame({"a": []}, schema={"a": pl.String})],
    ],
)
def test_what_is_not_understood_is_left_to_others(frames: list[pl.DataFrame], tmp_path: Path) -> None:
    assert not join(written(frames, tmp_path, 10), tmp_path / "joined")


def test_a_file_that_is_no_parquet_is_left_to_others(tmp_path: Path) -> None:
    [path] = written([frame(20, 0)], tmp_path, 20)
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :])
        join([path], tmp_path / "joined")  # raises nothing
    for size in (8, 12, 100, len(data) - 9):
        path.write_bytes(data[:size])
        assert not join([path], tmp_path / "joined")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 25), min_size=1, max_size=8), st.integers(0, 99))
def test_a_table_taken_in_frames_of_any_size_is_one_file(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], seed: int
) -> None:
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
    whole.lazy().sink_parquet(folder / "sunk", compression="zstd", row_group_size=10, maintain_order=True)
    assert (folder / "trials.parquet").read_bytes() == (folder / "sunk").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["sunk", "trials.parquet"]


def test_parts_of_different_types_are_joined_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "PART_ROWS", 2)
    table = TrialTable(str(tmp_path))
    table.take(pl.DataFrame({"a": [None, None]}))
    table.take(pl.DataFrame({"a": ["x", None, "y"]}))
    found = table.close()
    assert found is not None
    assert found.lazy().collect()["a"].to_list() == [None, None, "x", None, "y"]


def test_structures_of_thrift_are_read_and_written() -> None:
    fields = [
        (1, 5, -7),
        (2, 6, 1 << 40),
        (3, 8, b"text" * 90),
        (19, 1, True),
        (20, 2, False),
        (40, 12, [(1, 4, 3)]),
        (41, 9, (8, [b"a"] * 20)),
        (42, 9, (1, [True, False])),
        (43, 3, b"\x05"),
        (44, 7, b"12345678"),
    ]
    assert decoded(encoded(fields)) == (fields, len(encoded(fields)))
    with pytest.raises(ValueError, match="type 11"):
        decoded(b"\x1b\x00")
