"""Cuts: a stretch of the text, tables to check by hand."""

from __future__ import annotations

import pytest
from hostile_steps import MARKERS, THINK, texts
from hypothesis import given

from auditfw.components.step import answers, characters, cuts, patterns, words
from auditfw.formulas.markers import MarkerScan


@pytest.mark.parametrize(
    "step",
    [
        cuts.AfterLast(THINK),
        cuts.BeforeLast(THINK),
        cuts.BeforeFirst(MARKERS),
        cuts.FirstLine(),
        cuts.LastLine(),
        characters.Strip(),
        answers.Boxed(),
        answers.Tag(),
        answers.AnswerIs(),
        answers.LastNumber(),
        answers.FirstNumber(),
        patterns.Capture(r"(\w+)"),
    ],
    ids=repr,
)
@given(text=texts)
def test_a_cut_is_a_stretch_of_the_text(step, text):
    assert step(text) in text


@given(text=texts)
def test_the_markers_are_found_as_defined(text):
    low = text.lower()
    for markers in (MARKERS, ("user", "a.b", ":", "i\u0307"), ("\n", "r:", "er:", "a:b:"), ("user:",)):
        found = [low.find(marker) for marker in markers]
        assert MarkerScan(markers).first(low) == min((at for at in found if at > 0), default=-1)
        assert MarkerScan(markers).present(low) == any(marker in low for marker in markers)


@pytest.mark.parametrize(
    ("text", "first", "present"),
    [
        ("", -1, False),
        ("user: Paris", -1, True),
        ("user: Paris user: again", -1, True),
        ("user: Paris\nuser: again", 11, True),
        ("particle: x", 1, True),
        ("the movie title: x user: y", 4, True),
    ],
)
def test_first_marker(text, first, present):
    scan = MarkerScan(("user:", "\nuser", "movie title:", "article:"))
    assert scan.first(text) == first
    assert scan.present(text) is present


@given(text=texts)
def test_what_is_cut_at_a_marker_is_never_empty(text):
    """Why the fallback of the seed, the first line that is not blank, is never reached."""
    stripped = text.strip()
    assert bool(cuts.BeforeFirst(MARKERS)(stripped).strip()) == bool(stripped)


CUTS = [
    (cuts.AfterLast(THINK), "a</think>b</THINK>\n c ", "c "),
    (cuts.AfterLast(THINK), "  no delimiter ", "  no delimiter "),
    (cuts.AfterLast(THINK), "Paris</think>", ""),
    (cuts.AfterLast(THINK), "İ</think>Paris", "aris"),
    (cuts.AfterLast(THINK), "x</thin\u212a>Paris", "Paris"),
    (cuts.AfterLast(THINK, ignore_case=False), "x</THINK>Paris", "x</THINK>Paris"),
    (cuts.BeforeLast(THINK), "a</think>b</think>c", "a</think>b"),
    (cuts.BeforeFirst(MARKERS), "Paris\nUsers like it", "Paris"),
    (cuts.BeforeFirst(MARKERS), "superuser: x", "super"),
    (cuts.BeforeFirst(MARKERS), "user: Paris user: again", "user: Paris user: again"),
    (cuts.BeforeFirst(MARKERS, ignore_case=False), "Paris USER: x", "Paris USER: x"),
    (cuts.FirstLine(), "\n  \n one \ntwo", "one"),
    (cuts.LastLine(), "one\n two \n\n", "two"),
    (cuts.FirstLine(), " \n", ""),
    (cuts.FirstOf(((cuts.AfterLast(THINK),), (cuts.BeforeLast(THINK),))), "Paris</think> \n", "Paris"),
    (cuts.FirstOf(((cuts.AfterLast(THINK),), (cuts.BeforeLast(THINK),))), "</think>", ""),
    (characters.Casefold(), "Straße", "strasse"),
    (characters.Digits(), "H₂O 10²", "H2O 102"),
    (characters.Collapse(), " a \x1c\u2028 b\n", " a b "),
    (characters.RemoveCharacters(), "it's (a) $5.", "its a 5"),
    (characters.UnicodeForm("NFKC"), "ﬁ①", "fi1"),
    (words.Undot(), "washington, d.c. and u.s.a", "washington, dc. and usa"),
    (words.Undot(), "a.b.cd ph.d. j. f. k.", "ab.cd ph.d. j. f. k."),
    (words.RemoveWords(), "the cat in a theatre", "  cat in   theatre"),
    (
        words.StripMarkdown(),
        "# Title\n- **Paris** is *the* `city`\n> [see](http://x) __it__",
        "Title\nParis is the city\nsee it",
    ),
    (words.StripMarkdown(), "```python\nx = 2 * 3 * 4\n```\n1. snake_case_name", "x = 2 * 3 * 4\n1. snake_case_name"),
]


@pytest.mark.parametrize(("step", "text", "expected"), CUTS)
def test_what_a_step_keeps(step, text, expected):
    assert step(text) == expected
