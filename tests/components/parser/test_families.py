"""How parsers find, the ones that read what others announce, and those of truths."""

from __future__ import annotations

from typing import Any

import pytest

import auditfw
from auditfw.audits.parsing.engine.plan import family_of
from auditfw.components.parser.options import LetterOfIndex, LetterOfOption, OptionOfLetter
from auditfw.config import build
from auditfw.core.errors import UsageError
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.text import FAMILIES, Parser, TextBeside

RUN_ON = "21 in all.\nQuestion: how many are 3 and 4?\nThe answer is 7."


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        ("announced_number", "3 and 4\n#### 1,234.5", "1,234.5"),
        ("announced_number", "The answer is 3.\n#### 4", "4"),  # what four hashes announce is surer
        ("announced_number", "The answer is 7. Or the answer is 8.", "7"),
        ("announced_number", "**Answer:** $18 of 20", "$18"),
        ("announced_number", "一步一步来。答案是 21。\n\n问题：小李有 9 本书。", "21"),
        ("announced_number", "الإجابة: ٤٢", "42"),
        ("announced_number", "18", ""),
        ("announced_number", "To answer 3 questions", ""),
        ("announced_number", "The answer is 3?</think>#### 4", "4"),
        ("first_turn", RUN_ON, "21"),
        ("first_turn", "The answer is 3 of 4.\nQ: next?\nThe answer is 9", "3"),
        ("first_turn", "Question: own\nThe answer is 3.\n\nHuman: 4", "3"),  # what a text begins with is its own
        ("first_turn", "The answer is (C) 5 m.\n问题：5", "C"),
        ("first_turn", "Paris\n\nUser: and Italy?\nRome", "Paris"),
        ("first_letter", "Answer: B\nWait.\nAnswer: C", "B"),
        ("first_letter", "(A) is wrong, so (B)", "B"),  # where none is announced as choice_letter
        ("first_letter", "选项C不对。因此，正确答案是A。", "A"),
        ("first_letter", "【答案】C\n【解析】D项不合题意。", "C"),
        ("first_letter", "none", ""),
        ("yes_no", "no?</think> Yes, of course", "yes"),
        ("yes_no", "I would say no. Yes?", "no"),
        ("yes_no", "notes", ""),
        ("last_yes_no", "Yes? I would say NO.", "no"),
        ("last_yes_no", "notes", ""),
    ],
)
def test_what_is_kept(name: str, text: str, kept: str) -> None:
    assert auditfw.load("parser", name)(text) == kept


def test_every_shipped_parser_has_a_family() -> None:
    build.prepare()
    families = {name: capability(part, "family") for name, part in build.shipped_texts()["parser"].items()}
    assert {name for name, family in families.items() if not family} == set()
    assert set(families.values()) <= {*FAMILIES}
    assert {families[one] for one in ("answer_v2", "raw", "best_span", "after_think")} == {"whole"}
    assert (families["stored"], families["strict_match"], families["choice_letter"]) == (
        "stored", "announced_number", "last_letter",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("parser", "matcher", "family"),
    [
        ("last_number", "exact", ("last_number", "equality")),
        ("flexible_extract", "numeric", ("last_number", "equality")),
        ("raw", "numeric", ("whole", "equality")),
        ("raw", "containment", ("whole", "containment")),
        ("stored", "exact", ("stored", "equality")),
    ],
)
def test_the_family_of_a_reading(parser: str, matcher: str, family: tuple[str, str]) -> None:
    named = [Named[Any](name, auditfw.load(kind, name)) for kind, name in (("parser", parser), ("matcher", matcher))]
    assert family_of(*named) == family


def test_a_part_without_a_family_is_like_no_other() -> None:
    parser: Parser = auditfw.load("parser", {"use": "steps", "steps": [{"use": "capture", "pattern": "(x)"}]})
    assert family_of(Named("mine", parser), Named("own", lambda answer, truth: True)) == ("mine", "own")


def test_a_family_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="no family 'last_numbr'"):
        auditfw.load("parser", {"use": "steps", "family": "last_numbr"})


@pytest.mark.parametrize(
    ("truths", "letters"),
    [
        (["1", "0", "3"], ["B", "A", "D"]),
        (["1", "2", "4"], ["A", "B", "D"]),
        (["0.0", "1.0"], ["A", "B"]),
        (["0", "B", "5.5", "", "99"], ["A", "B", "5.5", "", "99"]),
    ],
)
def test_the_first_index_is_0_where_any_is_0(truths: list[str], letters: list[str]) -> None:
    assert list(map(LetterOfIndex().fitted(iter(truths)), truths)) == letters
    assert LetterOfIndex(base=1).fitted(truths) == LetterOfIndex(base=1)


@pytest.mark.parametrize(
    ("parser", "truth", "choices", "read"),
    [
        (LetterOfOption(), "Rome", ["Paris", "Rome"], "B"),
        (LetterOfOption(), "the rome.", '["Paris", "Rome"]', "B"),
        (LetterOfOption(), "-5", ["5", "-5"], "B"),
        (LetterOfOption(), "Rome", ["Rome", "Rome"], "Rome"),
        (LetterOfOption(), "Oslo", ["Paris", "Rome"], "Oslo"),
        (LetterOfOption(), "", ["", "Rome"], ""),
        (OptionOfLetter(), "(b)", ["Paris", "Rome"], "Rome"),
        (OptionOfLetter(), "C", ["Paris", "Rome"], "C"),
        (OptionOfLetter(), "Rome", ["Paris", "Rome"], "Rome"),
    ],
)
def test_truths_by_their_options(parser: Parser, truth: str, choices: Any, read: str) -> None:
    assert parser(TextBeside(truth, {"choices": choices})) == read


LETTERS = ["B", "A", "D", "B", "C", "A"] * 5


@pytest.mark.parametrize(
    ("truths", "further", "truth", "right"),
    [
        ([1, 0, 3, 2, 2, 0], {}, "letter_of_index", 25),
        ([2, 1, 4, 3, 3, 1], {}, "letter_of_index", 25),
        (["x", "W", "z", "y", "y", "w"], {"choices": ["w", "x", "y", "z"]}, "letter_of_option", 25),
    ],
)
def test_a_run_reads_truths_by_options(truths: list[Any], further: dict[str, Any], truth: str, right: int) -> None:
    """And the search for the rule of the labels does where nothing is said."""
    rows = [
        {"id": i, "raw_text": f"The answer is {answer}.", "ground_truth": truths[i % 6], "stored": i % 6 != 3}
        for i, answer in enumerate(LETTERS)
    ]
    settings = {
        "source": {"use": "frame", "frame": [row | further for row in rows]}, "parser": ["choice_letter"],
        "normalizer": ["none"], "matcher": "exact", "by": [], "gate": [],
    }  # fmt: skip
    result = auditfw.run({**settings, "audit": {"baseline": None, "truth": truth}})
    assert result.measurement("flips", "choice_letter+none").estimate.value == 0
    assert result.measurement("error_rate", "choice_letter+none").estimate.value == pytest.approx(
        100 - 100 * right / 30
    )
    measured = auditfw.run({**settings, "audit": {"baseline": "search"}}).measurements
    assert next(m.reading for m in measured if m.metric == "mismatches").endswith(f"(audit.truth={truth})")
