"""What would change the answer, held against the answer with that changed."""

from __future__ import annotations

from collections import Counter

import pytest
from alignment_runs import Given, Run, scenario
from sentences import alignment as says

from auditfw.audits.alignment.conclusions.comparison import (
    ScoredWeights,
    with_a_higher_score,
    with_a_key_met,
    with_more_scenarios,
    with_other_weights,
)
from auditfw.audits.alignment.conclusions.musts import MustCounts
from auditfw.formulas.clusters import ClusteredMean


def above(mean: float, low: float | None, n: int = 24, items: int = 24) -> ClusteredMean:
    return ClusteredMean(mean, low, None if low is None else 2 * mean - low, n, items)


def test_the_outcome_that_alone_is_missed_most() -> None:
    """Ten miss one: six `a` alone, two `b` alone, two both."""
    counts = MustCounts(scenarios=40, missed=10, alone=Counter(a=6, b=2))
    assert with_a_key_met(counts) == says.IF_A_WERE_MET_EVERYWHERE
    both = MustCounts(scenarios=40, missed=3)
    assert with_a_key_met(both) == says.NO_SINGLE_OUTCOME_CHANGES_IT
    one = MustCounts(scenarios=40, missed=3, alone=Counter(a=3))
    assert with_a_key_met(one) == says.IF_A_WERE_MET_EVERYWHERE_NO


def test_without_that_outcome_so_many_miss_one() -> None:
    """`a` is missed in s1 to s4, `b` in s4 and s5: with `a` met two are left."""
    rows = [scenario(i, **{key: {"at_least": 1.0, "level": "must"} for key in "abc"}) for i in range(1, 13)]

    def off(params: dict[str, float]) -> dict[str, float]:
        return {"a": float(params["x"] > 4), "b": float(params["x"] not in (4, 5)), "c": 1.0}

    given = Run(rows, Given(off))().answer
    assert given is not None
    assert given.change == says.IF_A_WERE_MET_EVERYWHERE_OF
    met = Run(rows, Given(lambda p: {**off(p), "a": 1.0}))().answer
    assert met is not None
    assert met.headline.startswith(says.SOME_SCENARIOS_MISS_A_REQUIREMENT_OF)


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (above(0.1, -0.1), says.IT_WOULD_HOLD_WITH_ABOUT_MORE),  # half as wide: x 4
        (above(0.1, -0.1, items=6), says.IT_WOULD_HOLD_WITH_ABOUT_MORE_ITEMS),
        (above(-0.1, -0.2), ""),
        (above(0.1, None), ""),
    ],
)
def test_further_scenarios(difference: ClusteredMean, text: str) -> None:
    assert with_more_scenarios(difference) == text


def test_the_score_that_would_be_enough() -> None:
    assert with_a_higher_score(0.8, above(-0.05, -0.1)) == says.IT_WOULD_HOLD_WITH_A
    assert with_a_higher_score(0.95, above(-0.05, -0.1)) == "", "no score is above 1"
    assert with_a_higher_score(0.8, above(-0.05, None)) == ""


@pytest.mark.parametrize(
    ("scores", "directions", "text"),
    [
        ((0.73, 0.46), (0.5, 0.0), "at least 7 %"),  # 0.46 + 0.54 d
        ((0.46, 0.73), (0.5, 0.0), "at most 43 %"),  # 0.73 - 0.54 d
        ((0.499, 0.7), (0.5, 1.0), "at least 50.2 %"),  # 50 % itself does not reach it
    ],
)
def test_the_weight_that_divides(scores: tuple[float, float], directions: tuple[float, float], text: str) -> None:
    first, other = (
        ScoredWeights("actual", "", score, None, None, None, "", share)
        for score, share in zip(scores, directions, strict=True)
    )
    assert with_other_weights(first, other, 0.5) == says.THE_SCORE_REACHES_WHERE_DIRECTION_WEIGHS.format(text)
