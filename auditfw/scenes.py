"""Scenarios as every set yields them: what was intended and the parameters, checked and with a place for messages."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import DataError, brief

PLACED = "scenarios"
PLAIN, LARGEST = (int, float), sys.float_info.max
OURS = ("label", "intended", "params", "group", "place")


@dataclass(frozen=True)
class Places(Sequence[str]):
    """Where scenarios are, for messages, each made when it is asked for: `start` and the number from 1."""

    start: str
    numbers: Sequence[int]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: Any) -> Any:
        found = self.numbers[at]
        return Places(self.start, found) if isinstance(at, slice) else f"{self.start}{found + 1}"


def checked(value: Any, kind: str, place: str, sparse: bool = False) -> dict[str, Any]:
    """The intended outcomes or parameters of a scenario: finite numbers by name. Raises DataError.

    An intended outcome may be a mapping or a list (a band, a direction): the audit reads those. With `sparse` null
    means that there is none, and a text that spells a number is one.
    """
    if not isinstance(value, Mapping):
        sort = "null" if value is None else f"{brief(value, 40)}, a {type(value).__name__}"
        raise DataError(place, f"'{kind}' is no mapping of numbers", sort, f'write "{kind}": {{"NAME": 0.5}}')
    made: dict[str, Any] = {}
    for name, one in value.items():
        if type(one) in PLAIN and -LARGEST <= one <= LARGEST:
            made[str(name)] = one
        elif one is not None or not sparse:
            made[str(name)] = _unusual(one, f"{kind}.{name}", kind, place, sparse)
    return made


def _unusual(value: Any, name: str, kind: str, place: str, sparse: bool) -> Any:
    read = spelled(value) if sparse and isinstance(value, str) else None
    if read is not None:
        return read
    if kind == "intended" and isinstance(value, Mapping | list):
        return value
    do = "leave it out where there is none" if value is None or value == "" else "write a finite number"
    raise DataError(place, f"'{name}' is no number", "null" if value is None else brief(value, 40), do)


def spelled(text: str) -> float | None:
    """The finite number that a text spells, or None."""
    try:
        read = float(text)
    except ValueError:
        return None
    return read if math.isfinite(read) else None


def outcomes(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Recorded outcomes of a table's cells: a text that spells a number is that number."""
    return {name: _number_or_text(cell) for name, cell in cells.items()}


def _number_or_text(cell: Any) -> Any:
    found = spelled(cell) if isinstance(cell, str) else None
    return cell if found is None else found


def group_text(value: Any) -> str | None:
    """A group as text."""
    return value if value is None or isinstance(value, str) else str(value)
