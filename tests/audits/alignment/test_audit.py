"""The alignment audit: counts that add up, the seed's numbers, and what it tells beyond them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from alignment_runs import KEYS, METRICS, Given, Run, number, rows_of, scenario, section
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples
from sentences import alignment as says

import auditfw
from auditfw.core.document import Note
from auditfw.core.errors import AuditError

NUMBER = st.one_of(st.sampled_from([0.0, -0.0, 0.05, 1.0, -1.0, 1e308]), st.floats(-2, 2))
OUTCOME = st.one_of(NUMBER, st.sampled_from([math.nan, math.inf, None, "x", True, 3]), st.floats(-2, 2))
CASES = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(KEYS), NUMBER, min_size=1), st.dictionaries(st.sampled_from(KEYS), OUTCOME)
    ),
    min_size=1,
    max_size=12,
)


@given(CASES, st.integers(1, 5))
@pytest.mark.filterwarnings("error")
@settings(max_examples=examples(60), deadline=None)
def test_numbers_are_the_seeds(cases: list[tuple[dict[str, float], dict[str, Any]]], size: int) -> None:
    """Whatever is meant and comes out, however it is cut into batches: all numbers are those of the auditor's loop."""
    rows = [{"label": None, "intended": meant, "params": {"i": i}} for i, (meant, _) in enumerate(cases)]
    result = Run(rows, Given(lambda p: cases[int(p["i"])][1]), size=size)(no_data="zero")
    told = auditfw.POSIWIDAuditor(auditfw.SimulatorWrapper(lambda p: cases[int(p["i"])][1])).batch_audit(rows)
    for name, value in told["aggregate"].items():
        if name != "per_key_mean":
            found = number(result, name)
            assert found == pytest.approx(value, abs=1e-9) or (found is None and value == 0.0)
    for key, scores in told["aggregate"]["per_key_mean"].items():
        for name, value in scores.items():
            assert number(result, name, key=key) == pytest.approx(value, abs=1e-9)
    overall = result.tables["scenarios"]["overall"].to_list()
    assert overall == [one["alignment"]["overall"] for one in told["individual_results"]]
    assert result.counts["read"] == sum(n for name, n in result.counts.items() if name != "read")
    assert result.counts["read"] == sum(len(meant) for meant, _ in cases)
    assert result.trials.height == result.counts["read"]


def third(params: dict[str, float]) -> dict[str, float]:
    if params["x"] % 3 == 0:
        raise RuntimeError("boom")
    return {"y": params["x"]}


def test_one_that_raises_costs_itself_alone() -> None:
    result = Run([scenario(i, y=float(i)) for i in range(9)], Given(third), size=4)()
    assert result.counts == {"read": 9, "audited": 6, "error": 3}
    assert result.exit_code == 4
    assert number(result, "mean_overall") == 1.0
    assert result.measurement("mean_overall", "actual").estimate.missing == 3
    assert result.measurement("n_scenarios", "actual").estimate.value == 9
    table = result.tables["scenarios"]
    assert table["status"].to_list() == ["error", "scored", "scored"] * 3
    assert table["why"].to_list() == ["boom", None, None] * 3
    allowed = Run([scenario(i, y=float(i)) for i in range(9)], Given(third))(max_error_rate=0.4)
    assert allowed.exit_code == 0
    assert says.THE_SIMULATOR_FAILED_SCENARIO_BOOM in allowed.warnings


def test_odd_outcomes_are_counted_by_what_they_are() -> None:
    given = [math.nan, "text", np.array([1.0, 2.0]), np.array(3.0), None, np.float32(5), True, 2**2000, [1]]
    result = Run([scenario(i, y=float(i)) for i in range(9)], Given(lambda p: {"y": given[int(p["x"])]}))()
    assert result.counts == {"read": 9, "audited": 3, "missing": 4, "nonfinite": 2}
    status = dict(zip(result.trials["label"], result.trials["status"], strict=True))
    expected = {"nonfinite": (0, 7), "missing": (1, 2, 4, 8), "scored": (3, 5, 6)}
    assert status == {f"s{i}": word for word, places in expected.items() for i in places}
    for word in ("str", "ndarray", "nothing", "list"):
        assert any(f"of type {word}, counted as missing: 1" in warning for warning in result.warnings)
    assert any("non-finite outcomes score 0" in warning for warning in result.warnings)
    assert result.trials["actual"].null_count() == 6
    strict = Run([scenario(6, y=6.0)], Given(lambda p: {"y": True}))(bool_as_number=False)
    assert strict.counts == {"read": 1, "audited": 0, "missing": 1}
    assert strict.exit_code == 5


