"""The forms as components: what they make of texts, and that they are those that rows are held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw import load
from auditfw.components.matcher.forms import Forms
from auditfw.core.errors import UsageError
from auditfw.formulas.forms.texts import COUNTED, FORMS, form_name, near_form, same_under
from auditfw.kinds import registry
from auditfw.kinds.registry import components, register
from auditfw.kinds.text import TextBeside

VALUES = [
    ("currency", "$18", 18), ("last", "1 or 2", None), ("case", " The  END ", "the end"),
    ("articles", "The End.", "end"),
    ("date", "May 4th, 1977", (1977, 5, 4)), ("clock", "noon", None), ("roman", "II", None), ("inside", "A b!", "b"),
    ("latex", r"x=\dfrac12", r"\frac{1}{2}"), ("initials", "J. F. Kennedy", None),
]  # fmt: skip


def test_forms_are_those_that_rows_are_held_against() -> None:
    shipped = components("form")
    assert set(shipped) == set(FORMS)
    assert {name for name, one in shipped.items() if one.cls.counts} == set(COUNTED)
    assert [name for name, one in shipped.items() if form_name(one.cls) != name] == []


@pytest.mark.parametrize(("name", "text", "value"), VALUES)
def test_what_a_form_makes_of_a_text(name: str, text: str, value: object) -> None:
    assert load("form", name).value(text) == value


@pytest.mark.parametrize(
    ("name", "answer", "truth"),
    [("thousands", "2,664", "2664"), ("words", "third", "3rd"), ("words", "eight", "8"), ("inside", "in Rome", "Rome"),
     ("latex", r"\dfrac12", r"\frac12"), ("part_of_truth", "May 1977", "4 May 1977"), ("elsewhere", "So it is 8", "8"),
     ("elsewhere", "So it is Rome", "Rome"), ("other_script", "Рим", "Rome"),
     ("letter_text", TextBeside("Rome", {"options": ["Paris", "Rome"]}), "B")],
)  # fmt: skip
def test_what_is_the_same_under_a_form(name: str, answer: str, truth: str) -> None:
    form = load("form", name)
    assert same_under(form, answer, truth)
    assert not same_under(form, "nothing of it 5", truth)


@given(st.text("28,6$.% kmoneAB", max_size=8), st.text("28,6$.% kmoneAB", max_size=8))
def test_the_matcher_accepts_what_the_forms_accept(answer: str, truth: str) -> None:
    assert Forms()(answer, truth) == (answer == truth or near_form([answer], truth) in COUNTED)


def test_the_matcher_takes_the_forms_that_are_named() -> None:
    only = Forms(("thousands", "rounding_coarse"))
    pairs = [("2,664", "2664"), ("3", "2.97"), ("$18", "18"), ("18", "18")]
    assert [only(*pair) for pair in pairs] == [True, True, False, True]
    with pytest.raises(UsageError, match=r"forms\[1\]: no form named 'thousand' - did you mean 'thousands'\?"):
        Forms(("unit", "thousand"))


@pytest.fixture
def reversed_form() -> Iterator[None]:
    """A form of somebody else's."""

    @register("form", "reversed")
    @dataclass(frozen=True)
    class Reversed:
        """The text from its end."""

        kinds: ClassVar[tuple[str, ...]] = ("text",)
        counts: ClassVar[bool] = True

        def value(self, text: str) -> str:
            return min(text, text[::-1])

    yield
    registry._entries.pop(("form", "reversed"))


@pytest.mark.usefixtures("reversed_form")
def test_a_form_of_somebody_else() -> None:
    assert Forms(("reversed",))("emoR", "Rome")
    assert not Forms(("reversed",))("12", "21"), "numbers are none of its kinds"
    assert not Forms()("emoR", "Rome"), "it counts where it is named"
