"""The time that shipped steps and matchers take: of a text four times as long about four times as much.

What is compared is processor time, the least of several, and only where it is no trifle: a ratio of 16 is quadratic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from auditfw.components.step.cuts import BeforeFirst
from auditfw.components.step.field import MarkedChoice
from auditfw.components.step.patterns import JsonField
from auditfw.formulas.texts.patterns import forget_late
from auditfw.kinds.component_index import FAMILIES, OPTIONS
from auditfw.kinds.registry import component

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "after_last": {"delimiter": "</think>"},
    "before_last": {"delimiter": "</think>"},
    "before_first": {"markers": ("user:", "assistant:")},
    "replace_characters": {"characters": ".,"},
    "capture": {"pattern": r"(?im)^\s*answer\s*:\s*(\S+)"},
    "substitute": {"pattern": r"\s+$"},
    "first_of": {"choices": ((BeforeFirst(("user:", "assistant:")), MarkedChoice()), (JsonField(),))},
}
STEPS = [name for names in FAMILIES["step"].values() for name in names.split()]
MATH_VERIFY = ("math", "lighteval_extractive")  # in a process of its own, which is ended at its deadline
MATCHERS = [name for name in OPTIONS["matcher"].split() if name not in MATH_VERIFY]
UNITS = [
    " ", "\n", "\r\n", "```\n", "(", "[", "{", "}", "\\boxed{", "<think>", "</think>", "A", "A.", "A ", "I ", "1,", "1",
    "-", ".", "**", "*", "_", "`", "~~", "$", "\\", "answer", "answer is ", "the answer is (", "ANSWER: ", "is", "|",
    "é", "e\u0301", "\u0301", "\u200b", "漢", "٣", "Ａ", "答案", '"a b "', '{"a": ', '{"a": "b', "[a](", "> ", "# ",
    "- ", "a.", "1/", "<answer>", "<answer ", "</answer>", "$a ", "\\frac{", "not ",
]  # fmt: skip
STARTS = ["", "ANSWER:", "x", "\\boxed{", "1", "$A", "**A"]
SHORT, LONG, TRIFLE, RATIO = 3_000, 12_000, 0.03, 9.0


def seconds(call: Callable[[str], object], text: str) -> float:
    """The processor time of a call; one that reaches a deadline of its own has taken it."""
    forget_late()
    start = time.process_time()
    try:
        call(text)
    except TimeoutError:
        return 1.0
    return time.process_time() - start


def superlinear(call: Callable[[str], object]) -> list[str]:
    """The repeated texts on which a call takes far more than its share."""
    slow = []
    for unit in UNITS:
        for start in STARTS:
            short, long = (start + unit * (size // len(unit)) + "#" for size in (SHORT, LONG))
            if seconds(call, long) > TRIFLE:
                least = min(seconds(call, long) for _ in range(3))
                if least > TRIFLE and least > RATIO * min(seconds(call, short) for _ in range(3)):
                    slow.append(f"{start}{unit}: {least:.2f} s")
    return slow


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_steps_take_linear_time(name: str) -> None:
    step = component("step", name, "").cls(**SETTINGS.get(name, {}))
    fast = getattr(step, "fast", None)
    assert superlinear(step) == []
    assert fast is None or superlinear(fast) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("truth", ["4", "Paris", "A"])
def test_matchers_take_linear_time(name: str, truth: str) -> None:
    matcher = component("matcher", name, "").cls()
    assert superlinear(lambda text: matcher(text, truth)) == []