def test_a_scenario_without_a_result_leaves_the_verdict_open() -> None:
    rows = [scenario(0, z=1.0), scenario(1, y=1.0)]
    result = Run(rows, Given(lambda p: {"y": 1.0}))()
    assert number(result, "mean_overall") == 1.0
    assert result.measurement("mean_overall", "actual").estimate.missing == 1
    assert any("returned none of the intended outcomes" in w and "'s0'" in w for w in result.warnings)
    text = next(one.text for one in result.findings if one.kind == "outcome_missing")
    assert text == says.NO_SCENARIO_RETURNED_WHICH_SCENARIO
    zero = Run(rows, Given(lambda p: {"y": 1.0}))(no_data="zero")
    assert number(zero, "mean_overall") == 0.5
    none = Run(rows[:1], Given(lambda p: {"y": 1.0}))()
    assert none.exit_code == 5
    assert none.measurement("mean_overall", "actual").estimate.undefined


@pytest.mark.parametrize(
    ("intended", "words"),
    [
        ({"y": math.nan}, says.SCENARIO_INTENDED_IS_NOT_FINITE),
        ({"y": "high"}, says.SCENARIO_INTENDED_IS_NOT_A),
        ({"y": None}, says.IS_NOT_A_NUMBER_NOTHING),
        ({}, "nothing is intended"),
        (None, "nothing is intended"),
        ([1], says.INTENDED_IS_NOT_A_MAPPING),
        ({"y": {"betwen": [1, 2]}}, "did you mean 'between'"),
        ({"y": {"direction": "up"}}, "audit.baseline: is not set"),
    ],
)
def test_what_cannot_be_meant_stops_before_the_first_run(intended: Any, words: str) -> None:
    calls: list[Any] = []
    rows = [scenario(1, y=1.0), {"label": "s0", "intended": intended, "params": {}}]
    with pytest.raises(AuditError) as raised:
        Run(rows, Given(calls.append), size=1)()
    assert words in str(raised.value)
    assert calls == []


def test_parameters_out_of_bounds() -> None:
    rows = [scenario(i, y=float(i)) for i in range(3)]
    simulator = Given(lambda p: {"y": p["x"]}, bounds={"x": (0.0, 1.0)})
    with pytest.raises(AuditError, match=r"scenario 's2'.*out of bounds"):
        Run(rows, simulator)()
    clipped = Run(rows, simulator)(out_of_bounds="clip")
    assert clipped.tables["scenarios"]["param.x"].to_list() == [0.0, 1.0, 1.0]
    assert any("clipped to their bounds" in w and w.endswith(": 1") for w in clipped.warnings)
    assert number(Run(rows, simulator)(out_of_bounds="allow"), "mean_overall") == 1.0


def test_intentions_beyond_a_point() -> None:
    """Against the baseline x=0, which gives up 0, same 5, band 0."""
    meant = {"up": {"direction": "up"}, "same": {"unchanged": True, "tolerance": 0.5}, "band": {"between": [2, 3]}}
    rows: list[dict[str, Any]] = [{"label": "base", "intended": {}, "params": {"x": 0.0}}]
    rows += [scenario(i, **meant, least={"at_least": 2, "level": "should"}) for i in (1, 2, 4)]
    simulator = Given(
        lambda p: {"up": p["x"], "same": 5 + p["x"] / 4, "band": p["x"], "least": p["x"], "other": -p["x"]}
    )
    result = Run(rows, simulator, metrics=[*METRICS, "must_met", "should_met", "change_direction"])(baseline="base")
    assert result.counts == {"read": 12, "audited": 12}
    assert number(result, "n_scenarios") == 3
    assert number(result, "combined", key="up") == 1.0
    assert number(result, "magnitude", key="up") is None
    table = result.trials.filter(pl.col("key") == "band").select("intended", "magnitude_match").rows()
    assert table == [(2.0, 0.5), (2.0, 1.0), (3.0, pytest.approx(1 - 1 / 3))]
    same = result.trials.filter(pl.col("key") == "same")["magnitude_match"].to_list()
    assert same == [1.0, 1.0, pytest.approx(1 - 0.5 / 5.5)]
    assert number(result, "must_met") == pytest.approx((3 + 2 + 1) / 9)
    assert number(result, "should_met") == pytest.approx(2 / 3)
    assert number(result, "change_direction", key="up") == 1.0
    assert result.tables["scenarios"]["status"].to_list()[0] == "baseline"
    assert rows_of(section(result, "Worst Scenarios"))[0][2] == says.BAND_VS_TO_LEAST_VS
    effects = rows_of(section(result, "Unintended Effects"))
    assert [row[:5] for row in effects] == [["other", "0", "3 of 3", "0", "3"]]


