"""The metrics of the probe: a share in percent with its interval, or why there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditfw.components.metric.labels import constant_accepted, either_way, luck
from auditfw.core.records import Estimate
from auditfw.formulas.label_counts import LabelCounts
from auditfw.formulas.probe_rates import ProbeRates, rate_by_item

LABELS = LabelCounts(6, 3, 1, 0, 6, 0, 0, 3)
QUARTER = rate_by_item([1, 2, 3, 4], [True, False, False, False])
HALF = rate_by_item([1, 2], [True, False])
WHOLE = rate_by_item([1], [True])
PROBE = ProbeRates(
    luck=QUARTER, either_way=HALF, constant=WHOLE, why="none", why_luck="no luck", why_either_way="no other"
)
EMPTY = replace(PROBE, luck=None, either_way=None, constant=None)


@pytest.mark.parametrize(
    ("metric", "value", "counted", "why"),
    [(luck(), 25, 4, "no luck"), (either_way(), 50, 2, "no other"), (constant_accepted(), 100, 1, "none")],
)
def test_metrics(metric: luck | either_way | constant_accepted, value: float, counted: int, why: str) -> None:
    assert metric(LABELS) is None  # a cell
    estimate = metric(replace(LABELS, probe=PROBE))
    assert estimate is not None
    assert (estimate.value, estimate.counted, estimate.missing) == (value, counted, 10 - counted)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < value <= estimate.high
    assert estimate.high > 20
    assert metric(replace(LABELS, probe=EMPTY)) == Estimate(None, 0, 10, undefined=why)
