"""The picture of the answer: which chart it is, and the bounds of the gates in it."""

from __future__ import annotations

import pytest

from auditfw.components.report.screen.picture import gated
from auditfw.core.document import Chart, GateLine, Series
from auditfw.core.records import GateResult

RATES = Chart("T", "reading", "error %", [Series("s", ["a"], [1.0])], "points", metric="error_rate")
COEFFICIENTS = Chart("T", "coefficient", "agreement", [Series("s", ["kappa"], [0.5])], "points", by_metric=True)


@pytest.mark.parametrize(
    ("chart", "rule", "bounds"),
    [
        (RATES, "error_rate <= 25", [GateLine("g", 25.0)]),
        (RATES, "error_rate >= 2.5e-1 and error_rate <= 25", [GateLine("g", 0.25), GateLine("g", 25.0)]),
        (RATES, "interval of error_rate <= -1", [GateLine("g", -1.0)]),
        (RATES, "high of error_rate <= 3", [GateLine("g", 3.0)]),
        (RATES, "error_rate in every cell <= 3", []),
        (RATES, "flips <= 3", []),
        (COEFFICIENTS, "kappa >= 0.6", [GateLine("g", 0.6, "kappa")]),
        (COEFFICIENTS, "coverage >= 0.6", []),
    ],
)
def test_bounds(chart: Chart, rule: str, bounds: list[GateLine]) -> None:
    assert list(gated(chart, [GateResult("g", rule, None, 1.0, "pass")]).bounds) == bounds


def test_equal_bounds_are_drawn_once() -> None:
    gates = [GateResult("g", "error_rate <= 3", None, 1.0, "pass")] * 2
    assert list(gated(RATES, gates).bounds) == [GateLine("g", 3.0)]
