"""Patterns: slow ones end at the deadline, nested repeats are pointed out."""

from __future__ import annotations

import pytest

from auditfw.components.step import patterns


def test_a_slow_pattern_ends_at_the_deadline_and_is_named():
    with pytest.raises(TimeoutError, match=r"\(a\|aa\)\+c"):
        patterns.Capture("((a|aa)+c)|x", deadline=0.05)("xa" + "a" * 40)
    with pytest.raises(TimeoutError, match=r"\(a\|aa\)\+c"):
        patterns.Substitute("(a|aa)+c", deadline=0.05)("a" * 40)


@pytest.mark.parametrize(
    ("pattern", "warned"),
    [
        ("(a+)+$", True), (r"(?:\s*\w+)*x", True), ("((ab*)|c)+", True), ("(a{2,})*b", True),
        ("(ab)+", False), ("(a+)b+", False), (r"(\(+\))b", False), ("([+*]x)+", False), ("(a++)b", False),
        ("(a{1,3})+", False), ("(-?[$0-9.,]{2,})|(-?[0-9]+)", False), (r"(x\+)+", False),
    ],
)  # fmt: skip
def test_nested_repeats_are_pointed_out(pattern, warned):
    assert (patterns.Capture(pattern, group=0).lint() is not None) is warned
    assert (patterns.Substitute(pattern).lint() is not None) is warned
