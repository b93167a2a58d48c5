"""The steps of a reading: their names, their order, and what the pipeline is without one of them."""

from __future__ import annotations

import pytest
from hostile_readings import PARSERS

import auditfw
from auditfw.audits.parsing.conclusions.items import STORED
from auditfw.audits.parsing.conclusions.pipelines import (
    SETTING_SHOWN,
    StepList,
    comparison_of,
    pipeline_of,
    step_name,
)
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.components.matcher.choice import Choice
from auditfw.components.matcher.texts import Containment, Exact
from auditfw.components.step.characters import Collapse, Lower, ReplaceCharacters, Strip, UnicodeForm
from auditfw.components.step.cuts import AfterLast, BeforeFirst, FirstLine, FirstOf
from auditfw.components.step.patterns import Capture
from auditfw.components.step.words import RemoveWords
from auditfw.kinds.capabilities import Named


class Shouts:
    """A parser of its own making."""

    column, only_with = "raw_text", None

    def __call__(self, text: object) -> str:
        return str(text).upper() if text else ""


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (Lower(), "lower"),
        (AfterLast("</think>"), 'after_last "</think>"'),
        (AfterLast("é\n"), 'after_last "é\\n"'),
        (UnicodeForm(), "unicode_form"),
        (UnicodeForm("NFKC"), 'unicode_form "NFKC"'),
        (BeforeFirst(("user:",)), 'before_first "user:"'),
        (BeforeFirst(("user:", "system:")), 'before_first "user:"…'),
        (ReplaceCharacters("_*"), 'replace_characters "_*"'),
        (RemoveWords(), "remove_words"),
        (RemoveWords(("of",)), 'remove_words "of"'),
        (Capture("a" * (SETTING_SHOWN + 1), group=0), f'capture "{"a" * SETTING_SHOWN}"…'),
        (Capture("a" * SETTING_SHOWN, group=0), f'capture "{"a" * SETTING_SHOWN}"'),
        (FirstOf(((BeforeFirst(("user:",)), Strip()), (FirstLine(),))), "first_of (before_first | first_line)"),
        (FirstOf(((Strip(),), ())), "first_of (strip | nothing)"),
        (Choice(), "choice"),
        (Choice("ABC"), 'choice "ABC"'),
        (Shouts(), "Shouts"),
    ],
)
def test_names_of_steps(step: object, name: str) -> None:
    assert step_name(step) == name


def plan(*readings: tuple[int, int]) -> ReadingPlan:
    think = StepList((Strip(), AfterLast("</think>"), Strip()))
    parsers = tuple(Named(name, part) for name, part in (("think", think), ("shouts", Shouts())))
    lower = StepList((Lower(), Strip()))
    normalizers = tuple(Named(name, part) for name, part in (("v1", lower), ("none", StepList(()))))
    return ReadingPlan(parsers, normalizers, Containment(), readings)


def test_the_steps_of_the_parser_alone_where_the_comparison_is_the_reference_s() -> None:
    pipeline = pipeline_of(plan((0, 0), (0, 1)), 0, 0)
    assert pipeline.names == ("strip", 'after_last "</think>"', "strip (2)")
    assert [len(rule.parser.steps) for rule in pipeline.prefixes] == [0, 1, 2]
    assert [rule.parser.steps for rule in pipeline.without] == [
        (AfterLast("</think>"), Strip()),
        (Strip(), Strip()),
        (Strip(), AfterLast("</think>")),
    ]


def test_another_normalizer_takes_the_place_of_the_reference_s() -> None:
    there = plan((0, 0), (0, 1))
    assert pipeline_of(there, 1, 0).names == ("strip", 'after_last "</think>"', "strip (2)", "without v1")
    pipeline = pipeline_of(there, 0, 1)
    assert pipeline.names[3:] == ("lower", "strip (3)", "without none")
    *_, first, second, last = pipeline.prefixes
    assert [rule.both.steps for rule in (first, second, last)] == [(), (Lower(),), (Lower(), Strip())]
    assert {rule.normalizer for rule in pipeline.prefixes} == {there.normalizers[1].part}
    *_, first, second, last = pipeline.without
    assert [rule.normalizer for rule in (first, second)] == [StepList((Strip(),)), StepList((Lower(),))]
    assert (last.both.steps, last.normalizer) == ((Lower(), Strip()), there.normalizers[1].part)


def test_another_matcher_is_the_last_step() -> None:
    class Several(ReadingPlan):
        def matcher_of(self, normalizer: int) -> Containment | Exact:
            return (Containment(), Exact())[normalizer]

    there = plan((0, 0), (0, 1))
    both = (there.normalizers[0],) * 2
    pipeline = pipeline_of(Several(there.parsers, both, there.matcher, there.readings), 1, 0)
    assert pipeline.names[3:] == ("matcher exact",)
    assert pipeline.prefixes[3] == pipeline.without[3]
    assert pipeline.without[3].matcher == Containment()
    assert {rule.matcher for rule in pipeline.prefixes} == {Containment()}
    assert {rule.matcher for rule in pipeline.without[:3]} == {Exact()}


def test_a_part_that_is_no_list_of_steps_is_one_step() -> None:
    pipeline = pipeline_of(plan((1, 0)), 0, 0)
    assert pipeline.names == ("Shouts",)
    assert (pipeline.prefixes[0].parser, pipeline.without[0].parser) == (StepList(()), StepList(()))


@pytest.mark.parametrize(
    ("reference", "baseline", "expected"), [(STORED, None, 0), (STORED, 1, 1), (0, 1, 0), (1, 0, 1), (1, None, 1)]
)
def test_whose_comparison(reference: int, baseline: int | None, expected: int) -> None:
    assert comparison_of(plan((0, 0), (0, 1)), reference, baseline) == expected


@pytest.mark.parametrize("text", ["", None, " A </think> b\nUser: c", 5])
def test_a_list_of_steps_does_what_the_parser_does(text: object) -> None:
    for named in PARSERS:
        assert StepList(named.part.steps)(text) == auditfw.load("parser", named.name)(text)


def test_quicker_forms_are_the_steps() -> None:
    assert StepList((Lower(), Collapse()))("A  B") == "a b"
    assert StepList((lambda text: 5,))("") == ""  # type: ignore[return-value,arg-type]
    with pytest.raises(TypeError):
        StepList((lambda text: 5,))("a")  # type: ignore[return-value,arg-type]
