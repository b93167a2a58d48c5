"""Where scenarios miss, in words: the values that divide them, else counts by third, else scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest
from alignment_runs import Given, Run
from hypothesis import given
from hypothesis import strategies as st
from sentences import alignment as says

from auditfw.audits.alignment.screen import divided_text, rule_text
from auditfw.core.document import Note
from auditfw.core.records import Answer, Result
from auditfw.formulas.outcomes.ranges import MissRange

VALVES, INFLOWS = (0.05, 0.15, 0.3, 0.6, 1.0), (10.0, 20.0, 30.0, 45.0)
Params = Mapping[str, float]


def tank(off: Callable[[Params], float], intended: Any = None, **settings: Any) -> Result:
    """40 scenarios of a tank, whose level is 1 where it is meant to be and `off` more elsewhere."""
    meant = {"level": intended or {"value": 1.0, "tolerance": 0.02}}
    places = [dict(zip(("inflow", "valve"), pair, strict=True)) for pair in product(INFLOWS, VALVES)]
    rows = [{"label": f"c{i}", "intended": meant, "params": params} for i, params in enumerate(places * 2)]
    return Run(rows, Given(lambda p: {"level": 1.0 + off(p)}))(**settings)


def where(off: Callable[[Params], float], intended: Any = None, **settings: Any) -> list[str]:
    """What is below the table of outcomes at the start."""
    result = tank(off, intended, **settings)
    [section] = [one for one in result.sections if one.screen == "who"]
    return [block.text for block in section.blocks if isinstance(block, Note)]


@pytest.mark.parametrize(
    ("misses", "text"),
    [
        (lambda p: p["valve"] < 0.2, says.SCENARIOS_WITH_VALVE_MISS),
        (lambda p: 0.2 < p["valve"] < 0.9, says.SCENARIOS_WITH_VALVE_TO_MISS),
        (lambda p: not 0.1 < p["valve"] < 0.9, says.SCENARIOS_WITH_VALVE_OR_MISS),
        (lambda p: p["valve"] in (0.05, 0.6), says.SCENARIOS_WITH_VALVE_OR_IS_MISS),
        (lambda p: p["valve"] < 0.2 and p["inflow"] > 25, says.SCENARIOS_THAT_MISS_VALVE),
        (lambda p: p["valve"] < 0.1 or p["inflow"] > 40, says.SCENARIOS_THAT_MISS_INFLOW),
    ],
)
def test_where_they_miss(misses: Callable[[Params], bool], text: str) -> None:
    assert where(lambda p: 0.5 * misses(p)) == [text]


def test_where_all_miss_or_none_there_is_no_rule() -> None:
    assert where(lambda p: 0.0) == []
    assert where(lambda p: 0.5) == []
    assert where(lambda p: p["valve"]) == [says.SCORE_LOWEST_WHERE_VALVE]
    assert where(lambda p: p["valve"], {"at_least": 0.5}) == [], "no scenario is off"


def test_what_gave_nothing_is_not_counted_and_what_is_met_hides_nothing() -> None:
    def simulated(params: Params) -> dict[str, float]:
        return {} if params["inflow"] == 10 else {"level": 1.5 if params["valve"] < 0.2 else 1.0, "over": 0.0}

    rows = [
        {"intended": {"level": {"at_most": 1}, "over": {"at_most": 1}}, "params": {"inflow": inflow, "valve": valve}}
        for inflow, valve in product(INFLOWS, VALVES * 2)
    ]
    [section] = [one for one in Run(rows, Given(simulated))().sections if one.screen == "who"]
    assert section.blocks[1] == Note(says.SCENARIOS_THAT_GAVE_AN_OUTCOME)
    off = Given(lambda p: {"level": 1.1 + p["valve"] / 2, "over": 0.0})
    [section] = [one for one in Run(rows, off)().sections if one.screen == "who"]
    assert section.blocks[1] == Note(says.SCORE_LOWEST_WHERE_ALL_MISS)


def test_a_wish_that_is_missed_and_what_a_sample_says() -> None:
    wish = {"value": 1.0, "tolerance": 0.02, "level": "should"}
    assert where(lambda p: 0.5 * (p["valve"] < 0.2), wish) == [says.SCORE_LOWEST_WHERE_VALVE_IS_LOW]
    [text] = where(lambda p: 0.5 * (p["valve"] < 0.2), 1.0, draw=30)
    assert text.startswith(says.SAMPLED_SCENARIOS_WITH_VALVE)
    assert says.MISS_AN_OUTCOME in text


def answer(off: Callable[[Params], float], **settings: Any) -> Answer:
    found = tank(off, **settings).answer
    assert found is not None
    return found


def test_the_answer_has_the_rule() -> None:
    """Without the interval where it divides exactly; where there is none, the scenario is but an example."""
    exact = answer(lambda p: 0.5 * (p["valve"] < 0.2))
    assert exact.headline == says.SCENARIOS_MISS_A_REQUIREMENT
    assert exact.next.rstrip(".") == says.LOOK_WHERE_VALVE
    nearly = answer(lambda p: 0.5 * (p["valve"] < 0.5 or (p["valve"] == 1 and p["inflow"] == 10)))
    assert nearly.headline.startswith(says.OF_WITH_INTERVAL_MISS)
    sampled = answer(lambda p: 0.5 * (p["valve"] < 0.2), draw=30)
    assert sampled.headline.startswith(says.OF_SAMPLED_ALL_WITH_VALVE)
    none = answer(lambda p: 0.5 * (p["valve"] < 0.2 and p["inflow"] > 25))
    assert none.headline.startswith(says.OF_40_SOME_MISS_A_REQUIREMENT)
    assert none.because[0].startswith("For example, in c")
    assert none.next.rstrip(".") == says.FIX_OR_CHANGE_WHAT_IS_INTENDED


def test_whole_numbers_have_nothing_between() -> None:
    rule = MissRange("valve", [1.0, 2.0, 3.0], [(1, 2)], [(0, 1), (2, 3)], (9, 10), (1, 24))
    assert divided_text(rule) == says.OF_WITH_VALVE_OF_WITH
    apart = MissRange("valve", [1.0, 2.0, 4.0], [(1, 2)], [(0, 1), (2, 3)], (9, 10), (1, 24))
    assert divided_text(apart).endswith("≥ 4 (nothing between was tried)")


@pytest.mark.parametrize(
    ("values", "first", "texts"),
    [
        ((0.551234567, 0.5567), 1, ("≤ 0.552", "≥ 0.5567")),
        ((0.5512348, 0.5512351), 1, ("≤ 0.5512348", "≥ 0.551235")),
        ((0.1 + 0.2, 0.4), 1, ("≤ 0.3", "≥ 0.4")),
        ((2001.0, 2002.0), 1, ("≤ 2001", "≥ 2002")),
        ((-0.667777777, -0.5), 1, ("≤ -0.667", "≥ -0.5")),
        ((1e-9, 1e12), 1, ("≤ 1e-09", "≥ 1000000000000")),
    ],
)
def test_an_end_is_true_of_every_value(values: tuple[float, ...], first: int, texts: tuple[str, str]) -> None:
    rule = MissRange("x", values, [(0, first)], [(first, len(values))], (9, 9), (0, 9))
    assert rule_text(rule, "an outcome") == says.SCENARIOS_WITH_X_MISS.format(*texts)


NUMBERS = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.14g}"))


@given(st.lists(NUMBERS, min_size=2, max_size=9, unique=True), st.data())
def test_the_words_divide_the_values_as_the_counts_do(values: list[float], data: st.DataObject) -> None:
    """Every value is in the words of its own side alone."""
    values = sorted(values)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(values)), min_size=2, max_size=2)))
    if cuts == [0, len(values)]:
        cuts = [0, 1]
    others = [(a, b) for a, b in ((0, cuts[0]), (cuts[1], len(values))) if a < b]
    text = rule_text(MissRange("x", values, [(cuts[0], cuts[1])], others, (1, 1), (1, 1)), "an outcome")
    here, there = text.removeprefix("1 of 1 scenarios with x ").split(" miss an outcome; 1 of 1 with ")
    for place, value in enumerate(values):
        inside = cuts[0] <= place < cuts[1]
        assert (held(here, value), held(there, value)) == (inside, not inside)


def held(words: str, value: float) -> bool:
    """Whether a value is in `≤ 1 or 3 to 4 or = 5 or ≥ 6`."""
    return any(_in(part.split(), value) for part in words.split(" or "))


def _in(words: list[str], value: float) -> bool:
    if len(words) == 3:
        return float(words[0]) <= value <= float(words[2])
    edge = float(words[1])
    return {"≤": value <= edge, "≥": value >= edge, "=": value == edge}[words[0]]
