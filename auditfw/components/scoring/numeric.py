"""The scoring of numbers within a tolerance."""

from __future__ import annotations

import math
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.kinds.registry import declare

from .wording import ELSE, shown, unfinished


@declare("scoring", "numeric")
class NumericScoring:
    """Gives 1 for a number within a tolerance of the expected one, and less the further away it is.

    Within: |output - expected| <= max(`absolute`, `relative` * |expected|). Outside: 1 / (1 + distance / scale), where
    the scale is |expected|, or 1 if that is 0. Lists of numbers score the mean over their elements, 0 where lengths
    differ; a text, NaN or infinity scores 0.
    """

    absolute: float = 1e-9
    relative: float = 1e-9

    def __post_init__(self) -> None:
        for name in ("absolute", "relative"):
            if getattr(self, name) < 0:
                raise UsageError(name, "expected a number of 0 or more", getattr(self, name))

    def __call__(self, output: Any, expected: Any) -> float:
        numbers, truth = _numbers(output), _numbers(expected)
        if numbers is None or truth is None or len(numbers) != len(truth) or _listed(output) != _listed(expected):
            return 0.0
        if not truth:
            return 1.0
        shares = [self._near(a, b) for a, b in zip(numbers, truth, strict=True)]
        return 1.0 if all(share == 1.0 for share in shares) else unfinished(math.fsum(shares) / len(shares))

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why every output would score 0 against an expected one, and what to do; "" where it is a number or a list."""
        if _numbers(expected) is not None:
            return "", ""
        quoted = isinstance(expected, str) and _is_number(expected)
        do = f"write it without quotes; {ELSE}" if quoted else ELSE
        return "is neither a finite number nor a list of them", do

    def _near(self, number: float, truth: float) -> float:
        away = abs(number - truth)
        if away <= max(self.absolute, self.relative * abs(truth)):
            return 1.0
        return unfinished(1 / (1 + away / (abs(truth) or 1.0)))

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected; "" within the tolerance."""
        return "" if self(output, expected) == 1.0 else f"expected {shown(expected)}, got {shown(output)}"


def _listed(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _numbers(value: Any) -> list[float] | None:
    """One number or a list of them as finite floats; None for anything else."""
    numbers = list(value) if isinstance(value, list | tuple) else [value]
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        return None
    try:
        floats = [float(number) for number in numbers]
    except OverflowError:
        return None
    return floats if all(math.isfinite(number) for number in floats) else None
