"""The cause of each flip: hand-made pipelines whose cause is known, and a plain implementation over hostile texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hostile_readings import NORMALIZERS, PARSERS, PIECES, SIGNS, TRUTHS, Fails
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

import auditfw
from auditfw.audits.parsing.conclusions import tracing
from auditfw.audits.parsing.conclusions.pipelines import StepList, step_name
from auditfw.audits.parsing.conclusions.tracing import NO_STEP, CauseTracer, EndsPlan
from auditfw.audits.parsing.engine.plan import FALSE, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.reference import Truth, evaluate
from auditfw.audits.parsing.engine.texts import steps_of
from auditfw.audits.parsing.table import STORED, Undefined
from auditfw.audits.parsing.trials import FlipCause, Trial
from auditfw.components.matcher.numeric import Numeric
from auditfw.components.matcher.texts import Containment, Exact
from auditfw.components.step.characters import Digits, Lower, ReplaceCharacters, Strip
from auditfw.components.step.cuts import AfterLast, BeforeFirst, FirstLine, FirstOf
from auditfw.components.step.patterns import Capture
from auditfw.kinds.capabilities import Named

THINK, LOWER, DIGITS = AfterLast("</think>"), Lower(), Digits()
AFTER = 'after_last "</think>"'
CHOICE = FirstOf(((BeforeFirst(("user:",)), Strip()), (FirstLine(),)))


class Shouts:
    """A parser of its own making."""

    column, only_with = "raw_text", None

    def __call__(self, text: object) -> str:
        return str(text).upper() if text else ""


class Opens:
    """A step that fails on a text that begins with no bracket."""

    def __call__(self, text: str) -> str:
        if text[0] != "(":
            raise ValueError("no bracket")
        return text


def flip_of(raw: str | None, parsed: str | None, truth: Truth, codes: bytes) -> Trial:
    return Trial("t-1", truth, (), codes, raw, parsed)


def steps(*parts: Any, column: str = "raw_text") -> StepList:
    return StepList(tuple(parts), column)


def ends_plan(parser: Any, reference: Any, normalizers: tuple[Any, Any], matchers: tuple[Any, Any]) -> ReadingPlan:
    """A reading, and the one of the reference with its normalizer and matcher."""
    parsers = (Named("own", parser), Named("stored", reference))
    own, other = normalizers
    named = (Named("own", own), Named("theirs", other))
    return EndsPlan(parsers, named, matchers[0], ((0, 0), (1, 1)), ends=matchers)


STORED_TEXT = steps(column="parsed_text")
KEPT, LOWERED, CONTAINED = steps(), steps(LOWER), (Containment(), Containment())


def cause(
    raw: str | None,
    parsed: str | None,
    truth: Truth,
    right: bool,
    *,
    parser: Any = KEPT,
    ends: tuple[Any, Any] = (LOWERED, LOWERED),
    matchers: tuple[Any, Any] = CONTAINED,
    undefined: Undefined = "zero",
) -> tuple[str, bool]:
    """The cause of a flip against stored labels, which the other normalizer and matcher gave."""
    plan = ends_plan(parser, STORED_TEXT, ends, matchers)
    codes = bytes([FALSE if right else TRUE, TRUE if right else FALSE, 0])
    [traced] = CauseTracer(plan, STORED, 1, 1, undefined, SIGNS).trace(0, [flip_of(raw, parsed, truth, codes)])
    assert traced.right is right
    return traced.step, traced.sufficient


@pytest.mark.parametrize(
    ("expected", "given_"),
    [
        # the parser's steps: the truth is in what was cut off
        ((AFTER, True), ("Paris</think>Lyon", "Paris</think>Lyon", "Paris", False, steps(Strip(), THINK, Strip()))),
        ((AFTER, True), ("paris</think>Lyon", "paris</think>Lyon", "Paris", False, steps(THINK))),  # in other case
        ((AFTER, False), ("Paris</think>Lyon", "Paris", "Paris", False, steps(THINK))),  # the stored text was another
        ((AFTER, True), ("Paris</think>Lyon", None, "Paris", False, steps(THINK))),  # the reference has no text
        # of two cuts that each take the truth away the first decides
        (
            ("first_line", False),
            ("Lyon\nParis</think>x", "Lyon\nParis</think>x", "Paris", False, steps(FirstLine(), THINK)),
        ),
        ((AFTER, False), ("Paris</think>Lyon\nNice", "x", "Paris", False, steps(THINK, FirstLine()))),
        # a step inside a choice counts as the choice
        (
            ("first_of (before_first | first_line)", True),
            ("Lyon user: Paris", "Lyon user: Paris", "Paris", False, steps(CHOICE)),
        ),
        # the raw text has the changed label already: the reference read another
        ((NO_STEP, False), ("Lyon", "Paris", "Paris", False, steps(Strip()))),
        ((NO_STEP, False), ("Paris", "Lyon", "Paris", True)),
        # no step is taken on an empty text
        ((NO_STEP, False), ("", "x", "x", False, steps(Capture("a", group=0, fallback="x"), Strip()))),
        # a part that is no list of steps is one step
        (("Shouts", True), ("paris", "paris", "PARIS", True, Shouts())),
        # several truths: any may match
        ((AFTER, True), ("Paris</think>x", "Paris</think>x", ("Lyon", "Paris"), False, steps(THINK))),
        ((AFTER, True), ("Paris</think>", "Paris</think>", "Paris", False, steps(THINK))),  # nothing is left
    ],
)
def test_causes_in_the_parser(expected: tuple[str, bool], given_: tuple[Any, ...]) -> None:
    parser = given_[4] if len(given_) > 4 else KEPT
    ends = (KEPT, KEPT) if isinstance(parser, Shouts) else (LOWERED, LOWERED)
    assert cause(*given_[:4], parser=parser, ends=ends) == expected


@pytest.mark.parametrize(
    ("expected", "given_"),
    [
        # text, truth, right?, the reading's normalizer, the reference's
        (("digits", True), ("H₂O", "H2O", True, steps(LOWER, DIGITS, Strip()), steps(LOWER, Strip()))),
        (("digits", True), ("H2O", "H₂O", True, steps(LOWER, DIGITS), steps(LOWER))),  # it acts on the truth
        (("digits", True), ("x H₂O", ("Lyon", "H₂o", "H2O"), True, steps(DIGITS), steps())),
        (("lower", True), ("paris", "Paris", True, steps(LOWER), steps())),
        (("lower", True), ("PARIS", ("Lyon", "paris"), True, steps(LOWER, Strip()), steps(Strip()))),
        # what the reference does and the reading does not
        (("without theirs", True), ("paris", "Paris", False, steps(), steps(LOWER))),
        (("without theirs", True), ("paris", "Paris", False, steps(Strip()), steps(LOWER))),
        # a step of both that the reading takes is none of the difference
        (("digits", True), ("h₂o", "H2O", True, steps(DIGITS, LOWER), steps(LOWER))),
        # two steps that need each other: the last decides, and without it the label is the old one
        (("digits", True), ("h*₂o", "h2o", True, steps(ReplaceCharacters("*", ""), DIGITS), steps())),
        # the truth disappears: undefined, counted as wrong
        (('replace_characters "!"', True), ("a!", "!", False, steps(ReplaceCharacters("!", "")), steps())),
    ],
)
def test_causes_in_the_normalizer(expected: tuple[str, bool], given_: tuple[Any, ...]) -> None:
    text, truth, right, normalizer, other = given_
    assert cause(text, text, truth, right, ends=(normalizer, other)) == expected


@pytest.mark.parametrize(
    ("expected", "given_"),
    [
        (("matcher exact", True), ("in Paris", "in Paris", "Paris", False)),
        (("matcher exact", False), ("in Paris", "Paris", "Paris", False)),  # the stored text is another
        ((AFTER, False), ("Paris</think>Lyon", "Paris", "Paris", False, steps(THINK))),
    ],
)
def test_the_matcher_is_the_last_step(expected: tuple[str, bool], given_: tuple[Any, ...]) -> None:
    parser = given_[4] if len(given_) > 4 else KEPT
    assert cause(*given_[:4], parser=parser, matchers=(Exact(), Containment())) == expected


def test_a_prefix_without_a_label_has_not_the_final_one() -> None:
    """The reference's matcher reads no number in a truth until the digits are plain."""
    ends, matchers = (steps(DIGITS), KEPT), (Numeric(), Numeric())
    assert cause("²", "²", "²", True, ends=ends, matchers=matchers) == ("digits", False)


