"""The alignment audit: counts that add up, the seed's numbers, and what it tells beyond them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditfw
from auditfw.core.document import Chart, Note, Section, Table
from auditfw.core.errors import AuditError
from auditfw.core.records import Result
from auditfw.kinds.simulation import Columns, ScenarioBatch, Simulated

KEYS = ("a", "b", "c")
METRICS = ["direction", "magnitude", "combined", "mean_overall", "std_overall", "min_overall", "max_overall"]
METRICS += ["mean_direction_accuracy", "mean_magnitude_accuracy", "n_scenarios"]


@dataclass(frozen=True)
class Given:
    """A simulator of a function, in this process; what it raises is that scenario's error."""

    function: Callable[[dict[str, float]], Any]
    stochastic: bool = False
    bounds: Mapping[str, tuple[float, float]] | None = None

    def check(self) -> None:
        pass

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return self.bounds

    def __call__(self, stretch: ScenarioBatch) -> Simulated:
        outcomes: list[Any] = []
        why = []
        for params, seed in zip(stretch.params, stretch.seeds, strict=True):
            own = {**params, "seed": seed} if self.stochastic else dict(params)
            try:
                outcomes.append(self.function(own))
                why.append("")
            except RuntimeError as error:
                outcomes.append(None)
                why.append(str(error))
        return Simulated(outcomes, ["error" if said else "ok" for said in why], why)


@dataclass(frozen=True)
class Listed:
    """A scenario set at hand, in batches of `size`."""

    rows: Sequence[Mapping[str, Any]]
    size: int = 1_000

    def open(self) -> Any:
        from auditfw.kinds.evidence import Evidence

        parts = [self.rows[at : at + self.size] for at in range(0, len(self.rows), self.size)]
        names = ("label", "intended", "params", "group", *dict.fromkeys(k for row in self.rows for k in row))
        columns = tuple(dict.fromkeys(names))
        return Evidence([Part(part, columns) for part in parts], columns, len(self.rows), list, lambda: None)


@dataclass(frozen=True)
class Part:
    rows: Sequence[Mapping[str, Any]]
    names: tuple[str, ...]

    def __call__(self) -> Any:
        from auditfw.core.records import Batch

        return Batch({name: [row.get(name) for row in self.rows] for name in self.names})


@dataclass
class Run:
    """An audit of plain objects, past the config."""

    rows: Sequence[Mapping[str, Any]]
    simulator: Any
    by: tuple[str, ...] = ()
    size: int = 1_000
    seed: int = 0
    metrics: Sequence[str] = field(default_factory=lambda: METRICS)
    folder: str | None = None

    def __call__(self, **settings: Any) -> Result:
        from auditfw.audits import spine
        from auditfw.audits.alignment.audit import Alignment
        from auditfw.components.engine.local import Local

        metrics = {name: auditfw.load("metric", name) for name in self.metrics}
        audit = Alignment(Listed(self.rows, self.size), self.simulator, metrics, **settings)
        plan = spine.Run(audit, Local(1), metrics, by=self.by, seed=self.seed)
        return spine.run(plan, spine.Stamp("", {}, self.folder))[0]


def scenario(i: int, **intended: Any) -> dict[str, Any]:
    return {"label": f"s{i}", "intended": intended, "params": {"x": float(i)}}


def number(result: Result, metric: str, **cell: Any) -> float | None:
    return result.measurement(metric, "actual", **cell).estimate.value


def section(result: Result, title: str) -> Section:
    return next(one for one in result.sections if one.title == title)


def rows_of(section: Section) -> list[list[str]]:
    return [list(row) for block in section.blocks if isinstance(block, Table) for row in block.rows]


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
@settings(max_examples=60, deadline=None)
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
    assert "the simulator failed: scenario 's3': boom" in allowed.warnings


def test_odd_outcomes_are_counted_by_what_they_are() -> None:
    given = [math.nan, "text", np.array([1.0, 2.0]), np.array(3.0), None, np.float32(5), True, 2**2000, [1]]
    result = Run([scenario(i, y=float(i)) for i in range(9)], Given(lambda p: {"y": given[int(p["x"])]}))()
    assert result.counts == {"read": 9, "audited": 3, "missing": 4, "nonfinite": 2}
    status = dict(zip(result.trials["label"], result.trials["status"], strict=True))
    expected = {"nonfinite": (0, 7), "missing": (1, 2, 4, 8), "scored": (3, 5, 6)}
    assert status == {f"s{i}": word for word, places in expected.items() for i in places}
    for word in ("str", "ndarray", "nothing", "list"):
        assert any(f"of type {word}, counted as missing: 1" in warning for warning in result.warnings)
    assert any("not finite score 0" in warning for warning in result.warnings)
    assert result.trials["actual"].null_count() == 6
    strict = Run([scenario(6, y=6.0)], Given(lambda p: {"y": True}))(bool_as_number=False)
    assert strict.counts == {"read": 1, "audited": 0, "missing": 1}
    assert strict.exit_code == 5


