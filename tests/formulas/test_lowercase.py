"""Lower case is that of Python."""

from __future__ import annotations

from hostile_readings import TEXTS
from hypothesis import given, settings
from searching import examples

from auditfw.formulas.lowercase import lowered


@settings(max_examples=examples(100))
@given(text=TEXTS)
def test_lowered_is_lower(text: str) -> None:
    assert lowered(text) == text.lower()
