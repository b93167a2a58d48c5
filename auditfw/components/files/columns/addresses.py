"""Addresses of values inside records: `output[0]`, `configs.temperature`, `a["b.c"]`, or put together `{a}/{b}`."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from auditfw.core.errors import DataError, UsageError

Address = tuple[str | int, ...]

ABSENT: Any = object()
_PART = re.compile(r"""(?:^|\.)([^.\[\]]+)|\[(-?\d+)\]|\["([^"]*)"\]""")


def address(text: str, known: Collection[str], where: str) -> Address:
    """Reads an address; a name that is a column as it is is that column. Raises UsageError."""
    if text in known:
        return (text,)
    parts: list[str | int] = []
    end = 0
    while end < len(text):
        match = _PART.match(text, end)
        if match is None or (match.group(2) and not parts):
            raise UsageError(where, "cannot be read as the address of a value", text, 'write a.b, a[0] or a["b.c"]')
        name, index, quoted = match.groups()
        parts.append(int(index) if index is not None else name if name is not None else quoted)
        end = match.end()
    if not parts:
        raise UsageError(where, "expected the name of a column", "''")
    return tuple(parts)


def dig(record: Any, steps: Address) -> Any:
    """The value at an address, or ABSENT."""
    for step in steps:
        if isinstance(step, str):
            if not isinstance(record, Mapping) or step not in record:
                return ABSENT
            record = record[step]
        else:
            if not isinstance(record, Sequence) or isinstance(record, str) or not -len(record) <= step < len(record):
                return ABSENT
            record = record[step]
    return record


_NAMED = re.compile(r"\{([^{}]*)\}")


def pieces(theirs: str, known: Collection[str], where: str) -> list[tuple[bool, str]]:
    """The pieces of a composite address, from left to right: whether each is a name in braces, and its text.

    Nothing for an address that is none: one without braces, or that is a column as it is. Raises UsageError.
    """
    if "{" not in theirs or theirs in known or '["' in theirs:
        return []
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _NAMED.finditer(theirs):
        parts += [(False, theirs[end : match.start()])] if match.start() > end else []
        parts.append((True, match[1]))
        end = match.end()
    parts += [(False, theirs[end:])] if end < len(theirs) else []
    if any("{" in text or "}" in text for named, text in parts if not named) or (True, "") in parts:
        raise UsageError(where, "expected the name of a column in braces", theirs, "write {NAME} or {NAME}/{NAME}")
    return parts


WRITE = "write the numbers between the labels, as in [1.5], or {edges: [1.5], labels: [A, B]}"


@dataclass(frozen=True)
class Bins:
    """The edges between ranges, ascending, and the label of each range; a number at an edge is in the upper range."""

    edges: tuple[float, ...]
    labels: tuple[str, ...]

    def label(self, number: float) -> str:
        """The label of a number."""
        return self.labels[bisect_right(self.edges, number)]

    def labelled(self, values: Sequence[Any], setting: str, place: Callable[[int], str]) -> list[Any]:
        """The values as labels, null for null. Raises DataError for what is no number."""
        return [None if v is None else self.label(_number(v, i, setting, place)) for i, v in enumerate(values)]


def bins_of(edges_of: Any, setting: str) -> Bins:
    """The bins as they may be written. Raises UsageError."""
    named = isinstance(edges_of, Mapping)
    edges = edges_of.get("edges") if named else edges_of
    unknown = sorted(set(edges_of) - {"edges", "labels"}) if named else []
    if unknown or not isinstance(edges, list | tuple) or not edges:
        raise UsageError(setting, "expected a list of numbers", str(edges_of), WRITE)
    if any(isinstance(edge, bool) or not isinstance(edge, int | float) or not math.isfinite(edge) for edge in edges):
        raise UsageError(setting, "expected a list of numbers", str(list(edges)), WRITE)
    if any(not low < high for low, high in pairwise(edges)):
        raise UsageError(setting, "expected numbers in ascending order", str(list(edges)))
    labels = tuple(map(str, (edges_of.get("labels") if named else None) or _named(edges)))
    if len(labels) != len(edges) + 1 or len(set(labels)) < len(labels):
        what = f"expected {len(edges) + 1} different labels, one more than there are edges"
        raise UsageError(f"{setting}.labels", what, ", ".join(labels), "name the lowest range first")
    return Bins(tuple(map(float, edges)), labels)


def _named(edges: Sequence[float]) -> list[str]:
    """The ranges by their edges: `<1`, `1 to <2`, `>=2`."""
    inner = [f"{low:g} to <{high:g}" for low, high in pairwise(edges)]
    return [f"<{edges[0]:g}", *inner, f">={edges[-1]:g}"]


def _number(value: Any, i: int, setting: str, place: Callable[[int], str]) -> float:
    number = math.nan
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
    if math.isnan(number):
        column = setting.rsplit(".", 1)[-1]
        nulls = f'{setting.replace(".bins.", ".nulls.")}=["{str(value)[:40]}"]'
        do = f"correct it, or read it as no label: {nulls}"
        raise DataError(place(i), f"{column} is not a number, and {setting} needs numbers", repr(value)[:60], do)
    return number
