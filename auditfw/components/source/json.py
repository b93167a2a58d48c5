"""Trials in one JSON text."""

from __future__ import annotations

from auditfw.components.files.formats.json import JsonArray
from auditfw.kinds.registry import declare


@declare("source", "json")
class JsonSource(JsonArray):
    """Reads one JSON text: an array of objects, or the array at `records` inside an object.

    It has the settings of all file sources, and:
    - `records`: the keys that lead to the array, for example `results.rows`; `details.*` means the members of an
      object, whose keys become the column `key` (a member may also be an array of records);
    - `header`: {ours: theirs}, columns from outside the records, the same for all rows of a file, for example `{model:
      eval.model}`.
    """
