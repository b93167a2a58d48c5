"""Finished runs beside each other, an accepted run as the baseline of a gate, and a stored config run again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from running import run_auditfw

from auditfw.commands.compare import differing, flat, flips
from auditfw.components.gate.change import BASELINE
from auditfw.core.statistics import mcnemar_exact

ANSWERS = ["Paris", "It is Paris", "paris!", "London", "Paris or London", "Rome"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def test_compare_pairs_the_trials(runs: Path) -> None:
    [found] = flips(runs / "one", runs / "two")
    assert (found.reading, found.both, found.changed, found.to_true, found.to_false) == ("stored+v1", 6, 2, 0, 2)
    assert (found.ids, found.p) == (["t1", "t4"], mcnemar_exact(0, 2))
    done = run_auditfw(("compare", "one", "two"), runs)
    assert done.returncode == 0
    for line in (
        '│ audit.matcher.use  "containment"  "exact"',
        "│ flips @stored+v1            0       2",
        "│ stored+v1        6        2       0        2  0.5000",
        "│ stored+v1: t1, t4",
    ):
        assert line in done.stdout, done.stdout
    told: dict[str, Any] = json.loads(run_auditfw(("compare", "--json", "one", "two"), runs).stdout)
    assert told["schema"] == "auditfw.comparison/1"
    assert {"key": "flips@stored+v1", "values": [0.0, 2.0]} in told["measurements"]


def test_an_accepted_run_bounds_the_change(runs: Path) -> None:
    words = ("rerun", "one", "gates={moved: {use: change, metric: flips, max_increase: 1}}")
    missing = run_auditfw(words, runs)
    assert (missing.returncode, "store one with auditfw accept RUN" in missing.stderr) == (2, True)
    assert run_auditfw(("accept", "one"), runs).stdout.startswith("accepted ")
    assert json.loads((runs / "baseline.json").read_text("utf-8"))["schema"] == BASELINE
    assert run_auditfw(words, runs).returncode == 0
    assert run_auditfw((*words, "matcher=exact"), runs).returncode == 1


@pytest.mark.slow
def test_rerun_tells_what_differs(runs: Path) -> None:
    same = run_auditfw(("rerun", "one", "reports={console: {use: console}}"), runs)
    assert same.returncode == 0, same.stderr
    assert "╭ Beside one\n│ result.json has the same bytes\n" in same.stdout
    other = run_auditfw(("rerun", "one", "reports={console: {use: console}}", "matcher=exact"), runs)
    assert re.search(r'│ audit.matcher.use +"containment" +"exact"\n', other.stdout)
    typo = run_auditfw(("rerun", "one", "matcher=exakt"), runs)
    assert (typo.returncode, "did you mean 'exact'" in typo.stderr) == (2, True)


def test_configs_side_by_side() -> None:
    one, two = flat({"a": {"b": 1, "c": []}, "d": None}), flat({"a": {"b": 2, "c": []}})
    assert differing([one, two]) == [["a.b", "1", "2"], ["d", "null", "–"]]