@pytest.mark.parametrize(
    ("meant", "actual", "met"),
    [
        ({"at_most": 1.8}, 1.889, False),  # 5 % beyond a bound is beyond it
        ({"at_most": 1.8}, 1.8, True),
        ({"at_most": 1.8}, -1e9, True),
        ({"at_least": 20}, 19.01, False),
        ({"at_least": -20}, -20.5, False),
        ({"at_least": 20, "tolerance": 1}, 19.01, True),
        ({"at_least": 20, "tolerance": 1}, 18.99, False),
        ({"between": [2, 3]}, 3.1, False),
        ({"between": [3, 3]}, 3.1, False),
        ({"between": [2, 3], "tolerance": 0.1}, 3.1, True),
        ({"at_least": 2, "at_most": 3}, 1.95, False),
        ({"value": 10, "tolerance": 0.2}, 10.2, True),
        ({"value": 10, "tolerance": 0.2}, 10.21, False),
        ({"value": 10, "tolerance": 0}, 10.1, False),
        ({"value": 10, "tolerance": 1}, 10.9, True),
        ({"unchanged": True, "tolerance": 0.5}, 5.6, False),
        ({"unchanged": True, "tolerance": 0}, 5.1, False),
        ({"unchanged": True}, 5.1, True),  # audit.tolerance is for what declares none
        (10, 10.5, True),
        ({"value": 10}, 10.5, True),
        ({"value": 10}, 10.51, False),
        (0, 0.005, True),
        (0, 0.0051, False),
        (1.1, 1.1 * 1.05, True),  # what rounding leaves decides nothing, in either direction
        ({"at_most": 0.3}, 0.1 + 0.2, True),
        ({"at_least": 0.3}, 0.3 - 5.6e-17, True),
        ({"at_most": 0.3}, 0.3 * (1 + 1e-8), False),
        ({"at_most": 0}, 0.1 + 0.2 - 0.3, True),
        ({"at_most": 0}, 1e-11, False),
        ({"at_most": 1e-11}, 1.1e-11, False),
        ({"value": 0.3, "tolerance": 0.1}, 0.2, True),
        ({"value": 1e9, "tolerance": 0}, 1e9 + 2, False),
    ],
)
def test_a_bound_is_a_bound(meant: Any, actual: float, met: bool) -> None:
    intended = {**meant, "level": "must"} if isinstance(meant, dict) else {"value": meant, "level": "must"}
    rows: list[dict[str, Any]] = [{"label": "base", "intended": {}, "params": {"x": 0.0}}, scenario(1, y=intended)]
    result = Run(rows, Given(lambda p: {"y": actual if p["x"] else 5.0}), metrics=["must_met"])(baseline="base")
    assert number(result, "must_met") == met


ASSUMED = "these intentions declare no tolerance (audit.tolerance)"


@pytest.mark.parametrize(
    ("meant", "changed", "words"),
    [
        ({"a": 10, "b": {"value": 2}}, {}, f"±5 % is assumed: {ASSUMED}"),
        ({"a": 10, "b": {"at_most": 2}}, {"tolerance": 0.1}, says.IS_ASSUMED_IN_OF_OUTCOMES.format(ASSUMED)),
        ({"a": 10, "b": 0}, {}, f"±5 % is assumed: {ASSUMED}; ±0.005 below 0.1 (audit.floor)"),
        ({"a": {"value": 10, "tolerance": 0}, "b": {"between": [1, 2]}}, {}, ""),
    ],
)
def test_the_tolerance_that_is_assumed_is_printed(meant: Any, changed: Any, words: str) -> None:
    result = Run([scenario(i, **meant) for i in range(3)], Given(lambda p: {"a": 10.0, "b": 2.0}))(**changed)
    answer = result.answer
    assert answer is not None
    notes = [
        block.text for own in result.sections if own.screen == "data" for block in own.blocks if isinstance(block, Note)
    ]
    assert notes == ([words] if words else [])
    assert (ASSUMED in answer.scope) == bool(words)
    assert words.partition("; ")[0] in answer.scope


