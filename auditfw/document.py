"""What a report says, before any sink decides how: sections of notes, tables and exhibits.

All strings are plain data. Only `sinks.py` turns them into terminal, Markdown or HTML text.
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


def snip(text: str, head: int, tail: int) -> tuple[str, str]:
    """Cuts a long text to its head and tail; a text of at most head + tail + 30 characters stays whole as the head.

    As in the reports of `audit_answer_parsing.py`, a tail of 0 characters is the whole text again (`text[-0:]`).
    """
    if len(text) <= head + tail + 30:
        return text, ""
    return text[:head], text[-tail:]


def snippet(label: str, text: str, head: int, tail: int = 0, span: tuple[int, int] | None = None) -> Snippet:
    """A labelled snippet of a text: its head, its tail if asked for, and how much was left out between."""
    first, last = snip(text, head, tail)
    last = last if tail else ""
    return Snippet(label, first, last, len(text) - len(first) - len(last), span)
