"""Which outcome misses, by how much and where: counted by hand in runs of a few scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from alignment_runs import Given, Run, rows_of, scenario
from sentences import alignment as says

from auditfw.audits.alignment.explain import _chance, _means
from auditfw.audits.alignment.screen import values_text
from auditfw.core.document import Note, Section, Table
from auditfw.core.records import Result


def shown(result: Result, place: str) -> list[Section]:
    return [section for section in result.sections if section.screen == place]


def who(result: Result) -> Section:
    [section] = shown(result, "who")
    return section


def notes(section: Section) -> list[str]:
    return [block.text for block in section.blocks if isinstance(block, Note)]


def table(result: Result) -> Table:
    return next(block for block in who(result).blocks if isinstance(block, Table))


def run(intended: Mapping[str, Any], got: Mapping[str, Any], n: int = 4, **settings: Any) -> Result:
    """Scenarios with x = 0, 1, ... that all intend the same, and a simulator that gives the same."""
    return Run([scenario(i, **intended) for i in range(n)], Given(lambda p: dict(got)))(**settings)


NONE, HEAD = "–", "largest miss: got for intended"


@pytest.mark.parametrize(
    ("intended", "got", "row"),
    [
        ({"y": 10.0}, {"y": 10.0}, ["y", "4 of 4", "0 %", NONE]),
        ({"y": 10.0}, {"y": 10.5}, ["y", "4 of 4", "5 %", "10.5 for 10"]),
        ({"y": 10.0}, {"y": 10.51}, ["y", "0 of 4", "5 %", "10.5 for 10"]),
        ({"y": 10.0}, {"y": 10.001}, ["y", "4 of 4", "0.01 %", "10.001 for 10"]),
        ({"y": 10.0}, {"y": 10.05}, ["y", "4 of 4", "0.5 %", "10.1 for 10"]),
        ({"y": 0.0}, {"y": 0.006}, ["y", "0 of 4", "0.006 for 0"]),
        ({"y": 0.0}, {"y": 0.005}, ["y", "4 of 4", "0.005 for 0"]),
        ({"y": 1.0}, {"y": 1_000.0}, ["y", "0 of 4", "999 times", "1,000 for 1"]),
        ({"y": 1.0}, {"y": float("inf")}, ["y", "0 of 4", "inf for 1"]),
        ({"y": 1.0, "z": 2.0}, {"z": 2.0}, ["y", "0 of 4", NONE, "not returned"]),
        ({"y": {"between": [1, 2]}}, {"y": 2.5}, ["y", "0 of 4", "25 %", "2.5 for 1 to 2"]),
        ({"y": {"at_most": 2}}, {"y": 1.0}, ["y", "4 of 4", "0 %", NONE]),
        ({"y": {"value": 8, "unit": "days"}}, {"y": 4.0}, ["y (days)", "0 of 4", "50 %", "4 for 8"]),
    ],
)
def test_an_outcome(intended: dict[str, Any], got: dict[str, Any], row: list[str]) -> None:
    assert list(table(run(intended, got)).rows[0]) == row


def test_the_title_and_the_columns() -> None:
    result = run({"y": 1.0}, {"y": 1.0}, n=1)
    assert who(result).title == says.DOES_IT_DO_WHAT_WAS
    assert table(result).columns == ["outcome", "within ±5 %", "median error", HEAD]
    assert notes(who(result)) == []
    assert table(run({"y": 1.0}, {"y": 1.0}, tolerance=0.1)).columns[1] == "within ±10 %"
    assert table(run({"y": 1.0, "z": {"at_least": 0}}, {"y": 1.0, "z": 1.0})).columns[1] == "met", "some say it"
    assert "median error" not in table(run({"y": 1.0}, {"y": 1.0}, draw=0)).columns, "none is known"


def test_the_worst_is_first_and_a_must_that_is_missed_before_all() -> None:
    got = {"a": 2.0, "b": 1.0, "c": 1.5, "d": 3.0}
    rows = table(run({"a": 1.0, "b": 1.0, "c": 1.0, "d": {"at_least": 2}}, got)).rows
    assert [row[:2] for row in rows] == [["a", "0 of 4"], ["c", "0 of 4"], ["b", "4 of 4"], ["d, must", "4 of 4"]]
    rows = table(run({"a": 1.0, "b": 1.0, "d": {"at_least": 4}}, got)).rows
    assert [row[0] for row in rows] == ["d, must", "a", "b"]
    rows = table(run({"d": {"at_least": 4}, "a": {"value": 1.0, "tolerance": 0.1}}, got)).rows
    assert [row[0] for row in rows] == ["a", "d"], "all are required: no word says so"


def test_a_scenario_that_lacks_an_outcome_or_fails() -> None:
    def simulated(params: Mapping[str, float]) -> dict[str, float]:
        if params["x"] == 3:
            raise RuntimeError("boom")
        return {"z": 1.0} if params["x"] < 2 else {"y": 5.0, "z": 1.0}

    result = Run([scenario(i, y=4.0, z=1.0) for i in range(4)], Given(simulated))(max_error_rate=1.0)
    assert rows_of(who(result)) == [["y", "0 of 3", "25 %", "5 for 4; 2 missing"], ["z", "3 of 3", "0 %", NONE]]


def test_the_largest_miss_is_the_first_of_equal_ones_whatever_the_batches() -> None:
    rows = [scenario(i, y=float(10 * i)) for i in range(6)]
    given = Given(lambda p: {"y": 10 * p["x"] + (3.0 if p["x"] in (2, 4) else 1.0)})
    for by, size in (((), 1_000), ((), 1), (("label",), 2)):
        assert table(Run(rows, given, by, size)()).rows[0][3] == "23 for 20"


def test_thirty_outcomes_take_ten_lines() -> None:
    keys = [f"y{i}" for i in range(30)]
    result = run(dict.fromkeys(keys, 1.0), {key: 1.0 + i / 100 for i, key in enumerate(keys)})
    assert [row[0] for row in table(result).rows] == [f"y{i}" for i in range(29, 22, -1)]
    assert notes(who(result)) == ["(23 more outcomes)"]
    eight = run(dict.fromkeys(keys[:8], 1.0), dict.fromkeys(keys[:8], 1.0))
    assert (len(table(eight).rows), notes(who(eight))) == (8, [])


def test_nothing_is_said_where_nothing_is_intended() -> None:
    result = Run([{"label": "s", "intended": {}, "params": {}}], Given(lambda p: {"y": 1.0}))(no_data="zero")
    assert shown(result, "who") == []


def varied(n: int, off: Any, items: int = 0) -> Result:
    """Scenarios of two random parameters, `a` and `b`, that intend 1 and get 1 + off(a, b)."""
    random = np.random.default_rng(n)
    rows = [
        {"label": str(i), "intended": {"y": 1.0}, "params": {"a": float(a), "b": float(b)}}
        | ({"item": str(i % items)} if items else {})
        for i, (a, b) in enumerate(random.random((n, 2)))
    ]
    return Run(rows, Given(lambda p: {"y": 1 + off(p["a"], p["b"])}))()


def test_where_it_is_worst() -> None:
    [note] = notes(who(varied(60, lambda a, b: 0.6 if b > 2 / 3 else 0.0)))
    assert note == says.SCENARIOS_WITH_MISS_WITH


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0.05, 0.15], "0.05, 0.15"),
        ([0.05, 0.1, 0.15, 0.3], "0.05 to 0.3"),
        ([2], "2"),
        ([0.12341, 0.12343], "0.12341, 0.12343"),
        ([2001.0, 2002.0, 2003.0], "2001, 2002, 2003"),
        ([0.0, 1.0, 2.0, 12345.0], "0 to 12345"),
        ([], ""),
    ],
)
def test_the_values_of_a_parameter(values: list[float], text: str) -> None:
    assert values_text([float(one) for one in values]) == text


def test_differences_that_chance_explains_are_not_named() -> None:
    random = np.random.default_rng(7)
    assert notes(who(varied(60, lambda a, b: random.random()))) == []
    assert notes(who(varied(19, lambda a, b: a))) == [], "too few scenarios"
    assert notes(who(varied(60, lambda a, b: 0.5))) == [], "all are equal"


def test_scenarios_of_one_item_are_one() -> None:
    """60 scenarios of 4 items, each of one value: the difference of its thirds may be that of the items."""
    rows = [
        {"label": str(i), "item": str(i % 4), "intended": {"y": 1.0}, "params": {"a": float(i % 4)}} for i in range(60)
    ]
    given = Given(lambda p: {"y": 1.9 if p["a"] == 2 else 1.0})
    assert notes(who(Run(rows, given)())) == []
    alone = [{name: value for name, value in row.items() if name != "item"} for row in rows]
    assert notes(who(Run(alone, given)())) == [says.SCENARIOS_WITH_A_MISS_WITH]


@pytest.mark.parametrize(
    ("score", "p"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], 0.0273237),
        ([1, 1, 1, 4, 4, 4, 9, 9, 9], 0.0183156),
        ([5, 1, 9, 2, 7, 4, 8, 3, 6], 0.8371284),
        ([1] * 9, 1.0),
    ],
)
def test_the_test_is_that_of_scipy(score: list[int], p: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    values, column = np.arange(9.0), np.array(score, float)
    assert _chance(values, column) == pytest.approx(p, abs=1e-6)
    if len(set(score)) > 1:
        assert stats.kruskal(column[:3], column[3:6], column[6:]).pvalue == pytest.approx(p, abs=1e-6)
        two = np.array([0.0] * 4 + [1.0] * 5)
        assert stats.kruskal(column[:4], column[4:]).pvalue == pytest.approx(_chance(two, column))
    assert _means(values, column)[1] == pytest.approx(column[3:6].mean())


@pytest.mark.slow
def test_chance_is_named_as_rarely_as_it_says() -> None:
    """400 runs without any dependence on two parameters: at most 5 % name one."""
    random = np.random.default_rng(3)
    named = sum(bool(notes(who(varied(40 + seed % 30, lambda a, b: random.random())))) for seed in range(400))
    assert named <= 0.075 * 400


def test_the_data_say_what_was_assumed_and_drawn() -> None:
    result = run({"y": 1.0}, {"y": 1.0}, n=5, draw=3)
    [section] = shown(result, "data")
    assumed = says.IS_ASSUMED_THESE_INTENTIONS_DECLARE
    assert notes(section) == [assumed, says.MEDIAN_ERRORS_ARE_OF_A]
    assert shown(run({"y": {"at_most": 1}}, {"y": 1.0}), "data") == []


@pytest.mark.parametrize(
    ("intended", "got", "lines"),
    [
        ({"y": 1.0}, {"y": 1.0}, []),
        ({"y": 4.0}, {"y": 1.0}, [says.LOWEST_SCORING_SCENARIO.format("0.63"), "y 1 for 4"]),
        (
            {"a": 1.0, "b": 2.0, "c": 4.0, "d": 1.0},
            {"a": 1.0, "b": 1.0, "c": 1.0, "d": -1.0},
            [says.LOWEST_SCORING_SCENARIO.format("0.59"), "d -1 for 1; c 1 for 4"],
        ),
        ({"y": {"at_least": 4}}, {"y": 1.0}, [says.LOWEST_SCORING_SCENARIO.format("0.63"), "y 1 for at least 4"]),
        ({"y": 1.0}, {"y": float("nan")}, [says.LOWEST_SCORING_SCENARIO.format("0.00"), "y nan for 1"]),
    ],
)
def test_the_worst_scenario(intended: dict[str, Any], got: dict[str, Any], lines: list[str]) -> None:
    said = [line for one in shown(run(intended, got), "example") for line in (one.title, *notes(one))]
    assert said == lines


def test_an_error_of_those_that_do_not_intend_0() -> None:
    result = Run([scenario(i, y=float(i % 4)) for i in range(12)], Given(lambda p: {"y": 1.0}))()
    assert rows_of(who(result)) == [["y", "3 of 12", "50 % (of 9 not 0)", "1 for 3"]], "0, 50 and 67 %"


def test_the_way_of_an_outcome_that_should_have_moved() -> None:
    rows = [scenario(0, y=1.0), scenario(1, y={"direction": "up"})]
    result = Run(rows, Given(lambda p: {"y": 1.0}))(baseline="s0")
    assert [notes(one) for one in shown(result, "example")] == [["y 1 for a rise"]]
