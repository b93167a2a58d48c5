"""What one rater does, and what a table is as a whole, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from auditfw.formulas.judges.placeholders import RatedItems
from auditfw.formulas.judges.single_raters import constant, lazy, leans
from auditfw.formulas.judges.tables import agreement, counts_table, few_shared, fleiss, twice


def rated(*labels: str, reference: int | None = None) -> RatedItems:
    """A rater a text, an item a letter; a point is no label."""
    names = sorted(set("".join(labels)) - {"."})
    codes = np.array([[names.index(x) if x != "." else -1 for x in row] for row in labels])
    return RatedItems(names, codes, reference)


def numbers(*rows: Sequence[int], reference: int | None = None) -> RatedItems:
    values = sorted({x for row in rows for x in row})
    return RatedItems(list(map(str, values)), np.array([[values.index(x) for x in row] for row in rows]), reference)


def test_a_constant_rater_by_hand() -> None:
    """Of the items two of two others, and one of two, gave that label: (2.5 / 3) · (1.5 / 3)."""
    [found] = [c for c in constant(rated("xx", "xy", "xx")) if c.rater == 0]
    assert (found.label, found.n, found.p) == (0, 2, pytest.approx(2.5 / 3 * 1.5 / 3))
    [alone] = [c for c in constant(rated("xxx", "xy.", "xx.")) if c.rater == 0]
    assert (alone.n, alone.p) == (3, found.p), "an item that no other one labelled tells nothing"
    assert list(constant(rated("xx", "xx"))) == []  # one label in all


def test_a_lazy_rater_by_hand() -> None:
    """x on 8 of 10 where the reference has it on 3: five up, none down."""
    [found] = lazy(rated("xxxxxxxxyz", "xxxyyzzyyz", reference=1))
    assert (found.rater, found.label, found.own, found.other, found.p) == (0, 0, 8, 3, pytest.approx(1 / 32))
    assert list(lazy(rated("xxxxxxxxyy", "xxxyyyyyyy", reference=1))) == []  # two labels
    assert list(lazy(rated("xxxxxxxxyz", "xxxxyyzyzz", reference=1))) == []  # the reference has it on 4 of 10


def test_leans_by_hand() -> None:
    """One up on every other item of ten: a mean of 0.5, with t(9) = 3."""
    [by_size] = leans(numbers([1, 3] * 5, [1, 2] * 5, reference=1))
    assert (by_size.mean, by_size.n) == (0.5, 10)
    assert by_size.p == pytest.approx(0.01496, abs=1e-4)
    [by_label] = leans(rated("xxxxxxxy", "yyyyyyyy", reference=1))
    assert by_label.p == pytest.approx(2 / 128)


@pytest.mark.parametrize(
    ("columns", "total"),
    [
        (([3, 2, 1, 0, 3, 2], [0, 1, 2, 3, 0, 1]), 3),
        (([3, 2, 1, 0, 3], [0, 1, 2, 3, 0]), 0),  # five items
        (([3, 2, 3, 2, 3, 2], [0, 1, 0, 1, 0, 1]), 0),  # two kinds of row
        (([1, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 0]), 0),  # one rater: a choice of columns
        (([3, 2, 1, 0, 3, 2], [0, 1, 2, 3, 0, 2]), 0),
    ],
)
def test_a_table_of_counts(columns: Sequence[Sequence[int]], total: int) -> None:
    assert counts_table(numbers(*columns)) == total


def test_fleiss_by_hand() -> None:
    """Two raters, three items: both a, both b, one of each. Agreement 2 / 3, chance 1 / 2; none where all are a."""
    assert fleiss(numbers([2, 0, 1], [0, 2, 1])) == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert fleiss(numbers([2, 2, 2], [0, 0, 0])) is None


def test_few_shared_items() -> None:
    assert few_shared(rated("xxxxxx", "xxxxx.", "xxxxxx")) == (2, 3)
    assert few_shared(rated("xxxxxx", "xxxxx.", "xxxxxx", reference=0)) == (1, 2)


def test_items_that_stand_twice() -> None:
    """The third has the text and labels of the first; a template shows nothing, nor texts whose labels differ."""
    items = rated("xxxyxy", "xyxyxy", reference=1)
    assert twice([1, 2, 1, 3, -1, -1], items) == [(0, 2)]
    assert twice([1, 2, 1, 1, -1, -1], items) == []
    assert twice([1] * 6, items) == []
    assert agreement(items) == pytest.approx(5 / 6)
    assert agreement(items, np.array([1, 0, 1, 1, 1, 1], bool)) == 1.0


@pytest.mark.parametrize(
    ("again", "copies"),
    [
        ("xy" * 20, 40),  # forty texts, each with the labels that it had: copies
        ("xy" * 19 + "yx", 38),  # two of forty have other labels
        ("xy" * 18 + "yx" * 2, 36),  # four of forty
        ("xy" * 17 + "yx" * 3, 0),  # six of forty: several answers to one question
        ("x" * 40, 0),  # every second one
    ],
)
def test_a_text_with_other_labels_is_a_question_with_several_answers(again: str, copies: int) -> None:
    items = rated("xy" * 20 + again, "xy" * 20 + again)
    assert len(twice([*range(40)] * 2, items)) == copies


@pytest.mark.parametrize(("texts", "copies"), [(40, 0), (20, 0), (19, 19)])
def test_where_nearly_all_labels_are_one_equal_labels_show_no_copies(texts: int, copies: int) -> None:
    """Of eighty items two are y: of forty pairs of any two none has unlike labels in 14 % of draws.

    So it is with twenty; fewer are not held against any two.
    """
    labels = ("x" * (texts - 1) + "y") * 2
    assert len(twice([*range(texts)] * 2, rated(labels, labels))) == copies
