"""How many attempts to pay for: what fewer give beside all of them, and from what worth of a solve on each pays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentences import self_audit as says

from auditfw.audits.self_audit.conclusions.paying import AttemptsBought, Paying, Point, frontier
from auditfw.audits.self_audit.readings import Allowed
from auditfw.kinds.ledger import Spent

Attempts = Sequence[tuple[int, int, float | None]]  # loops that made it, problems that it solved, the cost of each
FOUR = [(10, 4, 0.1), (6, 2, 0.1), (4, 1, 0.5), (3, 1, 0.1)]  # 1.0 for 4, 1.6 for 6, 3.6 for 7, 3.9 for 8


def points(n: int, attempts: Attempts) -> list[Point]:
    made = [Point() for _ in attempts]
    solved = 0
    for point, (asked, new, cost) in zip(made, attempts, strict=True):
        for place in range(n):
            spent = Spent(1, 2.0, 0, None, cost) if place < asked else None
            point.add(Allowed(0.0, place < solved + new, spent))
        solved += new
    return made


def paying(attempts: Attempts, n: int = 10, dollars: bool = False) -> Paying:
    found = Paying.of(points(n, attempts), n, dollars)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("attempts", "sentence", "choice", "line"),
    [
        (
            FOUR,
            says.FEWER_FOR_A_COST,
            says.PAY_FOR_4,
            says.WORTH_A_COST,
        ),
        (
            [(10, 5, None), (5, 1, None)],
            says.FEWER_FOR_REQUESTS,
            says.PAY_FOR_2,
            says.WORTH_5_REQUESTS,
        ),
        (
            [(10, 5, 0.0), (5, 1, 0.0), (4, 0, 0.0)],  # no cost; the third solves none
            says.NO_MORE_UP_TO_3,
            says.PAY_FOR_2,
            says.WORTH_5_REQUESTS,
        ),
        (
            [(10, 9, 1.0), (1, 0, 1.0)],
            says.NO_MORE_BY_2,
            "",
            "",
        ),
        ([(10, 1, 1.0), (9, 3, 1.0), (6, 3, 1.0)], "", "", ""),  # each takes less than the one before
        ([(10, 0, 1.0), (10, 5, 1.0)], "", "", ""),
        ([(10, 3, 1.0)], "", "", ""),
        ([(10, 10, 1.0)], "", "", ""),
    ],
)
def test_what_fewer_attempts_give(attempts: Attempts, sentence: str, choice: str, line: str) -> None:
    one = paying(attempts)
    assert (one.sentence(), one.choice(), one.line()) == (sentence, choice, line)


@pytest.mark.parametrize(
    ("attempts", "gives"),
    [
        ([(10, 10, 1.0)], says.ALL_BY_ONE),
        ([(10, 1, 1.0), (9, 3, 1.0), (6, 3, 1.0)], says.NO_FEWER_THAN_3),
    ],
)
def test_what_the_only_number_that_pays_gives(attempts: Attempts, gives: str) -> None:
    assert paying(attempts).alone() == gives


def test_a_setting_and_dollars() -> None:
    assert paying(FOUR, dollars=True).sentence(setting=True) == says.FEWER_FOR_DOLLARS
    assert paying([(10, 9, None), (1, 1, None)], dollars=True).unit == "requests"


@pytest.mark.parametrize(
    ("attempts", "dollars", "choice"),
    [
        ([(10, 5, None), (5, 1, None), (2, 1, None), (4, 1, None)], False, says.PAY_FOR_TWO_TOGETHER),
        ([(10, 1, 1.0), (9, 3, 1.0), (11, 4, 1.0), (20, 1, 1.0)], True, says.PAY_FOR_THREE_TOGETHER),
    ],
)
def test_a_worth_of_attempts_together_says_so(attempts: Attempts, dollars: bool, choice: str) -> None:
    """Attempts 2 and 3 take 7 requests for 2 more; attempts 1 to 3 take $30 for 8."""
    assert paying(attempts, 20, dollars=dollars).choice() == choice


@pytest.mark.parametrize(
    ("attempts", "grounds"), [(FOUR, says.GROUNDS_OF_4), ([(10, 5, None), (5, 1, None)], says.GROUNDS_OF_2)]
)
def test_where_the_worths_come_from(attempts: Attempts, grounds: str) -> None:
    assert paying(attempts).grounds() == grounds


@pytest.mark.parametrize("attempts", [[], [(10, 0, 1.0), (10, 0, 1.0)]])
def test_nothing_solved(attempts: Attempts) -> None:
    assert Paying.of(points(10, attempts), 10) is None


def test_nothing_is_said_of_loops_that_are_known_in_part() -> None:
    assert Paying.of(points(10, FOUR), 11) is None


def test_who_follows_a_choice_is_told_the_same_worths() -> None:
    """With fewer attempts the others stay as they were: 4 at 0.25, 6 at 0.3, 8 at 1.15."""
    whole = paying(FOUR)
    assert [(step.attempts, step.solved, round(whole.each(at), 9)) for at, step in enumerate(whole.steps)] == [
        (1, 4, 0.25), (2, 6, 0.3), (4, 8, 1.15),
    ]  # fmt: skip
    fewer = paying(FOUR[:2])
    assert fewer.steps == whole.steps[:2]
    assert fewer.line() == whole.line().split(";")[0]


def test_the_line_names_the_last_few() -> None:
    """Each attempt solves one more, for one more request each: of six that pay the last four are named."""
    assert paying([(n, 1, None) for n in (1, 2, 3, 4, 5, 6)]).line() == says.LAST_FOUR_THAT_PAY


STEPS = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 5)), min_size=1, max_size=9)


@given(STEPS, st.integers(0, 100))
def test_what_pays_is_what_gives_most_at_some_worth(taken: list[tuple[int, int]], worth: int) -> None:
    """At any worth of a solved problem one of the steps, or none at all, gives most; each costs more than the last."""
    steps = [AttemptsBought(0, 0, 0.0)]
    for at, (spent, new) in enumerate(taken, start=1):
        steps.append(AttemptsBought(at, steps[-1].solved + new, steps[-1].spent + spent))
    kept = frontier(steps[1:])

    def gain(step: AttemptsBought) -> float:
        return worth * step.solved - step.spent

    assert max(map(gain, [steps[0], *kept])) == max(map(gain, steps))
    each = [(b.spent - a.spent) / (b.solved - a.solved) for a, b in pairwise([steps[0], *kept])]
    assert all(a < b for a, b in pairwise(each))
    for step in kept:
        upto = [one for one in steps[1:] if one.attempts <= step.attempts]
        assert frontier(upto) == [one for one in kept if one.attempts <= step.attempts]
