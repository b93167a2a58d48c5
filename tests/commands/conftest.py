"""What the tests of several verbs share."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import run_auditfw

ANSWERS = ["Paris", "It is Paris", "paris!", "London", "Paris or London", "Rome"]


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that differ in the matcher: three of six answers only hold the truth."""
    folder = tmp_path_factory.mktemp("runs")
    rows = [
        {"id": f"t{i}", "raw_text": text, "parsed_text": text, "ground_truth": "Paris", "stored": int("aris" in text)}
        for i, text in enumerate(ANSWERS)
    ]
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    words = ("source=jsonl", "source.path=mine.jsonl", "by=[]", "parser=[stored]", "normalizer=[v1]", "report=[]")
    for name, matcher in (("one", "containment"), ("two", "exact")):
        done = run_auditfw((*words, f"matcher={matcher}", "gate=[]", f"hydra.run.dir={name}"), folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def nohup() -> Iterator[None]:
    """Commands that are started ignore SIGHUP, as after the program of that name."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)
