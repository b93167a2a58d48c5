"""Prompts and the code in their replies: extractors, enclosures, what a prompt shows."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_requests import ask
from searching import examples

from auditfw.components.solver.prompts import Prompt, delimiter, enclosed, extract_code, parse_code
from auditfw.kinds.solving import Attempt


@pytest.mark.parametrize(
    ("text", "reference", "lenient", "strict"),
    [
        ("```python\nx=1\n```", "x=1\n", "x=1\n", "x=1\n"),
        ("no code", None, "", ""),
        ("x = 1", None, "x = 1", ""),
        ("```py\nx=1\n```", None, "x=1\n", ""),
        ("~~~python\nx=1\n~~~", None, "x=1\n", "x=1\n"),
        ("```python\nx=1", None, "x=1", ""),
        ("```\nx=1\n```", None, "x=1\n", ""),
        ("```python3\nx=1\n```", "3\nx=1\n", "x=1\n", ""),
        ("```python\nno code\n```\n```python\nx=1\n```", "no code\n", "x=1\n", ""),
        ("```python\nx=1\n```\n```python\ny=1\n```", "x=1\n", "x=1\n", ""),
        ("```python\n```", "", "", ""),
        ("```PYTHON   x=1```", "x=1", "", ""),
        ("```json\n{}\n```\n```python\nx=1\n```", "x=1\n", "x=1\n", ""),
        ("````python\nx='''\n```\n'''\n````", "x='''\n", "x='''\n```\n'''\n", "x='''\n```\n'''\n"),
    ],
)
def test_extractors(text: str, reference: str | None, lenient: str, strict: str) -> None:
    assert parse_code(text) == reference
    assert extract_code(text, "reference")[0] == (reference or "")
    assert extract_code(text, "lenient")[0] == lenient
    assert extract_code(text, "strict")[0] == strict
    for how in ("reference", "lenient", "strict"):
        code, why = extract_code(text, how)  # type: ignore[arg-type]
        assert bool(code) != bool(why)


def test_extractors_are_quick_on_hostile_text() -> None:
    begun = time.process_time()
    for text in ("```python" * 50_000, "```python" + " " * 500_000, "```\n" * 100_000, "`" * 500_000):
        for how in ("reference", "lenient", "strict"):
            extract_code(text, how)  # type: ignore[arg-type]
    assert time.process_time() - begun < 10


HOSTILE = st.text(st.sampled_from(["a", "\n", "`", "\x00", "\x1b", "\u202e", *delimiter(7)]), max_size=80)


@settings(deadline=None, max_examples=examples(40))
@given(HOSTILE, st.integers(0, 40))
def test_no_text_of_a_model_closes_its_enclosure(text: str, at: int) -> None:
    mark = delimiter(7)
    hostile = text[:at] + mark[: at % 9] + mark + mark[at % 9 :] + text[at:]
    prompt = Prompt(shuffle=False).write(ask((Attempt(1, hostile, 0.5, hostile),)))
    assert prompt is not None
    lines = prompt[1]["content"].split("\n")
    assert sum(mark in line for line in lines) == sum(line == mark for line in lines) == 2 * (2 * 2 + 1 + 2)
    assert "\x00" not in prompt[1]["content"]
    assert "\x1b" not in enclosed(hostile, mark)


def test_prompts_differ_with_the_seed_and_with_nothing_else() -> None:
    assert Prompt().write(ask(seed=1)) == Prompt().write(ask(seed=1))
    assert delimiter(1) != delimiter(2)


def test_a_prompt_shows_the_best_attempts_and_keeps_to_its_size() -> None:
    tried = tuple(Attempt(n, f"program-{n}", n / 10, "x" * 100) for n in range(1, 9))
    text = Prompt(shown=2).write(ask(tried))[1]["content"]  # type: ignore[index]
    assert [n for n in range(1, 9) if f"program-{n}" in text] == [7, 8]
    assert text.index("program-7") < text.index("program-8")
    long = (Attempt(1, "y" * 50_000, 0.1, ""), Attempt(2, "z" * 50, 0.9, ""))
    text = Prompt(characters=100).write(ask(long))[1]["content"]  # type: ignore[index]
    assert "[49900 characters left out]" in text
    text = Prompt(total=2_000, characters=60_000).write(ask(long))[1]["content"]  # type: ignore[index]
    assert "zzz" in text
    assert "yyy" not in text
    assert Prompt(total=100).write(ask()) is None