def test_a_pipeline_that_fails_without_the_step() -> None:
    """Without the cut the next step fails: it is not known what the label would be."""
    parser = steps(AfterLast("#"), Opens())
    assert cause("Paris#(Lyon)", "Paris#(Lyon)", "Paris", False, parser=parser) == ('after_last "#"', False)
    alone = steps(AfterLast("#"))
    assert cause("Paris#(Lyon)", "Paris#(Lyon)", "Paris", False, parser=alone) == ('after_last "#"', True)


def test_a_comparison_that_fails_is_no_label() -> None:
    """The reference's normalizer fails on the whole text: a prefix on which it does has not the final label."""
    parser = steps(AfterLast("#"))
    assert cause("x#(Paris)", "x", "(Paris)", True, parser=parser, ends=(KEPT, steps(Opens())))[0] == 'after_last "#"'
    assert cause("x", "x", "x", True, ends=(KEPT, steps(Fails("raises"))))[0] == "without theirs"


def test_undefined_labels_count_as_the_metrics_count_them() -> None:
    """A truth that is nothing until the marks are dropped: wrong, or no label at all; the last step is the cause."""
    ends = steps(ReplaceCharacters("!", "")), steps(ReplaceCharacters("a!", ""))
    assert cause("a!", "b", "a!", True, ends=ends) == ("without theirs", False)
    assert cause("a!", "a!", "a!", True, ends=ends) == ("without theirs", True)
    assert cause("a!", "a!", "a!", True, ends=ends, undefined="drop") == ("without theirs", False)


