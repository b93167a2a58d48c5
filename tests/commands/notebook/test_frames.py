"""Measurements as a data frame: the columns and numbers of measurements.parquet, in Polars or pandas."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pages
import polars as pl
import pytest
from sentences import commands as says

import auditfw
from auditfw.core.records import Estimate, Measurement

COLUMNS = ["audit", "reading", "temperature", "metric", "value", "low", "high", "counted", "missing", "undefined"]


def test_a_row_for_each_measurement() -> None:
    frame = pages.result().frame()
    assert frame.columns == COLUMNS
    assert frame.dtypes == [*[pl.String] * 2, pl.Float64, pl.String, *[pl.Float64] * 3, *[pl.Int64] * 2, pl.String]
    rate = 24.72
    assert frame.rows()[:2] == [
        ("parsing", "stored+v1", None, "error_rate", rate, rate - 2.4, rate + 2.6, 1080, 0, None),
        ("parsing", "stored+v1", 0.5, "error_rate", rate, None, None, 540, 0, None),
    ]
    assert frame.rows()[-1] == (
        "parsing", "stored+v1", None, "mismatches", None, None, None, 0, 0, "nothing is stored",
    )  # fmt: skip
    assert len(frame) == len(pages.result().measurements)


def test_nothing_measured_is_an_empty_frame() -> None:
    frame = replace(pages.result(), measurements=[], by=()).frame()
    assert (frame.columns, len(frame)) == ([name for name in COLUMNS if name != "temperature"], 0)
    assert frame.schema["value"] == pl.Float64


def test_cells_with_the_names_of_other_columns() -> None:
    cell = {"audit": "a", "value": "b"}
    result = replace(pages.result(), by=("audit", "value"), measurements=[Measurement("n", "r", cell, Estimate(1.0))])
    frame = result.frame()
    assert frame.columns[:4] == ["audit", "reading", "cell.audit", "cell.value"]
    assert frame.rows()[0][:6] == ("parsing", "r", "a", "b", "n", 1.0)


def test_numbers_that_are_not_finite_are_null() -> None:
    odd = Measurement("n", "r", {}, Estimate(math.nan, 1, 0, -math.inf, math.inf))
    row = replace(pages.result(), by=(), measurements=[odd]).frame().row(0, named=True)
    assert [row[name] for name in ("value", "low", "high", "undefined")] == [None, None, None, "not finite"]


def test_pandas() -> None:
    pytest.importorskip("pandas")
    result = pages.result()
    frame = result.frame("pandas")
    assert list(frame.columns) == COLUMNS
    assert [str(frame[name].dtype) for name in ("value", "low", "counted")] == ["float64", "float64", "int64"]
    wanted = result.frame()["low"].to_list()
    assert [None if math.isnan(low) else low for low in frame["low"]] == wanted
    assert list(result.frame(kind="pandas")["metric"]) == result.frame()["metric"].to_list()


def test_numbers_stay_numbers_in_pandas_where_all_are_null() -> None:
    lone = replace(pages.result(), measurements=[Measurement("n", "r", {}, Estimate(None, undefined="none"))])
    assert [str(lone.frame("pandas")[name].dtype) for name in ("value", "low", "high")] == ["float64"] * 3


def test_without_pandas_an_error_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("raise ImportError\n", "utf-8")
    code = (
        "import auditfw\n"
        "r = auditfw.Result('a', 'none', 0, {}, (), [], [], [], [], '', 0, {})\n"
        "for ask in (r.frame, r.exhibits):\n"
        "    try: ask(kind='pandas')\n"
        "    except auditfw.UsageError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [says.KIND_A_PANDAS_FRAME_NEEDS.format(name) for name in ("frame", "exhibits")]


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(
        auditfw.UsageError, match=r"^frame\.kind: no such kind of frame \(arrow\) - write one of polars, p"
    ):
        pages.result().frame("arrow")  # type: ignore[arg-type]


def test_a_result_read_back_gives_the_same(tmp_path: Path) -> None:
    ran = auditfw.run({"experiment": "answer_parsing"}, tmp_path / "run")
    read = auditfw.read_result(str(tmp_path / "run"))
    assert read.frame().equals(ran.frame())
    assert repr(read) == repr(ran)
    assert read.exhibits().equals(ran.exhibits())
    table = pl.read_parquet(tmp_path / "run" / "measurements.parquet")
    assert read.frame().select(table.columns).equals(table)
