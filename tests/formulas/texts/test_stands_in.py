"""Whether answers stand in texts, and which options they name, by hand."""

from __future__ import annotations

import time

import pytest

from auditfw.formulas.texts.stands_in import SEVERAL, option_places, stands_in
from auditfw.formulas.texts.truth_kinds import Kind

CITIES = ("Rome", "Paris", "Bern", "Paris, Texas")

STANDS: list[tuple[Kind, str, str, bool]] = [
    ("number", "5", "it is 5.", True),
    ("number", "5", "it is 15 or 50 or 5.5", False),
    ("number", "5", "it is $5.00", True),
    ("number", "1234", "1,234 eggs", True),
    ("number", "1,234", "1234 eggs", True),
    ("number", "0.5", "a half: 1/2", True),
    ("number", "0.5", "\\frac{1}{2}", True),
    ("number", "-5", "it is −5", True),
    ("number", "5", "a-5", True),  # may be a dash
    ("number", "-5", "it is 5", False),
    ("number", "5", "٥", True),
    ("number", "5", "five", False),
    ("number", "5", "", False),
    ("letter", "B", "so (B)", True),
    ("letter", "B", "so b", False),
    ("letter", "B", "**b**", True),
    ("letter", "B", "答案是B。", True),
    ("letter", "B", "Bern", False),
    ("letter", "B", "it is paris!", True),
    ("letter", "A", "A city", False),
    ("letter", "A", "C: option A would do", True),
    ("letter", "I", "so I think", False),
    ("letter", "D", "it is Paris", False),
    ("letter", "(B)", "B", True),
    ("letter", "E", "Paris", False),
    ("letter", "", "B", False),
    ("yes_no", "yes", "Yes, it is", True),
    ("yes_no", "yes", "eyes", False),
    ("yes_no", "Yes.", "no", False),
    ("text", "Paris", "Paris", False),
]


@pytest.mark.parametrize(("kind", "answer", "text", "stands"), STANDS)
def test_an_answer_stands_in_a_text(kind: Kind, answer: str, text: str, stands: bool) -> None:
    assert stands_in(answer, text, kind, CITIES) is stands


NAMED: list[tuple[str, str, tuple[int, int]]] = [  # the answer, the text, the places of letter and text
    ("B", "The answer is (B) Paris.", (1, 1)),
    ("B", "The answer is (B) Rome.", (1, 0)),  # the letter of one, the text of another
    ("B", "Paris? No. The answer is B.", (1, SEVERAL)),
    ("B", "B: Rome or Bern", (1, SEVERAL)),
    ("D", "(D) Paris, Texas", (3, 3)),  # Paris within it does not count
    ("B", "B" + " x" * 101 + " Paris", (1, SEVERAL)),  # too far on
    ("B", "it is Paris", (1, SEVERAL)),
    ("E", "(E) Paris", (SEVERAL, 1)),
    ("(B) Paris", "", (1, 1)),  # in the stored answer
    ("Paris", "", (SEVERAL, 1)),
    ("", "", (SEVERAL, SEVERAL)),
]


@pytest.mark.parametrize(("answer", "text", "places"), NAMED)
def test_options_that_are_named(answer: str, text: str, places: tuple[int, int]) -> None:
    assert option_places(answer, text, answer, CITIES, "letter") == places


def test_a_letter_is_looked_for_in_answers_in_words_only_where_it_leads() -> None:
    assert option_places("B) Paris", "", "B) Paris", CITIES, "text") == (1, 1)
    assert option_places("I go with B", "", "I go with B", CITIES, "text") == (SEVERAL, SEVERAL)


@pytest.mark.parametrize("part", ["9", "1/", "1,", "\\frac{", "B ", "(", "\ud800\0", "yes"])
def test_hostile_texts_cost_linear_time(part: str) -> None:
    text = part * (50_000 // len(part))
    start = time.process_time()
    for kind, answer, _, _ in STANDS:
        stands_in(answer, text, kind, CITIES)
    option_places("C", text, "C", CITIES, "letter")
    assert time.process_time() - start < 25
