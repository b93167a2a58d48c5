"""The metric of a kind of findings is its value for the whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditfw.core.records import Estimate
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.registry import component

COUNTS = LabelCounts(3, 1, 0, 0, 3, 0, 0, 1)


@pytest.mark.parametrize(
    ("findings", "estimate"),
    [
        ({"rows_twice": 2.0}, Estimate(2.0, 4, 0)),
        ({"rows_twice": "no text"}, Estimate(None, 4, 0, undefined="no text")),
        ({}, Estimate(None, 4, 0, undefined="this audit does not look for it")),
        (None, None),
    ],
)
def test_its_value(findings: dict[str, float | str] | None, estimate: Estimate | None) -> None:
    assert component("metric", "rows_twice").cls()(replace(COUNTS, findings=findings)) == estimate
