"""The shipped experiment that refines a simulator's parameters until it does what was intended."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import polars as pl
import pytest
from running import Command

import auditfw


@pytest.fixture(scope="module")
def done(command_in: Command, tmp_path_factory: pytest.TempPathFactory) -> tuple[CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("alignment")
    return command_in(
        folder, "experiment=self_audit_alignment", "report.detail=full", "hydra.run.dir=run", "engine.workers=2"
    ), folder


@pytest.mark.slow
def test_experiment_as_installed(done: tuple[CompletedProcess[str], Path]) -> None:
    """What the SIR model can do is reached; what only rules of thumb promise is not, and those loops end."""
    ran, folder = done
    assert ran.returncode == 0, ran.stderr
    assert "simulator, in this process" in ran.stdout
    result = json.loads((folder / "run/result.json").read_text("utf-8"))
    assert result["counts"] == {"read": 24, "audited": 24}
    rows = pl.read_parquet(folder / "run/trials.parquet")
    model = rows.filter(group="final_size")
    assert model["solved"].sum() == model.height == 8
    assert rows.filter(pl.col("group") != "final_size")["solved"].sum() == 0
    assert set(rows["stop_reason"]) == {"success", "iterations"}
    assert rows["soft_score"].is_between(0.5, 1).all()
    measured = {(m["metric"], m["reading"]): m["value"] for m in result["measurements"]}
    assert measured["total_requests", "live"] == rows["requests"].sum() < 24 * 60
    assert measured["total_requests", "run_all"] == 24 * 60
    assert measured["total_requests", "ten_attempts"] == 24 * 10


@pytest.mark.slow
def test_results_are_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    few = {"experiment": "self_audit_alignment", "scenarios": {"limit": 2}, "stop": {"max_iterations": 4}}
    for workers in (1, 2):
        auditfw.run({**few, "engine": {"workers": workers}, "report": ["markdown", "junit"]}, tmp_path / f"{workers}")
    for name in ("result.json", "trials.parquet", "measurements.parquet", "attempts.jsonl", "report.md", "junit.xml"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


@pytest.mark.slow
def test_check_tells_the_worst_case(command: Command) -> None:
    ran = command("check", "experiment=self_audit_alignment")
    assert ran.returncode == 0, ran.stderr
    assert "problems: 24, with 24 training examples" in ran.stdout
    assert "24 x 60 iterations" in ran.stdout
