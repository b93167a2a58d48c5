"""Trials in one JSON text."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.components.files.formats.json import JsonArray
from auditfw.kinds.registry import register


@register("source", "json")
@dataclass(frozen=True)
class JsonSource(JsonArray):
    """Reads one JSON text: an array of objects, or the array at `records` inside an object.

    Settings of all file sources, and:
    - `records`: the keys that lead to the array, as in `results.rows`; `details.*` are the members of an object, whose
      keys are the column `key` (also where a member is an array of records);
    - `header`: {ours: theirs}: columns that are outside the records, the same for all of a file, as in
      `{model: eval.model}`.
    """
