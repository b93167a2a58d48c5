"""The span with the largest sum against all spans, and bounds on the chance of one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.formulas.rows.spans import Span, chance_of, heaviest, likeliest


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", Span(0, 0, 0.0)),
        ("0000", Span(0, 0, 0.0)),
        ("1", Span(0, 1, 1.0)),
        ("0" * 9 + "1" * 12 + "0" * 3, Span(9, 21, 12.0)),
        ("1" * 8 + "0" + "1" * 8 + "0" * 20 + "1" * 10, Span(0, 17, 14.0)),  # 8 - 2 + 8
        ("0000000" + "1" * 16 + "00", Span(7, 23, 16.0)),
    ],
)
def test_by_hand(flags: str, expected: Span) -> None:
    assert heaviest(np.array([flag == "1" for flag in flags], bool), 1.0, -2.0) == expected


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=90), st.floats(0.1, 2), st.floats(-3, -0.1))
def test_as_all_spans(flags: list[bool], gain: float, loss: float) -> None:
    """Of all spans but those within a byte that do not begin it; the rows add up to what is reported."""
    weights = [gain if flag else loss for flag in flags]
    span = heaviest(np.array(flags), gain, loss)
    assert span.total == pytest.approx(sum(weights[span.first : span.end]), abs=1e-9)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    best = max(
        sums[j] - sums[i]
        for i in range(len(flags))
        for j in range(i, len(flags) + 1)
        if i == j or i % 8 == 0 or (j - 1) // 8 > i // 8
    )
    assert span.total == pytest.approx(best, abs=1e-9)


def test_chance() -> None:
    flags = np.array([False] * 40 + [True] * 40 + [False] * 40)
    span = likeliest(flags, 0.98, 0.5)
    assert (span.first, span.end) == (40, 80)
    assert chance_of(span, 120, 6) == pytest.approx(6 * 120 * (0.5 / 0.98) ** 40)
    assert chance_of(Span(0, 1, 0.0), 120, 6) == 1.0
