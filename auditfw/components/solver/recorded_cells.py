"""Cells of delimited text as the values that they write down: numbers, JSON lists, nothing where they are empty."""

from __future__ import annotations

import json
from typing import Any

from auditfw.core.errors import DataError, brief

WHOLE = ("attempt", "tokens")
NUMBERS = ("seconds", "cost")
LISTS = ("outputs", "attempts")


def cell_value(name: str, text: Any, place: str) -> Any:
    """The value of a cell: null where it is empty, a number or a JSON list where the column has such.

    An `output` stays a text unless it is a JSON list: the scoring may read grids in texts. Raises DataError.
    """
    if not isinstance(text, str):
        return text
    if not text.strip():
        return None
    if name in WHOLE or name in NUMBERS:
        return _number(name, text, place)
    if name in LISTS or (name == "output" and text.lstrip().startswith("[")):
        return _list(name, text, place)
    return text


def as_expected(output: Any, expected: Any) -> Any:
    """An output that is a text, where a number, a truth value or a mapping is expected, as the JSON that it writes."""
    if not isinstance(output, str) or not isinstance(expected, int | float | dict):
        return output
    try:
        return json.loads(output)
    except (ValueError, RecursionError):
        return output


def _number(name: str, text: str, place: str) -> float:
    try:
        number = float(text)
        if name not in WHOLE:
            return number
        return int(number) if number.is_integer() else int(text)
    except ValueError:
        kind = "whole number" if name in WHOLE else "number"
        raise DataError(place, f"expected a {kind} in '{name}'", brief(repr(text)), "or leave it empty") from None


def _list(name: str, text: str, place: str) -> list[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list):
        raise DataError(place, f"expected a JSON list in '{name}'", brief(repr(text)), "write [[[1, 2], [3, 4]], ...]")
    return value
