"""Blocks of a document: counts with their nouns, and what some of many say."""

from __future__ import annotations

import copy
import pickle

import pytest

from auditfw.core.document import NumberText, estimated, kept_places, some, verb, with_ends


@pytest.mark.parametrize(
    ("n", "noun", "plural", "wanted"),
    [
        (1, "loop", "", "1 loop"),
        (0, "loop", "", "0 loops"),
        (1_000, "row", "", "1,000 rows"),
        (2, "try", "tries", "2 tries"),
        (1, "try", "tries", "1 try"),
    ],
)
def test_a_count_has_its_noun_in_the_right_number(n: int, noun: str, plural: str, wanted: str) -> None:
    assert some(n, noun, plural) == wanted


def test_a_verb_goes_with_its_count() -> None:
    assert [verb(n, "differs", "differ") for n in (0, 1, 2)] == ["differ", "differs", "differ"]


def test_a_number_in_a_table_keeps_its_interval_as_data() -> None:
    cell = with_ends("2.1 ×", 2.125, 0.3, 4.0, lambda end: f"{end:.1f}")
    assert isinstance(cell, NumberText)
    for one in (cell, copy.copy(cell), pickle.loads(pickle.dumps(cell))):
        assert one == "2.1 × [0.3, 4.0]"
        assert (one.shown, one.ends, one.value, one.low, one.high) == ("2.1 ×", "[0.3, 4.0]", 2.125, 0.3, 4.0)
    assert not isinstance(with_ends("2.1", 2.1, None, 4.0, str), NumberText)


def test_an_estimate_and_its_ends_have_the_same_places() -> None:
    assert estimated(51.6, 44.1, 58.9) == "52 [44, 59]"
    assert estimated(0.712, 0.648, 0.77, share=True) == "0.71 [0.65, 0.77]"
    assert (estimated(0.125, None, None, share=True), estimated(93.25, None, None)) == ("0.13", "93.3")


@pytest.mark.parametrize(
    ("notable", "most", "wanted"),
    [
        ((), 9, [5, 3, 8, 1, 0, 7]),  # all fit
        ((), 5, [5, 3, 8, 7]),
        ((1, 3), 5, [5, 3, 8, 1, 7]),
        ((0, 1), 5, [5, 3, 8, 1, 7]),  # no room for the second
    ],
)
def test_of_many_rows_the_first_the_last_and_the_notable(
    notable: tuple[int, ...], most: int, wanted: list[int]
) -> None:
    assert kept_places([5, 3, 8, 1, 0, 7], notable, most) == wanted
