"""Rows that stand twice, repeats, and values that are copies: small tables by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auditfw.formulas.rows.copies import (
    CopiedValue,
    ValueTexts,
    again,
    copied_values,
    copies_of_items,
    copies_without_items,
    joined,
    repeats,
)


def keys(*values: Any) -> np.ndarray:
    return np.array(values, np.uint64)


def test_again() -> None:
    copies = again(keys(5, 7, 5, 9, 7, 5))
    assert copies.rows.tolist() == [2, 4, 5]
    assert copies.originals.tolist() == [0, 1, 0]
    assert again(keys(1, 2, 3)).rows.tolist() == []
    assert again(keys()).rows.tolist() == []


def test_a_key_keeps_columns_apart() -> None:
    assert len(np.unique(joined(keys(1, 2, 1, 2), keys(2, 1, 1, 2)))) == 4
    assert (joined(keys(1, 2), keys(3, 4)) == joined(keys(1, 2), keys(3, 4))).all()


@pytest.mark.parametrize(
    ("items", "texts", "rest", "rows"),
    [
        ([0, 1, 2, 0], [7, 8, 9, 7], [0, 0, 0, 0], [3]),
        ([0, 1, 2, 0], [7, 8, 9, 7], [0, 0, 0, 1], []),  # another model
        ([0, 1, 2, 0], [7, 7, 7, 8], [0, 0, 0, 0], []),  # another text
        ([0, 0, 1, 1], [7, 7, 8, 9], [0, 0, 0, 0], []),  # two repeats of each item
        ([0, 0, 1, 1], [7, 7, 8, 8], [0, 0, 0, 0], [1, 3]),  # all of them equal: a table twice
        ([0, 1, 0, 0], [7, 8, 0, 0], [0, 0, 0, 0], []),  # empty texts
    ],
)
def test_copies_of_items(items: list[int], texts: list[int], rest: list[int], rows: list[int]) -> None:
    written = np.array(texts) > 0
    copies = copies_of_items(np.array(items), keys(*texts), keys(*items), keys(*rest), written)
    assert copies.rows.tolist() == rows


def test_repeats() -> None:
    counted = repeats(np.array([0, 0, 1, 1, 2]), keys(0, 0, 0, 0, 0), keys(5, 5, 6, 7, 8))
    assert (counted.groups, counted.several, counted.equal, counted.undeclared) == (3, 2, 2, False)


def without_items(texts: list[int], masks: list[int], chars: int) -> list[int]:
    none = np.zeros(len(texts), np.uint64)
    return copies_without_items(keys(*texts), none, none, keys(*masks), np.full(len(texts), chars)).rows.tolist()


def test_copies_without_items() -> None:
    texts = [*range(100), 7, 8]
    assert without_items(texts, texts, 100) == [100, 101]
    assert without_items(texts, texts, 30) == [], "short texts are often equal"
    assert without_items(texts, [1] * 102, 100) == [], "a template"
    assert without_items([*range(100), *range(40, 70)], list(range(130)), 30) == list(range(100, 130)), "in order"
    assert without_items([0, 1] * 100, list(range(200)), 30) == [], "yes and no in turn are not rare"


def copied(a: list[int], b: list[int], masks: int, chars: int, wrong: int) -> list[CopiedValue]:
    n = len(a)
    texts = keys(*a, *b)
    values, items = np.repeat([0, 1], n), np.tile(np.arange(n), 2)
    at = np.arange(2 * n)
    columns = ValueTexts(items, texts, keys(*(at % masks)), np.full(2 * n, chars), at % n < wrong)
    return copied_values(values, columns)


def test_copied_values() -> None:
    own, other = list(range(40)), list(range(100, 140))
    assert copied(own, own, 40, 80, 0) == [CopiedValue(0, 1, 40, 40)]
    assert copied(own, [*own[:38], 1, 2], 40, 80, 0) == [CopiedValue(0, 1, 38, 40)]
    assert copied(own, [*own[:37], 1, 1, 1], 40, 80, 0) == [], "three of 40 differ"
    assert copied(own, other, 40, 80, 0) == []
    assert copied(own[:19], own[:19], 19, 80, 0) == [], "few items"
    assert copied(own, own, 40, 30, 0) == [], "short texts"
    assert copied(own, own, 10, 80, 0) == [], "one template"
    assert copied(own, own, 10, 30, 20) == [CopiedValue(0, 1, 40, 40)], "equal where they are wrong"
    assert copied([1] * 40, [1] * 40, 10, 30, 20) == [], "one wrong answer"


def test_rows_that_stand_three_times_are_copies_of_the_first() -> None:
    """30 rows again after 10 others, and after 30 others: from the last to the first it is 100 rows."""
    texts = [*range(40), *range(30), *range(40, 70), *range(30)]
    none = np.zeros(len(texts), np.uint64)
    copies = copies_without_items(keys(*texts), none, none, np.arange(len(texts)), np.full(len(texts), 30))
    assert copies.rows.tolist() == [*range(40, 70), *range(100, 130)]
    assert copies.originals.tolist() == [*range(30)] * 2
