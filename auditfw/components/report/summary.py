"""The head of the report for the page of a GitHub job: appended to the file that GITHUB_STEP_SUMMARY names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from auditfw.core.document import Block, Exhibit, Gallery, Matrix, Section, Table
from auditfw.core.escaping import log_line, markdown_text
from auditfw.core.records import Result
from auditfw.kinds.registry import register

from . import wording
from .markdown import head_parts, section_parts, warning_parts

VARIABLE = "GITHUB_STEP_SUMMARY"
LIMIT = 1 << 20  # bytes that GitHub takes from a step


@register("report", "summary")
@dataclass(frozen=True)
class SummaryReport:
    """Appends verdict, gates, measurements and first rows to the file that GITHUB_STEP_SUMMARY names.

    The file stays under 1 MiB: what does not fit is left out and named. A summary that is already in it is not
    appended again. `max_rows` is the most rows that the table of a section shows.
    """

    prints: ClassVar[bool] = True

    max_rows: int = 10

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        problem = append(result, os.environ.get(VARIABLE, ""), self.max_rows)
        if problem:
            print(f"auditfw: warning: {VARIABLE}: {log_line(problem)}", file=sys.stderr)
        return ()


def append(result: Result, file: str, max_rows: int) -> str:
    """Appends the summary to a file; returns why it could not, or ""."""
    if not file:
        return "is not set, no summary was written"
    path = Path(file)
    try:
        there = path.read_bytes() if path.exists() else b""
        if summary_text(result, max_rows).encode() in there:
            return ""
        text = summary_text(result, max_rows, LIMIT - len(there) - 1)
        if not text:
            return "is full, no summary was written"
        with path.open("ab") as stream:
            stream.write((b"\n" if there else b"") + text.encode())
    except OSError as error:
        return f"no summary was written: {error.strerror} ({file})"
    return ""


def summary_text(result: Result, max_rows: int, room: int = LIMIT) -> str:
    """The summary in at most `room` bytes, cut at the ends of sections; "" where not even its head fits."""
    sections = [section for section in result.sections if section.console and not (section.page or section.screen)]
    named = [(section.title, _joined(section_parts(_shortened(section, max_rows)))) for section in sections]
    named.insert(0, ("Warnings", _joined(warning_parts(result))))
    left = [title for title, text in named if text]
    kept = _joined(head_parts(result))
    room -= len(kept.encode())
    for title, text in named:
        if text and len(text.encode()) + len(_left_out(left).encode()) <= room:
            kept, room = kept + text, room - len(text.encode())
            left.remove(title)
    kept += _left_out(left)
    return kept if len(_left_out(left).encode()) <= room else ""


def _joined(parts: Iterable[str]) -> str:
    return "".join(f"{part}\n\n" for part in parts if part)


def _left_out(titles: Sequence[str]) -> str:
    if not titles:
        return ""
    listed = ", ".join(map(markdown_text, titles))
    return f"Left out for lack of space: {listed}. The run's report.md has everything.\n\n"


def _shortened(section: Section, most: int) -> Section:
    """A section with the first rows of its tables, and without its exhibits."""
    blocks: list[Block] = []
    for block in section.blocks:
        shown = block.as_table() if isinstance(block, Matrix) else block
        if not isinstance(shown, Exhibit | Gallery):
            blocks.append(wording.shortened(shown, most) if isinstance(shown, Table) else shown)
    return replace(section, blocks=blocks)
