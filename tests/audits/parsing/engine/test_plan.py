"""The planned path against the definitions: zero differences on hostile text, for everything that is shipped."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hostile_readings import GRID, KERNELS, MATCHERS, NORMALIZERS, PARSERS, SIGNS, TEXTS, TRUTHS, Fails
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

import auditfw
from auditfw.audits.parsing.engine.kernels import kernel
from auditfw.audits.parsing.engine.plan import (
    BLANK,
    ERROR,
    FALSE,
    MISSING,
    NOTHING,
    TIMEOUT,
    TRUE,
    UNDEFINED,
    UNREAD,
    Labeller,
    ReadingPlan,
)
from auditfw.audits.parsing.engine.reference import Truth, read
from auditfw.audits.parsing.engine.texts import split_tail
from auditfw.components.normalizer.steps import NormalizerSteps
from auditfw.components.parser.steps import ParserSteps
from auditfw.components.step.characters import Lower
from auditfw.kinds.capabilities import Named, call_capability

LABELS = {FALSE: False, BLANK: False, TRUE: True, UNDEFINED: None, UNREAD: None}


def scored(plan: ReadingPlan, raw: list[str], truths: Sequence[Truth], name: str = "python") -> list[bytearray]:
    return kernel(name, plan, SIGNS).score(list(raw), list(raw), list(truths)).labels


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("matcher", MATCHERS)
@settings(max_examples=examples(20), deadline=None)
@given(rows=st.lists(st.tuples(TEXTS, st.one_of(TRUTHS, st.tuples(TRUTHS, TRUTHS))), min_size=1, max_size=4))
def test_every_reading_equals_its_definition(matcher: str, name: str, rows: list[tuple[str, Truth]]) -> None:
    plan = ReadingPlan(PARSERS, NORMALIZERS, auditfw.load("matcher", matcher), GRID)
    raw, truths = [text for text, _ in rows], [truth for _, truth in rows]
    for (p, n), codes in zip(GRID, scored(plan, raw, truths, name), strict=True):
        for text, truth, code in zip(raw, truths, codes, strict=True):
            parser = PARSERS[p].part
            if code == MISSING:
                assert parser.only_with is not None
                assert parser.only_with not in text.lower()
                continue
            said = read(text, truth, parser, NORMALIZERS[n].part, plan.matcher)
            assert LABELS[code] == said, (PARSERS[p].name, NORMALIZERS[n].name, text, truth)


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=examples(15), deadline=None)
@given(rows=st.lists(st.tuples(TEXTS, TRUTHS), min_size=1, max_size=4))
def test_matchers_of_one_plan_say_what_each_says_alone(name: str, rows: list[tuple[str, str]]) -> None:
    ends = [(normalizer, Named(m, auditfw.load("matcher", m))) for m in MATCHERS for normalizer in NORMALIZERS]
    parsers, (normalizers, matchers) = PARSERS[:3], zip(*ends, strict=True)
    grid = tuple((p, n) for p in range(len(parsers)) for n in range(len(ends)))
    raw, truths = [text for text, _ in rows], [truth for _, truth in rows]
    plan = ReadingPlan(parsers, normalizers, matchers[0].part, grid, matchers)
    assert plan.names()[-1] == f"{parsers[-1].name}+{NORMALIZERS[-1].name}+{MATCHERS[-1]}"
    together = scored(plan, raw, truths, name)
    alone = {
        m: scored(
            ReadingPlan(parsers, NORMALIZERS, matcher.part, GRID[: len(parsers) * len(NORMALIZERS)]), raw, truths, name
        )
        for m, matcher in enumerate(matchers[:: len(NORMALIZERS)])
    }
    for (p, n), codes in zip(grid, together, strict=True):
        m, own = divmod(n, len(NORMALIZERS))
        assert codes == alone[m][p * len(NORMALIZERS) + own], (p, n)


class Counted:
    """A step that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, text: str) -> str:
        self.asked[text] += 1
        return text.upper()


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("matchers", [("numeric", "choice"), ("exact", "numeric"), ("containment", "exact")])
def test_matchers_share_what_is_parsed_and_normalised(name: str, matchers: tuple[str, str]) -> None:
    """Each distinct text and truth goes through each step once, however many matchers there are."""
    parsing, normalising = Counted(), Counted()
    parser, normalizer = ParserSteps(steps=(parsing,)), NormalizerSteps(steps=(normalising,))
    both = tuple(Named(m, auditfw.load("matcher", m)) for m in matchers)
    plan = ReadingPlan((Named("p", parser),), (Named("n", normalizer),) * 2, both[0].part, ((0, 0), (0, 1)), both)
    scored(plan, ["a 8", "b 8", "a 8", "a 8"], ["8", "8", "9", ("9", "8")], name)
    assert parsing.asked == {"a 8": 1, "b 8": 1}
    assert normalising.asked == {"A 8": 1, "B 8": 1, "8": 1, "9": 1}