def test_the_baseline_must_be_one_scenario_that_gives_something() -> None:
    with pytest.raises(AuditError, match="did you mean 's1'"):
        Run([scenario(1, y=1.0)], Given(third))(baseline="s_1")
    with pytest.raises(AuditError, match="2 scenarios have this label"):
        Run([scenario(1, y=1.0)] * 2, Given(third))(baseline="s1")
    with pytest.raises(AuditError, match=r"baseline scenario 's3' returned no outcome.*boom"):
        Run([scenario(3, y=1.0)], Given(third))(baseline="s3")


def test_weights_of_keys_and_intentions() -> None:
    simulator = Given(lambda p: {"a": 1.0, "b": -1.0})
    rows = [scenario(0, a=1.0, b=1.0)]
    assert number(Run(rows, simulator)(), "mean_overall") == 0.5
    assert number(Run(rows, simulator)(key_weights={"a": 3.0}), "mean_overall") == 0.75
    weighted = [scenario(0, a={"value": 1.0, "weight": 3}, b=1.0)]
    assert number(Run(weighted, simulator)(), "mean_overall") == 0.75
    assert number(Run(rows, simulator)(key_weights={"a": 3.0}), "mean_direction_accuracy") == 0.5


def test_further_metrics_by_hand() -> None:
    """Intended 2, 4, 0.5 and 0; actual 3, 3, 5 and 1."""
    actual = [3.0, 3.0, 5.0, 1.0]
    rows = [scenario(i, y=meant) for i, meant in enumerate([2.0, 4.0, 0.5, 0.0])]
    names = ["absolute_error", "relative_error", "log_ratio", "within_band", "one_sided", "change_direction"]
    result = Run(rows, Given(lambda p: {"y": actual[int(p["x"])]}), metrics=names)(baseline="s3")
    assert number(result, "absolute_error") == pytest.approx((1 + 1 + 4.5 + 1) / 4)
    assert number(result, "relative_error") == pytest.approx((0.5 + 0.25 + 9) / 3)
    assert result.measurement("relative_error", "actual").estimate.missing == 1
    assert number(result, "log_ratio") == pytest.approx((math.log10(1.5) + math.log10(4 / 3) + 1) / 3)
    assert number(result, "within_band") == 0.0
    assert number(result, "one_sided") == pytest.approx((1 + 0.75 + 1 + 1) / 4)
    # The baseline gives 1: up to 2 and 4 was meant and came; down to 0.5 and 0 was meant, and it rose and stayed.
    assert number(result, "change_direction") == 0.5


def test_cells_and_groups() -> None:
    rows = [{**scenario(i, y=1.0), "group": "ab"[i % 2], "model": "m"} for i in range(4)]
    result = Run(rows, Given(lambda p: {"y": p["x"] % 2}), by=("group", "param.x"))()
    assert number(result, "mean_overall", group="b", **{"param.x": 1.0}) == 1.0
    assert number(result, "combined", group="a", **{"param.x": 2.0}, key="y") == 0.0
    assert result.tables["scenarios"]["group"].to_list() == ["a", "b", "a", "b"]
    assert result.trials["group"].to_list() == ["a", "b", "a", "b"]
    plain = Run(rows, Given(lambda p: {"y": p["x"] % 2}), by=("group",))()
    assert [row[:3] for row in rows_of(section(plain, "Groups"))] == [
        ["a", "2", "0.000 [0.000, 0.000]"],
        ["b", "2", "1.000 [1.000, 1.000]"],
    ]
    with pytest.raises(AuditError, match="did you mean 'model'"):
        Run(rows, Given(third), by=("modle",))()


def test_groups_that_are_all_null_make_no_cells() -> None:
    result = Run([scenario(1, y=1.0)], Given(third), by=("group",))()
    assert {frozenset(m.cell) for m in result.measurements} == {frozenset(), frozenset({"key"})}


