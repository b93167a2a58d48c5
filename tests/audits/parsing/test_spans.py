"""Where a parser kept its answer and where the truth stands in a text."""

from __future__ import annotations

import pytest
from hostile_readings import PARSERS, TEXTS
from hypothesis import given, settings
from searching import examples

from auditfw.audits.parsing import exhibits

by_name = {named.name: named.part for named in PARSERS}

# What was kept stands where: the last place is wrong for most of them.
KEPT = [
    ("answer_v2", "18\nUser: 9 + 9?\nAssistant: 18", 0),
    ("answer_v1", "18\nUSER: 9 + 9?\nASSISTANT: 18", 0),
    ("first_line", "yes\nno\nyes", 0),
    ("last_line", "yes\nno\nyes", 7),
    ("after_think", "8 or 8</think>8, so 8", 14),
    ("before_think", "8</think>8", 0),
    ("boxed", r"\boxed{4} is 4, 4 it is", 7),
    ("answer_tag", "4 <answer>4</answer> 4", 10),
    ("last_number", "18, no: 18", 8),
    ("first_word", "Yes, Yes", 0),
    ("choice_letter", "B (B) is not B", 3),
    ("choice_letter", "(b) or b", -1),
    ("answer_is", "Paris. The answer is Paris. Paris", 21),
    ("json_answer", '8 {"answer": "8"} 8', 14),
    ("strict_match", "8 #### 8 and 8", 7),
    ("raw", "8 8", 0),
    ("boxed", "nothing here", -1),
    ("first_line", "? ?\n? ?", 4),
]


@pytest.mark.parametrize(("name", "text", "at"), KEPT)
def test_where_a_parser_kept_its_answer(name: str, text: str, at: int) -> None:
    assert exhibits.kept_at(by_name[name], text, by_name[name](text)) == at


@settings(max_examples=examples(80), deadline=None)
@given(text=TEXTS)
def test_a_span_holds_what_was_kept(text: str) -> None:
    for name, parser in by_name.items():
        kept = parser(text)
        at = exhibits.kept_at(parser, text, kept)
        assert (at >= 0) == (kept != "" and kept in text), name
        assert at < 0 or text[at : at + len(kept)] == kept, name


def test_a_parser_that_fails_on_the_question_is_not_asked_further() -> None:
    class Fussy:
        column, only_with = "raw_text", None

        def __call__(self, text: object) -> str:
            if text != "8 8":
                raise ValueError
            return "8"

    assert exhibits.kept_at(Fussy(), "8 8", "8") == 2


@pytest.mark.parametrize(
    ("text", "truth", "places"),
    [
        ("Paris, PARIS, parisian", "paris", [(0, 5), (7, 12), (14, 19)]),
        ("8, 18, 8.5, x8", "8", [(0, 1), (7, 8)]),
        ("Mint mint minty", "Mint", [(0, 4), (5, 9)]),
        ("c++ and C++x", "C++", [(0, 3), (8, 11)]),
        ("İzmir, izmir", "izmir", [(0, 5), (7, 12)]),
        ("aaaa", "", []),
        ("a b", " ", []),
        ("x" * 5 + "Rome" * 2, "Romeo", []),
        ("Bern! " * 30, "bern", [(6 * n, 6 * n + 4) for n in range(exhibits.PLACES)]),
    ],
)
def test_where_the_truth_stands(text: str, truth: str, places: list[tuple[int, int]]) -> None:
    assert exhibits.truth_at(text, text.lower(), truth) == places
