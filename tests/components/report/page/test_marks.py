"""Marks on a text: its pieces know who covers them, and what was left out is told."""

from __future__ import annotations

from dataclasses import replace

import pages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_reading import text_of

from auditfw.components.report.page import marks
from auditfw.core.document import Mark, Snippet


@pytest.fixture(scope="module")
def whole() -> str:
    return text_of(pages.result())


spans = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 40), st.integers(0, 40)), max_size=6)


@given(st.text(max_size=30), st.integers(0, 10), spans)
def test_pieces_are_the_text_and_each_knows_who_covers_it(text: str, start: int, found: list) -> None:
    given_marks = [Mark(name, low, high) for name, low, high in found]
    places = {"a": 0, "b": 1, "c": 2}
    made = marks.pieces(text, start, given_marks, places)
    assert "".join(piece for piece, _ in made) == text
    at = start
    for piece, covering in made:
        for _ in piece:
            assert set(covering) == {places[m.name] for m in given_marks if m.start <= at < m.end}
            at += 1


def test_marks_reach_over_what_was_left_out() -> None:
    text = Snippet("t", "abcdef", "uvwxyz", 10, None, [Mark("p", 4, 18), Mark("q", 6, 16), Mark("r", 0, 2)])
    found = marks.cut(text, {"p": 0, "q": 1, "r": 2})
    assert found.head == [("ab", (2,)), ("cd", ()), ("ef", (0,))]
    assert found.across == [0, 1]
    assert found.tail == [("uv", (0,)), ("wxyz", ())]
    assert found.whole == []


@pytest.mark.parametrize(
    ("text", "mark", "whole"),
    [
        (Snippet("t", " abc\n"), Mark("p", 1, 4), True),
        (Snippet("t", " abc."), Mark("p", 1, 4), False),
        (Snippet("t", "abc", "xyz ", 5), Mark("p", 0, 11), True),
        (Snippet("t", "   ", "   ", 5), Mark("p", 0, 3), False),
        (Snippet("t", "abc", "xyz", 5), Mark("p", 0, 10), False),
        (Snippet("t", "   "), Mark("p", 1, 1), False),
    ],
)
def test_a_mark_that_leaves_nothing_out_is_told_and_not_drawn(text: Snippet, mark: Mark, whole: bool) -> None:
    found = marks.cut(replace(text, marks=[mark]), {"p": 0})
    assert found.whole == [0] * whole
    assert whole == (not any(who for _, who in [*found.head, *found.tail]) and bool(found.whole))
