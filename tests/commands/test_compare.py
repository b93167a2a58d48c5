"""`auditfw compare`: finished runs beside each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from running import run_auditfw

from auditfw.commands.compare import differing, flat, flips
from auditfw.core.statistics import mcnemar_exact


def test_compare_pairs_the_trials(two_runs: Path) -> None:
    [found] = flips(two_runs / "one", two_runs / "two")
    assert (found.reading, found.both, found.changed, found.to_true, found.to_false) == ("stored+v1", 6, 2, 0, 2)
    assert (found.ids, found.p) == (["t1", "t4"], mcnemar_exact(0, 2))
    done = run_auditfw(("compare", "one", "two"), two_runs)
    assert done.returncode == 0
    for line in (
        '│ audit.matcher.use  "containment"  "exact"',
        "│ flips @stored+v1            0       2",
        "│ stored+v1        6        2       0        2  0.5000",
        "│ stored+v1: t1, t4",
    ):
        assert line in done.stdout, done.stdout
    told: dict[str, Any] = json.loads(run_auditfw(("compare", "--json", "one", "two"), two_runs).stdout)
    assert told["schema"] == "auditfw.comparison/1"
    assert {"key": "flips@stored+v1", "values": [0.0, 2.0]} in told["measurements"]


def test_configs_side_by_side() -> None:
    one, two = flat({"a": {"b": 1, "c": []}, "d": None}), flat({"a": {"b": 2, "c": []}})
    assert differing([one, two]) == [["a.b", "1", "2"], ["d", "null", "–"]]
