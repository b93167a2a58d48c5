"""Canonical forms: by hand for each kind; equal in all notations; and what a form is of itself."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditfw.formulas.texts.canonical import bare, canonical, letter_form, number_form
from auditfw.formulas.texts.truth_kinds import Kind

EQUAL: dict[tuple[Kind, str], list[str]] = {
    ("number", "18"): ["18", "$18", "18.0", "18.", "018", "+18", "18€", "18 %", "18\\%", "１８", "1.8e1", "36/2"],
    ("number", "-5"): ["-5", "−5", "－5", "-$5", "$-5", "-5.00", "-10/2", "it is −5 degrees"],
    ("number", "2664"): ["2,664", "2 664", "2'664", "2\u202f664", "2664.00", "so 2,664.", "٢٦٦٤", "2664/1"],
    ("number", "1234.5"): ["1234.5", "1,234.5", "1.234,5", "1234,5", "1.2345e3", "12345e-1"],
    ("number", "1234567"): ["1,234,567", "1.234.567", "1 234 567"],
    ("number", "0.75"): ["0.75", ".75", "0,75", "3/4", "a 3/4 cup", "75e-2"],
    ("number", "1/3"): ["1/3", "2/6", "of 1/3 each"],
    ("number", "0"): ["0", "-0", "0.00", "0e9"],
    ("number", "2.7"): ["2.7", "2.70"],
    ("number", "2020"): ["12/03/2020"],
    ("number", "1e400"): ["1e400", "10e399"],
    ("number", "9007199254740993"): ["9007199254740993", "9,007,199,254,740,993"],
    ("number", ""): ["", "none", "eight", "$", "-", "."],
    ("letter", "B"): ["B", "b", "(B)", "B.", "**B**", " B) ", "The answer is (B).", "答案是B"],
    ("letter", ""): ["", "Paris", "?"],
    ("yes_no", "yes"): ["yes", "Yes.", "YES", "No, wait: yes", "**Yes**", "yes, that is true"],
    ("yes_no", "true"): ["True", "It is true."],
    ("yes_no", ""): ["", "maybe", "nothing", "eyes"],
    ("text", "paris"): ["Paris", "the Paris", '"Paris".', "  PARIS\n", "Ｐaris", "“Paris”"],
    ("text", "don t"): ["don't", "don’t", "Don`t"],
    ("text", "3.5 mg"): ["3.5 mg", "3.5 mg.", "(3.5  mg)"],
    ("text", "1,234 men"): ["1,234 men"],
    ("text", "-5 c"): ["-5 C", "−5 C"],
    ("text", "rock n roll"): ["rock-n-roll", "Rock 'n' Roll"],
    ("text", "c++"): ["C++"],
    ("text", "की"): ["की", "की!"],
    ("text", "a"): ["a", "A."],
    ("text", ""): ["", "?!", "\ufeff"],
    ("long", "strasse"): ["Straße", "STRASSE"],
    ("latex", r"\frac{1}{2}"): [r"\frac{1}{2}", r"$\dfrac{1}{2}$", r"\frac12", r"\(\tfrac{1}{2}\)."],
    ("latex", r"(3,\pi)"): [r"(3, \pi)", r"\left( 3, \pi \right)", r"$(3,\,\pi)$.", r"\left(3,\quad\pi\right)"],
    ("latex", r"\leftarrowx"): [r"\leftarrow x"],
    ("latex", "5cm"): [r"5\text{ cm}", "5 cm", r"$5\mathrm{cm}$"],
    ("latex", "5"): ["$5$", "5.0", r"\$5"],
    ("latex", ""): ["", "$$"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "form", "text"), [(kind, form, text) for (kind, form), texts in EQUAL.items() for text in texts]
)
def test_form_of_a_text(kind: Kind, form: str, text: str) -> None:
    assert canonical(text, kind) == form
    assert canonical(form, kind) == form


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("number", ["2.97", "2.7", "-2.7", "27", "2.7e1000", "0.0027", "1/3", "0.3333333333333333", "1,234.5"]),
        ("number", ["9007199254740993", "9007199254740992", "0." + "1" * 30, "0." + "1" * 31, "1e-400", "1e-401"]),
        ("text", ["C++", "C", "C#", "-5", "5", "3.5", "35", "1/2", "12", "की", "कि"]),
        ("latex", [r"\frac{1}{23}", r"\frac{12}{3}", "x^2", "x_2"]),
    ],
)
def test_unlike_texts_have_unlike_forms(kind: Kind, texts: list[str]) -> None:
    assert len({canonical(text, kind) for text in texts}) == len(texts)


KINDS: tuple[Kind, ...] = ("number", "letter", "yes_no", "latex", "text", "long", "code", "structured", "empty")
ALPHABET = "aAbB yes no the 0123456789.,-−+/eE%$()[]{}\\frac text left\"'’ß İǰ͂̈\n٣１½\u200b"


@given(st.one_of(st.text(), st.text(ALPHABET)), st.sampled_from(KINDS))
@example("\u0345İ", "text")
def test_a_form_is_its_own_form(text: str, kind: Kind) -> None:
    form = canonical(text, kind)
    assert canonical(form, kind) == form


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**30), max_value=10**30),
    st.sampled_from(["{}", "${}", "{:,}", "{:e}", "  {}  ", "{}%", "answer: {}", "{} €"]),
)
def test_equal_numbers_have_equal_forms(number: Decimal, notation: str) -> None:
    form = number_form(f"{number:f}")
    assert Decimal(form) == number
    assert number_form(notation.format(number)) == form


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "part", ["9", "1,", "1/", "-", "yes ", "\\text{", "\\boxed{", "a\0", "\ud800", "(A) ", "½", "é. "]
)
def test_hostile_texts_cost_linear_time(kind: Kind, part: str) -> None:
    def cost(text: str) -> float:
        start = time.process_time()
        canonical(text, kind)
        return time.process_time() - start

    text = part * (50_000 // len(part))
    assert min(cost(text) for _ in range(2)) < 20 * cost(text[: len(text) // 4]) + 1


def test_a_very_long_number_is_compared_in_full() -> None:
    digits = "7" * 1_000_000
    assert number_form(digits) == digits
    assert number_form(f"{digits}.50") == f"{digits}.5"
    assert letter_form(digits) == ""
    assert bare(digits) == digits
