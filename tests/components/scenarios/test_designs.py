"""Designs of scenarios: lines, grids and samples, bounded batches, seeds."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import Command
from scenario_files import read, scenarios

from auditfw.config import build as bridge
from auditfw.core.errors import AuditError

bridge.prepare()


SIR = {"simulator": {"use": "python", "function": "toy_simulators:double", "bounds": {"x": [0, 2], "k": [1, 3]}}}
GOAL = {"fitness": 1.0}


def test_linspace() -> None:
    evidence = scenarios("linspace", name="x", start=0, stop=1, steps=5, intended=GOAL, fixed={"k": 2}).open()
    found = read(evidence)
    assert [row["params"] for row in found] == [{"x": x, "k": 2.0} for x in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert [row["label"] for row in found] == ["x=0", "x=0.25", "x=0.5", "x=0.75", "x=1"]
    assert all(row["intended"] == GOAL and row["group"] is None for row in found)
    assert evidence.rows == 5


def test_labels_of_close_values_differ() -> None:
    found = read(scenarios("linspace", name="x", start=1, stop=1.0000001, steps=3, intended=GOAL).open())
    assert len({row["label"] for row in found}) == 3


def test_grid() -> None:
    found = read(scenarios("grid", axes={"x": [0, 1], "k": [1, 2, 3]}, intended=GOAL, group="all").open())
    assert [tuple(row["params"].values()) for row in found] == list(product((0, 1), (1, 2, 3)))
    assert found[1]["label"] == "x=0 k=2"
    assert found[1]["group"] == "all"


@pytest.mark.parametrize("use", ["lhs", "sobol"])
def test_samples(use: str) -> None:
    settings: dict[str, Any] = {"bounds": {"x": [10, 20], "k": [-1, 1]}, "n": 64, "intended": GOAL}
    found = read(scenarios(use, **settings, seed=1).open())
    x = np.array([row["params"]["x"] for row in found])
    assert ((x >= 10) & (x < 20)).all()
    for bins in (2, 8, 64):  # one dimension of either holds one point a stratum
        assert set(np.histogram(x, bins, (10, 20))[0]) == {64 // bins}
    assert [row["label"] for row in found] == [str(i) for i in range(1, 65)]
    assert found == read(scenarios(use, **settings, seed=1).open())
    assert found != read(scenarios(use, **settings, seed=2).open())


@pytest.mark.parametrize("use", ["lhs", "sobol", "grid", "linspace"])
def test_a_design_takes_bounds_from_the_simulator(use: str) -> None:
    found = read(scenarios(use, SIR, intended=GOAL).open())
    assert {name for row in found for name in row["params"]} == ({"x"} if use == "linspace" else {"x", "k"})
    assert all(0 <= row["params"]["x"] <= 2 for row in found)
    fixed = read(
        scenarios(use, SIR, intended=GOAL, fixed={"x": 1.5}, **({"name": "k"} if use == "linspace" else {})).open()
    )
    assert {row["params"]["x"] for row in fixed} == {1.5}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"use": "lhs", "bounds": {"x": [0, 1]}}, "scenarios.intended: not set - write scenarios.intended="),
        ({"use": "lhs", "intended": GOAL}, "scenarios.bounds: not set"),
        ({"use": "lhs", "intended": GOAL, "bounds": {"x": [1, 0]}}, "scenarios.bounds.x: is not [low, high]"),
        ({"use": "lhs", "intended": GOAL, "bounds": {"x": [0, 1]}, "fixed": {"x": 1}}, "fixed.x: is varied and fixed"),
        ({"use": "lhs", "n": 0}, "n: expected 1 to 10,000,000 scenarios, got 0"),
        ({"use": "saltelli", "n": 4_000_000, "bounds": {"x": [0, 1]}}, "n: expected 1 to 10,000,000 scenarios, got 1"),
        ({"use": "saltelli"}, "scenarios.bounds: not set"),
        ({"use": "sobol", "seed": -1}, "seed: expected a whole number"),
        ({"use": "grid", "axes": {"x": [1, 1]}, "intended": GOAL}, "scenarios.axes.x: expected different values"),
        ({"use": "linspace", "intended": GOAL}, "scenarios.bounds: not set"),
        (
            {"use": "linspace", "name": "x", "start": 0, "stop": 1, "intended": {"y": "a"}},
            "expected a finite number in 'intended.y'",
        ),
    ],
)
def test_designs_that_cannot_be(settings: dict[str, Any], told: str) -> None:
    def look() -> None:
        scenarios(**settings).open()

    with pytest.raises(AuditError) as caught:
        look()
    assert told in str(caught.value)


def test_big_designs_come_in_bounded_batches() -> None:
    evidence = scenarios("linspace", name="x", start=0, stop=1, steps=10_000, intended=GOAL).open()
    sizes = [len(task().columns["label"]) for task in evidence.tasks]
    assert sum(sizes) == 10_000
    assert max(sizes) <= 4_096
    labels = [label for task in evidence.tasks for label in task().columns["label"]]
    assert len(set(labels)) == 10_000
    larger = scenarios("linspace", name="x", start=0, stop=1, steps=10_001, intended=GOAL).open()
    assert [row["label"] for row in read(larger)][-1] == "10001"


def test_the_seed_of_a_run_is_that_of_its_designs() -> None:
    for chosen, seed in (([], 5), (["scenarios.seed=9"], 9)):
        settings = bridge.compose(["experiment=posiwid", "scenarios=sobol", "seed=5", *chosen])
        assert settings["scenarios"]["seed"] == seed
    assert scenarios("sobol").seed == 0


@pytest.mark.parametrize("second_order", [False, True])
def test_saltelli_mixes_two_samples(second_order: bool) -> None:
    """Of two parameters: a point, it with the first of the other, with the second (and the reverse), the other."""
    bounds = {"x": [0, 1], "k": [10, 20]}
    settings: dict[str, Any] = {"bounds": bounds, "n": 4, "intended": GOAL, "second_order": second_order, "seed": 3}
    rows = [tuple(row["params"].values()) for row in read(scenarios("saltelli", **settings).open())]
    step = 6 if second_order else 4
    assert len(rows) == 4 * step
    for at in range(0, len(rows), step):
        (x, k), (other_x, other_k) = rows[at], rows[at + step - 1]
        mixed = [(other_x, k), (x, other_k)] + ([(x, other_k), (other_x, k)] if second_order else [])
        assert rows[at + 1 : at + step - 1] == mixed
        assert all(0 <= a <= 1 and 10 <= b <= 20 for a, b in rows[at : at + step])
    assert len({rows[at] for at in range(0, len(rows), step)}) == 4
    again = [tuple(row["params"].values()) for row in read(scenarios("saltelli", **settings).open())]
    assert again == rows


@pytest.mark.slow
def test_sweep_over_designs(command: Command, tmp_path: Path) -> None:
    words = ["experiment=posiwid", "scenarios=lhs,sobol", "audit.weights.direction=0.3,0.5", "++scenarios.n=8"]
    done = command("-m", *words, "report=[]", "hydra.sweep.dir=sweep")
    assert done.returncode == 0, done.stderr
    jobs = json.loads((tmp_path / "sweep/sweep.json").read_text("utf-8"))["jobs"]
    assert len({job["measurements"]["mean_overall@actual"] for job in jobs}) == 4
