"""The matcher of Inspect's match(numeric=True), held against its definition: signs go first, then words are made."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.matcher.inspect_match import InspectMatch, InspectMatchNumeric2025
from auditfw.formulas.texts.inspect_numbers import NEAR, likely_numbers, number_of, number_of_2025, written_number

WORDS = (
    "inf nan 1e3 1E5 12 $5 **42** _7_ 3. 5. and Dollars ٣ ２ ² ½ e5 1_0 (7) '8' $ * x5 五 百 点 100,000. -5 −5 +3 Ⅷ 5ß"
)
TOKENS = st.sampled_from([*WORDS.split(), "\\", "\\\\$4", "\\$1,2.50"])
BLANK = st.sampled_from([" ", "  ", "\n", "\u00a0", "\x1c", "\u2028", ""])
TEXT = st.lists(st.tuples(TOKENS, BLANK).map("".join), max_size=2 * NEAR + 6).map("".join) | st.text(max_size=20)
TRUTH = st.sampled_from(["5", "12", "42", "7", "1250", "3", "½", "-5", "1e3", "$5", "8", "100000", "x"])
PLACE = st.sampled_from(["end", "begin", "any", "exact"])


def unformatted(text: str, escaped: bool = True) -> str:
    if escaped:
        text = re.sub(r"\\([$,£€*_])", r"\1", text)
    return re.sub(r"\.(?!\d)", "", re.sub(r"[$,£€*_]", "", text))


def words(text: str, place: str) -> list[str]:
    if place == "exact":
        return [text]
    found = re.split(r"\s+", text)
    return found[::-1] if place == "end" else found


@given(TEXT, TRUTH, PLACE)
def test_numbers_are_those_of_the_definition(text: str, truth: str, place: Any) -> None:
    wanted = number_of(unformatted(truth.strip().casefold()))
    bare = words(unformatted(text.strip().casefold()), place)
    values = [value for word in bare if (value := number_of(word, trimmed=place != "exact")) is not None]
    matches = InspectMatch(place, numeric=True)(text, truth)
    if wanted is not None:
        counting = values if place == "any" else values[:1]
        assert matches is (format(wanted, ".5g") in [format(value, ".5g") for value in counting])
    else:
        assert matches is InspectMatch(place)(text, truth)


@given(TEXT, TRUTH.filter(str.isnumeric), PLACE.filter(lambda place: place != "any"))
def test_numbers_of_2025_are_those_of_the_definition(text: str, truth: str, place: Any) -> None:
    bare = words(unformatted(text.strip().casefold(), escaped=False), place)
    word = next((word for word in bare if word.replace(".", "").isnumeric()), bare[0])
    shown = [
        format(value, ".5g") if (value := number_of_2025(one)) is not None else one for one in (word, truth.casefold())
    ]
    agrees = {"end": str.endswith, "begin": str.startswith, "exact": str.__eq__}[place]
    assert InspectMatchNumeric2025(place)(text, truth) is agrees(*shown)


@given(st.text("0123456789eE.,'+-_ \tx%$\x1c", max_size=8) | TOKENS)
def test_a_text_that_cannot_be_a_number_is_none(text: str) -> None:
    """The look at a text in ASCII before it is read leaves out no number."""
    try:
        plain = float(text)
    except ValueError:
        plain = None
    finite = [value for value in (plain, written_number(text)) if value is not None and abs(value) < float("inf")]
    assert number_of(text, trimmed=False) == (finite[0] if finite else None)


@pytest.mark.parametrize("backwards", [False, True])
@given(TEXT)
def test_words_are_left_out_only_far_away_and_of_letters_alone(backwards: bool, text: str) -> None:
    every = text.split()[::-1] if backwards else text.split()
    far = [word for word in every[NEAR:] if not re.fullmatch("[A-Za-z]+", word)]
    assert list(likely_numbers(text, backwards=backwards)) == every[:NEAR] + far
