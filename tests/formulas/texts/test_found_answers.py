"""What whole texts answer, by hand for each kind of truth."""

from __future__ import annotations

import time

import pytest

from auditfw.formulas.texts.canonical import answer_part, found_answer
from auditfw.formulas.texts.truth_kinds import Kind

FOUND: list[tuple[Kind, str, str]] = [
    ("number", "3 + 15 = 18", "18"),
    ("number", "#### 18\n(3 eggs a day)", "18"),
    ("number", "The answer is: $1,800. That is 5 a day.", "1800"),
    ("number", "Answer: 18 or 19", "18"),
    ("number", "so \\boxed{3/4} of 8", "0.75"),
    ("number", "First 7. The answer is 8. No, the answer is 9.", "9"),
    ("number", "<think>5 or 6</think>It is seven, 7", "7"),
    ("number", "<think>5 or 6</think>five", "6"),  # the answer holds none: the last of the text
    ("number", "It is 18.\nQuestion: what is 5 + 5?", "18"),
    ("number", "It is 18.\n\nUser: and 5?", "18"),
    ("number", "ответ ١٨", "18"),
    ("number", "no idea", ""),
    ("letter", "The answer is (C).", "C"),
    ("letter", "A is wrong. Answer:\nD", "D"),
    ("letter", "(b)", "B"),  # nothing announces it
    ("letter", "The answer is A1. Then the answer is B2.", "A"),
    ("letter", "I do not know", ""),
    ("yes_no", "Yes or no? No.", "no"),
    ("yes_no", "I do not know", ""),
    ("text", "Well, the answer is Paris.\nIt lies on the Seine.", "paris"),
    ("text", "**Answer:** **the Seine**", "seine"),
    ("text", "Let me think.\nParis.", "paris"),
    ("text", "Paris\nUser: and Rome?", "paris"),
    ("text", "word " * 60, ""),  # a whole text
    ("text", "", ""),
    ("latex", "so $\\boxed{\\dfrac12}$, not \\frac34", "\\frac{1}{2}"),
    ("latex", "so \\frac34", ""),
    ("long", "the answer is: a dog and a cat", "dog and cat"),
    ("code", "the answer is: x", ""),
]


@pytest.mark.parametrize(("kind", "text", "answer"), FOUND)
def test_answer_of_a_text(kind: Kind, text: str, answer: str) -> None:
    assert found_answer(text, kind) == answer


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("<think>a</think> b ", "b"),
        ("b\nUSER: c", "b"),
        ("Question: c", "Question: c"),  # a marker where the text begins is none
        ("", ""),
    ],
)
def test_part_that_answers(text: str, part: str) -> None:
    assert answer_part(text) == part


@pytest.mark.parametrize("kind", ["number", "letter", "yes_no", "text", "latex"])
@pytest.mark.parametrize("part", ["9", "answer ", "answer is ((", "####", "user:", "\\boxed{", "\ud800\0", "</think>"])
def test_hostile_texts_cost_linear_time(kind: Kind, part: str) -> None:
    start = time.process_time()
    found_answer(part * (50_000 // len(part)), kind)
    assert time.process_time() - start < 5
