"""Which readings accept wrong answers: the shipped combinations, for numbers and for letters."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from sentences import parsing as says

from auditfw.audits.parsing.engine.grid import BaselineRule, with_rules
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.reference import read
from auditfw.audits.parsing.probe.pairs import LETTER, NUMBER, LossyReading, lossy_readings, readings_asked
from auditfw.components.matcher.texts import Exact
from auditfw.components.parser.options import ChoiceText
from auditfw.config.build import prepare, shipped_texts
from auditfw.kinds.capabilities import Named

NUMBERS_RIGHT = [
    ("18", "18"), ("2,664", "2664"), ("2664", "2,664"), ("$18", "18"), ("18.0", "18"), ("0.5", ".5"), ("-5", "-5"),
    ("18 dollars", "18"),
]  # fmt: skip
INSIDE = "looks for the truth in the answer"
LETTERS_RIGHT = ["A", "(A)", "A.", "**A**", "The answer is A", "Answer: (A) Paris"]


@cache
def parts() -> dict[str, dict[str, Any]]:
    prepare()
    return shipped_texts()


def found(kind: str, parser: str, normalizer: str, matcher: str) -> LossyReading | None:
    named = [Named(name, parts()[of][name]) for of, name in (("parser", parser), ("normalizer", normalizer))]
    plan = ReadingPlan((named[0],), (named[1],), parts()["matcher"][matcher], ((0, 0),))
    return lossy_readings(plan, readings_asked(plan, kind), kind).get(f"{parser}+{normalizer}")


SOUND = [
    (NUMBER, parser, normalizer, matcher)
    for parser in ("stored", "raw", "answer_v2", "last_number", "flexible_extract", "last_line")
    for normalizer, matcher in [
        ("none", "exact"), ("none", "numeric"), ("casefold", "exact"), ("casefold", "numeric"), ("number", "exact"),
        ("number", "numeric"), ("v1", "exact"), ("v2", "exact"), ("nfkc", "exact"),
    ]
] + [
    (LETTER, parser, normalizer, matcher)
    for parser in ("choice_letter", "mmlu_pro_three_step", "inspect_answer_letter", "simple_evals_mcq")
    for normalizer in ("none", "casefold", "v1", "v2", "nfkc")
    for matcher in ("exact", "choice", "containment")
] + [
    (LETTER, "stored", "none", "exact"), (LETTER, "stored", "none", "choice"), (LETTER, "answer_line", "none", "exact"),
]  # fmt: skip

LOSSY = [
    *((NUMBER, "stored", normalizer, "numeric") for normalizer in ("v1", "v2", "nfkc", "squad")),
    (NUMBER, "stored", "squad", "exact"),
    *(
        (NUMBER, parser, normalizer, matcher)
        for parser in ("stored", "last_number", "answer_is", "answer_line", "boxed")
        for normalizer in ("none", "casefold", "number", "v1", "v2", "nfkc", "squad")
        for matcher in ("containment", "substring", "suffix")
    ),
    *((NUMBER, parser, "v1", "numeric") for parser in ("answer_is", "answer_line", "answer_tag", "boxed", "last_line")),
    (NUMBER, "strict_match", "v1", "numeric"),  # which finds nothing in an answer alone
    (NUMBER, "first_word", "none", "exact"),
    (NUMBER, "inspect_includes", "inspect_includes", "inspect_includes"),
    *((LETTER, "stored", normalizer, "containment") for normalizer in ("none", "casefold", "v1", "v2")),
    *((LETTER, parser, "none", "containment") for parser in ("last_line", "answer_line", "boxed")),
]


@pytest.mark.parametrize(("kind", "parser", "normalizer", "matcher"), SOUND)
def test_sound(kind: str, parser: str, normalizer: str, matcher: str) -> None:
    assert found(kind, parser, normalizer, matcher) is None


@pytest.mark.parametrize(("kind", "parser", "normalizer", "matcher"), LOSSY)
def test_lossy(kind: str, parser: str, normalizer: str, matcher: str) -> None:
    assert found(kind, parser, normalizer, matcher) is not None
    assert found("text", parser, normalizer, matcher) is None


@pytest.mark.parametrize(("kind", "parser", "normalizer", "matcher"), LOSSY)
def test_what_to_write_instead_is_sound(kind: str, parser: str, normalizer: str, matcher: str) -> None:
    one = found(kind, parser, normalizer, matcher)
    assert one is not None
    chosen = {"parser": parser, "normalizer": normalizer, "matcher": matcher}
    chosen |= {key: value.strip("[]") for key, value in (word.split("=") for word in one.write.split())}
    assert found(kind, **chosen) is None


@pytest.mark.parametrize(
    ("kind", "names", "expected"),
    [
        (NUMBER, "stored v1 numeric", ("2.97", "2.7", says.TAKES_THE_DECIMAL_POINT_AWAY, "normalizer=[none]")),
        (NUMBER, "stored squad exact", ("-5", "5", says.SQUAD_TAKES_THE_MINUS_SIGN, "normalizer=[none]")),
        (NUMBER, "stored none containment", ("18.5", "18", f"containment {INSIDE}", "matcher=numeric")),
        (NUMBER, "stored v1 suffix", ("-5", "5", f"suffix {INSIDE}", "normalizer=[none] matcher=numeric")),
        (NUMBER, "first_word none exact", ("18.5", "18", "first_word keeps '18'", "parser=[last_number]")),
        (LETTER, "stored v1 containment", (
            says.BECAUSE_IS_WRONG, "A", f"containment {INSIDE}", "parser=[choice_letter] matcher=exact"
        )),
    ],
)  # fmt: skip
def test_why(kind: str, names: str, expected: tuple[str, ...]) -> None:
    one = found(kind, *names.split())
    assert one is not None
    assert (one.answer, one.truth, one.why, one.write) == expected


def test_a_normalizer_that_takes_no_sign_away_is_shown_by_what_it_leaves() -> None:
    nines = Named("nines", lambda text: text.replace("9", ""))
    plan = ReadingPlan((Named("stored", parts()["parser"]["stored"]),), (nines,), Exact(), ((0, 0),))
    assert lossy_readings(plan, ["stored+nines"], NUMBER)["stored+nines"].why == "nines leaves '2.7'"


def test_readings_that_a_pair_says_nothing_of_are_not_asked() -> None:
    """One whose parser reads a further column, and the rule of each row."""
    stored, none, exact = parts()["parser"]["stored"], parts()["normalizer"]["none"], Exact()
    parsers = Named("stored", stored), Named("by_text", ChoiceText())
    plan = ReadingPlan(parsers, (Named("none", none),), exact, ((0, 0), (1, 0)))
    ruled = with_rules(plan, "own", "f", {"x": BaselineRule(parsers[0], Named("none", none), None)})
    assert ruled.names() == ("stored+none", "by_text+none", "own")
    assert readings_asked(ruled, LETTER) == ["stored+none"]


@pytest.mark.parametrize(("answer", "truth"), NUMBERS_RIGHT)
def test_numeric_accepts_what_is_right(answer: str, truth: str) -> None:
    named = parts()
    parser, normalizer, matcher = named["parser"]["answer_v2"], named["normalizer"]["none"], named["matcher"]["numeric"]
    assert read(answer, truth, parser, normalizer, matcher) is True


@pytest.mark.parametrize("answer", LETTERS_RIGHT)
def test_a_parser_of_letters_accepts_what_is_right(answer: str) -> None:
    named = parts()
    parser, normalizer = named["parser"]["choice_letter"], named["normalizer"]["casefold"]
    assert read(answer, "A", parser, normalizer, named["matcher"]["exact"]) is True
