"""Signs in texts: a table of cases for each, and all of them together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest
from hostile_readings import SIGNS, TEXTS
from hypothesis import given
from hypothesis import strategies as st

from auditfw.audits.parsing.conclusions.pipelines import (
    CASE,
    EMPTY,
    ENDS,
    LATEX,
    MARKDOWN,
    MARKER,
    NAMES,
    NUMBERS,
    SEVERAL,
    THINK,
    UNICODE,
    ends,
    has_latex,
    has_markdown,
    number_format,
    other_case,
    other_form,
    several_candidates,
    signs_of,
)


@pytest.mark.parametrize(
    ("text", "truths", "expected"),
    [
        ("8 or 9", ["8"], True),
        ("8, so 8", ["8"], False),
        ("8 or 9", ["eight"], False),  # the truth holds no digit
        ("1,000 and 1000", ["1000"], True),  # written differently
        ("", ["8"], False),
        ("(A) or (B)", ["B"], True),
        ("(a), that is (A)", ["(A)"], False),
        ("A. Paris\nB. Lyon", ["a"], True),
        ("A man and a Bee", ["A"], False),
        ("(A) or (B)", ["Paris"], False),
        ("The answer is Paris. Answer: Lyon", ["Paris"], True),
        ("\\boxed{x} or \\BOXED{y}", ["x"], True),
        ("The answer is Paris", ["Paris"], False),
        ("8 or 9", ["eight", "8"], True),  # one of several truths
    ],
)
def test_several_candidates(text: str, truths: Sequence[str], expected: bool) -> None:
    assert several_candidates(text, truths) is expected


def test_candidates_are_looked_for_in_linear_time() -> None:
    """Over several line ends each line was tried to the end of all of them."""
    start = time.process_time()
    assert not several_candidates("\n" * 40_000, ["A"])
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("test", "there", "absent"),
    [
        (
            number_format,
            ["1,000", "0,5", "$5", "€ 5", "£-3", "$.5", "5 %", "5%", "5€"],
            ["1000", "0.5", "5, 6", "$", "US$", "percent 5"],
        ),
        (
            has_markdown,
            [
                "**8**",
                "__8__",
                "~~8~~",
                "`8`",
                "[8](x)",
                "# 8",
                "## 8",
                "### 8",
                "a\n#### 8",
                "+ 8",
                "- 8",
                "a\n* 8",
                "> 8",
            ],
            ["8", "5 * 3", "#8", "a - b", "-8", "a # b", "snake_case", "[8]"],
        ),
        (
            has_latex,
            ["\\frac{1}{2}", "\\(x\\)", "\\[x\\]", "$x$", "so $x = 1$.", "$8$"],
            ["$5", "$5 and $6", "$5-$6", "8", "$ x $", "5 $"],
        ),
        (other_form, ["²", "ﬁ", "e\u0301", "\uff18"], ["é", "8", "京都", ""]),
    ],
)
def test_signs_of_one_text(test: Callable[[str], bool], there: Sequence[str], absent: Sequence[str]) -> None:
    assert [text for text in there if not test(text)] == []
    assert [text for text in absent if test(text)] == []


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        ("in paris", "Paris", True),
        ("in Paris", "Paris", False),
        ("in Paris or paris", "Paris", False),
        ("STRASSE", "straße", True),
        ("Lyon", "Paris", False),
        ("anything", "", False),
        ("anything", " ", False),
    ],
)
def test_other_case(text: str, truth: str, expected: bool) -> None:
    assert other_case(text, truth) is expected


def test_ends_of_a_long_text() -> None:
    assert ends("a" * 2 * ENDS) == "a" * 2 * ENDS
    cut = ends("a" * ENDS + "b" + "c" * ENDS)
    assert cut == "a" * ENDS + "\n" + "c" * ENDS


@pytest.mark.parametrize(
    ("whole", "sides", "truths", "expected"),
    [
        ("8", ["8"], ["8"], []),
        ("a</think>8", ["8"], ["8"], [THINK]),
        ("a</THINK>8", ["8"], ["8"], [THINK]),
        ("8\nUser: 9", ["8"], ["8"], [MARKER]),
        ("8 or 9", ["8 or 9"], ["8"], [SEVERAL]),
        ("8 or 9", ["8"], ["8"], []),  # what was kept is one
        ("8 or 9", ["8", "8 or 9"], ["8"], [SEVERAL]),  # the reference kept both
        ("1,000", ["1,000"], ["1000"], [NUMBERS]),
        ("1000", ["1000"], ["1,000"], [NUMBERS]),
        ("1,000", ["1,000"], ["thousand"], []),
        ("paris", ["paris"], ["Paris"], [CASE]),
        ("**Paris**", ["Paris"], ["Paris"], [MARKDOWN]),
        ("\\frac12", ["1"], ["1"], [LATEX]),
        ("H2O", ["H2O"], ["H₂O"], [UNICODE]),
        ("Paris", [""], ["Paris"], [EMPTY]),
        ("Paris", [" \n"], ["Paris"], [EMPTY]),
        ("Paris", ["Paris", ""], ["Paris"], []),  # the reference's own is empty
    ],
)
def test_signs_of_a_flip(whole: str, sides: Sequence[str], truths: Sequence[str], expected: Sequence[str]) -> None:
    assert list(signs_of(whole, sides, truths, SIGNS)) == expected


@given(whole=TEXTS, sides=st.lists(TEXTS, min_size=1, max_size=2), truths=st.lists(TEXTS, min_size=1, max_size=3))
def test_signs_come_once_and_in_order(whole: str, sides: list[str], truths: list[str]) -> None:
    signs = signs_of(whole, sides, truths, SIGNS)
    assert list(signs) == [name for name in NAMES if name in signs]
