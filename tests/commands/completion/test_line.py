"""A line that is being typed: quotes may be open, the last word is not finished."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.commands.completion.candidates import TypedLine, escaped_for, typed, unquoted

BREAKS = " \t\n\"'><=;|&(:"  # as bash has them


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", TypedLine((), "")),
        ("auditfw", TypedLine((), "auditfw")),
        ("auditfw ", TypedLine(("auditfw",), "")),
        ("auditfw  li", TypedLine(("auditfw",), "li")),
        ("a source=js", TypedLine(("a",), "source=js", cut=7)),
        ("a source=", TypedLine(("a",), "source=", cut=7)),
        ("a x=b:c", TypedLine(("a",), "x=b:c", cut=4)),
        ("a 'by=[m, n", TypedLine(("a",), "by=[m, n", "'", 0)),
        ("a x='b c' y", TypedLine(("a", "x=b c"), "y")),
        ("a x='b ", TypedLine(("a",), "x=b ", "'", 2)),
        ('a "x\\"y', TypedLine(("a",), 'x"y', '"', 0)),
        ("a my\\ lo", TypedLine(("a",), "my lo")),
        ("a 'x\\y", TypedLine(("a",), "x\\y", "'", 0)),
        ("a ''  b", TypedLine(("a", ""), "b")),
    ],
)
def test_a_line(text: str, line: TypedLine) -> None:
    assert typed(text, BREAKS) == line


def test_without_breaks_the_whole_word_is_replaced() -> None:
    assert typed("a source=js").cut == 0


@pytest.mark.parametrize(("raw", "word"), [("a", "a"), ("a\\ b", "a b"), ("'a b", "a b"), ("a b", "a b"), ("", "")])
def test_a_word_without_its_quotes(raw: str, word: str) -> None:
    assert unquoted(raw) == word


@given(st.text(st.sampled_from("ab =:[],'\"\\$`* ")), st.sampled_from(["", "'", '"']))
def test_what_is_typed_for_a_text_is_the_text(text: str, quote: str) -> None:
    raw = f"{quote}{escaped_for(text, quote)}"
    assert typed(raw) == TypedLine((), text, quote, typed(raw).cut)
    if quote != '"':
        assert shlex.split(f"x {raw}{quote}") == ["x", *([text] if text or quote else [])]
