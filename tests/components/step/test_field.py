"""Steps that the rules of other programs need: tables to check by hand."""

from __future__ import annotations

import pytest

from auditfw.components.step.characters import StripCharacters, Upper
from auditfw.components.step.field import MarkedChoice, Placeholder
from auditfw.components.step.patterns import Capture, Substitute
from auditfw.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "last", "several", "first"),
    [
        ("ANSWER: B", "B", "B", "B"),
        ("answer : b.", "B", "B", ""),
        ("ANSWER: A\nANSWER: C", "C", "C", "A"),
        ("ANSWER: A\nSo the final ANSWER: C", "A", "A", "A"),
        ("I say ANSWER: A, then ANSWER: C!", "", "", ""),
        ("ANSWER: **B**", "B", "B", ""),
        ("ANSWER: $D$", "D", "D", ""),
        ("ANSWER: (C).", "C", "C", ""),
        ("**ANSWER: C**", "C", "C", "C"),
        ("ANSWER: A,", "A", "A", ""),
        ("ANSWER: A, C", "", "A, C", ""),
        ("ANSWER: CA", "", "A, C", ""),
        ("ANSWER: A and C", "", "A, C", ""),
        ("ANSWER: AB, C", "", "", ""),
        ("ANSWER: Paris", "", "A, I, P, R, S", ""),
        ("ANSWER: 1", "", "", ""),
        ("The answer is B", "", "", ""),
        ("ANSWER: \nANSWER: B)", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_the_option_that_inspect_marks(text: str, last: str, several: str, first: str) -> None:
    assert MarkedChoice()(text) == last
    assert MarkedChoice(several=True)(text) == several
    assert MarkedChoice(which="first")(text) == first


def test_options_beyond_z_are_numbers() -> None:
    assert MarkedChoice(options=28)("ANSWER: 2") == "2"
    assert MarkedChoice(options=27)("ANSWER: 2") == ""
    assert MarkedChoice(options=2)("ANSWER: C") == ""
    assert MarkedChoice(options=2, several=True)("ANSWER: B and A") == "A, B"
    assert MarkedChoice(several=True, which="first")("ANSWER: B and A") == "A, B"


@pytest.mark.parametrize("setting", ["options", "deadline"])
def test_settings_that_cannot_be(setting: str) -> None:
    with pytest.raises(UsageError, match=f"^{setting}: expected a number above 0"):
        MarkedChoice(**{setting: 0})


def test_a_placeholder_is_where_nothing_is_left() -> None:
    assert (Placeholder()(""), Placeholder()(" "), Placeholder("-")(""), Placeholder()("x")) == (
        "[nothing]",
        " ",
        "-",
        "x",
    )
    with pytest.raises(UsageError, match=r"^text: expected a text"):
        Placeholder("")


@pytest.mark.parametrize(
    ("step", "text", "kept"),
    [
        (StripCharacters(), " \n**(x.y)**!", "x.y"), (StripCharacters(), "\u00a0x\u00a0", "\u00a0x\u00a0"),
        (StripCharacters("xy"), "xyaxyb yx", "axyb "), (StripCharacters("xy", "start"), "xyaxy", "axy"),
        (StripCharacters("xy", "end"), "xyaxy", "xya"), (StripCharacters(), "...", ""),
        (Upper(), "straße ǆ", "STRASSE Ǆ"),
        (Capture(r"\w", 0, classes="re"), "a²", "²"), (Capture(r"\w", 0), "a²", "a"),
        (Capture(r"(\d)|x", which=1, fallback="none"), "1 x 3", "none"), (Capture(r"(\d)|x", which=-3), "1 x 3", "1"),
        (Capture("b", 0, flags="i"), "aB", "B"), (Substitute(r"\s", "-", classes="re"), "a\x1cb c", "a-b-c"),
        (Substitute(r"\s", "-"), "a\x1cb c", "a\x1cb-c"),
    ],
)  # fmt: skip
def test_what_steps_keep(step: Upper, text: str, kept: str) -> None:
    assert step(text) == kept


def test_no_characters_to_strip() -> None:
    with pytest.raises(UsageError, match=r"^characters: expected at least one character"):
        StripCharacters("")
