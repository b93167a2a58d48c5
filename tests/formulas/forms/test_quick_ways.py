"""What is found quickly is what is found by reading everything."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditfw.formulas.forms import words
from auditfw.formulas.forms.numbers import numbers_of
from auditfw.formulas.forms.texts import inside_form

SIGNS = st.text("12.,:/-'\"_()$% aAnthesx½٣é\u0301\n", max_size=20)
# The rule as it is said: a point or comma before a digit is punctuation behind a letter alone, as a hyphen is.
PUNCTUATION = re.compile(
    r"[.,](?!\d)|(?<=[^\W\d])[.,](?=\d)|(?<!\d)[:/]|[:/](?!\d)|[;!?\"()\[\]{}*_`~|#\\<>=]"
    r"|-(?!\.?\d)|(?<=[^\W\d])-(?=\.?\d)"
)


@given(st.lists(st.sampled_from(["12", " eight ", "two thousand ", "½", "3 million", "$", "-", ". ", "x", "٣"])))
def test_the_last_number_and_whether_there_are_several(parts: list[str]) -> None:
    read = numbers_of("".join(parts))
    assert read.last == (read.numbers[-1] if read.numbers else None)
    assert read.several == (len({number.value for number in read.numbers}) > 1)
    assert list(read.numbers) == sorted(read.numbers, key=lambda number: number.start)


@given(SIGNS)
@example("a.5 _.5 x-5 -.5 3:4 :4 a/b 3/4 1,000 it's")
def test_punctuation_and_articles(text: str) -> None:
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", re.sub(r"'(?=s?\b)", "", text))
    assert words.unpunctuated(text) == " ".join(PUNCTUATION.sub(" ", plain).split())
    assert words.without_articles(text) == " ".join(re.sub(r"\b(?:a|an|the)\b", " ", text).split())


@given(SIGNS)
def test_bare_is_one_step_after_the_other(text: str) -> None:
    steps = words.modern, words.caseless, words.unmarked, words.unpunctuated, words.without_articles
    plain = text
    for step in steps:
        plain = step(plain)
    assert words.bare(text) == plain


WORDS = "eight eighth 8 8th 21st twenty first nineteenth cats cities boxes ties yes bus glasses dy"


@pytest.mark.parametrize("word", WORDS.split())
def test_parts_are_in_every_word_that_is_changed(word: str) -> None:
    assert any(part in word for part in words.number_parts(words.number_word(word)))
    assert any(part in word for part in words.singular_parts(words.singular(word)))


@pytest.mark.parametrize(
    ("answer", "truth", "form"),
    [("They had eight of them", "8", "inside_words"), ("on the eighth floor", "8th", "inside_words"),
     ("in New town hall", "Newtown hall", "inside_spacing"), ("They like cities a lot", "large city", None),
     ("They like large cities a lot", "large city", "inside_plural"),
     ("It was J. Müller there", "Jonas Muller", "inside_initials"),
     ("a new house in york", "new york", None)],
)  # fmt: skip
def test_parts_of_answers(answer: str, truth: str, form: str | None) -> None:
    assert inside_form(answer, truth) == form
