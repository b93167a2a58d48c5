"""Intentions as they are written: a point, a band, an order; and what cannot be meant."""

from __future__ import annotations

import math
from typing import Any

import pytest

from auditfw.kinds.scenarios import Intention, intention


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (2, Intention(2.0, 2.0)),
        (" 0.5 ", Intention(0.5, 0.5)),
        ({"value": 3, "tolerance": 0.5}, Intention(2.5, 3.5, tolerance=0.5)),
        ({"between": [1, 2], "unit": "kg", "level": "should"}, Intention(1.0, 2.0, unit="kg", level="should")),
        ({"at_least": 1, "weight": 2}, Intention(1.0, math.inf, weight=2.0)),
        ({"at_least": 1, "at_most": 3}, Intention(1.0, 3.0)),
        ({"direction": "down"}, Intention(change="down")),
        ({"unchanged": True, "tolerance": 0.1}, Intention(change="same", tolerance=0.1)),
    ],
)
def test_intentions(written: Any, meant: Intention) -> None:
    assert intention(written) == meant


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("high", "not a number"),
        (None, "not a number (nothing)"),
        (math.nan, "not finite"),
        (2**2000, "not a number"),
        ({}, "needs one of"),
        ({"between": [2, 1]}, "lower bound 2 above its upper bound 1"),
        ({"between": 1}, "not a pair"),
        ({"betwen": [1, 2]}, "did you mean 'between'"),
        ({"direction": "sideways"}, "up or down"),
        ({"value": 1, "at_least": 0}, "needs one of"),
        ({"value": 1, "level": "may"}, "must or should"),
        ({"value": 1, "weight": -1}, "negative weight"),
        ({"unchanged": False}, "can only be true"),
    ],
)
def test_what_cannot_be_meant(written: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")):
        intention(written)
