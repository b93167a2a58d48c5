"""The picture of the answer: which chart it is, and the bounds of the gates in it."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.components.gate.bound import BoundGate
from auditfw.components.report.screen.picture import gated
from auditfw.core.document import Chart, GateLine, Series
from auditfw.core.records import Estimate, GateResult, Measurement

RATES = Chart("T", "reading", "error %", [Series("s", ["a"], [1.0])], "points", metric="error_rate")
COEFFICIENTS = Chart("T", "", "", [Series("s", ["Kappa"], [0.5])], "points", metrics={"Kappa": "kappa"})


def gate(metric: str, **settings: Any) -> GateResult:
    return BoundGate(metric, **settings)(
        "g", [Measurement(metric, "a", cell, Estimate(1.0)) for cell in ({}, {"x": 1})], ""
    )


@pytest.mark.parametrize(
    ("chart", "judged", "bounds"),
    [
        (RATES, gate("error_rate", max=25), [GateLine("g", 25.0)]),
        (RATES, gate("error_rate", min=0.25, max=25), [GateLine("g", 0.25), GateLine("g", 25.0)]),
        (RATES, gate("error_rate", max=-1, decide="interval"), [GateLine("g", -1.0)]),
        (RATES, gate("error_rate", max=3, on="high"), [GateLine("g", 3.0)]),
        (RATES, gate("error_rate", max=3, cell="worst"), []),
        (RATES, gate("error_rate", max=3, strict=True), []),
        (RATES, GateResult("g", "", None, 1.0, "pass", "", "error_rate", 3.0, "max", on="change"), []),
        (RATES, GateResult("g", "error_rate <= 25", None, 1.0, "pass"), []),
        (RATES, gate("flips", max=3), []),
        (COEFFICIENTS, gate("kappa", min=0.6), [GateLine("g", 0.6, "Kappa")]),
        (COEFFICIENTS, gate("coverage", min=0.6), []),
    ],
)
def test_bounds(chart: Chart, judged: GateResult, bounds: list[GateLine]) -> None:
    assert list(gated(chart, [judged]).bounds) == bounds


def test_equal_bounds_are_drawn_once() -> None:
    assert list(gated(RATES, [gate("error_rate", max=3)] * 2).bounds) == [GateLine("g", 3.0)]
