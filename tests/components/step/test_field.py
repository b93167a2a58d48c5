"""Steps that the rules of other programs need: tables to check by hand."""

from __future__ import annotations

from typing import Literal

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.step import field
from auditfw.components.step.characters import StripCharacters, Upper
from auditfw.components.step.field import AnnouncedAnswer, MarkedChoice, Placeholder
from auditfw.components.step.patterns import Capture, Substitute
from auditfw.core.errors import UsageError
from auditfw.formulas.texts.patterns import as_re

# The patterns as they are in Inspect AI, with ours, and whether white space at the ends of what they keep matters.
INSPECT = (
    (r"(?im)^ANSWER\s*:\s*([A-Za-z\d ,]+)\s*(?:$|\n|\.)", field._LINE, False),
    (r"(?i)ANSWER\s*:\s*([A-Za-z\d ,]+)(?:[^\w]|\n|$|\.)", field._LOOSE, False),
    (r"\x24\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\x24", field._MARKS[0][0], True),
    (r"\*\*\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\*\*", field._MARKS[1][0], True),
)
PIECES = st.sampled_from([
    "ANSWER:", "answer :", "\nANSWER\t:", "AN\u017fWER:",
    " ", " ", "  ", "\t", "\n", "\r\n", "A", "b", "1", ",", "#", ".",
    "é", "_", "$", "**", "\x1c", "\x1f", "\xa0", "\u2028", "\u3000", "٣", "²", "\u017f", "\u212a", "(B)",
])  # fmt: skip


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


def kept(pattern: str, text: str, exact: bool) -> list[tuple[int, int, str]]:
    return [
        (match.start(), match.end(), match[1] if exact else match[1].strip()) for match in regex.finditer(pattern, text)
    ]


@given(st.sampled_from(["", "ANSWER:", "$", "**"]), st.lists(PIECES, max_size=14).map("".join))
def test_the_patterns_match_what_those_of_inspect_match(start: str, rest: str) -> None:
    for theirs, ours, exact in INSPECT:
        assert kept(ours, start + rest, exact) == kept(as_re(theirs), start + rest, exact)


# The patterns of the scorer answer as they are in Inspect AI.
ANSWERS: tuple[tuple[Literal["letter", "word", "line"], Capture], ...] = (
    ("letter", Capture(r"(?is)ANSWER\s*:\s*([A-Za-z])(?:[^\w]|\n|$)(?!.*ANSWER\s*:)", which="first", classes="re")),
    (
        "word",
        Capture(r"(?is)ANSWER\s*:\s*(\S+?)(?=[.,;:!?]?\s*(?:\n|$))(?!.*ANSWER\s*:)", which="first", classes="re"),
    ),
    ("line", Capture(r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z", which="first", classes="re")),
)
FEW = [
    "ANSWER:", "answer :", "ANSWER", "ANSWER\n:", "AN\u017fWER:", "\n", " ", "\t", "\x1c", "\u2028", "\x0b", "\r\n",
    "A", "x", "é", "_", "²", "1", ".", ":", "!", "a b",
]  # fmt: skip


@given(st.lists(st.sampled_from(FEW), min_size=1, max_size=4), st.lists(st.integers(0, 4), max_size=16))
def test_an_announced_answer_is_what_the_patterns_of_inspect_find(few: list[str], places: list[int]) -> None:
    pieces = ["ANSWER:", *few]
    text = "".join(pieces[place % len(pieces)] for place in places)
    for form, theirs in ANSWERS:
        step = AnnouncedAnswer(form)
        assert step(text) == step.fast(text) == theirs(text)


@pytest.mark.parametrize("form", ["letter", "word", "line"])
@pytest.mark.parametrize(
    "text",
    [
        "ANSWER:" * 5_000 + "x y", "ANSWER: A " * 4_000 + "\ny", "ANSWER: A\n" * 2_000 + "x " * 20_000,
        "ANSWER:" + " " * 20_000 + "A" * 20_000 + "\ny",
        "ANSWER: A" + " " * 40_000 + "\ny",
        "ANSWER:" + " \n" * 20_000,
    ],
    ids=["run", "line", "lines", "before", "after", "nothing"],
)  # fmt: skip
def test_very_many_announcements_are_far_from_the_deadline(form: Literal["letter", "word", "line"], text: str) -> None:
    """Inspect's own patterns take more than a second on four of these."""
    step = AnnouncedAnswer(form, deadline=0.5)
    assert step(text) == step.fast(text)


@pytest.mark.parametrize("which", ["last", "first"])
@pytest.mark.parametrize(
    "text",
    [
        "ANSWER:" + " " * 40_000 + "#", "ANSWER:" + " \t" * 20_000 + "#", "ANSWER:A" + " " * 40_000 + "é",
        "$A" + " " * 40_000 + "#", "**A" + " " * 40_000 + "#", "ANSWER:" + " \r" * 20_000 + "A#",
    ],
    ids=["blanks", "tabs", "letter", "dollar", "stars", "returns"],
)  # fmt: skip
def test_very_many_blanks_are_far_from_the_deadline(which: Literal["last", "first"], text: str) -> None:
    """Inspect's own patterns take more than a second each."""
    step = MarkedChoice(which=which, deadline=0.5)
    assert step(text) == step.fast(text)


@pytest.mark.parametrize("setting", ["options", "deadline"])
def test_settings_that_cannot_be(setting: str) -> None:
    with pytest.raises(UsageError, match=f"^{setting}: expected a number above 0"):
        MarkedChoice(**{setting: 0})
    with pytest.raises(UsageError, match=r"^deadline: expected a number above 0"):
        AnnouncedAnswer("word", deadline=0)


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
