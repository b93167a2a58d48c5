"""Patterns that a log brings along: text from strangers, looked at before anything compiles it."""

from __future__ import annotations

from auditfw.core.errors import DataError, brief
from auditfw.formulas.texts.pattern_bounds import PatternError, check_bounds
from auditfw.formulas.texts.patterns import as_re


def check_pattern(pattern: object, where: str) -> None:
    """Raises DataError for a pattern that is too large to be compiled; anything but text is none."""
    if isinstance(pattern, str):
        try:
            check_bounds(pattern)
            check_bounds(as_re(pattern), rewritten=True)
        except PatternError as error:
            raise too_large(error, pattern, where) from None


def too_large(error: PatternError, pattern: str, where: str) -> DataError:
    """The error for a pattern of a log that cannot be used."""
    return DataError(where, str(error), brief(pattern), "choose a rule of your own: source=… parser=… matcher=…")
