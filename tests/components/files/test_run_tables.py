"""Tables of finished runs, in one file or in a folder of parts: read, and refused where they are not the run's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditfw.components.files.run_tables import check_tables, digest_of, has_table, read_table
from auditfw.core.errors import DataError
from auditfw.core.tables import pieces


def parted(folder: Path) -> dict[str, Any]:
    """A run whose table of trials has eleven parts, and what its result says."""
    (folder / "trials.parquet").mkdir()
    for number in range(11):
        frame = pl.DataFrame({"id": [f"{number}-a", f"{number}-b"], "code.v1": [0, number]})
        frame.write_parquet(folder / "trials.parquet" / f"part-{number:05}.parquet")
    files = pieces(folder / "trials.parquet")
    digests = {file.relative_to(folder).as_posix(): digest_of(file) for file in files}
    return {"schema": "auditfw.result/2", "digests": digests}


def test_parts_are_read_as_one_table_in_their_order(tmp_path: Path) -> None:
    result, file = parted(tmp_path), tmp_path / "trials.parquet"
    check_tables(tmp_path, result)
    assert has_table(file)
    ids = [f"{number}-{one}" for number in range(11) for one in "ab"]
    assert read_table(file)["id"].to_list() == ids
    assert read_table(file, lambda columns: columns[:1]).columns == ["id"]


def another(folder: Path) -> None:
    (folder / "part-00003.parquet").write_bytes((folder / "part-00002.parquet").read_bytes())


def further(folder: Path) -> None:
    (folder / "part-00011.parquet").write_bytes((folder / "part-00002.parquet").read_bytes())


def missing(folder: Path) -> None:
    (folder / "part-00003.parquet").unlink()


def linked(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")


def inside(folder: Path) -> None:
    (folder / "part-00011.parquet").mkdir()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (another, "part-00003.parquet: does not match its SHA-256 in result.json"),
        (further, "part-00011.parquet: is a table that result.json does not list"),
        (missing, "part-00003.parquet: no such file"),
        (linked, "trials.parquet: is not a regular file"),
        (inside, "part-00011.parquet: is not a regular file"),
    ],
)
def test_parts_that_are_not_those_of_the_run(change: Callable[[Path], None], line: str, tmp_path: Path) -> None:
    result = parted(tmp_path)
    change(tmp_path / "trials.parquet")
    with pytest.raises(DataError, match=line):
        check_tables(tmp_path, result)


def test_a_folder_without_parts_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "trials.parquet").mkdir()
    assert not has_table(tmp_path / "trials.parquet")
    with pytest.raises(DataError, match="no such file"):
        read_table(tmp_path / "trials.parquet")


def test_parts_of_other_columns_are_no_table(tmp_path: Path) -> None:
    parted(tmp_path)
    pl.DataFrame({"id": [1], "code.v1": [0]}).write_parquet(tmp_path / "trials.parquet" / "part-00004.parquet")
    with pytest.raises(DataError, match=r"trials.parquet: holds a table that cannot be read"):
        read_table(tmp_path / "trials.parquet")
