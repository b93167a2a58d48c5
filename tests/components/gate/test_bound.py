"""Gates: a table of bounds one can check by hand; what is undefined never passes by itself."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditfw.audits.answers import RuleKind
from auditfw.audits.spine import check_gates_known
from auditfw.components.gate.bound import BoundGate
from auditfw.components.gate.change import BASELINE, ChangeGate
from auditfw.components.gate.conclusions import AnswerGate
from auditfw.components.gate.rule import RuleGate
from auditfw.core.errors import UsageError
from auditfw.core.records import Answer, Estimate, GateResult, Measurement
from auditfw.core.results.views import GateTerm
from auditfw.kinds.context import Outcome
from auditfw.kinds.registry import components


def test_the_change_gate_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def row(reading: str, value: float | None) -> dict[str, Any]:
        return {"metric": "flips", "reading": reading, "cell": {}, "value": value}

    told = {"schema": BASELINE, "measurements": [row("a", 3.0), row("b", 1.0), row("c", None), row("ref", 0.0)]}
    (tmp_path / "baseline.json").write_text(json.dumps(told), "utf-8")
    monkeypatch.chdir(tmp_path)

    def judged(gate: ChangeGate, **now: float) -> tuple[str, str | None, float | None]:
        found = [Measurement("flips", reading, {}, Estimate(value)) for reading, value in now.items()]
        result = gate("g", found, "ref")
        return result.status, result.reading, result.value

    up = ChangeGate("flips", max_increase=2)
    stored = ChangeGate("flips", max_increase=2, max_decrease=1)(
        "g", [Measurement("flips", "a", {}, Estimate(4.0))], ""
    )
    assert (stored.metric, stored.bound, stored.side, stored.on) == ("flips", (-1, 2), "between", "change")
    assert (stored.value, stored.ends) == (1.0, (-1, 2))
    assert judged(up, a=5, b=3, ref=9) == ("pass", "a", 2)
    assert judged(up, a=5, b=4, ref=9) == ("fail", "b", 3)
    assert judged(up, a=0, b=0) == ("pass", "a", -3)
    assert judged(ChangeGate("flips", max_decrease=2), a=0) == ("fail", "a", -3)
    assert judged(up, c=1) == ("inconclusive", "c", None)
    assert judged(ChangeGate("flips", max_increase=2, undefined="fail"), new=1) == ("fail", "new", None)
    assert judged(ChangeGate("flips", max_increase=2, reading="b"), a=50, b=1) == ("pass", "b", 0)
    with pytest.raises(UsageError, match="no reading 'z'"):
        judged(ChangeGate("flips", max_increase=2, reading="z"), a=1)
    for wrong in ({}, {"max_increase": -1.0}, {"max_increase": 1.0, "baseline": "nowhere.json"}):
        with pytest.raises(UsageError):
            ChangeGate("flips", **wrong)


def measured(metric: str, reading: str, value: float | None, low: float | None = None, **cell: str) -> Measurement:
    return Measurement(
        metric, reading, cell, Estimate(value, 10, 0, low, None, None if value is not None else "no trial")
    )


MEASUREMENTS = [
    measured("flips", "stored", 0.0),
    measured("flips", "a", 3.0, 1.0),
    measured("flips", "b", 7.0, 2.0),
    measured("flips", "a", 9.0, variant="think"),
    measured("flips", "b", 1.0, variant="think"),
    measured("kappa", "a", 0.5),
    measured("kappa", "b", None),
    measured("odd", "a", float("nan")),
]


@pytest.mark.parametrize(
    ("settings", "status", "reading", "value"),
    [
        ({"metric": "flips", "max": 7}, "pass", "b", 7.0),
        ({"metric": "flips", "max": 6.9}, "fail", "b", 7.0),
        ({"metric": "flips", "min": 3}, "pass", "a", 3.0),
        ({"metric": "flips", "min": 4}, "fail", "a", 3.0),
        ({"metric": "flips", "min": 1, "max": 8}, "pass", "b", 7.0),
        ({"metric": "flips", "max": 3, "reading": "a"}, "pass", "a", 3.0),
        ({"metric": "flips", "max": 0, "reading": "stored"}, "pass", "stored", 0.0),
        ({"metric": "flips", "min": 2, "on": "low"}, "fail", "a", 1.0),
        ({"metric": "flips", "max": 8, "cell": "worst"}, "fail", "a", 9.0),
        ({"metric": "flips", "max": 1, "on": "high"}, "inconclusive", "a", None),
        ({"metric": "kappa", "min": 0.4}, "inconclusive", "b", None),
        ({"metric": "kappa", "min": 0.6}, "fail", "a", 0.5),
        ({"metric": "kappa", "min": 0.4, "undefined": "pass"}, "pass", "b", None),
        ({"metric": "kappa", "min": 0.4, "undefined": "fail"}, "fail", "b", None),
        ({"metric": "odd", "min": 0.0}, "inconclusive", "a", None),
    ],
)
def test_bound(settings: dict[str, Any], status: str, reading: str, value: float | None) -> None:
    result = BoundGate(**settings)("gate", MEASUREMENTS, "stored")
    assert (result.status, result.reading, result.value) == (status, reading, value)


@pytest.mark.parametrize(
    ("bounds", "interval", "status", "more"),
    [
        ({"min": 0.75}, (0.80, 0.76, 0.84), "pass", ""),
        ({"min": 0.75}, (0.80, 0.75, 0.85), "pass", ""),
        ({"min": 0.75}, (0.80, 0.70, 0.90), "inconclusive", "about 300 further items"),
        ({"min": 0.75}, (0.60, 0.50, 0.80), "inconclusive", "about 78 further items"),
        ({"min": 0.75}, (0.75, 0.70, 0.80), "inconclusive", "contains 0.75"),
        ({"min": 0.75}, (0.60, 0.50, 0.70), "fail", ""),
        ({"max": 0.02}, (0.01, 0.00, 0.015), "pass", ""),
        ({"max": 0.02}, (0.01, 0.00, 0.03), "inconclusive", "about 300 further items"),
        ({"max": 0.02}, (0.05, 0.03, 0.08), "fail", ""),
        ({"min": 0.2, "max": 0.9}, (0.5, 0.4, 0.6), "pass", ""),
        ({"min": 0.2, "max": 0.9}, (0.5, 0.4, 0.95), "inconclusive", "contains 0.9"),
        ({"min": 0.75}, (0.80, None, None), "inconclusive", "no interval"),
        ({"min": 0.75, "strict": True}, (0.80, 0.75, 0.85), "inconclusive", "contains 0.75"),
        ({"min": 0.75, "strict": True}, (0.70, 0.60, 0.75), "fail", ""),
        ({"max": 0.75, "strict": True}, (0.80, 0.75, 0.85), "fail", ""),
        ({"min": 0.75}, (None, None, None), "inconclusive", "no trial"),
        ({"min": 0.75, "undefined": "fail"}, (None, None, None), "fail", "no trial"),
    ],
)
def test_bound_on_the_whole_interval(
    bounds: dict[str, Any], interval: tuple[float | None, ...], status: str, more: str
) -> None:
    value, low, high = interval
    estimate = Estimate(value, 100, 0, low, high, "no trial" if value is None else None)
    result = BoundGate("kappa", **bounds, decide="interval")(
        "gate", [Measurement("kappa", "a", {}, estimate)], "stored"
    )
    assert (result.status, result.value) == (status, value)
    assert more in result.why
    assert bool(result.why) == bool(more)
    assert result.rule.startswith("interval of kappa")


@pytest.mark.parametrize(
    ("where", "status"),
    [
        ('"flips@a" < "flips@b"', "pass"),
        ('"flips@a" + "flips@b" <= 9', "fail"),
        ('"flips@a" > 2 AND "kappa@a" >= 0.5', "pass"),
        ('"kappa@b" > 0', "inconclusive"),
        ('"odd@a" > 0', "inconclusive"),
    ],
)
def test_rule(where: str, status: str) -> None:
    assert RuleGate(where)("gate", MEASUREMENTS, "stored").status == status


RANGES = {"agreement": (0.0, 1.0), "kappa": (-1.0, 1.0), "error_rate": (0.0, 100.0), "gap": (0.0, math.inf)}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"metric": "agreement", "min": 90}, "min: agreement is always in [0, 1] (90) - did you mean 0.90?"),
        ({"metric": "agreement", "min": 99.5}, "min: agreement is always in [0, 1] (99.5) - did you mean 0.995?"),
        ({"metric": "kappa", "min": 75}, "min: kappa is always in [-1, 1] (75) - did you mean 0.75?"),
        ({"metric": "kappa", "max": 2, "cell": "worst"}, "max: kappa is always in [-1, 1] (2) - did you mean 0.02?"),
        (
            {"metric": "agreement", "max": 1.5},
            "max: agreement is always in [0, 1] (1.5) - write a number in",
        ),
        ({"metric": "agreement", "min": -1}, "min: agreement is always in [0, 1] (-1) - write a number in that range"),
        ({"metric": "error_rate", "max": 101}, "max: error_rate is always in [0, 100] (101) - write a number in"),
        ({"metric": "gap", "max": -1}, "max: gap is always >= 0 (-1) - write a number in that range"),
        ({"metric": "agreement", "min": 0, "max": 1}, None),
        ({"metric": "kappa", "min": -1}, None),
        ({"metric": "error_rate", "max": 90}, None),
        ({"metric": "gap", "max": 1e9}, None),
        ({"metric": "flips", "max": 1e9}, None),
    ],
)
def test_bounds_that_the_metric_never_comes_to(settings: dict[str, Any], said: str | None) -> None:
    metrics: dict[str, Any] = {name: SimpleNamespace(range=limits) for name, limits in RANGES.items()}
    metrics["flips"] = SimpleNamespace()  # it says no range
    plan: Any = SimpleNamespace(gates={"g": BoundGate(**settings)}, metrics=metrics, objective=None)
    if said is None:
        check_gates_known(plan)
        return
    with pytest.raises(UsageError) as refused:
        check_gates_known(plan)
    assert str(refused.value).startswith(f"gates.g.{said}")


def test_shipped_metrics_say_their_range() -> None:
    """Every rate and coefficient: a gate on it may not have a bound of percents, or a rate's of shares."""
    said = {name: getattr(entry.cls, "range", None) for name, entry in components("metric").items()}
    rates = [name for name in said if name.endswith(("_rate", "_p", "_met", "kappa", "_pi", "_agreement", "_overall"))]
    assert {name for name in rates if said[name] is None} == {"std_overall", "never_met"}  # a spread, a count
    assert {said[name] for name in ("kappa", "scott_pi", "gwet_ac1", "krippendorff_alpha")} == {(-1.0, 1.0)}
    assert {said[name] for name in ("percent_agreement", "solve_rate", "mean_overall", "direction")} == {(0.0, 1.0)}
    assert {said[name] for name in ("error_rate", "no_answer")} == {(0.0, 100.0)}


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: BoundGate("flips"), ""),
        (lambda: BoundGate("flips", min=2, max=1), "min"),
        (lambda: BoundGate("flips", min=2, on="low", decide="interval"), "on"),
        (lambda: RuleGate("flips > 2"), "where"),
        (lambda: BoundGate("flips", max=1, reading="c")("g", MEASUREMENTS, "stored"), "reading"),
        (lambda: BoundGate("none", max=1)("g", MEASUREMENTS, "stored"), "metric"),
        (lambda: RuleGate('"flips@c" > 1')("g", MEASUREMENTS, "stored"), "where"),
        (lambda: RuleGate('"flips@a" >')("g", MEASUREMENTS, "stored"), "where"),
        (lambda: RuleGate('"flips@a" + 1')("g", MEASUREMENTS, "stored"), "where"),
    ],
)
def test_refused(make: Any, where: str) -> None:
    with pytest.raises(UsageError) as refused:
        make()
    assert refused.value.where == where


