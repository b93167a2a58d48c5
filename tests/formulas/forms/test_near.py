"""Answers in another form: a table to check by hand, laws on texts and numbers, and the cost of hostile texts."""

from __future__ import annotations

import time
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.forms.numbers import NOISE, number_form, value_of_words
from auditfw.formulas.forms.texts import COUNTED, near_form, text_form
from auditfw.formulas.forms.words import choice_form

# the form, then pairs of an answer and a truth
FORMS = [
    ("equal", "18|18.", "0018|18"),
    ("currency", "$18|18", "US$ 18|18", "18|€18"),
    ("thousands", "2,664|2664", "2 664|2664", "2'664|2664", "2664|2,664", "$1,234,567|1234567"),
    ("decimal_comma", "3,14|3.14", "1.234,5|1234.5"),
    ("zeros", "2.00|2", "18|18.0"),
    ("unit", "18 dollars|18", "5km|5"),
    ("percent", "8%|8", "8 percent|8"),
    ("percent_fraction", "75%|0.75", "0.5|50%"),
    ("exponent", "1.5e3|1500", "1.5×10³|1500", "1.5 x 10^3|1500"),
    ("scale", "3 million|3000000", "2.5M|2,500,000", "3k|3000"),
    ("fraction", "3/4|0.75", "½|0.5", "1 1/2|1.5", r"\frac34|0.75"),
    ("words", "eight|8", "two hundred and five|205", "twenty-one dollars|21"),
    ("unicode", "٣|3", "−5|-5"),
    ("float_noise", "0.3333333|0.33333334"),
    ("last", "6 * 3 = 18|18", "I add 3 and 5. The answer is 8|8"),
    ("last_loose", "3 apples, 8 pears|8"),
    ("rounding", "3.14|3.14159", "123|123.4"),
    ("rounding_coarse", "3|2.97"),
    ("comma", "1,234|1.234"),
    ("case", "london|London"),
    ("unicode", "O’Neill|O'Neill"),
    ("punctuation", "St. Mary's, Oxford|St Marys Oxford", "The end.|the end"),
    ("articles", "The Beatles|Beatles"),
    ("diacritics", "Sao Paulo|São Paulo"),
    ("lead_in", "The final answer is: Paris|Paris", "It is Paris|Paris"),
    ("parentheses", "Paris (the capital of France)|Paris"),
    ("spacing", "New Town|Newtown"),
    ("and", "salt & pepper|salt and pepper"),
    ("roman", "World War II|World War 2", "Rocky IV|Rocky 4"),
    ("words", "the third man|3rd man"),
    ("plural", "cats|cat", "cities|city"),
    ("date", "14 December 1972|December 14, 1972", "1972-12-14|14 December 1972"),
    ("clock", "2 PM|14:00"),
    ("order", "John and Mary|Mary and John"),
    ("initials", "J. F. Kennedy|John Fitzgerald Kennedy", "Kennedy, John|John F. Kennedy"),
    ("acronym", "UN|United Nations", "United States of America|USA"),
    ("inside", "It was won by the Golden State Warriors in 2017|Golden State Warriors"),
    ("inside_words", "it has seven dwarfs and 2 cats|7 dwarfs"),
    ("inside_spacing", "they played base ball games all day|baseball games", "they ate one hotdog|hot dog"),
    ("inside_date", "He died in 1973, his son on 14 December 1972|December 14, 1972"),
    ("inside_initials", "It was written by J. R. Tolkien in 1937|John Ronald Tolkien"),
    ("inside_plural", "they keep Persian cats at home|Persian cat"),
    ("part_of_truth", "December 1972|14 December 1972 UTC"),
    ("other_script", "Москва|Moscow"),
    ("latex", r"\dfrac{1}{2}|\frac12", r"x = \left( 1, 2 \right)|(1,2)\!", r"30^\circ|\text{30}"),
]  # fmt: skip
DIFFERENT = [
    "2.97|2.7", "1850|18", "18.5|18", "-5|5", "0.5|5", "3/4|3", "1.8|18", "1,234|1", "250|25", "12|1.2", "18|",
    "-5 degrees|5 degrees", ".5 litres|5 litres", "one two|3", "nineteen eighty four|103", "Paris|London",
    "Ben Lee|Bob Lee",
    "1 March 1990|2 March 1990", "3 PM|3:00", "505 nothing|the one of row 505",
    "five seasons|5 episodes", "747 seats|Boeing 747",
    "B|A", "The answer is B|A", r"\frac{1}{2}|\frac{1}{3}", "2, 1|1, 2",
]  # fmt: skip