def test_replicates_average_and_tell_noise() -> None:
    def noisy(params: dict[str, float]) -> dict[str, float]:
        return {"y": 10 + np.random.default_rng(int(params["seed"])).normal(0, 0.5)}

    rows = [scenario(i, y=10.0) for i in range(40)]
    run = Run(rows, Given(noisy, stochastic=True), metrics=["noise", "noise_floor", "magnitude"], size=7)
    result = run(replicates=9)
    assert number(result, "noise", key="y") == pytest.approx(0.5, rel=0.15)
    assert number(result, "noise_floor", key="y") == pytest.approx(0.5 * math.sqrt(2 / math.pi) / 10, rel=0.2)
    once = run()
    magnitudes = number(result, "magnitude", key="y"), number(once, "magnitude", key="y")
    assert 1 - (magnitudes[0] or 0) == pytest.approx((1 - (magnitudes[1] or 0)) / 3, rel=0.4)
    assert number(once, "noise", key="y") is None
    assert section(result, "Noise").console


@pytest.mark.parametrize("share", [0.1, 0.7, 1 / 3, 0.97])
def test_scores_that_are_all_alike_have_no_deviation(share: float) -> None:
    result = Run([scenario(i, y=1.0) for i in range(7)], Given(lambda p: {"y": share}))()
    assert number(result, "std_overall") == 0.0
    whole = result.measurement("mean_overall", "actual").estimate
    assert whole.low == whole.value == whole.high
    again = Run([scenario(i, y=1.0) for i in range(3)], Given(lambda p: {"y": share}), metrics=["noise"])(replicates=3)
    assert again.measurement("noise", "actual", key="y").estimate.value == 0.0


def test_a_simulator_that_is_not_deterministic_is_found() -> None:
    calls = iter(range(1_000))
    result = Run([scenario(i, y=1.0) for i in range(5)], Given(lambda p: {"y": next(calls)}))()
    assert [one.kind for one in result.findings] == ["not_deterministic"]
    assert result.answer is not None
    assert "audit.replicates" in result.answer.next
    quiet = Run([scenario(i, y=1.0) for i in range(5)], Given(lambda p: {"y": p["x"]}))()
    assert quiet.warnings == []


@pytest.mark.parametrize(
    ("size", "since", "drift", "effect"),
    [
        (20, 50, 1.2, "fragile"),  # in the third of five batches
        (20, 102, 1.2, "fragile"),  # three scenarios run twice within the first batch: the last of all calls alone
        (20, 103, 1.2, None),
        (100, 50, 1.2, "fragile"),  # one batch
        (20, 50, 1.01, "reported"),
        (20, 50, 1.0, None),
    ],
)
def test_a_simulator_that_drifts_is_found_at_the_end(size: int, since: int, drift: float, effect: str | None) -> None:
    """Scenario 1 runs again after the last batch, the first that intends something; its baseline does not."""
    calls = itertools.count()
    rows = [{"label": "base", "params": {"x": 1.0}}, *(scenario(i, y=float(i)) for i in range(1, 100))]

    def drifting(params: dict[str, float]) -> dict[str, float]:
        return {"y": params["x"] * (drift if next(calls) - 1 > since else 1.0)}

    for row in rows:
        row.setdefault("intended", {})
    result = Run(rows, Given(drifting), size=size)(baseline="base", no_data="zero")
    found = [one for one in result.findings if one.kind == "not_deterministic"]
    assert [one.effect for one in found] == ([] if effect is None else [effect])
    if found and since > 50:
        assert (found[0].value, found[0].of) == (1, 4)
        assert says.IN_SCENARIO_IS_AND_WHEN in found[0].text
    assert next(calls) == 1 + 100 + 3 + (size < 100)


def test_tables_are_written(tmp_path: Path) -> None:
    rows = [{**scenario(i, y=1.0), "params": {"x": i} if i < 5 else {"x": i, "z": 1}} for i in range(8)]
    result = Run(rows, Given(lambda p: {"y": p["x"]}), size=3, folder=str(tmp_path))()
    assert result.exit_code == 0
    trials, table = pl.read_parquet(tmp_path / "trials.parquet"), pl.read_parquet(tmp_path / "scenarios.parquet")
    names = ["id", "scenario", "label", "key", "intended", "actual", "direction_match", "magnitude_match"]
    assert trials.columns == [*names, "combined", "status"]
    names = ["scenario", "label", "overall", "n_keys_matched", "n_keys_missing", "status", "why"]
    assert table.columns == [*names, "param.x", "param.z"]
    assert table["param.z"].to_list() == [None] * 5 + [1.0] * 3
    assert trials["scenario"].to_list() == list(range(8))