INTERVAL = Measurement("kappa", "a", {"model": "m"}, Estimate(0.5, 10, 0, 0.4, 0.6))


@pytest.mark.parametrize(
    ("settings", "bound", "side", "on"),
    [
        ({"min": 0.4}, 0.4, "min", "value"),
        ({"max": 1}, 1, "max", "value"),
        ({"min": 0.4, "max": 1}, (0.4, 1), "between", "value"),
        ({"min": -math.inf, "max": 1}, 1, "max", "value"),
        ({"min": 0.4, "on": "low"}, 0.4, "min", "low"),
        ({"max": 1, "on": "high", "strict": True}, 1, "max", "high"),
        ({"max": 1, "decide": "interval"}, 1, "max", "interval"),
    ],
)
def test_a_bound_is_stored_as_numbers(settings: dict[str, Any], bound: Any, side: str, on: str) -> None:
    result = BoundGate("kappa", cell="worst", **settings)("g", [INTERVAL], "ref")
    assert (result.metric, result.bound, result.side, result.on) == ("kappa", bound, side, on)
    assert (result.low, result.high, result.cell) == (0.4, 0.6, {"model": "m"})
    assert (result.strict, result.answer, [*result.terms]) == (settings.get("strict", False), None, [])
    low, high = settings.get("min", -math.inf), settings.get("max", math.inf)
    assert (result.ends, result.metrics) == ((low, high), ["kappa"])


