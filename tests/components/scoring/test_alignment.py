"""The scoring of outcomes against what was intended."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.components.scoring.alignment import AlignmentScoring
from auditfw.core.errors import DataError, UsageError
from auditfw.formulas.alignment import Weights, score_alignment

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("output", "settings", "score"),
    [
        ({"a": 1.0, "b": -0.5}, {}, 1.0),
        ({"a": 0.8, "b": -0.5}, {}, 0.95),  # a: sign right, magnitude 0.8, so 0.9; b: 1
        ({"a": 0.8, "b": -0.5}, {"tolerance": 0.05}, 1.0),
        ({"a": 0.8, "b": -0.5}, {"tolerance": 0.04}, 0.95),
        ({"a": 0.8, "b": -0.5}, {"key_weights": {"a": 3}}, 0.925),
        ({"a": 0.8, "b": 0.5}, {"key_weights": {"a": 1, "b": 0}}, 0.9),
        ({"a": 0.8, "b": -0.5}, {"weights": Weights(1, 0)}, 1.0),
        ({"a": 0.8, "b": -0.5}, {"weights": Weights(0, 1)}, 0.9),
        ({"a": -1.0, "b": -0.5}, {}, 0.5),
        ({"a": 1.0}, {}, 0.5),
        ({"a": 0.8}, {"missing": "drop"}, 0.9),
        ({"a": 1.0}, {"missing": "drop", "tolerance": 0.25}, math.nextafter(0.75, 0)),
        ({"a": "1.0", "b": None}, {}, 0.0),
        ({"a": math.nan, "b": -0.5}, {}, 0.5),
        (None, {}, 0.0),
        ([[1]], {}, 0.0),
    ],
)
def test_alignment_scores(output: Any, settings: dict[str, Any], score: float) -> None:
    assert AlignmentScoring(**settings)(output, {"a": 1.0, "b": -0.5}) == pytest.approx(score, abs=1e-15)


def test_bands_and_intended_zero() -> None:
    scoring = AlignmentScoring()
    assert scoring({"a": 3}, {"a": {"between": [2, 4]}}) == 1.0
    assert scoring({"a": 5}, {"a": {"between": [2, 4]}}) == 0.875  # held against 4: magnitude 0.75
    assert scoring({"a": 9}, {"a": {"at_least": 2}}) == 1.0
    assert scoring({"a": 1, "b": 1}, {"a": {"value": 2, "weight": 3}, "b": 1}) == pytest.approx((3 * 0.75 + 1) / 4)
    assert scoring({"a": 0.02}, {"a": 0}) == pytest.approx(0.85)  # direction 1 - 5 * 0.02, magnitude 1 - 0.02 / 0.1
    assert AlignmentScoring(zero_slope=0, floor=1)({"a": 0.02}, {"a": 0}) == 1.0


@settings(deadline=None, max_examples=examples(30))
@given(st.dictionaries(st.sampled_from("abcdefghij"), st.tuples(numbers, numbers), min_size=1))
def test_score_is_the_alignment_of_the_audit(pairs: dict[str, tuple[float, float]]) -> None:
    intended = {key: pair[0] for key, pair in pairs.items()}
    actual = {key: pair[1] for key, pair in pairs.items()}
    overall = score_alignment(intended, actual)["overall"]
    assert AlignmentScoring(tolerance=0.0)(actual, intended) == overall
    assert AlignmentScoring(tolerance=0.1)(actual, intended) == (1.0 if overall >= 0.9 else overall)


def test_remark_names_the_worst_outcome_first() -> None:
    said = AlignmentScoring().remark({"a": 1.0, "b": 0.5}, {"a": 1.0, "b": -0.5, "c": 2})
    assert said == "alignment 0.333333. c is missing, intended 2; b is 0.5, intended -0.5 (0.0000); " + (
        "a is 1, intended 1 (1.0000)"
    )


@pytest.mark.parametrize("intended", [{"a": {"direction": "up"}}, {"a": "much"}, {"a": {"betwen": [1, 2]}}, 3])
def test_intention_that_cannot_be_scored(intended: Any) -> None:
    with pytest.raises(DataError, match=r"audit\.scoring"):
        AlignmentScoring()({"a": 1}, intended)


def test_bad_settings_of_the_scoring() -> None:
    for wrong in ({"tolerance": 1.0}, {"key_weights": {"a": -1}}, {"key_weights": {"a": 0}}, {"floor": 0}):
        with pytest.raises(UsageError):
            AlignmentScoring(**wrong)
