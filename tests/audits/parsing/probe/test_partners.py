"""The truths that answers are held against, and the constant answers: small cells."""

from __future__ import annotations

from typing import Any

import pytest
from sentences import parsing as says

from auditfw.audits.parsing.engine.reference import Truth
from auditfw.audits.parsing.probe.draw import ProbedTrial
from auditfw.audits.parsing.probe.partners import (
    EMPTY,
    FREQUENT,
    JOINED,
    OPTIONS,
    QUESTION,
    TRUTHS,
    CellItems,
    by_cell,
    constants,
    form,
    frequent,
    most_frequent,
    offered,
    unlike,
)


def trial(item: str, truth: Truth, cell: str = "c", question: Any = None, options: Any = None) -> ProbedTrial:
    return ProbedTrial(0, item, 0, item, (cell,), truth, 1, "", None, (question, options))


def trials(*truths: Truth) -> list[ProbedTrial]:
    return [trial(f"{at:03}", truth) for at, truth in enumerate(truths)]


@pytest.mark.parametrize(
    ("truths", "following", "different"),
    [
        (["a"], [None], [None]),
        (["a", "b"], ["b", "a"], ["b", "a"]),
        (["a", "a"], ["a", "a"], [None, None]),
        (["a", "A ", "b", "a"], ["A ", "b", "a", "a"], ["b", "b", "a", "b"]),
        (["a", "b", "b", "c"], ["b", "b", "c", "a"], ["b", "c", "c", "a"]),
        (["7", "7.0", "8"], ["7.0", "8", "7"], ["8", "8", "7"]),
        ([("a", "b"), "b", "c"], ["b", "c", ("a", "b")], ["c", "c", ("a", "b")]),
        (["a", ("a", "b"), ("b", "c")], [("a", "b"), ("b", "c"), "a"], [None, None, "a"]),  # a chain of likes
    ],
)
def test_partners(truths: list[Truth], following: list[Truth | None], different: list[Truth | None]) -> None:
    partners = CellItems({str(at): truth for at, truth in enumerate(truths)}).partners()
    assert [one for one, _ in partners.values()] == following
    if truths != ["a", ("a", "b"), ("b", "c")]:
        assert [one for _, one in partners.values()] == different
    assert all(other is None or unlike(own, other) for own, (_, other) in zip(truths, partners.values(), strict=True))


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("Paris", " paris\n", True),
        ("1,000", "1000.0", True),
        ("a  b", "A B", True),
        ("7", "17", False),
        ("", " ", True),
    ],
)
def test_form(text: str, other: str, same: bool) -> None:
    assert (form(text) == form(other)) is same
    assert unlike(text, other) is not same


def test_cells_hold_the_first_truth_of_an_item() -> None:
    drawn = [trial("x", "a"), trial("x", "b"), trial("y", "c", cell="d")]
    assert {cell: dict(items.truths) for cell, items in by_cell(drawn).items()} == {
        ("c",): {"x": "a"},
        ("d",): {"y": "c"},
    }


@pytest.mark.parametrize(
    ("truths", "options"),
    [
        (["no", "yes"] * 3, ["no", "yes"]),
        (["no", "yes"] * 2 + ["yes"], []),  # five items are not three for each
        (["yes"] * 6, []),  # one truth throughout
        ([str(i) for i in range(6)], []),
        ([f"{i % 26}" for i in range(78)], sorted(str(i) for i in range(26))),
        ([f"{i % 27}" for i in range(81)], []),  # too many
    ],
)
def test_options(truths: list[str], options: list[str]) -> None:
    [items] = by_cell(trials(*truths)).values()
    assert items.options == options


def test_the_most_frequent() -> None:
    assert most_frequent([], []) is None
    assert most_frequent([1, 1, 1, 2, 2], ["a", "b", "a", "b", "a"]) == 3 / 5
    assert frequent(trials("a", "b", "B", "c")) is None  # too few items
    assert frequent(trials("a", "b", "B", "c", "d")) == "b"
    assert frequent(trials("a", "b", "c", "d", "e")) == "a"


def test_constants() -> None:
    drawn = trials(*["yes", "no"] * 3)
    answers = constants(drawn, by_cell(drawn))
    assert answers[EMPTY] == [""] * 6
    assert answers["yes no"] == ["yes no"] * 6
    assert answers["a refusal"][0] == says.HELP_WITH_THAT
    assert answers[FREQUENT] == ["yes"] * 6
    assert answers[OPTIONS] == ["no, yes"] * 6
    assert answers[TRUTHS] == ["yes, no"] * 6
    assert QUESTION not in answers


def test_questions_and_options_of_a_trial() -> None:
    drawn = [
        trial("1", "Paris", question="Where?", options=["Paris", "Lyon"]),
        trial("2", "B", options={"A": "x", "B": 2}),
        trial("3", "C", options="A) B) C)"),
        trial("4", "D", options=[]),
    ]
    cells = by_cell(drawn)
    answers = constants(drawn, cells)
    assert answers[QUESTION] == ["Where?", None, None, None]
    assert answers[OPTIONS] == ["Paris\nLyon", "A. x\nB. 2", "A) B) C)", None]
    assert [offered(one, cells) for one in drawn] == [["Paris", "Lyon"], [], [], []]


def test_many_truths_are_not_all_joined() -> None:
    drawn = trials(*[f"t{at}" for at in range(JOINED + 5)])
    column = constants(drawn, by_cell(drawn))[TRUTHS]
    assert column[:JOINED] == [", ".join(f"t{at}" for at in range(JOINED))] * JOINED
    assert column[JOINED:] == [None] * 5


@pytest.mark.parametrize(
    ("item", "truth", "expected"),
    [
        ("a", "Paris", "Rome"),
        ("a", "rome", "Oslo"),
        ("b", "Oslo", "Paris"),
        ("c", "Oslo", "Paris"),
        ("a", "Bern", "Rome"),
    ],
)
def test_a_trial_of_another_truth_than_its_item(item: str, truth: str, expected: str) -> None:
    assert CellItems({"a": "Paris", "b": "Rome", "c": "Oslo"}).different(item, truth) == expected


def test_no_other_truth() -> None:
    assert CellItems({"a": "Paris", "b": "paris "}).different("a", "PARIS") is None
