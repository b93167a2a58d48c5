"""The values of one parameter at which scenarios miss: counted by hand, and never told of chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.outcomes.ranges import MissRange, miss_range

FIVE = np.repeat([0.05, 0.15, 0.3, 0.6, 1.0], 4)  # each of five values in four scenarios


def of(values: np.ndarray, marks: str, **others: np.ndarray) -> MissRange | None:
    """The range of `x` (and of others) where the scenarios marked x miss."""
    return miss_range({"x": values, **others}, np.array([mark == "x" for mark in marks]))


@pytest.mark.parametrize(
    ("marks", "missing", "others", "here", "elsewhere"),
    [
        ("xxxx xxxx .... .... ....", [(0, 2)], [(2, 5)], (8, 8), (0, 12)),
        (".... .... .... xxxx xxxx", [(3, 5)], [(0, 3)], (8, 8), (0, 12)),
        (".... .... xxxx xxxx ....", [(2, 4)], [(0, 2), (4, 5)], (8, 8), (0, 12)),
        ("xxxx .... .... .... xxxx", [(0, 1), (4, 5)], [(1, 4)], (8, 8), (0, 12)),
        ("xxxx .... .... xxxx ....", [(0, 1), (3, 4)], [(1, 3), (4, 5)], (8, 8), (0, 12)),
        ("xxxx xxxx xxx. .... ....", [(0, 3)], [(3, 5)], (11, 12), (0, 8)),  # 92 % of those there
        ("xxxx xxxx xxxx x... ....", [(0, 3)], [(3, 5)], (12, 12), (1, 8)),  # 92 % of those that miss
    ],
)
def test_where_they_miss(
    marks: str,
    missing: list[tuple[int, int]],
    others: list[tuple[int, int]],
    here: tuple[int, int],
    elsewhere: tuple[int, int],
) -> None:
    found = of(FIVE, marks.replace(" ", ""))
    assert found == MissRange("x", [0.05, 0.15, 0.3, 0.6, 1.0], missing, others, here, elsewhere)


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ("xxxx xxxx xxxx xxxx xxxx", "all miss"),
        (".... .... .... .... ....", "none misses"),
        ("x..x ..x. .... .x.. x...", "they are everywhere"),
        ("xx.. xx.. .... .... ....", "half of those there miss"),
        ("xxxx .... .x.. ..x. x...", "4 of 7 are there"),
        ("xx.x xxx. .... .... ....", "6 of 8 there miss"),
        ("x... .... .... .... ....", "one alone"),
    ],
)
def test_where_no_range_divides_them(marks: str, why: str) -> None:
    assert of(FIVE, marks.replace(" ", "")) is None, why


def test_how_few_are_told_from_chance() -> None:
    """Of 40 values the two lowest miss: twice the chance 1/780, times 78 ranges with one end, is 0.2."""
    values = np.arange(40.0)
    assert of(values, "xx" + 38 * ".") is None
    found = of(values, "xxx" + 37 * ".")
    assert found is not None
    assert (found.missing, found.here) == ([(0, 3)], (3, 3))
    other = {str(i): np.random.default_rng(i).random(40) for i in range(9)}
    assert of(values, "xxx" + 37 * ".", **other) is None, "2/9,880 times 78 ranges times ten parameters is 0.16"


def test_the_parameter_that_divides_best_is_named_and_one_end_before_two() -> None:
    found = of(np.tile([1.0, 2.0, 3.0, 4.0], 5), "xxxx xxxx xxx. .... ....".replace(" ", ""), y=FIVE)
    assert found is not None
    assert found.name == "y"
    found = of(np.arange(20.0), 10 * "x" + 10 * ".")
    assert found is not None
    assert found.missing == [(0, 10)]


def test_ranges_of_many_values() -> None:
    values = np.arange(40.0)
    found = of(values, 37 * "." + "xxx")
    assert found is not None
    assert found.missing == [(37, 40)], "1/9,880 times 78 ranges with one end; 1,560 with two would be too many"
    found = of(values, "xxxx" + 30 * "." + 6 * "x")
    assert found is not None
    assert (found.missing, found.others) == ([(0, 4), (34, 40)], [(4, 34)])
    found = of(values, 4 * "." + 10 * "x" + 26 * ".")
    assert found is not None
    assert (found.missing, found.others) == ([(4, 14)], [(0, 4), (14, 40)])


def test_scenarios_of_one_item_are_one() -> None:
    missed = np.array([mark == "x" for mark in "xxxxxxxx............"])
    assert miss_range({"x": FIVE}, missed) is not None
    assert miss_range({"x": FIVE}, missed, [place // 4 for place in range(20)]) is None, "two of five items"


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=60))
def test_the_counts_are_those_of_the_scenarios(rows: list[tuple[int, bool]]) -> None:
    values, missed = np.array([float(x) for x, _ in rows]), np.array([flag for _, flag in rows])
    found = miss_range({"x": values}, missed)
    if found is None:
        return
    held = [x for first, last in found.missing for x in found.values[first:last]]
    there = np.isin(values, held)
    assert found.here == (int((there & missed).sum()), int(there.sum()))
    assert found.elsewhere == (int((~there & missed).sum()), int((~there).sum()))
    assert found.here[0] >= 0.9 * max(found.here[1], missed.sum())
    places = sorted(place for first, last in [*found.missing, *found.others] for place in range(first, last))
    assert places == list(range(len(found.values))), "each value is on one side"


def test_chance_is_named_as_rarely_as_it_says() -> None:
    """1,000 sets of 40 scenarios of which some miss whatever the four parameters are: at most 5 % are divided."""
    random, named = np.random.default_rng(5), 0
    for _ in range(1_000):
        columns = {"a": random.random(40), "b": random.random(40), "c": random.integers(0, 5, 40).astype(float)}
        columns["d"] = random.integers(0, 2, 40).astype(float)
        named += miss_range(columns, random.random(40) < random.choice([0.05, 0.1, 0.3, 0.9])) is not None
    assert named <= 50
