"""Fresh logs of the real package: our rows are what the package itself reads."""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from field_packages import python_with
from files_read import read
from places import HELPERS

from auditfw.components.source.inspect import Inspect, InspectRaters

pytestmark = pytest.mark.slow
PARSING = ("answer", "pattern", "choice")


@pytest.fixture(scope="module", params=["eval", "json"])
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    python = python_with("inspect-ai", tmp_path_factory)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    words = [python, HELPERS / "inspect_writer.py", folder, request.param]
    subprocess.run(words, check=True, timeout=600, cwd=folder, env={**clean, "INSPECT_LOG_LEVEL": "error"})
    return folder


def written(logs: Path) -> list[tuple[Path, dict[str, Any]]]:
    pairs = [(path.with_suffix(""), json.loads(path.read_text("utf-8"))) for path in logs.glob("*.read")]
    pairs.sort(key=lambda pair: str(pair[1]["task"]), reverse=True)
    assert [beside["task"] for _, beside in pairs] == ["sums", "letters"]
    return pairs


def label(value: str) -> bool | None:
    """What a value stands for, by the definition of Inspect's own scores, P and 0.7 being right."""
    return {"C": True, "P": True, "I": False, "N": False, "0.7": True, "nan": None}[value]


def test_rows_are_what_the_package_reads(logs: Path) -> None:
    for path, beside in written(logs):
        rows = {row["id"]: row for row in read(Inspect(path=str(path), key="a"))[0]}
        assert rows.keys() == {one["name"] for one in beside["rows"]}
        for one in beside["rows"]:
            row = rows[one["name"]]
            expected = one["text"], one["target"], one["input"], one["choices"], one["error"]
            assert (row["raw_text"], row["ground_truth"], row["question"], row.get("choices"), row["error"]) == expected
            assert (row["temperature"], row["model"], row["task"]) == (0.5, "mockllm/model", beside["task"])


def test_labels_are_those_of_every_scorer(logs: Path) -> None:
    for path, beside in written(logs):
        keys = list(dict.fromkeys(key for one in beside["rows"] for key in one["scores"]))
        assert len(keys) == len(beside["scorers"])
        for key in keys:
            rows, tally = read(Inspect(path=str(path), scorer=key, key="a"))
            values = {one["name"]: one["scores"].get(key) for one in beside["rows"]}
            unscored = [name for name, score in values.items() if score and score["value"] == "nan"]
            assert "unscored" not in tally["dropped"]
            assert {row["id"] for row in rows} == values.keys()
            assert {row["id"] for row in rows if row.get("unscored")} == set(unscored)
            for row in (row for row in rows if not row.get("unscored")):
                score = values[row["id"]]
                value = None if score is None else "C" if score["value"].startswith("{") else score["value"]
                assert row["stored"] == (None if value is None else label(value)), (key, row["id"])
                if key in PARSING and score is not None:
                    assert row["parsed_text"] == (score["answer"] or "")


def test_reasoning_is_apart(logs: Path) -> None:
    rows = [row for path, _ in written(logs) for row in read(Inspect(path=str(path), key="a"))[0]]
    assert {row.get("reasoning") for row in rows} == {None, "let me think"}


def test_raters(logs: Path) -> None:
    path, beside = written(logs)[0]
    source = InspectRaters(path=str(path), scorers=("match", "includes", "grades"), key="a")
    rows, _ = read(source, *source.raters(), optional=())
    values = {one["name"]: one["scores"] for one in beside["rows"]}
    for row in rows:
        scores = values[row["id"]]
        assert row["match"] == scores.get("match", {}).get("value")
        assert (row["grades"] is None) == (not scores or math.isnan(_number(scores["grades"]["value"])))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
