"""Loops that a rule is known for beside all, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.loops import KnownPart, known_part


def flags(text: str) -> np.ndarray:
    return np.array([mark == "+" for mark in text], dtype=bool)


@pytest.mark.parametrize(
    ("known", "solved", "found"),
    [
        ("++++", "+--+", None),
        ("----", "+--+", None),
        ("", "", None),
        ("++--", "+-++", KnownPart(2, 4, 0.5, 0.75)),
        ("+----", "+----", KnownPart(1, 5, 1.0, 0.2)),
    ],
)
def test_what_is_known_in_part(known: str, solved: str, found: KnownPart | None) -> None:
    assert known_part(flags(known), flags(solved)) == found


def test_how_far_apart() -> None:
    one = KnownPart(2, 4, 0.5, 0.75)
    assert (one.unknown, one.apart) == (2, 0.25)
