"""Numbers that become labels by range, of every file source; what is no number stops the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditfw.components.files.columns.addresses import Bins, bins_of
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import DataError, UsageError

TWO = Bins((1.5,), ("<1.5", ">=1.5"))


@pytest.mark.parametrize(
    ("given", "number", "label"),
    [
        ([1.5], 1.4999, "<1.5"),
        ([1.5], 1.5, ">=1.5"),
        ([1, 2], 1, "1 to <2"),
        ([1, 2], 1.999, "1 to <2"),
        ([1, 2], 2, ">=2"),
        ([1, 2], -7, "<1"),
        ({"edges": [0], "labels": ["bad", "good"]}, 0, "good"),
        ({"edges": [0], "labels": [0, 1]}, -1, "0"),
        ({"edges": [0]}, -1, "<0"),
    ],
)
def test_a_number_at_an_edge_is_in_the_upper_range(given: Any, number: float, label: str) -> None:
    assert bins_of(given, "bins.x").label(number) == label


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "expected a list of numbers"),
        (1.5, "expected a list of numbers"),
        (["a"], "expected a list of numbers"),
        ([True], "expected a list of numbers"),
        ([float("nan")], "expected a list of numbers"),
        ([1, 1], "expected numbers in ascending order"),
        ([2, 1], "expected numbers in ascending order"),
        ({"edges": [1], "labels": ["a"]}, r"bins\.x\.labels: expected 2 different labels"),
        ({"edges": [1], "labels": ["a", "a"]}, r"bins\.x\.labels: expected 2 different labels"),
        ({"edge": [1]}, "expected a list of numbers"),
    ],
)
def test_bins_that_are_none(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        bins_of(given, "bins.x")


def test_values() -> None:
    assert TWO.labelled([1, 2.0, "1.7", " 1 ", None], "source.bins.x", str) == ["<1.5", ">=1.5", ">=1.5", "<1.5", None]
    for value in ("lots", "", True, [1], float("nan")):
        with pytest.raises(DataError, match=r"^1: x is not a number, and source\.bins\.x needs numbers"):
            TWO.labelled([1, value], "source.bins.x", str)


def columns(source: Any, name: str) -> list[Any]:
    return [value for task in source.open((name,), ()).tasks for value in task().columns[name]]


def test_sources(tmp_path: Path) -> None:
    """The condition sees the numbers; places are those of the file."""
    (tmp_path / "a.csv").write_text("id,x\na,1\nb,\nc,1.5\nd,oops\n", "utf-8")
    (tmp_path / "a.jsonl").write_text('{"id": "a", "x": 1}\n{"id": "b", "x": null}\n{"id": "c", "x": "2"}\n', "utf-8")
    csv = DelimitedText(path=str(tmp_path / "a.csv"), bins={"x": [1.5]}, nulls={"x": ("",)}, where="id <> 'd'")
    assert columns(csv, "x") == ["<1.5", None, ">=1.5"]
    assert columns(csv.changed(where="id = 'c'"), "x") == [">=1.5"]
    assert columns(JsonLines(path=str(tmp_path / "a.jsonl"), bins={"x": [1.5]}), "x") == ["<1.5", None, ">=1.5"]
    with pytest.raises(DataError, match=r"a\.csv:5: x is not a number.*'oops'.*source\.nulls\.x=\[\"oops\"\]"):
        columns(csv.changed(where="id <> 'a'"), "x")
    with pytest.raises(UsageError, match=r"source\.bins\.y: no column 'y'"):
        columns(csv.changed(bins={"y": [1]}), "x")
