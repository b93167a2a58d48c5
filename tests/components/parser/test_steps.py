"""Parsers and normalizers made of steps: laws on hostile texts, hints that equal the definitions."""

from __future__ import annotations

import pickle

import pytest
from hostile_steps import MARKERS, THINK, V2, texts
from hypothesis import given

from auditfw.components.normalizer.steps import NormalizerSteps
from auditfw.components.parser.steps import ParserSteps
from auditfw.components.step import answers, characters, cuts, patterns, words
from auditfw.core.errors import UsageError
from auditfw.kinds.registry import components

HINTED = [
    characters.Lower(),
    characters.Casefold(),
    characters.Collapse(),
    characters.Digits(),
    *(characters.ReplaceCharacters(V2, by) for by in (" ", "", "-", "..", "é")),
    *(characters.ReplaceCharacters("é²_") for _ in (1,)),
    *(characters.RemoveCharacters(chars) for chars in (V2, "é²_", "\x1c ")),
    *(characters.UnicodeForm(form) for form in ("NFC", "NFD", "NFKC", "NFKD")),
    words.Undot(),
    *(cuts.AfterLast(delimiter, case) for delimiter in (THINK, "K", "A: ", "İ") for case in (True, False)),
    *(cuts.BeforeLast(delimiter, case) for delimiter in (THINK, "K") for case in (True, False)),
    *(cuts.BeforeFirst(MARKERS, case) for case in (True, False)),
    cuts.BeforeFirst(("K", "Σ", "a:b:", "user", ":")),
    cuts.FirstOf(((cuts.AfterLast(THINK), characters.Strip()), (cuts.BeforeLast(THINK), cuts.BeforeFirst(MARKERS)))),
    cuts.FirstOf(((characters.Lower(), cuts.BeforeFirst(MARKERS), characters.Strip()), (cuts.FirstLine(),))),
]


@pytest.mark.parametrize("step", HINTED, ids=repr)
@given(text=texts)
def test_hints_equal_the_definition(step, text):
    assert step.fast(text) == step(text)
    if hasattr(step, "cut"):
        assert step.cut(text, text.lower()) == step(text)


@pytest.mark.parametrize("step", HINTED, ids=repr)
def test_steps_travel_to_other_processes(step):
    step.fast("a.b²</think>USER: é")
    assert pickle.loads(pickle.dumps(step)) == step


@pytest.mark.parametrize(
    "step",
    [
        characters.Strip(),
        characters.Collapse(),
        characters.Digits(),
        characters.Casefold(),
        characters.ReplaceCharacters(V2),
        characters.RemoveCharacters(V2),
        cuts.FirstLine(),
        cuts.LastLine(),
        words.Number(),
        answers.LastNumber(),
        answers.FirstNumber(),
    ],
    ids=repr,
)
@given(text=texts)
def test_doing_it_twice_changes_nothing_more(step, text):
    assert step(step(text)) == step(text)


@pytest.mark.parametrize(
    ("make", "words_of"),
    [
        (lambda: patterns.Capture("\bfoo\b"), "single quotes"),
        (lambda: patterns.Capture("(a"), "single quotes"),
        (lambda: patterns.Capture("abc"), "group: 0"),
        (lambda: patterns.Capture("(a*)"), "empty text"),
        (lambda: patterns.Capture("(a)", deadline=0.0), "deadline"),
        (lambda: patterns.Capture("(a)", group=2), "1 groups"),
        (lambda: patterns.Capture("(a)", group=-1), "group"),
        (lambda: patterns.Capture("a", group="filled"), "no group"),
        (lambda: patterns.Capture("(a)", flags="g"), "flags"),
        (lambda: patterns.Substitute("(a"), "single quotes"),
        (lambda: patterns.Substitute(""), "empty text"),
        (lambda: patterns.Substitute("(a)", r"\2"), "replacement"),
        (lambda: patterns.Substitute("(a)", r"\g<b>"), "replacement"),
        (lambda: patterns.Substitute("a", "\\q"), "replacement"),
        (lambda: patterns.Substitute("a", flags="L"), "flags"),
        (lambda: patterns.Substitute("a", deadline=-1.0), "deadline"),
        (lambda: patterns.JsonField(fallback_pattern="(a"), "fallback_pattern"),
        (lambda: patterns.JsonField(""), "field"),
        (lambda: cuts.AfterLast(""), "delimiter"),
        (lambda: cuts.BeforeLast(""), "delimiter"),
        (lambda: cuts.BeforeFirst(()), "markers"),
        (lambda: cuts.BeforeFirst(("user:", "")), "markers"),
        (lambda: cuts.FirstOf(()), "choices"),
        (lambda: words.RemoveWords(("a", "")), "words"),
        (lambda: answers.AnswerIs(()), "phrases"),
        (lambda: answers.Tag("<answer>"), "name"),
        (lambda: answers.ChoiceLetter("A1"), "letters"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(make, words_of):
    with pytest.raises(UsageError, match=words_of) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [None, "", 0, False, [], 0.0])
def test_falsy_values_are_empty_text(text):
    assert ParserSteps()(text) == NormalizerSteps()(text) == ""


@pytest.mark.parametrize(("value", "expected"), [(42, "42"), (float("nan"), "nan"), (["A"], "['A']"), (b"x", "b'x'")])
def test_other_values_are_shown_as_text(value, expected):
    assert ParserSteps()(value) == NormalizerSteps()(value) == expected


def test_every_step_is_registered_with_a_sentence():
    shipped = components("step")
    assert {
        *("lower", "casefold", "strip", "collapse", "replace_characters", "remove_characters", "digits", "undot"),
        *(
            "after_last",
            "before_last",
            "before_first",
            "first_line",
            "last_line",
            "first_of",
            "capture",
            "unicode_form",
        ),
        *(
            "strip_markdown",
            "remove_words",
            "last_number",
            "first_number",
            "boxed",
            "choice_letter",
            "tag",
            "json_field",
        ),
        *("answer_is", "number", "substitute"),
    } <= set(shipped)
    assert all(entry.doc.endswith(".") for entry in shipped.values())
