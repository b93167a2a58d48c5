"""What other stop rules save and lose, with intervals; which of them no other beats; overrides that make one live."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentences import self_audit as says

from auditfw.audits.self_audit.conclusions.stopping import (
    OnLine,
    StopCosts,
    Stopped,
    Stopping,
    as_overrides,
    beaten_by,
    cheaper,
    percent_interval,
    stopping_section,
)
from auditfw.components.stop_rule.limits import LimitsRule
from auditfw.core.document import Note, Table
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopView


def view(solved: bool | None, requests: int) -> LoopView:
    return LoopView(solved, requests=requests)


def costs(*pairs: tuple[bool | None, int, bool | None, int]) -> StopCosts:
    """The costs of problems, each as solved and requests of the rule and of the other."""
    made = StopCosts()
    for solved, requests, other, before in pairs:
        made.add(view(solved, requests), view(other, before))
    return made


def test_costs_by_hand() -> None:
    made = costs((True, 1, True, 4), (False, 2, True, 4), (True, 2, False, 2), (None, 9, True, 9), (True, 9, None, 9))
    assert (made.n, made.lost, made.won) == (3, 1, 1)
    assert made.saved() == 1 - 5 / 10
    assert made.lost_interval() == wilson(1, 3)
    assert made.saved_interval(0, "x") is None  # too few problems
    assert costs((True, 0, True, 0)).saved() is None
    assert made.pairs[Stopped(2, 4, 1, 0)] == 1


@pytest.mark.parametrize(
    ("seconds", "saved"),
    [
        ([(1.0, 4.0), (2.0, 2.0)], 0.5),
        ([(1.0, 4.0), (None, 2.0)], None),
        ([(1.0, 4.0), (2.0, None)], None),
        ([(0.0, 0.0)], None),
        ([], None),
    ],
)
def test_seconds_saved_are_those_of_all_problems(
    seconds: list[tuple[float | None, float | None]], saved: float | None
) -> None:
    made = StopCosts()
    for own, other in seconds:
        made.add(LoopView(True, seconds=own), LoopView(True, seconds=other))
    assert made.saved_seconds() == saved


def test_an_interval_of_what_is_saved() -> None:
    """Half of 40 problems save 3 of 4 requests, half none: 37.5 %, and about ±12 points."""
    made = costs(*[(True, 1, True, 4)] * 20, *[(True, 4, True, 4)] * 20)
    interval = made.saved_interval(7, "x")
    assert interval is not None
    low, high = interval
    assert 0.24 < low < 0.29
    assert 0.46 < high < 0.51
    assert made.saved_interval(7, "x") == interval
    assert costs(*[(True, 1, True, 4)] * 10).saved_interval(0, "x") is None, "nothing to resample"
    assert costs(*[(True, 1, True, 4)] * 9).saved_interval(0, "x") is None


PLACES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=9)


@given(PLACES)
def test_who_beats_is_beaten_by_none(pairs: list[tuple[int, int]]) -> None:
    places = {str(at): OnLine(str(at), requests, solved) for at, (requests, solved) in enumerate(pairs)}
    beaten = beaten_by(list(places.values()))

    def beats(a: OnLine, b: OnLine) -> bool:
        return (a.requests, -a.solved) != (b.requests, -b.solved) and a.requests <= b.requests and a.solved >= b.solved

    assert beaten.keys() == {name for name, b in places.items() if any(beats(a, b) for a in places.values())}
    assert all(beats(places[winner], places[name]) and winner not in beaten for name, winner in beaten.items())


def test_who_is_beaten_by_hand() -> None:
    places = [OnLine("all", 10, 0.7), OnLine("live", 4, 0.7), OnLine("one", 1, 0.5), OnLine("bad", 4, 0.4)]
    assert beaten_by(places) == {"all": "live", "bad": "live"}
    assert beaten_by([*places, OnLine("same", 4, 0.7)]) == {"all": "live", "bad": "live"}, "equal ones beat nobody"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (LimitsRule(patience=2), "stop.patience=2"),
        (LimitsRule(max_iterations=3, target_score=0.9), "stop.max_iterations=3 stop.target_score=0.9"),
        (LimitsRule(max_iterations=3, pick="last"), ""),
        (LimitsRule(), ""),
    ],
)
def test_the_overrides_of_a_rule(rule: LimitsRule, words: str) -> None:
    assert as_overrides(rule) == words


def stopping(*rules: tuple[str, StopCosts]) -> Stopping:
    return Stopping(seed=1, success=dict(rules), live=dict(rules))


SAVES = costs(*[(True, 1, True, 4)] * 10, *[(False, 2, False, 4)] * 10)
RULES = {"p": LimitsRule(patience=2), "q": LimitsRule(patience=1)}


def test_the_cheaper_rule_that_loses_nothing() -> None:
    less = costs(*[(True, 3, True, 4)] * 20)
    losing = costs(*[(True, 1, True, 4)] * 19, (False, 1, True, 4))
    assert cheaper(stopping(("p", SAVES), ("q", less)), RULES, 20) == says.WOULD_SAVE_OF_THE_REQUESTS
    assert cheaper(stopping(("p", SAVES)), RULES, 21) is None, "known for 20 of 21 problems"
    assert cheaper(stopping(("p", losing)), RULES, 20) is None
    assert cheaper(stopping(("p", costs(*[(True, 4, True, 4)] * 20))), RULES, 20) is None
    assert cheaper(stopping(("p", costs(*[(True, 5, True, 4)] * 20))), RULES, 20) is None
    assert cheaper(stopping(("p", costs(*[(True, 1, True, 4)] * 9))), RULES, 9) is None
    assert cheaper(stopping(("p", costs(*[(True, 1, True, 4)] * 4, *[(True, 5, True, 4)] * 8))), RULES, 12) is None
    assert cheaper(Stopping(), RULES, 20) is None


def test_no_advice_that_costs_score_or_where_nothing_was_solved() -> None:
    """One attempt would save 75 % and lose none: of nothing, while the mean score falls from 0.7 to 0.3."""
    assert cheaper(stopping(("p", costs(*[(False, 1, False, 4)] * 20))), RULES, 20) is None
    falling = costs(*[(True, 1, True, 4)] * 20)
    falling.add(LoopView(False, score=0.3, requests=1), LoopView(False, score=0.7, requests=4))
    assert cheaper(stopping(("p", falling)), RULES, 21) is None
    falling.add(LoopView(False, score=0.9, requests=1), LoopView(False, score=0.5, requests=4))
    assert cheaper(stopping(("p", falling)), RULES, 22) is not None, "the mean does not fall"
    same = costs(*[(True, 1, True, 4)] * 20)
    same.add(LoopView(False, score=0.3, requests=1), LoopView(False, score=0.1 + 0.2, requests=4))
    assert cheaper(stopping(("p", same)), RULES, 21) is not None, "what is left over from rounding is no fall"


def test_the_section() -> None:
    both = stopping(("p", SAVES), ("q", costs((True, 1, True, 4))))
    places = [OnLine("p", 1.5, 0.5), OnLine("q", 1, 1)]
    table, note = stopping_section(both, places, 20, 4).blocks
    assert isinstance(table, Table)
    assert isinstance(note, Note)
    assert table.rows == [["p", "62.5", "[57.5, 67.5]", "0.0", "[0.0, 16.1]", "q"]]
    assert (table.columns[-1], says.BEATEN_BY in note.text) == ("beaten by", True)
    assert note.text.startswith(says.OF_PROBLEMS_SAVED_AND_LOST)
    assert stopping_section(both, [OnLine("p", 1.5, 0.0)], 20, 4).blocks == [], "nothing was solved"
    assert stopping_section(Stopping(), [], 0, 4).blocks == []
    assert percent_interval(None) == ""
    with_all = stopping(("run_all", SAVES), ("p", SAVES))
    [rows, _] = stopping_section(with_all, [OnLine("run_all", 4, 0.5), *places], 20, 4).blocks
    assert isinstance(rows, Table)
    assert [row[0] for row in rows.rows] == ["p"], "all attempts are no rule"
    alone, unbeaten = stopping_section(both, places[:1], 20, 4).blocks
    assert isinstance(alone, Table)
    assert isinstance(unbeaten, Note)
    assert (alone.columns[-1], len(alone.rows[0])) == ("95 % interval", 5)
    assert says.NONE_IS_BEATEN in unbeaten.text
