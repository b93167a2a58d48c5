"""Alignment as a newcomer meets it: the shipped set, a model of one's own, a bad simulator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import Command
from scenario_files import jsonl

import auditfw
from auditfw.config import build as bridge

bridge.prepare()


@pytest.fixture(scope="module")
def shipped() -> auditfw.Result:
    return auditfw.run({"experiment": "posiwid"})


def test_the_shipped_set(shipped: auditfw.Result) -> None:
    """The rule that is right about epidemics is aligned best, the proportional one least."""
    assert shipped.counts == {"read": 96, "audited": 96}
    means = {m.cell["group"]: m.estimate.value for m in shipped.measurements if m.metric == "mean_overall" and m.cell}
    assert {name: round(value or 0, 3) for name, value in means.items()} == {
        "final_size": 0.946,
        "threshold": 0.85,
        "proportional": 0.723,
    }


MODEL = 'def run(p):\n    return {"fitness": p["x"] * 2, "energy": 1 - p["x"]}\n'


def test_a_model_of_ones_own(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mymodel.py").write_text(MODEL, "utf-8")
    goal = {"fitness": 1.0, "energy": 0.5}
    rows = [{"label": str(x), "intended": goal, "params": {"x": x}} for x in (0.5, 0.1)]
    settings = jsonl(tmp_path / "mine.jsonl", rows)
    words = ["experiment=posiwid", "simulator=python", "scenarios=jsonl", "scenarios.path=mine.jsonl"]
    done = command(*words, "simulator.function=mymodel:run", "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "run/result.json").read_text("utf-8"))
    assert told["counts"] == {"read": 4, "audited": 4}
    overall = {m["metric"]: m["value"] for m in told["measurements"] if not m["cell"]}
    assert overall["mean_overall"] == pytest.approx((1 + 0.6) / 2)
    assert settings["path"].endswith(told["inputs"][0]["path"])
    safe = command(*words, "simulator.function=mymodel:run", env={"AUDITFW_SAFE": "1"})
    assert safe.returncode == 2
    assert "switched off by AUDITFW_SAFE" in safe.stderr


@pytest.mark.parametrize(
    ("function", "counts", "code"),
    [
        ("every_third_fails", {"read": 6, "audited": 4, "error": 2}, 4),
        ("slow", {"read": 6, "audited": 3, "error": 1, "timeout": 2}, 4),
        ("odd", {"read": 6, "audited": 1, "error": 4, "nonfinite": 1}, 4),
        ("double", {"read": 6, "audited": 0, "missing": 6}, 5),
    ],
)
def test_a_run_over_a_bad_simulator_ends_and_adds_up(function: str, counts: dict[str, int], code: int) -> None:
    settings = {"use": "python", "function": f"toy_simulators:{function}", "timeout": 0.2}
    rows = [{"label": str(n), "intended": {"y": 1.0}, "params": {"x": float(n)}} for n in range(6)]
    chosen = {"experiment": "posiwid", "by": [], "simulator": settings, "scenarios": {"use": "inline", "rows": rows}}
    result = auditfw.run(chosen)
    assert (result.counts, result.exit_code) == (counts, code)


def test_a_run_may_be_allowed_its_errors() -> None:
    settings = {"use": "python", "function": "toy_simulators:every_third_fails"}
    rows = [{"label": str(n), "intended": {"y": 1.0}, "params": {"x": float(n)}} for n in range(6)]
    chosen = {"experiment": "posiwid", "by": [], "simulator": settings, "scenarios": {"use": "inline", "rows": rows}}
    assert auditfw.run({**chosen, "audit": {"max_error_rate": 0.4}}).exit_code in (0, 1)