def test_a_scenario_without_a_result_leaves_the_verdict_open() -> None:
    rows = [scenario(0, z=1.0), scenario(1, y=1.0)]
    result = Run(rows, Given(lambda p: {"y": 1.0}))()
    assert number(result, "mean_overall") == 1.0
    assert result.measurement("mean_overall", "actual").estimate.missing == 1
    assert any("gave nothing that was intended" in w and "'s0'" in w for w in result.warnings)
    assert any("no scenario gave the intended 'z' (the simulator gives y)" in w for w in result.warnings)
    zero = Run(rows, Given(lambda p: {"y": 1.0}))(no_data="zero")
    assert number(zero, "mean_overall") == 0.5
    none = Run(rows[:1], Given(lambda p: {"y": 1.0}))()
    assert none.exit_code == 5
    assert none.measurement("mean_overall", "actual").estimate.undefined


@pytest.mark.parametrize(
    ("intended", "words"),
    [
        ({"y": math.nan}, "scenario 's0': intended 'y' is not finite"),
        ({"y": "high"}, "scenario 's0': intended 'y' is no number (high)"),
        ({"y": None}, "is no number (nothing)"),
        ({}, "nothing is intended"),
        (None, "nothing is intended"),
        ([1], "intended is not a mapping"),
        ({"y": {"betwen": [1, 2]}}, "did you mean 'between'"),
        ({"y": {"direction": "up"}}, "audit.baseline: not set"),
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
    assert any("moved to their bounds" in w and w.endswith(": 1") for w in clipped.warnings)
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
    assert rows_of(section(result, "Worst Scenarios"))[0][2] == "band 1 for 2 to 3; least 1 for at least 2; up 1"
    effects = rows_of(section(result, "Unintended Effects"))
    assert [row[:5] for row in effects] == [["other", "0", "3 of 3", "0", "3"]]


def test_the_baseline_must_be_one_scenario_that_gives_something() -> None:
    with pytest.raises(AuditError, match="did you mean 's1'"):
        Run([scenario(1, y=1.0)], Given(third))(baseline="s_1")
    with pytest.raises(AuditError, match="2 scenarios have this label"):
        Run([scenario(1, y=1.0)] * 2, Given(third))(baseline="s1")
    with pytest.raises(AuditError, match=r"baseline scenario 's3' gave nothing.*boom"):
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
    assert any("not deterministic" in w and "audit.replicates" in w for w in result.warnings)
    quiet = Run([scenario(i, y=1.0) for i in range(5)], Given(lambda p: {"y": p["x"]}))()
    assert quiet.warnings == []


def test_the_score_one_gets_for_free() -> None:
    """One purpose for all scenarios: a constant serves it as well as any simulator, which says nothing."""
    rows = [scenario(i, y=5.0) for i in range(1, 11)]
    result = Run(rows, Given(lambda p: {"y": p["x"] / 1.1}), metrics=["mean_overall", "free_overall"])()
    free = rows_of(section(result, "The Score One Gets for Free"))
    assert [row[0] for row in free] == ["this simulator", "constant", "do-nothing"]
    assert number(result, "free_overall") == 1.0
    assert "cannot be told apart" in str(section(result, "The Score One Gets for Free").blocks[1])


SAME, ALIKE, IGNORED = "intends the same", "has the same parameters", "scores as much or more"


@pytest.mark.parametrize(
    ("intended", "xs", "gives", "words"),
    [
        ([{"y": 5.0}] * 4, (1, 2, 3, 4), lambda p: {"y": p["x"]}, SAME),
        ([{"y": 5.0}] * 4, (1, 2, 3, 4), lambda p: {"y": 5.0}, SAME),
        ([{"y": {"between": [4, 6]}}] * 3, (1, 2, 3), lambda p: {"y": p["x"]}, SAME),
        ([{"y": 5.0}, {"z": 2.0}, {"y": 5.0, "z": 2.0}], (1, 2, 3), lambda p: {"y": p["x"], "z": 1.0}, SAME),
        ([{"y": 5.0, "z": 1.0}, {"y": 5.0, "z": 2.0}], (1, 2), lambda p: {"y": 5.0, "z": 9.0}, IGNORED),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (7, 7, 7), lambda p: {"y": 2.0}, ALIKE),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (1, 2, 3), lambda p: {"y": 2.0}, IGNORED),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (1, 2, 3), lambda p: {"y": 0.1 * 3 * 6.0}, IGNORED),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (1, 2, 3), lambda p: {"y": p["x"]}, ""),
    ],
)
def test_what_a_null_simulator_can_say(intended: Any, xs: Any, gives: Any, words: str) -> None:
    rows = [{"intended": one, "params": {"x": float(x)}} for one, x in zip(intended, xs, strict=True)]
    told = str(section(Run(rows, Given(gives))(), "The Score One Gets for Free").blocks[1])
    assert [word for word in (SAME, ALIKE, IGNORED) if word in told] == ([words] if words else [])
    assert "-0.0000" not in told


