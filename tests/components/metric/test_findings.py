"""The metric of a kind of findings is its value for the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from auditfw.core.records import Estimate
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.registry import component, in_order, names

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


def test_every_kind_of_finding_is_a_metric() -> None:
    """But `joins` and `best_of`, which have a metric of another name, and what is on the page alone."""
    kinds = {kind.name for entry in in_order("question") for kind in cast(Any, entry.cls).finds}
    assert kinds - set(names("metric")) == {"best_of", "joins", "judge_labels", "one_family", "repeats_equal"}