def test_other_gates_store_their_terms() -> None:
    result = RuleGate('"flips@a" < "flips@b" AND "flips@a" > 1')("gate", MEASUREMENTS, "stored")
    assert [*result.terms] == [
        GateTerm("flips", "a", value=3.0, low=1.0), GateTerm("flips", "b", value=7.0, low=2.0),
    ]  # fmt: skip
    assert (result.metric, result.bound, result.side, result.value, result.low, result.high) == (None,) * 6
    assert (result.ends, result.metrics) == ((-math.inf, math.inf), ["flips", "flips"])
    kind = RuleKind("churns", "?", status="fragile")
    rules = [kind("a", 2.0, 1.5, 3.0, bound=1.0, fired=True), kind("b", 0.0, 0.0, 1.0, bound=1.0, fired=False)]
    drawn = Answer("fragile", "h", [], "n", "s", rules)
    judged = AnswerGate().judge_outcome("stable", Outcome({}, [], [], [], lambda _: [], answer=drawn))
    assert (judged.answer, judged.metric, judged.value) == ("fragile", None, None)
    assert [*judged.terms] == [GateTerm("churns", "a", 1.0, None, 2.0, 1.5, 3.0)]


def test_what_no_result_holds_is_without_bound() -> None:
    """Files of others say what they like: a side without its bound bounds nothing."""
    gate = GateResult("g", "", None, None, "pass")
    ends = [replace(gate, **parts).ends for parts in ({"side": "between"}, {"bound": 1.0}, {"bound": (0.0, 1.0)})]
    assert ends == [(-math.inf, math.inf)] * 3
    assert replace(gate, bound=(0.0, 1.0), side="min").ends == (0.0, math.inf)


@pytest.mark.parametrize(
    ("bounds", "value", "loose", "strict"),
    [
        ({"min": 0.0}, 0.0, "pass", "fail"),
        ({"min": 0.0}, 1e-9, "pass", "pass"),
        ({"max": 2.0}, 2.0, "pass", "fail"),
        ({"max": 2.0}, 1.9, "pass", "pass"),
        ({"min": 0.0}, -1e-9, "fail", "fail"),
    ],
)
def test_a_strict_bound_is_none_itself(bounds: dict[str, float], value: float, loose: str, strict: str) -> None:
    found = [Measurement("kappa", "a", {}, Estimate(value))]
    assert BoundGate("kappa", **bounds)("g", found, "ref").status == loose
    result = BoundGate("kappa", **bounds, strict=True)("g", found, "ref")
    assert result.status == strict
    assert result.rule in ("kappa > 0", "kappa < 2")