@pytest.mark.parametrize(
    ("ys", "words"),
    [
        ((1.0, 1.0, 1.0, 1.0), "Overall is 1.000 at every value of x."),
        ((0.5, 1.0, 1.0, 0.7), "Best overall 1.000 at x = 1 and at 1 further value."),
        ((0.5, 1.0, 0.9, 0.7), "Best overall 1.000 at x = 1."),
    ],
)
def test_the_best_of_a_curve_is_told_with_its_equals(ys: tuple[float, ...], words: str) -> None:
    rows = [scenario(i, y=1.0) for i in range(len(ys))]
    result = Run(rows, Given(lambda p: {"y": ys[int(p["x"])]}))()
    assert str(section(result, "Alignment by x").blocks[1]) == str(Note(words))


def test_permuted_outcomes_are_a_null_where_purposes_differ() -> None:
    result = Run([scenario(i, y=float(i)) for i in range(1, 9)], Given(lambda p: {"y": p["x"]}), seed=3)()
    free = {row[0]: float(row[1]) for row in rows_of(section(result, "The Score One Gets for Free"))}
    assert free["this simulator"] == 1.0
    assert free["constant"] < 0.9
    assert free["permuted"] < 0.9
    assert free["do-nothing"] == 0.0


def test_the_floor_is_told_where_it_decides() -> None:
    small = [scenario(i, y=0.001 * i) for i in range(1, 6)]
    result = Run(small, Given(lambda p: {"y": 0.003}))()
    assert any("the floor decides for 'y'" in w for w in result.warnings)
    large = Run([scenario(i, y=float(i)) for i in range(1, 6)], Given(lambda p: {"y": 3.0}))()
    assert large.warnings == []


def test_a_type_is_told_only_where_the_outcome_was_meant() -> None:
    rows = [scenario(0, y=1.0), scenario(1, y=1.0, z=2.0), scenario(2, y=1.0)]
    result = Run(rows, Given(lambda p: {"y": 1.0, "z": "text"}))()
    assert result.counts == {"read": 4, "audited": 3, "missing": 1}
    assert "outcome 'z' is of type str, counted as missing: 1" in result.warnings


def test_a_weight_of_a_key_that_nobody_means_is_told() -> None:
    result = Run([scenario(1, fitness=1.0)], Given(lambda p: {"fitness": 1.0}))(key_weights={"fitnes": 2.0})
    told = "no scenario intends 'fitnes', its weight does nothing - did you mean 'fitness'?"
    assert f"audit.key_weights: {told}" in result.warnings


def test_thousands_of_keys_do_not_flood_the_report() -> None:
    """A time series is a key for each time: eight of a kind are told, the others counted; tables keep to max_rows."""
    keys = [f"y@{i}" for i in range(100)]
    given: dict[str, Any] = dict.fromkeys(keys, 0.003)
    rows = [scenario(i, **dict.fromkeys([*keys, *(f"not@{j}" for j in range(50))], 0.001)) for i in range(3)]
    result = Run(rows, Given(lambda p: given))()
    assert sum("the floor decides for 'y@" in warning for warning in result.warnings) == 8
    assert "the floor decides for 92 more keys" in result.warnings
    assert sum("no scenario gave the intended 'not@" in warning for warning in result.warnings) == 8
    assert "no scenario gave 42 more of the intended keys" in result.warnings
    odd = Run(rows, Given(lambda p: dict.fromkeys(keys, "text")))()
    assert "and 92 more remarks of this kind" in odd.warnings
    for title in ("Keys", "Units and Floor"):
        table = section(result, title).blocks[0]
        assert isinstance(table, Table)
        assert (len(table.rows), table.left_out) == (40, 110 if title == "Keys" else 60)
    assert len([m for m in result.measurements if m.metric == "combined"]) == 150


