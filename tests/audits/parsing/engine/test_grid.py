"""The readings of a run: their names, which are usual, and the plan they make, under one matcher and several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditfw.audits.parsing.engine.grid import BaselineRule, ReadingGrid, ScorerOf, rule_of_scorer, with_rules
from auditfw.components.matcher.numeric import Numeric
from auditfw.components.matcher.texts import Containment, Exact
from auditfw.components.normalizer.steps import NormalizerSteps
from auditfw.components.parser.steps import ParserSteps
from auditfw.components.step.characters import Lower
from auditfw.kinds.capabilities import Named

PARSERS = {"p": ParserSteps(), "q": ParserSteps(steps=(Lower(),))}
NORMALIZERS = {"n": NormalizerSteps(), "m": NormalizerSteps(steps=(Lower(),))}
ONE = ReadingGrid(PARSERS, NORMALIZERS, {})
TWO = ReadingGrid(PARSERS, NORMALIZERS, {"in": Containment(), "is": Exact()})


def test_names() -> None:
    assert ONE.names() == ["p+n", "q+n", "p+m", "q+m"]
    assert TWO.names() == [f"{name}+{matcher}" for matcher in ("in", "is") for name in ONE.names()]
    assert ReadingGrid(PARSERS, NORMALIZERS, {"is": Exact()}).names() == ONE.names()
    assert (ONE.ends, TWO.ends) == ([""], ["+in", "+is"])
    assert [TWO.parser_of(name) for name in ("p+m+is", "q+n+in")] == [PARSERS["p"], PARSERS["q"]]


@pytest.mark.parametrize(
    ("usual", "one"),
    [
        (("q+m", "p+n"), ["q+m", "p+n"]),
        (("q+m", "p+n", "q+m"), ["q+m", "p+n"]),
        (("p+n", "q+n"), ONE.names()),  # another normalizer is chosen
        (("p+n", "p+m"), ONE.names()),
        (("p+n", "q+m", "r+m"), ONE.names()),
        ((), ONE.names()),
    ],
)
def test_what_is_usual_is_read_under_each_matcher(usual: tuple[str, ...], one: list[str]) -> None:
    assert ONE.by_default(usual) == one
    assert TWO.by_default(usual) == [f"{name}+{matcher}" for matcher in ("in", "is") for name in one]


def test_a_plan_has_a_normalizer_once_for_each_matcher() -> None:
    plan = TWO.plan(["q+m+is", "p+n+in"], Containment())
    assert plan.names() == ("q+m+is", "p+n+in")
    assert [named.name for named in plan.normalizers] == ["n", "m", "n", "m"]
    assert plan.readings == ((1, 3), (0, 0))
    assert [plan.matcher_of(n) for n in range(4)] == [Containment(), Containment(), Exact(), Exact()]
    assert [plan.matcher_place(n) for n in (1, 2)] == ["audit.matchers.in", "audit.matchers.is"]


def test_a_plan_of_one_matcher() -> None:
    plan = ONE.plan(["q+m", "p+n"], Exact())
    assert (plan.readings, plan.matchers, plan.names()) == (((1, 1), (0, 0)), (), ("q+m", "p+n"))
    assert (plan.matcher_of(1), plan.matcher_place(1)) == (Exact(), "audit.matcher")


@pytest.mark.parametrize(("grid", "end"), [(ONE, ""), (TWO, "+in")])
def test_the_baseline_is_beside_the_grid_under_the_first_matcher(grid: ReadingGrid, end: str) -> None:
    extra = BaselineRule(Named("b", ParserSteps(column="parsed_text")), Named("x", NormalizerSteps()))
    first = grid.names()[0]
    plan = grid.plan([first, f"b+x{end}"], Containment(), extra)
    assert plan.names() == (first, f"b+x{end}")
    assert plan.parsers[-1] == extra.parser
    assert plan.matcher_of(plan.readings[1][1]) == Containment()
    known = BaselineRule(Named("q", PARSERS["q"]), Named("m", NORMALIZERS["m"]))
    again = grid.plan([first, f"q+m{end}"], Containment(), known)
    assert (len(again.parsers), len(again.normalizers)) == (2, 2 * len(grid.ends))


@pytest.mark.parametrize("grid", [ONE, TWO])
def test_scorers_are_readings_of_their_own_names(grid: ReadingGrid) -> None:
    """Each with a matcher of its own; a parser that the grid has is shared, one of its name is told apart."""
    shared = ScorerOf(PARSERS["q"], NORMALIZERS["m"], Numeric())
    own = ScorerOf(ParserSteps(column="parsed_text"), NormalizerSteps(), Exact())
    whole = replace(grid, scorers={"s": shared, "q": own})
    assert whole.names() == ["s", "q", *grid.names()]
    plan = whole.plan(["q", grid.names()[0], "s"], Containment())
    assert plan.names() == ("q", grid.names()[0], "s")
    assert [plan.parsers[p].name for p, _ in plan.readings] == ["q of q", "p", "q"]
    first, _, last = (n for _, n in plan.readings)
    assert [plan.matcher_of(n) for n in (first, last)] == [Exact(), Numeric()]
    assert [plan.matcher_place(n) for n in (first, last)] == ["audit.scorers.q.matcher", "audit.scorers.s.matcher"]
    assert [plan.matcher_name(n) for n in (first, last)] == ["q", "s"]
    assert whole.parser_of("s") == PARSERS["q"]
    by_value = with_rules(plan, "own", "f", {"a": rule_of_scorer(Named("s", shared))})
    assert by_value.places(3) == {"a": plan.readings[2]}
