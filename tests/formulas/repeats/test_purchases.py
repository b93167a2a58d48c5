"""What to buy next: the table of a study by hand, prices, and where nothing is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auditfw.formulas.repeats.purchases import PURCHASES, Prices, Purchase, purchases
from auditfw.formulas.repeats.variance import VarianceParts, variance_parts

RIGHT = [9, 4, 4, 6, 8, 9, 9, 8, 5, 9, 9, 8, 9, 9, 8, 9, 9, 1, 8, 8]  # of nine trials: vivarium, base


def study(readings: int = 1) -> VarianceParts:
    labels = np.concatenate([[1] * one + [0] * (9 - one) for one in RIGHT])
    table = np.stack([labels] + [np.roll(labels, 1 + one) for one in range(readings - 1)], 1)
    made = variance_parts(table, np.repeat(np.arange(20), 9))
    assert made is not None
    return made


def by_name(rows: list[Purchase]) -> dict[str, Purchase]:
    return {one.name: one for one in rows}


def test_a_study_of_20_questions() -> None:
    """σ²_I .0527, σ²_R .0931; now ±11.7, twice the items ±8.0, the repeats ±11.3, 180 questions asked once ±5.6."""
    parts = study()
    assert parts.repeat is not None
    assert (round(parts.item.value, 4), round(parts.repeat.value, 4)) == (0.0527, 0.0931)
    rows = purchases(parts)
    shown: Any = [(one.name, one.items, one.repeats, one.calls, round(100 * (one.half or 0), 1)) for one in rows]
    assert shown == [
        ("now", 20, 9, 180, 11.7),
        ("twice_items", 40, 9, 360, 8.0),
        ("twice_repeats", 20, 18, 360, 11.3),
        ("items_once", 180, 1, 180, 5.6),
    ]
    assert [one.cost for one in rows] == [0, 180, 180, 160]  # the 20 questions have been asked
    assert all(one.readings == 1 for one in rows)


def test_per_thousand() -> None:
    rows = by_name(purchases(study()))
    now, twice = rows["now"], rows["twice_items"]
    assert now.per_thousand is None
    assert now.half is not None
    assert twice.half is not None
    assert twice.per_thousand == pytest.approx((now.half - twice.half) / 180 * 1000)


def test_prices() -> None:
    """20 items more with 180 trials, each labelled by 2; a judge more of 180 trials."""
    rows = by_name(purchases(study(2), Prices(item=10, trial=2, label=0.5), judges=True))
    assert tuple(rows) == PURCHASES
    assert rows["twice_items"].cost == 20 * 10 + 180 * 2 + 180 * 2 * 0.5
    assert rows["twice_repeats"].cost == 180 * 2 + 180 * 2 * 0.5
    assert rows["one_judge"].cost == 180 * 0.5
    assert rows["items_once"].cost == 160 * 10 + 160 * 2 + 160 * 2 * 0.5


def test_one_more_judge() -> None:
    parts = study(2)
    judge = by_name(purchases(parts, judges=True))["one_judge"]
    assert (judge.items, judge.repeats, judge.readings, judge.calls) == (20, 9, 3, 180)
    assert judge.half == parts.half_width(20, 9, 3)
    assert judge.per_thousand is None  # a label is free as long as nobody says otherwise
    assert "one_judge" not in by_name(purchases(parts))


def test_where_nothing_is_repeated() -> None:
    made = variance_parts(np.array([[1], [0], [1], [1]]), [0, 1, 2, 3])
    assert made is not None
    rows = by_name(purchases(made))
    assert tuple(rows) == ("now", "twice_items", "twice_repeats")
    assert rows["twice_items"].half is not None
    assert (rows["twice_repeats"].half, rows["twice_repeats"].per_thousand) == (None, None)
