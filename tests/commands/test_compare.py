"""`auditfw compare`: finished runs beside each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from running import run_auditfw
from sentences import commands as says

import auditfw
from auditfw.commands.compare import answer_changes, differing, flat, flips, tables
from auditfw.commands.stored_run import stored
from auditfw.core.statistics import mcnemar_exact


def test_compare_pairs_the_trials(two_runs: Path) -> None:
    [found] = flips(two_runs / "one", two_runs / "two")
    assert (found.reading, found.both, found.changed, found.to_true, found.to_false) == ("stored+v1", 6, 2, 0, 2)
    assert (found.ids, found.p) == (["t1", "t4"], mcnemar_exact(0, 2))
    done = run_auditfw(("compare", "one", "two"), two_runs)
    assert done.returncode == 0
    for line in (
        '│ audit.matcher.use             "containment"  "exact"',
        "│ changed labels @stored+v1      0       2",
        "│ stored+v1        6        2        0        2  0.50",
        "│ stored+v1: t1, t4",
    ):
        assert line in done.stdout, done.stdout
    told: dict[str, Any] = json.loads(run_auditfw(("compare", "--json", "one", "two"), two_runs).stdout)
    assert told["schema"] == "auditfw.comparison/2"
    assert (told["key"], told["sets"]["common"], told["answer"]["status"]) == ("the ids of trials", 6, "unknown")
    assert {"key": "flips@stored+v1", "values": [0.0, 2.0]} in told["measurements"]


def test_configs_side_by_side() -> None:
    one, two = flat({"a": {"b": 1, "c": []}, "d": None}), flat({"a": {"b": 2, "c": []}})
    assert differing([one, two]) == [["a.b", "1", "2"], ["d", "null", "–"]]


def test_a_changed_answer_says_why(tmp_path: Path) -> None:
    """The same trials: 20 of 1,000 labels turned, or none."""
    for name, turned in (("one", 0), ("two", 20)):
        rows = [
            {
                "id": str(i),
                "ground_truth": truth,
                "stored": 1,
                "parsed_text": truth,
                "raw_text": "none" if i < turned else truth,
            }
            for i, truth in ((i, f"word {i}") for i in range(1000))
        ]
        audit = {"baseline": {"parser": "stored", "normalizer": "none"}}
        chosen = {"parser": ["stored", "raw"], "normalizer": ["none"], "matcher": "exact", "by": []}
        source = {"use": "frame", "frame": rows}
        auditfw.run({"experiment": "answer_parsing", "source": source, "audit": audit, **chosen}, tmp_path / name)
    runs = [stored(tmp_path / name) for name in ("one", "two")]
    (change,) = answer_changes(runs)
    assert change.startswith(says.RUN_ANSWER_CHANGED_FROM_STABLE)
    heads = [head for head, _ in tables(runs)]
    assert heads.index("Answers") < heads.index("Measurements")
    assert answer_changes([runs[0], runs[0]]) == []
    shown = run_auditfw(("compare", "one", "two"), tmp_path)
    assert says.ANSWER_CHANGED_FROM_STABLE_TO in " ".join(shown.stdout.split())
    document = json.loads(run_auditfw(("compare", "one", "two", "--json"), tmp_path).stdout)
    assert [one["status"] for one in document["answers"]] == ["stable", "fragile"]
    assert document["answer_changes"] == [change]
