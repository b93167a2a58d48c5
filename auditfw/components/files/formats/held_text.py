"""Records of a JSON text that were read strictly, as a block."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.file_settings import Records

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
        notes = Counter({f"{self.path}: values next to the records that are not objects were left out": self.left_out})
        notes = +notes
        pairs = [mended(row) for row in self.rows]
        for line, (_, halves) in zip(self.lines, pairs, strict=True):
            if halves:
                remark = f"{self.path}: bytes or escapes that are not characters, read as U+FFFD"
                key = next((key for key in notes if key.startswith(remark)), f"{remark} (first: line {line})")
                notes[key] += halves
        numbers = range(self.start, self.start + len(self.rows))
        return Records([row for row, _ in pairs], numbers, self.lines, notes=notes, unfinite=self.unfinite)
