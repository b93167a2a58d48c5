"""Rules of rows: each row has the label that the definitions give it under the rule of its own value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hostile_readings import KERNELS, SIGNS, TEXTS, TRUTHS
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.parsing.engine.grid import BaselineRule, ReadingGrid, with_rules
from auditfw.audits.parsing.engine.kernels import by_row, kernel, without_stored
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.reference import read
from auditfw.components.matcher.numeric import Numeric
from auditfw.components.matcher.texts import Containment, Exact
from auditfw.components.normalizer.steps import NormalizerSteps
from auditfw.components.parser.steps import ParserSteps
from auditfw.components.step.answers import LastNumber
from auditfw.components.step.characters import Lower
from auditfw.components.step.cuts import LastLine
from auditfw.kinds.capabilities import Named

RAW, LAST, NUMBER = ParserSteps(), ParserSteps(steps=(LastLine(),)), ParserSteps(steps=(LastNumber(),))
STORED = ParserSteps(column="parsed_text")
PLAIN, LOW = NormalizerSteps(), NormalizerSteps(steps=(Lower(),))
GRID = ReadingGrid({"raw": RAW, "last": LAST}, {"plain": PLAIN}, {})
SEVERAL = ReadingGrid({"raw": RAW, "last": LAST}, {"plain": PLAIN}, {"in": Containment(), "is": Exact()})


def rule(parser: Any, normalizer: Any = PLAIN, matcher: Any = None, name: str = "x") -> BaselineRule:
    own = None if matcher is None else Named(name, matcher)
    return BaselineRule(Named(name, parser), Named(name, normalizer), own)


RULES = {
    "a": rule(LAST),
    "b": rule(NUMBER, LOW, Numeric()),
    "c": rule(RAW, LOW),
    "d": rule(STORED, PLAIN, Exact()),
}


def plan_of(grid: ReadingGrid, rules: dict[str, BaselineRule]) -> ReadingPlan:
    return with_rules(grid.plan(grid.names(), Containment()), "own", "f", rules)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("grid", [GRID, SEVERAL], ids=["one matcher", "two"])
@settings(deadline=None, max_examples=examples(60))
@given(rows=st.lists(st.tuples(TEXTS, TEXTS, TRUTHS, st.sampled_from("abcd")), min_size=1, max_size=8))
def test_each_row_is_labelled_by_the_rule_of_its_value(name: Any, grid: ReadingGrid, rows: list[Any]) -> None:
    raw, parsed, truths, values = map(list, zip(*rows, strict=True))
    plan = plan_of(grid, RULES)
    scores = by_row(kernel(name, plan.scored, SIGNS).score(raw, parsed, truths), plan, values)
    assert (len(scores.labels), plan.names()[-1]) == (len(grid.names()) + 1, "own")
    for i, value in enumerate(values):
        own = RULES[value]
        text = parsed[i] if own.parser.part.column == "parsed_text" else raw[i]
        matcher = Containment() if own.matcher is None else own.matcher.part
        label = read(text, truths[i], own.parser.part, own.normalizer.part, matcher)
        code = scores.labels[-1][i]
        assert {TRUE: True, FALSE: False, BLANK: False}.get(code) == label, (value, code)
    shown = replace(plan, readings=plan.readings[:-1], ruled=None)
    alone = kernel(name, shown, SIGNS).score(raw, parsed, truths)
    assert scores.labels[:-1] == alone.labels


def test_what_rules_and_readings_have_in_common_stands_once() -> None:
    plan = plan_of(
        GRID, {"a": rule(LAST, name="mine"), "b": rule(RAW, matcher=Exact()), "c": rule(RAW, matcher=Exact())}
    )
    assert plan.names() == ("raw+plain", "last+plain", "own")
    assert [named.name for named in plan.parsers] == ["raw", "last"]
    assert [named.name for named in plan.normalizers] == ["plain", "x"]
    assert plan.ruled is not None
    assert plan.ruled.places == {"a": (1, 0), "b": (0, 1), "c": (0, 1)}
    assert plan.scored.readings == ((0, 0), (1, 0), (0, 1))
    assert [plan.matcher_of(n) for n in (0, 1)] == [Containment(), Exact()]
    assert [plan.matcher_place(n) for n in (0, 1)] == ["audit.matcher", "audit.baseline.rules.b.matcher"]
    assert [plan.place(2, value) for value in "abc"] == [(1, 0), (0, 1), (0, 1)]
    assert [plan.place(1, value) for value in "abc"] == [(1, 0)] * 3
    assert [plan.is_ruled(i) for i in range(3)] == [False, False, True]
    assert plan.under("b").readings[-1] == (0, 1)


def test_parsers_of_one_name_are_told_apart() -> None:
    plan = plan_of(GRID, {"a": rule(NUMBER, name="raw"), "b": rule(ParserSteps(steps=(Lower(),)), name="raw")})
    assert [named.name for named in plan.parsers] == ["raw", "last", "raw of a", "raw of b"]


class Fails:
    """Fails on a text."""

    column, only_with = "raw_text", None

    def __call__(self, text: object) -> str:
        if "boom" in str(text):
            raise ValueError("boom")
        return str(text)


@pytest.mark.parametrize("name", KERNELS)
def test_a_rule_that_fails_on_rows_of_others_does_no_harm(name: Any) -> None:
    plan = plan_of(GRID, {"a": rule(RAW), "b": rule(Fails())})
    whole = kernel(name, plan.scored, SIGNS).score(["boom A", "B"], None, ["A", "B"])
    scores = by_row(whole, plan, ["a", "b"])
    assert (list(scores.labels[-1]), scores.problems) == ([TRUE, TRUE], [])
    scores = by_row(whole, plan, ["b", "b"])
    assert list(scores.labels[-1]) == [ERROR, TRUE]
    assert scores.problems == ["x: ValueError: boom"]


def test_rows_of_which_nothing_was_stored_have_no_label_under_a_parser_of_the_stored_text() -> None:
    grid = ReadingGrid({"raw": RAW, "stored": STORED}, {"plain": PLAIN}, {})
    plan = plan_of(grid, {"a": rule(RAW), "b": rule(STORED)})
    scores = kernel("python", plan.scored, SIGNS).score(["", "B", ""], [None, None, None], ["A", "B", "C"])
    values: list[Any] = ["a", "b", "b"]
    scores = without_stored(by_row(scores, plan, values), plan, [0, 1], values)
    assert [list(codes) for codes in scores.labels] == [
        [BLANK, TRUE, BLANK],
        [MISSING, MISSING, BLANK],  # the third row had an empty answer stored
        [BLANK, MISSING, BLANK],
    ]
