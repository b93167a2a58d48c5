"""The published figures of the LARC attempts, by configuration alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from places import CASES, ROOT
from running import Command

DATA = CASES / "data/larc_attempts"


FIGURES = [
    ("describer", "n", "live", 1_657),
    ("builder", "n", "live", 1_704),
    ("describer", "mean_soft_score", "one_attempt", 0.804695),
    ("describer", "mean_soft_score", "last_attempt", 0.832179),
    ("describer", "mean_soft_score", "live", 0.857024),
    ("builder", "mean_soft_score", "one_attempt", 0.713469),
    ("builder", "mean_soft_score", "last_attempt", 0.739689),
    ("builder", "mean_soft_score", "live", 0.792092),
    ("describer", "best_not_last", "live", 247),
    ("builder", "best_not_last", "live", 424),
    ("describer", "best_tied", "live", 195),
    ("builder", "best_tied", "live", 273),
    ("describer", "wrong_shapes", "live", 533),
    ("builder", "wrong_shapes", "live", 743),
    ("describer", "total_seconds", "live", 248_975),
    ("builder", "total_seconds", "live", 420_069.5),
    ("builder", "longest_seconds", "live", 5_814.266),
    ("describer", "contradictions", "live", 0),
    ("builder", "contradictions", "live", 1),
    (None, "total_attempts", "live", 6_581),
    (None, "contradictions", "live", 1),
]


RULES = ("one_attempt", "two_attempts", "three_attempts")
# Of 3 x 3,361 attempts: two of each loop; all but one of 950 + 653 loops and two of the others; all that were not made.
SAVED = [2 * 3_361, 3 * 3_361 - 1_603 - 2 * 1_758, 3 * 3_361 - 6_581]


@pytest.mark.slow
def test_larc(command: Command, tmp_path: Path) -> None:
    """Every published figure, by configuration alone; what the rules cost and save; the contradiction by its name."""
    words = (f"--config-dir={CASES / 'conf'}", "experiment=larc_attempts", f"hydra.run.dir={tmp_path / 'run'}")
    done = command(*words, "report=[markdown]", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    table = pl.read_parquet(tmp_path / "run/measurements.parquet").rows_by_key(
        ["kind", "metric", "reading"], named=True
    )
    for kind, metric, reading, figure in FIGURES:
        [row] = table[kind, metric, reading]
        nearly = pytest.approx(figure, abs=0.05 if metric == "total_seconds" else 5e-7)
        assert row["value"] == nearly, (kind, metric, reading)
    assert [table[None, "solves_lost", rule][0]["value"] for rule in RULES] == [415, 119, 0]
    assert [table[None, "saved_requests", rule][0]["value"] for rule in RULES] == SAVED
    lost = 1_657 * (0.857024 - 0.832179) + 1_704 * (0.792092 - 0.739689)  # the best of each loop less its last
    assert table[None, "regret", "last_attempt"][0]["value"] == pytest.approx(lost / 3_361, abs=1e-6)
    assert "XQrmr6NwvssUTt732hf7" in (tmp_path / "run/report.md").read_text("utf-8")
    trials = pl.read_parquet(tmp_path / "run/trials.parquet")
    check_larc_trials(trials)
    check_larc_tasks(trials)


def check_larc_trials(trials: pl.DataFrame) -> None:
    """How many loops took one, two or three attempts, and how many of them are recorded as a success."""
    used = trials.group_by("kind", "attempts").agg(pl.len(), pl.col("stored").sum()).sort("kind", "attempts").rows()
    assert used == [
        ("builder", 1, 653, 653),
        ("builder", 2, 163, 163),
        ("builder", 3, 888, 61),
        ("describer", 1, 950, 950),
        ("describer", 2, 133, 133),
        ("describer", 3, 574, 58),
    ]
    assert trials["stored"].sum() == 1_141 + 877
    odd = trials.filter(pl.col("stored") != pl.col("live"))
    assert odd.select("id", "kind", "soft_score", "seconds").rows() == [("2329", "builder", 0.0, 8.0)]
    assert trials.filter("live")["soft_score"].unique().to_list() == [1.0]
    assert trials["run_all"].null_count() == 0


def check_larc_tasks(trials: pl.DataFrame) -> None:
    """How many of the tasks have a successful build, as recorded and as the loops came to it."""
    with gzip.open(DATA / "larc_attempts.jsonl.gz") as lines:
        task = {str(number): json.loads(line)["task"] for number, line in enumerate(lines, 1)}
    assert (trials.height, len(set(task.values()))) == (len(task), 399)
    builds = trials.filter(kind="builder")
    for reading in ("stored", "live"):
        assert len({task[name] for name in builds.filter(reading)["id"]}) == 363, reading
