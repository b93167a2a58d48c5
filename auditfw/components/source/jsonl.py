"""Trials in JSON Lines."""

from __future__ import annotations

from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.kinds.registry import declare


@declare("source", "jsonl")
class JsonLinesSource(JsonLines):
    """Reads JSON Lines: one object per line, plain or as .gz or .zst.

    It has the settings of all file sources (`path`, `files`, `columns`, `unpivot`, `where`, `nulls`, `duplicates`,
    `encoding`, `limit`), and `tolerate_torn_tail`, which drops a cut-off last line and counts it as malformed.
    """

    _sums = True

    @property
    def summed(self) -> bool:
        """Whether the files' checksums are known when their records are read."""
        return self.sums()