def test_the_parameter_that_misaligns_is_named() -> None:
    random = np.random.default_rng(1)
    rows = [
        {"label": str(i), "intended": {"y": 1.0}, "params": {"bad": x, "idle": u, "too": w}}
        for i, (x, u, w) in enumerate(random.random((120, 3)))
    ]
    result = Run(rows, Given(lambda p: {"y": 1.0 + p["bad"]}))()
    causes = rows_of(section(result, "Where It Goes Wrong"))
    assert causes[0][0] == "bad"
    assert float(causes[0][1]) > 0.5
    assert all(float(row[1]) < 0.1 for row in causes[1:])
    assert float(causes[0][2]) > float(causes[0][3]) > float(causes[0][4])
    chart = next(b for s in result.sections for b in s.blocks if isinstance(b, Chart))
    assert chart.x == "bad"


def test_a_sweep_of_one_parameter_is_a_curve() -> None:
    result = Run([scenario(i, y=4.0, z=0.0) for i in range(9)], Given(lambda p: {"y": p["x"], "z": 0.0}))()
    chart = next(b for b in section(result, "Alignment by x").blocks if isinstance(b, Chart))
    assert [one.name for one in chart.series] == ["overall", "y", "z"]
    assert list(chart.series[1].x) == [float(i) for i in range(9)]
    assert chart.series[1].y[4] == 1.0
    assert "at x = 4" in str(section(result, "Alignment by x").blocks[1])


def test_columns_give_what_rows_give() -> None:
    n = 300
    random = np.random.default_rng(0)
    meant = {key: random.normal(size=n) for key in KEYS}
    got = {key: random.normal(size=n) for key in KEYS}
    got["b"][7] = math.nan
    rows = [
        {"label": None, "intended": {k: float(meant[k][i]) for k in KEYS}, "params": {"i": float(i)}} for i in range(n)
    ]
    plain = Run(rows, Given(lambda p: {k: float(got[k][int(p["i"])]) for k in KEYS}), size=100)()

    @dataclass(frozen=True)
    class Whole:
        stochastic = False
        recorded = True

        def check(self) -> None:
            pass

        def limits(self) -> None:
            return None

        def __call__(self, stretch: ScenarioBatch) -> Simulated:
            assert isinstance(stretch.params, Columns)
            at = stretch.params.columns["i"].astype(int)
            columns = {key: column[at] for key, column in got.items()}
            return Simulated((), ["ok"] * len(stretch), [""] * len(stretch), columns)

    class Arrays:
        def open(self) -> Any:
            from auditfw.core.records import Batch
            from auditfw.kinds.evidence import Evidence

            def task(start: int) -> Callable[[], Batch]:
                part = slice(start, start + 100)
                columns: dict[str, Any] = {
                    "label": [None] * 100,
                    "intended": Columns({key: meant[key][part] for key in KEYS}, 100),
                    "params": Columns({"i": np.arange(n, dtype=float)[part]}, 100),
                    "group": [None] * 100,
                }
                return lambda: Batch(columns)

            return Evidence([task(s) for s in (0, 100, 200)], ("intended", "params"), n, list, lambda: None)

    from auditfw.audits import spine
    from auditfw.audits.alignment.audit import Alignment
    from auditfw.components.engine.local import Local

    metrics = {name: auditfw.load("metric", name) for name in METRICS}
    plan = spine.Run(Alignment(Arrays(), Whole(), metrics), Local(1), metrics)
    whole = spine.run(plan, spine.Stamp("", {}))[0]
    assert whole.measurements == plain.measurements
    assert whole.counts == plain.counts == {"read": 900, "audited": 899, "nonfinite": 1}
    assert whole.trials.equals(plain.trials)
    assert whole.tables["scenarios"].equals(plain.tables["scenarios"])


def test_the_draw_does_not_depend_on_batches() -> None:
    rows = [scenario(i, y=float(i % 7)) for i in range(200)]
    simulator = Given(lambda p: {"y": p["x"] % 5})
    told = [Run(rows, simulator, size=size)(draw=50).sections for size in (200, 17)]
    titles = ("The Score One Gets for Free", "Where It Goes Wrong", "Units and Floor")
    assert [s for s in told[0] if s.title in titles] == [s for s in told[1] if s.title in titles]
    other = Run(rows, simulator, seed=1)(draw=50).sections
    assert [s for s in told[0] if s.title in titles] != [s for s in other if s.title in titles]


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
