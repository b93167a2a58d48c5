"""The words for endings: a code each, of further words too, and none of two kinds."""

from __future__ import annotations

import pytest

from auditfw.formulas.budget.ended import KINDS, WORDS, ending_codes, is_ending


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("stop", 0), ("end_turn", 0), ("eos", 0), ("length", 1), ("max_tokens", 1), ("model_length", 1),
        ("incomplete", 1), ("content_filter", 2), ("refusal", 2), ("tool_calls", 3), ("time limit", 4), ("error", 5),
        ("aborted", 5), ("custom limit", 6), ("unknown", 255), ("", 255),
    ],
)  # fmt: skip
def test_codes(word: str, code: int) -> None:
    assert ending_codes({})[word] == code


def test_further_words_are_added() -> None:
    codes = ending_codes({"length": ["Cut "]})
    assert (codes["cut"], codes["length"]) == (1, 1)
    assert set(WORDS) == set(KINDS)


def test_a_word_of_two_kinds() -> None:
    with pytest.raises(ValueError, match="'stop' is both finished and length"):
        ending_codes({"length": ["stop"]})


@pytest.mark.parametrize(
    ("value", "known"), [("MAX_TOKENS", True), (" stop ", True), ("passed", False), ("", False), (3, False)]
)
def test_known_endings(value: object, known: bool) -> None:
    assert is_ending(value) is known
