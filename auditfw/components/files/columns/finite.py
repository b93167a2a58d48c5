"""Numbers that are not finite: null, unless they are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from auditfw.components.files.formats.strict_json import TooLarge
from auditfw.core.errors import DataError


def finite(name: str, values: list[Any], place: Callable[[int], str], kept: bool, notes: Counter[str]) -> list[Any]:
    """The values with null for NaN and infinities, however deep inside, unless they are `kept`.

    `place(i)` says where a value is. Raises DataError for a number too large.
    """
    numbers = list(values)
    for i, value in enumerate(values):
        if isinstance(value, float | list | dict):
            where = place(i)
            numbers[i], changed = _finite(value, where, kept)
            if changed:
                remark = f"{name}: NaN or Infinity read as null"
                known = next((key for key in notes if key.startswith(remark)), None)
                notes[known or f"{remark} (first: {where})"] += 1
    return numbers


def _finite(value: Any, where: str, kept: bool) -> tuple[Any, bool]:
    """A value without numbers that are not finite, and whether it had any."""
    if isinstance(value, float):
        if isinstance(value, TooLarge):
            raise DataError(where, "a number too large", value.text, "write it as text, or null")
        return (value, False) if kept or value - value == 0 else (None, True)
    if isinstance(value, list):
        pairs = [_finite(part, where, kept) for part in value]
        return [part for part, _ in pairs], any(changed for _, changed in pairs)
    if isinstance(value, dict):
        entries = {key: _finite(part, where, kept) for key, part in value.items()}
        return {key: part for key, (part, _) in entries.items()}, any(changed for _, changed in entries.values())
    return value, False