@settings(max_examples=examples(80))
@given(text=TEXTS)
def test_lower_case_inherited_from_the_whole(text: str) -> None:
    plan = ReadingPlan(PARSERS, NORMALIZERS, auditfw.load("matcher", "exact"), ())
    scorer = Labeller(plan)
    numbers = scorer.texts.add_all([text])
    scorer.texts.low(text)
    for parser in PARSERS:
        for number in scorer.parse(parser, numbers):
            if number >= 0:
                assert scorer.texts.low(scorer.texts.of[number]) == scorer.texts.of[number].lower()


@pytest.mark.parametrize(
    ("normalizer", "blanks"),
    [("none", None), ("v1", ".,;:!?'\"()[]{}"), ("v2", ".,;:!?'\"()[]{}*_`~"), ("number", None)],
)
def test_where_the_normalizer_goes_into_the_needle(normalizer: str, blanks: str | None) -> None:
    _, found = split_tail(auditfw.load("normalizer", normalizer).steps)
    assert found == (None if blanks is None else frozenset(blanks))


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("how", "code"), [("raises", ERROR), ("late", TIMEOUT), ("gives a number", ERROR)])
def test_a_failing_step_costs_its_trial_only(how: str, code: int, name: str) -> None:
    parser = type(PARSERS[0].part)(steps=(Fails(how),))
    plan = ReadingPlan((Named("bad", parser),), (NORMALIZERS[0],), auditfw.load("matcher", "exact"), ((0, 0),))
    assert scored(plan, ["text", ""], ["text", "text"], name) == [bytearray([code, BLANK])]


def test_a_missing_text_is_missing() -> None:
    plan = ReadingPlan(PARSERS, NORMALIZERS, auditfw.load("matcher", "exact"), ((0, 0),))
    assert Labeller(plan).label(0, [NOTHING], ["a"]) == bytearray([MISSING])


def test_plans_travel_to_other_processes() -> None:
    plan = ReadingPlan(PARSERS, NORMALIZERS, auditfw.load("matcher", "containment"), ((0, 0),))
    assert pickle.loads(pickle.dumps(plan)) == plan


class Shouts:
    """A parser of its own making, with an empty list of steps beside it."""

    column, only_with, steps = "raw_text", None, ()

    def __call__(self, text: object) -> str:
        return str(text).upper()


@pytest.mark.parametrize("name", KERNELS)
def test_a_parser_that_is_no_list_of_steps_is_called(name: str) -> None:
    none = Named("none", auditfw.load("normalizer", "none"))
    plan = ReadingPlan((Named("shouts", Shouts()),), (none,), auditfw.load("matcher", "exact"), ((0, 0),))
    assert scored(plan, ["paris", "paris"], ["PARIS", "paris"], name) == [bytearray([TRUE, FALSE])]


@pytest.mark.parametrize("name", KERNELS)
def test_a_matcher_must_say_true_false_or_nothing(name: str) -> None:
    def says_yes(answer: str, truth: str) -> bool:
        return "yes"  # type: ignore[return-value]

    raw = Named("raw", auditfw.load("parser", "raw"))
    plan = ReadingPlan((raw,), NORMALIZERS, says_yes, ((0, 0),))
    assert scored(plan, ["Answer: a"], ["a"], name) == [bytearray([ERROR])]


def test_what_a_step_says_of_its_call_is_not_inherited_by_another_call() -> None:
    @dataclass(frozen=True)
    class Shout(Lower):
        def __call__(self, text: str) -> str:
            return text.upper()

    @dataclass(frozen=True)
    class Same(Lower):
        extra: int = 0

    assert call_capability(Lower(), "lowers") is True
    assert call_capability(Same(), "lowers") is True
    assert call_capability(Shout(), "lowers") is None
    assert call_capability(Shout(), "native") is None


@dataclass(frozen=True)
class Ponders:
    """A matcher that says that it is slow."""

    slow = True

    def __call__(self, answer: str, truth: str) -> bool:
        return answer == truth


def test_a_plan_is_slow_where_one_of_its_matchers_is() -> None:
    quick, slow = auditfw.load("matcher", "exact"), Ponders()
    assert not ReadingPlan(PARSERS, NORMALIZERS, quick, GRID).slow
    assert ReadingPlan(PARSERS, NORMALIZERS, slow, GRID).slow
    last = {len(NORMALIZERS) - 1: Named("ponders", slow)}
    assert ReadingPlan(PARSERS, NORMALIZERS, quick, GRID, own=last).slow
