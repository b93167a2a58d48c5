"""Clipping moves nothing further than it must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditfw.config import build as bridge
from auditfw.formulas.parameter_search import fitted

bridge.prepare()


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=20))
def test_clipping_moves_nothing_further_than_it_must(values: list[float]) -> None:
    labels = [str(i) for i in range(len(values))]
    made, moved = fitted(labels, [{"x": v} for v in values], {"x": (-1.0, 1.0)}, "clip")
    assert [row["x"] for row in made] == [min(1.0, max(-1.0, v)) for v in values]
    assert moved == sum(abs(v) > 1 for v in values)
