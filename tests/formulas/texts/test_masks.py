"""Texts with their answers taken out, by hand."""

from __future__ import annotations

import pytest

from auditfw.formulas.texts.endings import masked


@pytest.mark.parametrize(
    ("text", "given", "mask"),
    [
        ("It is Paris, not Rome", ["Paris", ""], "It is _, not Rome"),
        ("Paris or Paris Texas", ["Paris Texas", "Paris"], "_ or _"),
        ("B", ["B"], "_"),
        ("x is x", ["x"], "x is x"),
        ("1,234.50 and -3, 5-2", [], "0 and 0 00"),
        ("٣ 2.", [], "0 0."),
        ("(A) or (K), B. I'd say J", [], "_ or (K), _. I'd say _"),
        ("A cat, A B", [], "A cat, _ _"),
        ("Yes or NO: yeſ, nope", [], "_ or _: _, nope"),
        ("no5 no-5 no(A) no-x", [], "no0 no0 no_ _-x"),
        ("", ["a"], ""),
    ],
)
def test_what_is_left(text: str, given: list[str], mask: str) -> None:
    assert masked(text, given) == mask
