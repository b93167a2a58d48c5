"""Problems from files of records, and what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refined_problems import PROBLEM, rows, run, write

from auditfw.audits.self_audit.trials import COLUMNS, problems_of
from auditfw.components.source.formats import Problems
from auditfw.core.errors import DataError

BAD_PROBLEMS: dict[str, tuple[dict[str, Any], str]] = {
    "no examples": ({"id": "a"}, r"problems\.jsonl:1, problem 'a': has no training example"),
    "an empty list": ({"id": "a", "train": []}, r"has no training example"),
    "no list": ({"id": "a", "train": 5}, r"expected a list of {input, output} as 'train'; got 5"),
    "no example": ({"id": "a", "train": [[1]]}, r"expected {input, output} as train example 1"),
    "no output": ({"id": "a", "train": [{"input": 1}]}, r"train example 1 has no output"),
    "an empty output": (
        {"id": "a", "train": [{"input": 1, "output": [[]]}]},
        r"train example 1 expects an empty output",
    ),
    "no label": ({**PROBLEM, "stored": "maybe"}, r"the recorded label is neither true nor false \(maybe\)"),
}


@pytest.mark.parametrize("name", BAD_PROBLEMS)
def test_bad_problems_are_named(tmp_path: Path, name: str) -> None:
    problem, message = BAD_PROBLEMS[name]
    path = write(tmp_path / "problems.jsonl", problem)
    [task] = Problems(path=path).open([], list(COLUMNS)).tasks
    with pytest.raises(DataError, match=message):
        list(problems_of(task(), [], [], False))


def test_twice_the_same_problem(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="duplicate id 'a'"):
        run(tmp_path, [PROBLEM, PROBLEM], [])


def test_problems_is_a_file_source(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(PROBLEM) + "\n", "utf-8")
    [row] = rows(Problems(path=str(path)).open([], ["train", "#place"]))
    assert row == {"id": "a", "train": PROBLEM["train"], "#place": f"{path}:1"}
