"""What the truths of a table or a log are, and the readings that are proposed for them."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.audits.parsing.engine.default_readings import DEFAULTS, OF_LOGS
from auditfw.audits.parsing.engine.grid import ReadingGrid
from auditfw.audits.parsing.probe.pairs import lossy_readings, readings_asked
from auditfw.commands.paths.truths import ENDS, LETTERS, Truths
from auditfw.config.schema import load


@pytest.mark.parametrize(
    ("truths", "kind"),
    [
        (["A", "b", "(C)"], "letter"),
        (["A", "K"], "text"),
        (["1", "1,000", "$5", "-2.5", "50%", 3], "number"),
        (["1", "one"], "text"),
        (["1"] * 19 + ["one"], "number"),
        (["1", "3/4", ".5", "1e3"], "number"),
        (["1", "", "", None, ""], "number"),
        (["1", " ", "\n"], "number"),
        (["1"] * 18 + ["one"], "text"),
        (["A"] * 18 + ["some"], "text"),
        (["A"] * 18 + ["none"], "letter"),
        (["A"] * 19 + ["none"], "letter"),
        ([["A", "B"], "C"], "letter"),
        ([None], "text"),
        ([], "text"),
    ],
)
def test_kinds_of_answers(truths: list[Any], kind: str) -> None:
    assert Truths(truths).kind_of_log == kind


def sound(kind: str, parsers: list[str], normalizer: str, matcher: str) -> bool:
    """Whether none of the parsers accepts a wrong answer under a normalizer and a matcher, as shipped."""
    parts = {name: load("parser", name) for name in parsers}
    grid = ReadingGrid(parts, {normalizer: load("normalizer", normalizer)}, {})
    plan = grid.plan(grid.names(), load("matcher", matcher))
    return not lossy_readings(plan, readings_asked(plan, kind), kind)


@pytest.mark.parametrize("kind", ["letter", "number"])
def test_no_lossy_reading_is_proposed(kind: str) -> None:
    """Neither for tables nor for logs without a rule, whatever the texts."""
    parsers, normalizers, matcher = DEFAULTS[kind]
    assert all(sound(kind, ["stored", *parsers], one, matcher.split()[0]) for one in normalizers)
    assert sound(kind, [*OF_LOGS[kind]], *ENDS[kind])
    assert sound("letter", [*OF_LOGS["letter"]], *LETTERS)
    assert not sound("number", ["stored"], "v1", "numeric")


@pytest.mark.parametrize(
    ("truths", "kind", "words"),
    [
        (["Add.\n#### 18", "#### 1,000", None], "number", ["audit.truth=last_number"]),
        (["So it is.\nThe answer is $3.50."], "number", ["audit.truth=last_number"]),
        ([["Adding up. The answer is 3721."], ["#### 5", "#### 6"]], "number", ["audit.truth=last_number"]),
        (["#### 18", "Rome"], "text", []),
        (["18", "$5"], "number", []),
        (["It is 18 of 20"], "text", []),
        ([None, ""], "text", []),
    ],
)
def test_the_number_of_a_worked_solution_is_the_truth(truths: list[Any], kind: str, words: list[str]) -> None:
    assert (Truths(truths).kind_of_log, Truths(truths).truth_words) == (kind, words)


@pytest.mark.parametrize(
    ("truths", "matcher"),
    [
        (["A", "b"], "exact"),
        (["(A)", "(B)"], "choice"),
        (["A.", "B."], "choice"),
        (["A)", "B", None], "choice"),
        (["A, C", "B"], "exact"),
        (["(A) is it", "B"], "numeric"),
        (["4", "(5)"], "numeric"),
    ],
)
def test_letters_with_marks_are_compared_as_choices(truths: list[str | None], matcher: str) -> None:
    """No answer equals the truth (A) that is the letter A alone."""
    usual = ("casefold", "exact") if Truths(truths).kind == "letter" else ("none", "numeric")
    assert Truths(truths).ends(usual) == (("none", "choice") if matcher == "choice" else usual)
    assert Truths(truths).ends(usual)[1] == matcher
