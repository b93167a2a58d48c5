"""Values of a batch's columns, as the parsing audit reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from auditfw.records import Value

PLAIN = frozenset({str, int, float, bool, type(None)})


def as_text(value: Any) -> str:
    """A value of a text column as text: text stays, numbers as they print, anything nested as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def flat(values: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from flat(value)
        elif value is not None:
            yield value


def as_values(column: Sequence[Any]) -> list[Value]:
    """A cell column's values: plain ones stay, anything nested as JSON text."""
    if PLAIN.issuperset(map(type, column)):
        return list(column)
    return [value if type(value) in PLAIN else as_text(value) for value in column]