@pytest.mark.parametrize(
    ("raw", "expected"), [("Paris</think>Lyon", (AFTER, True)), ("Lyon</think>", (NO_STEP, False))]
)
def test_a_reading_as_the_reference(raw: str, expected: tuple[str, bool]) -> None:
    """The reference is the reading of the stored text, or of the raw text: its own text is what is compared."""
    column = "raw_text" if expected[0] == AFTER else "parsed_text"
    plan = ends_plan(steps(THINK), steps(column=column), (LOWERED, LOWERED), CONTAINED)
    texts = flip_of(raw, "Paris", "Paris", bytes([3, FALSE, TRUE]))  # no stored label
    [traced] = CauseTracer(plan, 1, None, 1, "zero", SIGNS).trace(0, [texts])
    assert (traced.step, traced.sufficient) == expected


# The plain implementation


def plain(plan: ReadingPlan, reading: int, reference: int, compared: int, texts: Trial) -> tuple[str, bool]:
    """The cause by the definition of `pipelines`, step by step, with the plain reference path."""
    (p, n), their, its = plan.readings[reading], plan.normalizers[compared].part, plan.matcher_of(compared)
    parser, own, matcher = plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)
    source = (texts.raw if parser.column == "raw_text" else texts.parsed) or ""
    truths, (before, after) = texts.truths, (texts.codes[k + 1] == TRUE for k in (reference, reading))

    def taken(some: Sequence[Any], text: str) -> str:
        for step in some if text else ():
            text = step(text)
        return text

    def label(answer: str, wanted: Sequence[str], normalizer: Any, by: Any) -> bool | None:
        try:
            value = evaluate(answer, tuple(wanted), normalizer, by)
            void = not any(map(normalizer, wanted))
        except Exception:
            return None
        return False if value is None and void else value

    cuts, own_cuts = steps_of(parser), steps_of(own)
    kept = taken(cuts, source)
    names = [step_name(step) for step in cuts]
    labels = [label(taken(cuts[:k], source), truths, their, its) for k in range(len(cuts))]

    def less(some: Sequence[Any], k: int) -> Sequence[Any]:
        return (*some[:k], *some[k + 1 :])

    without: list[tuple[str, Any]] = [
        (taken(less(cuts, k), source), lambda text: label(text, truths, own, matcher)) for k in range(len(cuts))
    ]
    if own != their:
        names += [*(step_name(step) for step in own_cuts), "without theirs"]
        for k in range(len(own_cuts) + 1):
            first = own_cuts[:k]
            labels.append(label(taken(first, kept), [taken(first, one) for one in truths], their, its))
        for k in range(len(own_cuts)):
            left = StepList(tuple(less(own_cuts, k)))
            without.append((kept, lambda text, left=left: label(text, truths, left, matcher)))
        both = [own(one) for one in truths]
        without.append((kept, lambda text: label(own(text), both, their, matcher)))
    if matcher != its:
        names.append(f"matcher {step_name(matcher)}")
        labels.append(label(kept, truths, own, its))
        without.append((kept, lambda text: label(text, truths, own, its)))
    last = max((k for k, one in enumerate(labels) if one is not after), default=None)
    if last is None:
        return NO_STEP, False
    text, compare = without[last]
    same = texts.parsed is None or their(text) == their(texts.parsed)
    return names[last], compare(text) is before and same


