"""Values of conditions: the same or not, as text, and what prompts show."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.commands.comparison.condition_values import (
    AssumedValue,
    Status,
    canonical,
    differing_settings,
    marks_in,
    shots_in,
    status_of,
    text_of,
)

RULE = {"name": "match", "numeric": True, "location": "end"}


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ((1, 1.0), "same"),
        (("", ""), "same"),
        (([1.0, "a"], [1, "a"]), "same"),
        (({"a": 1, "aggregation": "mean"}, {"a": 1}), "same"),
        (("", None), "not_recorded"),
        ((None, None), "not_recorded"),
        ((None, 3), "not_recorded"),
        ((AssumedValue(256), 256), "not_recorded"),
        ((AssumedValue(256), AssumedValue(256)), "not_recorded"),
        ((0, ""), "differs"),
        ((1, "1"), "differs"),
        ((1, True), "differs"),
        ((["a", "b"], ["b", "a"]), "differs"),
        ((1, 1, 2), "differs"),
    ],
)
def test_status(values: tuple[Any, ...], status: Status) -> None:
    assert status_of(values) == status


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        ("", "none"),
        (0, "0"),
        (0.0, "0"),
        (0.7, "0.7"),
        (True, "true"),
        ("org/m", "org/m"),
        ([], ""),
        (AssumedValue(256), "256 (assumed)"),
        (["Q:", "\n\n"], 'Q:, "\\n\\n"'),
        ({"random": 0, "numpy": 1234}, "random 0, numpy 1234"),
        (RULE, "match (numeric true, location end)"),
        ({"name": "none", "output_type": "multiple_choice"}, "none"),
    ],
)
def test_text(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_settings_that_differ() -> None:
    assert differing_settings([RULE, {**RULE, "location": "any"}]) == [
        {"name": "match", "location": "end"},
        {"name": "match", "location": "any"},
    ]


@pytest.mark.parametrize(
    ("prompt", "shots"),
    [
        ("Question: 1+1?\nAnswer:", 0),
        ("Question: 1+1?\nAnswer: 2\n\nQuestion: 2+2?\nAnswer:", 1),
        ("Q: a\nA: b\nQ: c\nA: d\nQ: e\nA:", 2),
        ("Solve it.\n\n  Problem: x\n", 0),
        ("What is 2+2?", None),
        ("", None),
    ],
)
def test_shots(prompt: str, shots: int | None) -> None:
    assert shots_in([prompt]) == shots


def test_shots_are_the_median() -> None:
    one, two = "Q: a\nA: b\nQ: c", "Q: a\nQ: b\nQ: c"
    assert (shots_in([]), shots_in([one, one, two]), shots_in([two, one, two])) == (None, 1, 2)


@pytest.mark.parametrize(
    ("prompts", "shares"),
    [
        ([], None),
        (["Q: a"], (0, 0)),
        (["<|im_start|>user\nQ: a<|im_end|>", "Q: b"], (50, 0)),
        (["<|begin_of_text|><|begin_of_text|><|start_header_id|>"], (100, 100)),
        (["<s> <s>[INST] a [/INST]"], (100, 100)),
        (["<s>[INST] a <s>"], (100, 0)),
        (["<s><bos>a"], (0, 0)),
    ],
)
def test_marks_of_chat_templates(prompts: list[str], shares: tuple[int, int] | None) -> None:
    assert marks_in(prompts) == shares


PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


@given(VALUES, VALUES)
def test_a_text_of_its_own_for_each_value(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(one)
    assert isinstance(text_of(one), str)
    if canonical(one) == canonical(other):
        assert status_of([one, other]) in ("same", "not_recorded")
