"""Patterns as Python's re reads them: white space, characters of words and their edges for every code point."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
import regex

from auditfw.formulas.texts.patterns import as_re, search

KNOWN = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) != "Cn"]


@pytest.mark.parametrize("pattern", [r"\s", r"\S", r"\w", r"\W", r"[\w]", r"[^\s]", r"\bx", r"\Bx", r"x\b", r"[A\s]"])
def test_every_character_is_read_as_by_pythons_re(pattern: str) -> None:
    theirs, ours = re.compile(pattern), regex.compile(as_re(pattern))
    wrong = [c for c in KNOWN for text in (c, f"{c}x", f"x{c}") if bool(theirs.search(text)) != bool(ours.search(text))]
    assert wrong == []


@pytest.mark.parametrize(
    ("pattern", "same"), [(r"\\s", r"\\s"), (r"\d[\W]", r"\d[\W]"), (r"[]\]a]", r"[]\]a]"), ("a.b", "a.b")]
)
def test_what_stays_as_it_is(pattern: str, same: str) -> None:
    assert as_re(pattern) == same


@pytest.mark.parametrize(("which", "at"), [(0, 0), (1, 3), (2, 6), (3, None), (-1, 6), (-2, 3), (-3, 0), (-4, None)])
def test_a_match_by_its_number(which: int, at: int | None) -> None:
    match = search(r"\d", "1, 2, 3", which, 1.0)
    assert (match and match.start()) == at if at != 0 else match.start() == 0
