"""What a report says, before any sink decides how: sections of notes, tables and exhibits.

All strings are plain data. Only `parts/reports/sinks.py` turns them into terminal, Markdown or HTML text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Align = str  # one character a column: "<" text, ">" number


@dataclass(frozen=True)
class Note:
    """A sentence or two."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of formatted cells under column names; `left_out` rows were cut from the end."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: Align = ""
    caption: str = ""
    left_out: int = 0


@dataclass(frozen=True)
class Snippet:
    """A labelled stretch of model text, `omitted` characters cut out between head and tail."""

    label: str
    head: str
    tail: str = ""
    omitted: int = 0
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Exhibit:
    """One trial shown verbatim: its facts, and its texts as snippets."""

    title: str
    facts: Sequence[tuple[str, str]]
    snippets: Sequence[Snippet]


Block = Note | Table | Exhibit


@dataclass
class Section:
    """A headed part of a report; `level` 2 or 3; `console` marks what also goes to the terminal."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    level: int = 2
    console: bool = False
