"""Scorings that compare an output with the expected one: as JSON, as numbers, as texts, as results of tests."""

from __future__ import annotations

import math
import operator
import reprlib
from collections.abc import Callable
from typing import Any, Literal

from auditfw.core.document import some
from auditfw.core.errors import UsageError, brief
from auditfw.formulas.grid_scores import passed_share
from auditfw.kinds.registry import declare

NEARLY = math.nextafter(1.0, 0.0)
ELSE = "choose the scoring that fits: scoring=... (auditfw list scoring)"


def shown(value: Any) -> str:
    """A value on one line, long and deep ones cut short."""
    return brief(reprlib.repr(value))


def unfinished(score: float) -> float:
    """A score that is no success, however near: below 1."""
    return min(max(score, 0.0), NEARLY)


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


@declare("scoring", "text")
class TextScoring:
    """Gives the share of characters that two texts have in common, in order: Ratcliff and Obershelp's similarity.

    `blanks` says whether runs of white space count as written ("exact") or as one space, stripped at the ends
    ("collapse"). Texts longer than `max_characters` are only compared for equality.
    """

    blanks: Literal["exact", "collapse"] = "exact"
    ignore_case: bool = False
    max_characters: int = 10_000

    def __call__(self, output: Any, expected: Any) -> float:
        if not isinstance(output, str) or not isinstance(expected, str):
            return 0.0
        text, truth = self._plain(output), self._plain(expected)
        if text == truth:
            return 1.0
        if max(len(text), len(truth)) > self.max_characters:
            return 0.0
        from difflib import SequenceMatcher

        return unfinished(SequenceMatcher(None, text, truth, autojunk=False).ratio())

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why every output would score 0 against an expected one, and what to do; "" where it is a text."""
        return ("", "") if isinstance(expected, str) else ("is not text", ELSE)

    def _plain(self, text: str) -> str:
        text = " ".join(text.split()) if self.blanks == "collapse" else text
        return text.casefold() if self.ignore_case else text

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected, cut short; "" where they are equal."""
        if not isinstance(output, str):
            return f"expected a text, got {shown(output)}"
        return "" if self(output, expected) == 1.0 else f"expected {shown(expected)}, got {shown(output)}"


@declare("scoring", "tests_passed")
class TestsPassedScoring:
    """Gives the share of passed tests in an output that lists test results; the expected output may name the tests.

    The output is a list of true/false, or a mapping of test names to true/false. If `expected` is a number or a list,
    there must be that many results; if it is a mapping, every name in it must have a result.
    """

    def __call__(self, output: Any, expected: Any) -> float:
        return self._judge(output, expected)[0]

    def remark(self, output: Any, expected: Any) -> str:
        """Which tests did not pass, or what is wrong with the results."""
        return self._judge(output, expected)[1]

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why no results of tests can meet an expected output, and what to do; "" where they can."""
        number = isinstance(expected, int) and not isinstance(expected, bool)
        if expected is True or isinstance(expected, list | tuple | dict) or (number and expected > 0):
            return "", ""
        return "says neither how many tests there are nor their names", f"write a number, a list or a mapping; {ELSE}"

    def _judge(self, output: Any, expected: Any) -> tuple[float, str]:
        share, why = passed_share(output)
        if not isinstance(output, list | tuple | dict):
            return share, why
        if isinstance(expected, dict):
            gone = [str(name) for name in expected if not isinstance(output, dict) or name not in output]
            if gone:
                return 0.0, f"no result of: {', '.join(gone[:20])}"
        wanted = len(expected) if isinstance(expected, list | tuple) else expected
        if isinstance(wanted, int) and not isinstance(wanted, bool) and len(output) != wanted:
            return 0.0, f"{some(len(output), 'result')}, expected {wanted}"
        return (1.0 if not why else unfinished(share)), why
