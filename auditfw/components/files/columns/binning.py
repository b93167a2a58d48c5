"""Numbers as labels: ranges of a column's numbers, each with a name."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from auditfw.core.errors import DataError, UsageError

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
