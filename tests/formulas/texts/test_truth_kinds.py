"""Kinds of truths, by hand: of one text, of several, of a run."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from auditfw.formulas.texts.truth_kinds import common_kind, kind_of, kinds_of, kinds_sentence

KINDS = {
    "number": [
        "18", "-5", "−5", "+5", "$18", "-$5", "$-5", "18€", "2,664", "2'664", "3,14", "1.234,5", ".5", "3/4", "1e3",
        "1.5E-3", "8%", "8\\%", "18.", "٣", "9" * 1000,
    ],
    "letter": ["A", "J", "(B)", " C "],
    "yes_no": ["yes", "No", "TRUE", "false"],
    "latex": ["\\frac34", "$x$", "x = \\pi"],
    "code": ["a\nb\nc", "def f(x): return x", "SELECT 1", "#include <x>", "<b>x</b>"],
    "structured": ["[1, 2]", '{"a": 1}'],
    "text": [
        "Paris", "K", "AB", "5km", "x = 5", "2024-01-01", "1,23,4", "$", "-", ".", "a " * 12,
        "9" * 1001, "a\nb", "[1, 2", "1, 2]",
    ],
    "long": ["a " * 13],
    "empty": ["", " \n"],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
def test_kind_of_a_text(kind: str, text: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("texts", "kind"),
    [(["18", "18.0"], "number"), (["18", ""], "number"), (["18", "eighteen"], "text"), (["", ""], "empty")],
)
def test_kind_of_several_texts(texts: Sequence[str], kind: str) -> None:
    assert kind_of(tuple(texts)) == kind


@pytest.mark.parametrize(
    ("kinds", "common", "sentence"),
    [
        ({"number": 384, "empty": 16}, "number", "384 of 400 truths are numbers, 16 are empty"),
        ({"number": 1, "empty": 99}, "number", "1 of 100 truths is a number, 99 are empty"),
        ({"letter": 95, "text": 5}, "letter", "95 of 100 truths are letters, 5 are text"),
        ({"number": 94, "text": 6}, "mixed", "94 of 100 truths are numbers, 6 are text"),
        ({"text": 9, "number": 3, "yes_no": 1}, "mixed", "9 of 13 truths are text, 3 are numbers, 1 is yes or no"),
        ({"empty": 2}, "mixed", "2 of 2 truths are empty"),
        ({"number": 0}, "mixed", ""),
        ({}, "mixed", ""),
    ],
)  # fmt: skip
def test_kinds_of_a_run(kinds: dict[str, int], common: str, sentence: str) -> None:
    assert (common_kind(kinds), kinds_sentence(kinds)) == (common, sentence)


def test_truths_are_counted_each() -> None:
    assert kinds_of(["18", "18", "", ("A", "(A)")]) == {"number": 2, "empty": 1, "letter": 1}


@pytest.mark.parametrize("text", ["9" * 10**6, "1,234" * 10**5, "1 " * 10**5 + "x", "(" * 10**6])
def test_a_hostile_text_costs_what_its_length_costs(text: str) -> None:
    start = time.process_time()
    kind_of(text)
    assert time.process_time() - start < 0.5
