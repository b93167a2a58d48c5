"""Scenarios written in the config itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditfw.core.errors import DataError, NothingAudited, brief
from auditfw.core.notes import Size
from auditfw.core.records import Batch
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import OURS, checked, group_text


@dataclass(frozen=True)
class HeldScenarios:
    """A task whose scenarios are at hand."""

    columns: Mapping[str, list[Any]]

    def __call__(self) -> Batch:
        return Batch(dict(self.columns))


@declare("scenarios", "inline")
class Inline:
    """Takes scenarios from the config: `rows` is a list of {label, intended: {key: number}, params: {name: number}}.

    `label` (else the number of the row) and `group` may be left out; other values may be named in `by`.
    """

    rows: tuple[Any, ...]

    def open(self) -> Evidence:
        """Checks the rows. Raises DataError naming the row."""
        if not self.rows:
            raise NothingAudited("scenarios.rows", "holds no scenario")
        for i, row in enumerate(self.rows):
            if not isinstance(row, Mapping):
                do = "write {intended: {...}, params: {...}}"
                raise DataError(f"scenarios.rows[{i}]", "is not a mapping", brief(row, 40), do)
        further = dict.fromkeys(str(name) for row in self.rows for name in row if name not in OURS)
        columns: dict[str, list[Any]] = {name: [] for name in (*OURS, *further)}
        first: dict[str, str] = {}
        for i, row in enumerate(self.rows):
            place = f"scenarios.rows[{i}]"
            label = _label(row.get("label"), i, place)
            if label in first:
                raise DataError(place, f"duplicate label '{brief(label)}'", f"first at {first[label]}")
            first[label] = place
            columns["label"].append(label)
            columns["intended"].append(checked(row.get("intended"), "intended", place))
            columns["params"].append(checked(row.get("params"), "params", place))
            columns["group"].append(group_text(row.get("group")))
            columns["place"].append(place)
            for name in further:
                columns[name].append(row.get(name))
        size = len(self.rows)
        exactly = partial(Size.exactly, size)
        return Evidence([HeldScenarios(columns)], tuple(columns), size, list, lambda: None, size=exactly)


def _label(value: Any, i: int, place: str) -> str:
    if value is None or value == "":
        return str(i + 1)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise DataError(place, "the label is not text", brief(value, 40), "write a text, or leave it out")
