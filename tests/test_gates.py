"""Gates and verdicts: a table of bounds one can check by hand; what is undefined never passes by itself."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.errors import UsageError
from auditfw.parts.gates import Bound, Rule
from auditfw.records import Estimate, Measurement
from auditfw.spine import verdict_of


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
    result = Bound(**settings)("gate", MEASUREMENTS, "stored")
    assert (result.status, result.reading, result.value) == (status, reading, value)


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
    assert Rule(where)("gate", MEASUREMENTS, "stored").status == status


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: Bound("flips"), ""),
        (lambda: Bound("flips", min=2, max=1), "min"),
        (lambda: Rule("flips > 2"), "where"),
        (lambda: Bound("flips", max=1, reading="c")("g", MEASUREMENTS, "stored"), "reading"),
        (lambda: Bound("none", max=1)("g", MEASUREMENTS, "stored"), "metric"),
        (lambda: Rule('"flips@c" > 1')("g", MEASUREMENTS, "stored"), "where"),
        (lambda: Rule('"flips@a" >')("g", MEASUREMENTS, "stored"), "where"),
        (lambda: Rule('"flips@a" + 1')("g", MEASUREMENTS, "stored"), "where"),
    ],
)
def test_refused(make: Any, where: str) -> None:
    with pytest.raises(UsageError) as refused:
        make()
    assert refused.value.where == where


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ([], "none"),
        (["pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["pass", "inconclusive", "fail"], "fail"),
    ],
)
def test_verdict(statuses: list[str], verdict: str) -> None:
    assert verdict_of(statuses) == verdict