@pytest.mark.parametrize(("form", "pair"), [(form, pair) for form, *pairs in FORMS for pair in pairs])
def test_the_form_of_a_pair(form: str, pair: str) -> None:
    answer, truth = pair.split("|")[:2]
    assert near_form([answer], truth) == form


@pytest.mark.parametrize("pair", DIFFERENT)
def test_other_answers_have_no_form_that_counts(pair: str) -> None:
    answer, truth = pair.split("|")
    assert near_form([answer], truth) not in COUNTED


def test_one_form_a_row() -> None:
    assert near_form(["3 apples, 8 pears", None, "", "eight"], "8") == "words", "the forms that count come first"
    assert near_form(["so it is 8 pears", "8.0"], "8") == near_form(["8.0", "so it is 8 pears"], "8") == "zeros"
    assert near_form(["x" * 300 + " The answer is 8"], "8") == "equal", "the end of a long answer"


def test_options() -> None:
    options = ["Paris", "Rome", "paris."]
    assert choice_form("rome", "B", options) == "letter_text"
    assert choice_form("(B)", "Rome", options) == "text_letter"
    assert choice_form("Paris", "A", options) is None, "two options have this text"
    assert choice_form("Rome", "A", options) is choice_form("Rome", "B", []) is None


@pytest.mark.parametrize(
    ("words", "value"),
    [("zero", 0), ("two hundred and five", 205), ("three thousand", 3000), ("two million three hundred", 2000300),
     ("twelve hundred", 1200), ("one two", None), ("twenty fifteen", None), ("thousand million", None)],
)  # fmt: skip
def test_numbers_in_words(words: str, value: int | None) -> None:
    assert value_of_words(words) == value


@given(st.text(max_size=30), st.text(max_size=30))
def test_whole_forms_are_symmetric_and_reflexive(one: str, other: str) -> None:
    assert text_form(one, other) == text_form(other, one)
    assert number_form(one, one) in (None, "equal", "last", "last_loose")
    assert text_form(one, one) == ("equal" if one.strip() else None)


WRITTEN = st.builds(
    lambda sign, number, places, end: f"{sign}{number / 10**places:.{places}f}{end}",
    st.sampled_from(["", "-", "$"]), st.integers(0, 10**6), st.integers(0, 4),
    st.sampled_from(["", "%", " km", " million", "k"]),
)  # fmt: skip
SCALES = {"%": Decimal("0.01"), "million": Decimal(10**6), "k": Decimal(1000)}


def value(text: str) -> set[Decimal]:
    """What a number may mean: with a % also the number alone."""
    digits = Decimal("".join(sign for sign in text if sign.isdigit() or sign in ".-"))
    scale = next((scale for end, scale in SCALES.items() if text.endswith(end) and not text.endswith("km")), Decimal(1))
    return {digits * scale, digits} if text.endswith("%") else {digits * scale}


@given(WRITTEN, WRITTEN)
def test_numbers_that_differ_are_never_the_same(one: str, other: str) -> None:
    form = number_form(one, other)
    assert form == number_form(other, one) or "float_noise" in (form, number_form(other, one))
    if form in COUNTED:
        assert any(abs(a - b) * NOISE <= abs(b) for a in value(one) for b in value(other)), form


@given(st.lists(st.text("18 $.,ab%", max_size=8), max_size=4), st.text("18 $.,ab%", max_size=8), st.randoms())
def test_the_order_of_answers_changes_nothing(answers: list[str], truth: str, random: Random) -> None:
    mixed = sorted(answers, key=lambda _: random.random())
    assert near_form(answers, truth) == near_form(mixed, truth)


@pytest.mark.parametrize(
    "text", ["1", "1,", ".111", "111,", "one ", " ", "1/", "1e", "-", "\\frac{", "(", "A. "], ids=repr
)
def test_hostile_texts_cost_what_their_length_costs(text: str) -> None:
    long = (text * 1_000_000)[:1_000_000]
    start = time.process_time()
    for pair in ((long, "18"), ("18", long), (long, long), (long[:200], "18 Paris"), (long, "Paris")):
        near_form([pair[0]], pair[1])
        number_form(pair[0][:5_000], "18")
    assert time.process_time() - start < 1
