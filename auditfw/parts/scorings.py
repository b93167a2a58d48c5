"""Scorings: how close an output is to the expected one, from 0 to 1, where 1 is success and nothing else is."""

from __future__ import annotations

import math
import operator
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from auditfw.errors import DataError, UsageError, brief
from auditfw.registry import register
from auditfw.scoring import MAX_CELLS, cells, coerced_score, equal_share, grid_remark, passed_share, shape_text

NEARLY = math.nextafter(1.0, 0.0)


def _shown(value: Any) -> str:
    """A value on one line, long and deep ones cut short."""
    return brief(reprlib.repr(value))


def _unfinished(score: float) -> float:
    """A score that is no success, however near: below 1."""
    return min(max(score, 0.0), NEARLY)


@register("scoring", "grid")
@dataclass(frozen=True)
class Grid:
    """Counts the equal cells of two grids over all cells; another shape scores 0.

    Cells compare exactly (1 equals 1.0, "1" does not). `coerce` reproduces the reference: the whole numbers that values
    cast to decide success, texts and truncated floats included, and what made it stop with an exception stops here too,
    as a data error.
    """

    coerce: bool = False
    max_cells: int = MAX_CELLS

    def __post_init__(self) -> None:
        if self.max_cells < 1:
            raise UsageError("max_cells", "must be 1 or more", self.max_cells)

    def __call__(self, output: Any, expected: Any) -> float:
        if self.coerce:
            try:
                return coerced_score(output, expected)
            except (ValueError, OverflowError, IndexError, TypeError) as error:
                do = "score it without audit.scoring.coerce, which gives 0 and a reason"
                raise DataError("audit.scoring", "the reference cannot score this output", brief(error), do) from error
        found, _ = cells(output, self.max_cells)
        truth, _ = cells(expected, self.max_cells)
        if found is None or truth is None or shape_text(found) != shape_text(truth):
            return 0.0
        return equal_share(found, truth)

    def remark(self, output: Any, expected: Any) -> str:
        """What is wrong with the output, for the next attempt to read; "" where nothing is."""
        return grid_remark(output, expected)


@register("scoring", "exact")
@dataclass(frozen=True)
class Exact:
    """Gives 1 for an output equal to the expected one, else 0; true is not 1, and NaN equals nothing."""

    def __call__(self, output: Any, expected: Any) -> float:
        return float(_same(output, expected))

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected, cut short; "" where they are equal."""
        return "" if _same(output, expected) else f"found {_shown(output)}, expected {_shown(expected)}"


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


@register("scoring", "numeric")
@dataclass(frozen=True)
class Numeric:
    """Gives 1 for a number within a tolerance of the expected one, and less the further away it is.

    Within: |output - expected| <= max(`absolute`, `relative` * |expected|). Outside: 1 / (1 + distance / scale), where
    the scale is |expected| or 1 where that is 0. Lists of numbers score the mean over their elements, 0 where lengths
    differ; a text, NaN or infinity scores 0.
    """

    absolute: float = 1e-9
    relative: float = 1e-9

    def __post_init__(self) -> None:
        for name in ("absolute", "relative"):
            if getattr(self, name) < 0:
                raise UsageError(name, "must not be negative", getattr(self, name))

    def __call__(self, output: Any, expected: Any) -> float:
        found, truth = _numbers(output), _numbers(expected)
        if found is None or truth is None or len(found) != len(truth) or _listed(output) != _listed(expected):
            return 0.0
        if not truth:
            return 1.0
        shares = [self._near(a, b) for a, b in zip(found, truth, strict=True)]
        return 1.0 if all(share == 1.0 for share in shares) else _unfinished(math.fsum(shares) / len(shares))

    def _near(self, found: float, truth: float) -> float:
        away = abs(found - truth)
        if away <= max(self.absolute, self.relative * abs(truth)):
            return 1.0
        return _unfinished(1 / (1 + away / (abs(truth) or 1.0)))

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected; "" within the tolerance."""
        return "" if self(output, expected) == 1.0 else f"found {_shown(output)}, expected {_shown(expected)}"


def _listed(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _numbers(value: Any) -> list[float] | None:
    """One number or a list of them as finite floats; None for anything else."""
    found = list(value) if isinstance(value, list | tuple) else [value]
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in found):
        return None
    try:
        floats = [float(number) for number in found]
    except OverflowError:
        return None
    return floats if all(math.isfinite(number) for number in floats) else None


@register("scoring", "text")
@dataclass(frozen=True)
class Text:
    """Gives the share of characters that two texts have in common, in order: Ratcliff and Obershelp's similarity.

    `blanks` says whether runs of white space count as written ("exact") or as one blank, stripped at the ends
    ("collapse"). Texts longer than `max_characters` are only compared for equality.
    """

    blanks: Literal["exact", "collapse"] = "exact"
    ignore_case: bool = False
    max_characters: int = 10_000

    def __call__(self, output: Any, expected: Any) -> float:
        if not isinstance(output, str) or not isinstance(expected, str):
            return 0.0
        found, truth = self._plain(output), self._plain(expected)
        if found == truth:
            return 1.0
        if max(len(found), len(truth)) > self.max_characters:
            return 0.0
        from difflib import SequenceMatcher

        return _unfinished(SequenceMatcher(None, found, truth, autojunk=False).ratio())

    def _plain(self, text: str) -> str:
        text = " ".join(text.split()) if self.blanks == "collapse" else text
        return text.casefold() if self.ignore_case else text

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected, cut short; "" where they are equal."""
        if not isinstance(output, str):
            return f"expected a text, found {_shown(output)}"
        return "" if self(output, expected) == 1.0 else f"found {_shown(output)}, expected {_shown(expected)}"


@register("scoring", "tests_passed")
@dataclass(frozen=True)
class TestsPassed:
    """Gives the share of passed tests in an output that lists their results; the expected output may name some.

    The output is a list of true/false or a mapping of test names to them. Where `expected` is a number or a list, as
    many results must be there; where it is a mapping, its names must.
    """

    def __call__(self, output: Any, expected: Any) -> float:
        return self._judge(output, expected)[0]

    def remark(self, output: Any, expected: Any) -> str:
        """Which tests did not pass, or what is wrong with the results."""
        return self._judge(output, expected)[1]

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
            return 0.0, f"{len(output)} results, expected {wanted}"
        return (1.0 if not why else _unfinished(share)), why
