"""Tasks from ARC files: a file, a folder, a mapping; and what is no task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refined_problems import rows, write

from auditfw.components.source.arc import Arc
from auditfw.core.errors import DataError, UsageError

TASK = {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]}


def test_arc_reads_a_file_a_folder_and_a_mapping(tmp_path: Path) -> None:
    one = write(tmp_path / "b.json", TASK)
    write(tmp_path / "a.json", TASK)
    assert [row["id"] for row in rows(Arc(path=one).open([], []))] == ["b"]
    assert [row["id"] for row in rows(Arc(path=str(tmp_path)).open([], []))] == ["a", "b"]
    [folder] = Arc(path=str(tmp_path)).open([], []).inputs()
    assert (folder.path, folder.bytes) == (str(tmp_path), 2 * len(json.dumps(TASK)))
    whole = write(tmp_path / "whole.txt", {"y": TASK, "x": TASK})
    answers = write(tmp_path / "answers.txt", {"x": [[[4]]]})
    found = rows(Arc(path=whole, solutions=answers).open([], []))
    assert [(row["id"], row["test"][0].get("output")) for row in found] == [("y", None), ("x", [[4]])]
    assert [row["id"] for row in rows(Arc(path=whole, ids=("x",)).open([], []))] == ["x"]
    assert [row["id"] for row in rows(Arc(path=whole, limit=1).open([], []))] == ["y"]


def test_empty_files_of_a_folder_and_numbers_nobody_reads(tmp_path: Path) -> None:
    write(tmp_path / "a.json", json.dumps(TASK | {"score": float("nan")}))
    write(tmp_path / "b.json", "")
    opened = Arc(path=str(tmp_path)).open([], [])
    assert [row["id"] for row in rows(opened)] == ["a"]
    assert opened.warnings == (f"1 of 2 files holds no record: {tmp_path / 'b.json'}",)
    with pytest.raises(DataError, match=r"b\.json:1: not JSON"):
        rows(Arc(path=str(tmp_path / "b.json")).open([], []))


BAD_TASKS: dict[str, tuple[Any, str]] = {
    "no JSON": ('{"train": [\n\n{"input": [[1]]', r"t\.json:3: not JSON"),
    "a list": ([TASK], r"t\.json:1: expected a task or a mapping of tasks, got a list"),
    "no train": ({"a": {"test": []}}, r"t\.json:1: task 'a' has no list 'train'"),
    "ragged": (
        {"train": [{"input": [[1, 2], [3]], "output": [[1]]}]},
        r"train example 1: the input is not a grid \(rows of 1, 2 cells\)",
    ),
    "empty": ({"train": [{"input": [[1]], "output": []}]}, r"train example 1: the output is not a grid \(\[\]\)"),
    "text cells": ({"train": [{"input": [["1"]], "output": [[1]]}]}, r"the input is not a grid \(a cell is 1\)"),
    "a float": ({"train": [{"input": [[1]], "output": [[1.0]]}]}, r"the output is not a grid \(a cell is 1.0\)"),
    "no output": ({"train": [{"input": [[1]]}]}, r"the output is not a grid \(missing\)"),
    "a key twice": ('{"a": 1, "a": 2}', r"t\.json:1: duplicate key"),
}


@pytest.mark.parametrize("name", BAD_TASKS)
def test_bad_arc_tasks_are_named(tmp_path: Path, name: str) -> None:
    value, message = BAD_TASKS[name]
    path = write(tmp_path / "t.json", value)
    with pytest.raises(DataError, match=message):
        rows(Arc(path=path).open([], []))


@pytest.mark.parametrize("example", [[[1]], 5, None, "x"])
def test_tests_that_are_none_and_have_solutions(tmp_path: Path, example: Any) -> None:
    path = write(tmp_path / "t.json", {"a": {**TASK, "test": [example]}})
    with pytest.raises(DataError, match=r"expected \{input, output\} as task 'a', test example 1"):
        rows(Arc(path=path, solutions=write(tmp_path / "s.json", {"a": [[[4]]]})).open([], []))


def test_arc_refuses(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"source\.path: not set"):
        Arc().open([], [])
    with pytest.raises(DataError, match="no such file"):
        Arc(path=str(tmp_path / "none.json")).open([], [])
    write(tmp_path / "a.json", TASK)
    (tmp_path / "more").mkdir()
    again = write(tmp_path / "more/a.json", TASK)
    files = ({"path": str(tmp_path / "a.json")}, {"path": again, "set": {"part": 2}})
    several = Arc(files=files)  # type: ignore[arg-type]
    assert several.open(["part"], []).columns == ("id", "#place", "train", "test", "part")
    with pytest.raises(DataError, match=r"duplicate task 'a'"):
        rows(several.open([], []))
    with pytest.raises(DataError, match=r"no column 'kind'"):
        several.open(["kind"], [])
