"""What would change the answer: how few settled disagreements reach a bound, and how many items would tell."""

from __future__ import annotations

from typing import Any

import pytest
from judging import REJECT, VALID, Counted, answer, judged, rows
from sentences import consistency as says

from auditfw.core.statistics import wilson

SETTLED = "disagreements were settled."
FEW = "Even if all 10 disagreements were settled, 21 items would be too few."
MORE = "About 1,861 further items would settle it."
DEAREST = "It would hold if 33 of the 40 disagreements were settled, those that cost most first."
NO_GATES: dict[str, Any] = {"gate": []}
RARE = {(VALID, VALID): 300, (REJECT, REJECT): 6, (VALID, REJECT): 20, (REJECT, VALID): 20}


def table(both: int, apart: int, more_apart: int, neither: int) -> Counted:
    return {(VALID, VALID): both, (VALID, REJECT): apart, (REJECT, VALID): more_apart, (REJECT, REJECT): neither}


# Of so many labels settled kappa is 1 - 2 (apart - settled) / n where both give both labels half of the time.
CASES: list[tuple[Counted, dict[str, Any], str, str]] = [
    (table(30, 20, 20, 30), {"gate": ["agreement"]}, "fragile", "It would hold if 36 of the 40 " + SETTLED),
    (table(4, 40, 0, 2), {"gate": ["agreement"]}, "fragile", "It would hold if all 40 " + SETTLED),
    (table(6, 5, 5, 5), {"gate": ["agreement"]}, "fragile", FEW),
    (table(9, 0, 0, 9), NO_GATES, "stable", ""),
    (table(9, 1, 0, 0), {"gate": ["agreement"]}, "unknown", ""),
    (table(40, 10, 10, 40), NO_GATES, "unknown", ""),
    (table(84, 8, 8, 84), NO_GATES | {"audit": {"kappa": 0.8}}, "unknown", MORE),
    (RARE, {"gate": ["kappa"]}, "fragile", DEAREST),
    (table(48, 1, 1, 50), {"gate": ["kappa"]}, "stable", ""),
]  # fmt: skip


@pytest.mark.parametrize(("counted", "run", "status", "change"), CASES)
def test_changes(counted: Counted, run: dict[str, Any], status: str, change: str) -> None:
    drawn = answer(judged(rows(counted), **run))
    assert (drawn.status, drawn.change) == (status, change)


def test_of_several_raters_it_says_whose() -> None:
    """b says no where the two others say yes on 30 of 100 items: with them settled only those of b would do."""
    yes, no = VALID, REJECT
    said = [(yes, no, yes)] * 30 + [(yes, yes, yes)] * 30 + [(no, no, no)] * 40
    table = [{"id": i, "a": a, "b": b, "auditor": c} for i, (a, b, c) in enumerate(said)]
    run = {"gate": ["agreement"], "audit": {"raters": ["a", "b", "auditor"]}}
    drawn = answer(judged(table, **run))
    assert (drawn.status, drawn.change) == ("fragile", says.IT_WOULD_HOLD_IF_OF)
    worse = [{**row, "a": no if i < 20 else row["a"]} for i, row in enumerate(table)]
    drawn = answer(judged(worse, **run))
    assert drawn.change == says.AND_AUDITOR_WOULD_AGREE_WELL


@pytest.mark.parametrize(
    ("abstained", "n", "change"),
    [(20, 400, says.THE_BOUND_WOULD_BE_MET), (10, 60, says.EVEN_WITHOUT_AN_ABSTENTION)],
)
def test_so_many_fewer_abstentions(abstained: int, n: int, change: str) -> None:
    """Wilson's upper end of 2 of 400 is at most 0.02, that of 3 is above; that of 0 of 60 is 0.06."""
    assert wilson(2, 400)[1] <= 0.02 < wilson(3, 400)[1]
    told = answer(judged(rows({(VALID, VALID): n - abstained, (VALID, "ABSTAIN"): abstained}), gate=["abstain"]))
    assert (told.status, told.change) == ("fragile", change)


def test_a_cell_alone() -> None:
    """40 of 300 items are another cell, where half of the labels differ: kappa of all is above its bound."""
    whole = {(VALID, VALID): 130, (REJECT, REJECT): 130}
    part = {(VALID, VALID): 10, (REJECT, REJECT): 10, (VALID, REJECT): 10, (REJECT, VALID): 10}
    table = [{**row, "id": f"a{i}", "part": "a"} for i, row in enumerate(rows(whole))]
    table += [{**row, "id": f"b{i}", "part": "b"} for i, row in enumerate(rows(part))]
    told = answer(judged(table, by=["part"], gate=[]))
    assert (told.status, told.change) == ("fragile", says.WHERE_PART_B_WOULD)


def test_one_less_does_not_do() -> None:
    """36 of 40 settled are 96 of 100 equal; 35 are 95."""
    assert wilson(95, 100)[0] < 0.9 < wilson(96, 100)[0]
    assert wilson(427 + 35, 499)[0] < 0.9 < wilson(427 + 36, 499)[0], "the shipped sample"
