"""Records of a JSON text that were read strictly, as a block."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.file_settings import Records
from auditfw.core.notes import Remark

from .strict_json import mended


@dataclass(frozen=True)
class HeldText:
    """A block whose records were read already."""

    rows: tuple[dict[str, Any], ...]
    start: int
    path: str
    lines: tuple[int, ...]
    unfinite: bool = False
    left_out: int = 0

    @property
    def count(self) -> int:
        return len(self.rows)

    def __call__(self) -> Records:
        notes = Counter[str]()
        if self.left_out:
            notes[Remark("values next to the records that are not objects were left out", self.path)] = self.left_out
        pairs = [mended(row) for row in self.rows]
        for line, (_, halves) in zip(self.lines, pairs, strict=True):
            if halves:
                remark = "bytes or escapes that are not characters, read as U+FFFD"
                notes[Remark(remark, self.path, f"line {line}")] += halves
        numbers = range(self.start, self.start + len(self.rows))
        return Records([row for row, _ in pairs], numbers, self.lines, notes=notes, unfinite=self.unfinite)
