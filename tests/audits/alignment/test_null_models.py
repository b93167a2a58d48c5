"""Null models of alignment: the score one gets for free, what a null simulator can say, permuted outcomes."""

from __future__ import annotations

from typing import Any

import pytest
from alignment_runs import Given, Run, number, rows_of, scenario, section


def test_the_score_one_gets_for_free() -> None:
    """One purpose for all scenarios: a constant serves it as well as any simulator, which says nothing."""
    rows = [scenario(i, y=5.0) for i in range(1, 11)]
    result = Run(rows, Given(lambda p: {"y": p["x"] / 1.1}), metrics=["mean_overall", "free_overall"])()
    free = rows_of(section(result, "Trivial Baselines"))
    assert [row[0] for row in free] == ["this simulator", "constant", "do-nothing"]
    assert number(result, "free_overall") == 1.0
    assert "may score as well" in str(section(result, "Trivial Baselines").blocks[1])


SAME, ALIKE, IGNORED = "has the same intentions", "has the same parameters", "scores at least as well"


@pytest.mark.parametrize(
    ("intended", "xs", "gives", "words"),
    [
        ([{"y": 5.0}] * 4, (1, 2, 3, 4), lambda p: {"y": p["x"]}, SAME),
        ([{"y": 5.0}] * 4, (1, 2, 3, 4), lambda p: {"y": 5.0}, SAME),
        ([{"y": {"between": [4, 6]}}] * 3, (1, 2, 3), lambda p: {"y": p["x"]}, SAME),
        ([{"y": 5.0}, {"z": 2.0}, {"y": 5.0, "z": 2.0}], (1, 2, 3), lambda p: {"y": p["x"], "z": 1.0}, SAME),
        ([{"y": 5.0, "z": 1.0}, {"y": 5.0, "z": 2.0}], (1, 2), lambda p: {"y": 5.0, "z": 9.0}, IGNORED),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (7, 7, 7), lambda p: {"y": 2.0}, ALIKE),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (1, 2, 3), lambda p: {"y": 2.0}, IGNORED),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (1, 2, 3), lambda p: {"y": 0.1 * 3 * 6.0}, IGNORED),
        ([{"y": 1.0}, {"y": 2.0}, {"y": 3.0}], (1, 2, 3), lambda p: {"y": p["x"]}, ""),
    ],
)
def test_what_a_null_simulator_can_say(intended: Any, xs: Any, gives: Any, words: str) -> None:
    rows = [{"intended": one, "params": {"x": float(x)}} for one, x in zip(intended, xs, strict=True)]
    told = str(section(Run(rows, Given(gives))(), "Trivial Baselines").blocks[1])
    assert [word for word in (SAME, ALIKE, IGNORED) if word in told] == ([words] if words else [])
    assert "-0.0000" not in told


def test_permuted_outcomes_are_a_null_where_purposes_differ() -> None:
    result = Run([scenario(i, y=float(i)) for i in range(1, 9)], Given(lambda p: {"y": p["x"]}), seed=3)()
    free = {row[0]: float(row[1]) for row in rows_of(section(result, "Trivial Baselines"))}
    assert free["this simulator"] == 1.0
    assert free["constant"] < 0.9
    assert free["permuted"] < 0.9
    assert free["do-nothing"] == 0.0


def test_no_outcome_is_permuted_to_its_own_place() -> None:
    """Two of ten intend z, with other signs: whatever the permutation, each gets the other's; y is 1 in all."""
    rows = [scenario(i, y=1.0) for i in range(8)] + [scenario(8, z=5.0), scenario(9, z=-5.0)]
    result = Run(rows, Given(lambda p: {"y": 1.0, "z": 5.0 if p["x"] == 8 else -5.0}))()
    free = {row[0]: float(row[1]) for row in rows_of(section(result, "Trivial Baselines"))}
    assert (free["this simulator"], free["permuted"]) == (1.0, 0.0)


def test_nothing_is_drawn_where_nothing_is_to_be_drawn() -> None:
    result = Run([scenario(i, y=float(i)) for i in range(1, 9)], Given(lambda p: {"y": p["x"]}))(draw=0)
    assert [one for one in result.sections if one.title == "Trivial Baselines"] == []
