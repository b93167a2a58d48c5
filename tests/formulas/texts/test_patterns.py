"""Patterns as Python's re reads them: white space, characters of words and their edges for every code point."""

from __future__ import annotations

import random
import re
import sys
import unicodedata

import pytest
import regex

from auditfw.formulas.texts.patterns import as_re, forget_late, lint, replace, search


@pytest.fixture(scope="module")
def known() -> str:
    """Every character that is assigned: alone, before a letter and behind one."""
    points = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) != "Cn"]
    return "".join(f"-{c}-{c}x-x{c}-" for c in points)


@pytest.mark.parametrize("pattern", [r"\s", r"\S", r"\w", r"\W", r"[\w]", r"[^\s]", r"\bx", r"\Bx", r"x\b", r"[A\s]"])
def test_every_character_is_read_as_by_pythons_re(pattern: str, known: str) -> None:
    theirs, ours = re.sub(pattern, "\0", known), regex.sub(as_re(pattern), "\0", known)
    wrong = [] if theirs == ours else [known[at - 1 : at + 2] for at in range(len(known)) if theirs[at] != ours[at]]
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


QUADRATIC = [r"\s+$", r"(\s+)$", r"[ \t]+\Z", r"\s+?$", r"(?m)[ ]+$", r"(?i)\s+x$", r"\s*x"]
LONG = " " * 20_000 + "y "


@pytest.mark.parametrize("pattern", QUADRATIC)
def test_a_leading_repeat_takes_linear_time(pattern: str) -> None:
    """The deadline is far below what trying it at each of the blanks takes."""
    match = search(pattern, LONG, 0, 0.2)
    assert match is None or match.start() == len(LONG) - 1
    assert replace(pattern, "", LONG, 0.2) == (LONG if match is None else LONG[:-1])


HEADS = [
    r"\s+",
    "(a+)",
    "a+?",
    "[ab]+",
    "(?i)a+",
    "(?im)[a]+",
    ".+",
    "[^a]+",
    "(?P<n>a+)",
    "a*b",
    "(?m)\\w+",
    "(?s).+?",
]
TAILS = ["$", "b", r"\b", "(?=b)", "(?<=a)b", "(?:b|$)", "(b)?", r"\Z", "^", "(?!a)", "b+a", "", "(?<!b)a", "a?$", "^a"]


@pytest.mark.parametrize("head", HEADS)
def test_a_leading_repeat_gives_the_same_matches(head: str) -> None:
    draw = random.Random(1)
    texts = ["".join(draw.choice("aAb \n") for _ in range(draw.randrange(14))) for _ in range(60)]
    for pattern in [head + tail + further for tail in TAILS for further in draw.sample(TAILS, 3)]:
        plain = regex.compile(pattern)
        for text in texts:
            match, first = search(pattern, text, 0, 1.0), plain.search(text)
            assert (match and (match.span(), match.groups())) == (first and (first.span(), first.groups()))
            last = [*plain.finditer(text)][-1:]
            match = search(pattern, text, -1, 1.0)
            assert ([match.span()] if match else []) == [one.span() for one in last]
            assert replace(pattern, "<>", text, 1.0) == plain.sub("<>", text)


@pytest.mark.parametrize(
    ("pattern", "warned"),
    [
        ("(a+)+b", True),
        ("(a{2,})*b", True),
        ("(a{1,3})+b", False),
        ("(a++)+b", False),
        (r"(a\++)+b", True),
        (r"(\+a)+b", False),
    ],
)
def test_a_repeat_of_a_repeat_is_pointed_out(pattern: str, warned: bool) -> None:
    r"""Not of one that gives nothing back, as a++; in \++ the first + is a character."""
    assert (lint(pattern) is not None) is warned


def test_what_was_late_is_not_asked_again() -> None:
    forget_late()
    pattern, text = "((a|aa)+)+$", "a" * 60 + "!"
    for _ in range(3_000):
        with pytest.raises(TimeoutError, match=r"took longer than 0\.05 s"):
            search(pattern, text, 0, 0.05)
    assert search(pattern, "aa", 0, 0.05) is not None
    forget_late()


def test_a_pattern_that_is_late_again_and_again_gets_little_time() -> None:
    """As many texts with all of the deadline each would take a minute; what is quick is found as before."""
    forget_late()
    pattern = "((a|aa)+)+$"
    for number in range(300):
        with pytest.raises(TimeoutError, match=r"took longer than 0\.04 s"):
            replace(pattern, "", "a" * 60 + f"!{number}", 0.04)
    assert replace(pattern, "", "b aa", 0.04) == "b "
    forget_late()
