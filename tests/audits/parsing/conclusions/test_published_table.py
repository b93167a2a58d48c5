"""Tables of published figures: their texts as written, in every format; and those that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sentences import parsing as says

from auditfw.audits.parsing.conclusions.published_table import Published, table_of
from auditfw.core.errors import AuditError, DataError, UsageError

RECORDS: list[dict[str, Any]] = [{"m": "x", "t": 0.5, "err": 24.7, "N": 81}, {"m": "y", "t": 1, "err": None, "N": 7}]


def read(path: Path, by: tuple[str, ...] = ("m", "t"), **more: Any) -> list[tuple[tuple[str, ...], dict[str, str]]]:
    columns = {"error_rate": "err", "n": "N"}
    return [(cell, dict(row)) for cell, row in table_of(Published(str(path), columns, **more), by).rows]


def written(folder: Path, suffix: str) -> Path:
    """The records in a file of this kind."""
    path = folder / f"table{suffix}"
    if suffix == ".parquet":
        pl.DataFrame(RECORDS, strict=False).write_parquet(path)
    elif suffix in (".csv", ".tsv"):
        between = "," if suffix == ".csv" else "\t"
        lines = [["m", "t", "err", "N"], ["x", "0.5", "24.70", "81"], [], ["y", "1", "", "7"]]
        path.write_text("\ufeff" + "".join(between.join(line) + "\r\n" for line in lines), "utf-8")
    else:
        lines = [json.dumps(record).replace("24.7", "24.70") for record in RECORDS]
        path.write_text("\n\n".join(lines) if suffix == ".jsonl" else f"[{','.join(lines)}]", "utf-8")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json", ".jsonl", ".parquet"])
def test_digits_are_those_that_are_written(tmp_path: Path, suffix: str) -> None:
    rows = read(written(tmp_path, suffix))
    digits, second = ("24.7", "1.0") if suffix == ".parquet" else ("24.70", "1")
    assert rows == [(("x", "0.5"), {"error_rate": digits, "n": "81"}), (("y", second), {"n": "7"})]


def test_figures_without_a_setting_are_those_of_our_names(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Model,accuracy,error_rate\nx,1,2\n", "utf-8")
    table = table_of(Published(str(path), {"model": "Model"}, ("model",)), ("model", "t"))
    assert (table.names, table.measures) == (("model",), ("error_rate", "accuracy"))
    assert table.rows == [(("x",), {"error_rate": "2", "accuracy": "1"})]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", "m,t,err\nx,1\n", says.A_ROW_HAS_A_DIFFERENT),
        ("t.csv", "", "has no column 'm'"),
        ("t.csv", "m,t,N\nx,1,2\n", "has no column 'err'"),
        ("t.csv", b"m,t,err,N\n\xff,1,2,3\n", "is not UTF-8"),
        ("t.json", '{"m": 1}', says.EXPECTED_A_LIST_OF_RECORDS),
        ("t.json", "[1]", says.EXPECTED_A_RECORD_GOT_TEXT),
        ("t.json", "[" * 100_000, "is not valid JSON"),
        ("t.jsonl", '{"m": 1}\n{"m"\n', "t.jsonl:2: is not valid JSON"),
        ("t.parquet", "no", "cannot be read"),
        ("gone.csv", None, "gone.csv: no such file - check audit.published.path"),
        ("gone.parquet", None, "gone.parquet: no such file - check audit.published.path"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: str | bytes | None, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as raised:
        read(path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"on": ("mm",)}, says.THE_RUN_HAS_NO_CELLS_BY),
        (
            {"on": ("m",), "columns": {"t": "T"}},
            says.IS_NEITHER_A_FIGURE_NOR,
        ),
    ],
)
def test_names_that_are_not_there(tmp_path: Path, more: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as raised:
        table_of(Published(str(written(tmp_path, ".csv")), **more), ("m", "t"))
    assert words in str(raised.value)


def test_an_unknown_kind_of_file() -> None:
    with pytest.raises(AuditError, match=r"name a file \.csv, \.tsv, \.json, \.jsonl, \.parquet"):
        Published("table.xlsx")
