"""The normalizer same_answer: which spellings are one answer, and which are another."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw import load

SAME = load("normalizer", "same_answer")
SUPERSCRIPTS = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+)")
MARKS = re.compile("[;!?\"“”„«»'‘’`…]|[.,:](?![0-9])")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("11.3", "11.3"),
        ("11 3", "11 3"),
        (".5", ".5"),
        ("5", "5"),
        ("−5", "−5"),
        ("1,000", "1,000"),
        ("1000", "1000"),
        ("10²", "10^2"),
        ("102", "102"),
        ("C++", "c++"),
        ("C", "c"),
        ("A", "a"),
        ("vitamin A", "vitamin a"),
        ("vitamin", "vitamin"),
        ("(1, 2]", "(1 2]"),
        ("[1, 2)", "[1 2)"),
        ("[1, 2]", "[1 2]"),
        ("The War Advertising Board.", "war advertising board"),
        ("war advertising board", "war advertising board"),
        ("An  apple", "apple"),
        ("H₂O", "h2o"),
        ("Ⅷ", "viii"),
        ("“No” — said the fox", "no — said fox"),
        ("...", ""),
        ("", ""),
    ],
)
def test_what_is_made_of_a_text(text: str, key: str) -> None:
    assert SAME(text) == key


def key(text: str) -> str:
    """The same in one function, without steps."""
    text = " ".join(unicodedata.normalize("NFKC", SUPERSCRIPTS.sub(r"^\1", text)).casefold().split())
    text = re.sub(r"\bthe\b", " ", re.sub(r"^(?:an?|the) (?=\w)", "", text))
    return " ".join(MARKS.sub(" ", text).split())


@given(st.text(alphabet="aAtThHeEnN 0.5,'²⁻(] \u00a0é“.:+", max_size=30))
def test_as_written_in_one_function(text: str) -> None:
    assert SAME(text) == key(text)