CUT_TEXTS = st.lists(PIECES, max_size=8).map("".join)
TRUTH = st.one_of(TRUTHS, st.tuples(TRUTHS, TRUTHS))
MATCHER = st.sampled_from([Containment(), Exact()])


@settings(max_examples=examples(60), deadline=None)
@given(
    p=st.integers(0, len(PARSERS) - 1),
    ends=st.tuples(*[st.integers(0, len(NORMALIZERS) - 1)] * 2),
    matchers=st.tuples(MATCHER, MATCHER),
    rows=st.lists(st.tuples(CUT_TEXTS, st.none() | CUT_TEXTS, TRUTH), min_size=1, max_size=4),
    most=st.sampled_from([20_000_000, 20]),
)
def test_causes_are_those_of_the_definition(
    p: int, ends: tuple[int, int], matchers: tuple[Any, Any], rows: list[tuple[str, str | None, Truth]], most: int
) -> None:
    parser, (own, other) = PARSERS[p].part, (NORMALIZERS[n].part for n in ends)
    plan = ends_plan(parser, STORED_TEXT, (own, other), matchers)
    flips = []
    for raw, parsed, truth in rows:
        source = (raw if parser.column == "raw_text" else parsed) or ""
        label = evaluate(parser(source), truth, own, matchers[0])
        flips.append(flip_of(raw, parsed, truth, bytes([FALSE if label else TRUE, TRUE if label else FALSE, 0])))
    tracer = CauseTracer(plan, STORED, 1, 1, "zero", SIGNS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tracing, "CHARACTERS", most)  # texts of before are forgotten, or not
        traced = [*tracer.trace(0, flips), *tracer.trace(0, flips[::-1])[::-1]]
    assert len(traced) == 2 * len(flips)
    again = [CauseTracer(plan, STORED, 1, 1, "zero", SIGNS).trace(0, [one])[0] for one in flips]
    assert traced == [*again, *again]
    for texts, one in zip([*flips, *flips], traced, strict=True):
        step, sufficient = plain(plan, 0, STORED, 1, texts)
        assert isinstance(one, FlipCause)
        name, _, number = one.step.partition(" (")
        assert one.step == step or (name == step and number.rstrip(")").isdigit())
        assert one.sufficient == sufficient


def test_without_flips_there_is_no_cause() -> None:
    plan = ends_plan(KEPT, STORED_TEXT, (KEPT, KEPT), (Exact(), Exact()))
    assert CauseTracer(plan, STORED, None, 1, "zero", SIGNS).trace(0, []) == []


def test_texts_of_before_are_forgotten_where_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "CHARACTERS", 30)
    tracer = CauseTracer(ends_plan(KEPT, STORED_TEXT, (KEPT, KEPT), CONTAINED), STORED, 1, 1, "zero", SIGNS)
    for n in range(100):
        tracer.trace(0, [flip_of(f"text {n}", None, "t", bytes([FALSE, TRUE, 0]))])
    assert len(tracer._scorer.texts.of) < 20


def test_signs_are_of_what_both_kept() -> None:
    plan = ends_plan(steps(THINK), STORED_TEXT, (KEPT, KEPT), CONTAINED)
    texts = flip_of("**1,000**</think>", "1,000", "1000", bytes([TRUE, FALSE, 0]))
    [traced] = CauseTracer(plan, STORED, None, 1, "zero", SIGNS).trace(0, [texts])
    assert traced.signs == ("think delimiter", "number format", "Markdown", "empty answer")


def test_shipped_components_are_what_is_traced() -> None:
    """The names are those that a user writes."""
    parser = auditfw.load("parser", "answer_v2")
    assert cause("Paris</think>Lyon", "Paris</think>Lyon", "Paris", False, parser=parser) == (AFTER, True)
