"""The scoring that wants the expected output."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from auditfw.kinds.registry import declare

from .wording import shown


@declare("scoring", "exact")
class ExactScoring:
    """Gives 1 for an output equal to the expected one, else 0; true is not 1, and NaN equals nothing."""

    def __call__(self, output: Any, expected: Any) -> float:
        return float(_same(output, expected))

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why no output can equal an expected one, and what to do; "" where one can."""
        return ("", "") if _same(expected, expected) else ("holds NaN, which equals nothing", "write a number or null")

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected, cut short; "" where they are equal."""
        return "" if _same(output, expected) else f"expected {shown(expected)}, got {shown(output)}"


def _same(one: Any, other: Any, equal: Callable[[float, float], bool] = operator.eq) -> bool:
    """Are two values of JSON equal, part by part? `equal` compares numbers."""
    todo = [(one, other)]
    while todo:
        a, b = todo.pop()
        if isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif isinstance(a, int | float) and isinstance(b, int | float):
            if not equal(a, b):
                return False
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            todo += zip(a, b, strict=True)
        elif isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            todo += [(a[key], b[key]) for key in a]
        elif type(a) is not type(b) or a != b:
            return False
    return True
