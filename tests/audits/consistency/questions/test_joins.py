"""Columns that hold the content of items, and records of two items that were joined."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.audits.consistency.joins.contents import Contents, ItemContents
from auditfw.formulas.judges.over_raters import most_differing


def held(name: str, *raters: list[Any], declared: bool = False) -> list[tuple[str, int, int]]:
    """What a column of the records of raters shows: its name, how many were compared, and differ."""
    contents = Contents((name,), declared)
    for values in zip(*raters, strict=True):
        item = ItemContents()
        for rater, value in enumerate(values):
            contents.take(item, f"r{rater}", [value])
    return [(one.name, one.compared.total(), one.differing.total()) for one in contents.held]


TEXTS = [f"a text of some length, number {i}" for i in range(10)]


@pytest.mark.parametrize(
    ("raters", "expected"),
    [
        ([TEXTS, TEXTS], [("t", 10, 0)]),
        ([TEXTS, [f"  {text.upper()}" for text in TEXTS]], [("t", 10, 0)]),  # case and blanks are folded
        ([TEXTS, [*TEXTS[1:], TEXTS[0]]], [("t", 10, 10)]),  # all values are known: one row off
        ([TEXTS, [*TEXTS[:6], *(f"another text, number {i}" for i in range(4))]], [("t", 10, 4)]),
        (
            [[TEXTS[0]] * 4 + TEXTS[:6], [TEXTS[0]] * 5 + [f"nothing like it, number {i}" for i in range(5)]],
            [("t", 10, 5)],
        ),
        ([TEXTS, [f"a note that nobody shares {i}" for i in range(10)]], []),
        ([list(map(str, range(10)))] * 2, []),  # short
        ([["the same long text every time"] * 10] * 2, []),  # a template
        ([TEXTS], []),  # one rater
    ],
)
def test_content_by_its_values(raters: list[list[Any]], expected: list[tuple[str, int, int]]) -> None:
    assert held("t", *raters) == expected


def test_a_declared_column_is_content() -> None:
    assert held("t", list(range(10)), [*range(9), 99], declared=True) == [("t", 10, 1)]


def test_more_than_three_percent() -> None:
    """Of two raters: 10 of 100 beside 3 of 100."""
    rater, p = most_differing({"a": 100, "b": 100}, {"a": 3, "b": 10}, 0.03)
    assert (rater, p) == ("b", pytest.approx(2 * 0.00086, abs=1e-4))
    assert most_differing({"a": 100}, {"a": 3}, 0.03)[1] > 0.5
