"""What labels say about a run: a table of trials by hand."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.audits.adjudication.numbers import NO_LABEL, PeoplesRows
from auditfw.formulas.people.shares import Share

# Twelve trials, all labelled but for the last: the reference, another reading, people, item.
REFERENCE = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, -1]
ANOTHER = [1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
PEOPLE = [1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1]
ONES = np.ones(20, np.int64)
ITEMS = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def rows(people: list[int] = PEOPLE) -> PeoplesRows:
    readings = {"stored": np.array(REFERENCE, np.int8), "v1": np.array(ANOTHER, np.int8)}
    codes = np.array(people, np.int8)
    return PeoplesRows(np.zeros(12, np.int64), 1, np.array(ITEMS), codes, readings, np.ones(12, np.int64))


def exact(share: Share | None) -> float:
    """The value of a domain that is labelled wholly: both ends are the same."""
    assert share is not None
    assert share.low == share.high == pytest.approx(share.value)
    return share.value


def test_all_labelled() -> None:
    made = rows()
    assert exact(made.error_rate()) == 6 / 12
    off = made.off("stored")  # 5 of its 11 are wrong; people call 6 of these wrong
    assert off is not None
    assert (off.own, exact(off.share), exact(off.off)) == (5 / 11, 6 / 11, pytest.approx(-1 / 11))
    assert exact(made.agrees("stored")) == pytest.approx(4 / 11)
    assert exact(made.agrees("v1")) == pytest.approx(10 / 12)
    assert exact(made.false_labels("stored", 1)) == pytest.approx(4 / 6)
    assert exact(made.false_labels("stored", 0)) == pytest.approx(3 / 5)
    assert exact(made.called("stored", 1)) == pytest.approx(2 / 6)
    assert exact(made.called("stored", 0)) == pytest.approx(3 / 5)


def test_the_best_reading_and_the_others() -> None:
    """They differ on trials 3, 6, 8, 9, 10 of items 1, 3, 4, 4, 5; v1 is right on all: sums 1, 1, 2, 1."""
    made = rows()
    assert made.best(["stored", "v1"]) == "v1"
    assert made.best(["stored"]) == "stored"
    [pair] = made.against("v1", ["stored", "v1"])
    assert (pair.differ, pair.labelled, pair.items, pair.right) == (5, 5, 4, 5)
    assert (exact(pair.share), pair.p, pair.adjusted) == (1.0, 2 / 16, 2 / 16)


def test_a_domain_of_a_cell() -> None:
    made = rows()
    domain = np.array([True] * 4 + [False] * 8)
    assert exact(made.error_rate(domain)) == 0.5
    assert exact(made.agrees("stored", domain)) == 0.5


def test_few_labels_say_nothing() -> None:
    made = rows([*PEOPLE[:9], NO_LABEL, NO_LABEL, NO_LABEL])
    assert made.error_rate() is None
    assert made.off("stored") is None
    assert made.called("stored", 1) is None
    assert made.best(["stored", "v1"]) is None


def test_undecided_ones_widen() -> None:
    made = rows([*PEOPLE[:11], 2]).error_rate()
    assert made is not None
    assert (made.value, made.low, made.high) == pytest.approx((6 / 11, 6 / 12, 7 / 12))


def test_undecided_ones_may_all_be_right_and_those_without_a_label_hardly() -> None:
    """People call ten of twenty trials wrong and none right: where they could not decide (2), half may be right."""
    undecided, unlabelled = (
        PeoplesRows(
            np.zeros(20, np.int64),
            1,
            np.arange(20),
            np.array([0] * 10 + [rest] * 10, np.int8),
            {},
            np.ones(20, np.int64),
        )
        for rest in (2, NO_LABEL)
    )
    one, other = undecided.error_rate(), unlabelled.error_rate()
    assert one is not None
    assert other is not None
    assert (one.value, one.low, one.high) == (1.0, 10 / 20, 1.0)
    assert (other.value, other.high) == (1.0, 1.0)
    assert other.low > one.low + 0.1
