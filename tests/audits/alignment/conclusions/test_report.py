"""Weights, relative errors and replicates as the report shows them, and in the tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from alignment_runs import Given, Run, number, rows_of, scenario, section

from auditfw.core.document import Note
from auditfw.kinds.scenarios import Weights

OTHERS = {"magnitude": Weights(0.0, 1.0), "direction": Weights(1.0, 0.0)}


def test_each_of_several_weights_is_a_reading(tmp_path: Path) -> None:
    rows = [scenario(i, y=float(i), z=-1.0) for i in range(1, 4)]
    run = Run(rows, Given(lambda p: {"y": p["x"] / 2, "z": 0.5}), folder=str(tmp_path))
    result = run(other_weights=OTHERS)
    assert number(result, "mean_overall") == 0.375  # (0.75 + 0) / 2
    assert result.measurement("mean_overall", "actual.magnitude").estimate.value == 0.25
    assert result.measurement("mean_overall", "actual.direction").estimate.value == 0.5
    assert result.measurement("combined", "actual.magnitude", key="y").estimate.value == 0.5
    assert result.measurement("direction", "actual.magnitude", key="y").estimate.value == 1.0
    table = rows_of(section(result, "Weights and Direction"))
    assert [row[0] for row in table] == ["balanced", "magnitude alone", "direction alone"]
    assert [row[1].split()[0] for row in table] == ["0.38", "0.25", "0.50"]
    trials = pl.read_parquet(tmp_path / "trials.parquet")
    assert trials["combined.magnitude"].to_list() == [0.5, 0.0] * 3
    assert pl.read_parquet(tmp_path / "scenarios.parquet")["overall.direction"].to_list() == [0.5] * 3


def test_of_a_change_direction_is_the_score_under_any_weights() -> None:
    rows = [{"label": "base", "intended": {}, "params": {"x": 0.0}}, scenario(1, y={"direction": "up"}, z=1.0)]
    result = Run(rows, Given(lambda p: {"y": p["x"], "z": 0.5}))(baseline="base", other_weights=OTHERS)
    assert result.measurement("mean_overall", "actual.magnitude").estimate.value == 0.75
    assert result.measurement("combined", "actual.magnitude", key="y").estimate.value == 1.0


def test_other_weights_do_not_change_the_first() -> None:
    rows = [scenario(i, y=float(i), z=0.0) for i in range(1, 30)]
    run = Run(rows, Given(lambda p: {"y": p["x"] / 3, "z": 0.05}), size=7)
    alone, beside = run(), run(other_weights=OTHERS)
    assert [m for m in beside.measurements if m.reading == "actual"] == alone.measurements


def test_the_median_of_relative_errors_is_beside_their_mean() -> None:
    """Ten outcomes are 10 % off, one is a thousand times too large: the mean is 91, the median 0.1."""
    rows = [scenario(i, y=1.0) for i in range(10)] + [scenario(10, y=1.0)]
    metrics = ["relative_error", "median_relative_error"]
    result = Run(rows, Given(lambda p: {"y": 1001.0 if p["x"] == 10 else 1.1}), metrics=metrics)()
    assert number(result, "relative_error") == pytest.approx(1001 / 11)
    assert number(result, "median_relative_error", key="y") == pytest.approx(0.1)
    assert number(result, "median_relative_error") == pytest.approx(0.1)
    assert rows_of(section(result, "Relative Errors")) == [["y", "11", "91", "0.1", "1000"]]
    zero = Run([scenario(1, y=0.0)], Given(lambda p: {"y": 1.0}), metrics=metrics)()
    assert zero.measurement("median_relative_error", "actual").estimate.undefined is not None
    assert [one for one in zero.sections if one.title == "Relative Errors"] == []


def test_the_mean_over_replicates_is_held_against_the_intended_number(tmp_path: Path) -> None:
    """One outcome is off by a third of its noise, the other by three times its noise."""

    def noisy(params: dict[str, float]) -> dict[str, float]:
        noise = np.random.default_rng(int(params["seed"])).normal(0, 0.3, 2)
        return {"near": 10.1 + noise[0], "far": 10.9 + noise[1], "sure": 10.0}

    rows = [scenario(i, near=10.0, far=10.0, sure=10.0) for i in range(60)]
    run = Run(rows, Given(noisy, stochastic=True), metrics=["within_noise"], folder=str(tmp_path), size=9)
    result = run(replicates=4)
    assert 0.75 < (number(result, "within_noise", key="near") or 0) < 0.99
    assert (number(result, "within_noise", key="far") or 0) < 0.35
    assert number(result, "within_noise", key="sure") == 1.0
    trials = pl.read_parquet(tmp_path / "trials.parquet").filter(pl.col("key") == "near")
    inside = ((trials["actual_low"] <= 10.0) & (trials["actual_high"] >= 10.0)).mean()
    assert inside == number(result, "within_noise", key="near")
    notes = [block.text for block in section(result, "Noise").blocks if isinstance(block, Note)]
    assert any("of 180 outcomes the intended value is inside the 95 % t interval" in text for text in notes)
    once = Run(rows, Given(noisy, stochastic=True), metrics=["within_noise"])()
    assert once.measurement("within_noise", "actual").estimate.undefined == "needs audit.replicates of 2 or more"
    assert once.answer is not None
    assert "its noise is unknown (audit.replicates=10)" in once.answer.scope


def test_the_interval_over_replicates_by_hand(tmp_path: Path) -> None:
    """Of 1 and 3 the mean is 2, its standard error 1, and t of one degree 12.706."""
    values = iter([1.0, 3.0])
    Run([scenario(1, y=2.0)], Given(lambda p: {"y": next(values)}), folder=str(tmp_path))(replicates=2)
    [row] = pl.read_parquet(tmp_path / "trials.parquet").rows(named=True)
    assert (row["actual"], row["actual_high"]) == (2.0, pytest.approx(2 + 12.7062, abs=1e-4))
    assert row["actual_low"] == pytest.approx(2 - 12.7062, abs=1e-4)


def test_replicates_of_a_band_and_of_a_change() -> None:
    rows = [{"label": "base", "intended": {}, "params": {"x": 0.0}}]
    rows += [scenario(i, y={"between": [0, 9]}, z={"direction": "up"}) for i in (1, 2)]
    run = Run(rows, Given(lambda p: {"y": p["x"], "z": p["x"]}), metrics=["within_noise"])
    result = run(baseline="base", replicates=2)
    assert number(result, "within_noise", key="y") == 1.0
    assert result.measurement("within_noise", "actual", key="z").estimate.value is None
