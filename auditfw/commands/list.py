"""`auditfw list`: every component and named variant, by kind, a line each, or one in detail."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from auditfw.config import build as bridge
from auditfw.config.variants import conf_folders, doc_line
from auditfw.core.errors import UsageError, nearest
from auditfw.core.escaping import HASH, disarmed
from auditfw.kinds import KINDS

from .listing.details import details

NARROWEST, ROOMY, USUAL = 20, 50, 100  # columns
SHIPPED = "auditfw"
EXPERIMENT = "a complete named run"


def list_components(argv: list[str]) -> int:
    """`auditfw list [KIND [NAME]] [--json]`: names by kind; a line for each of a kind; one in detail.

    As JSON each component and variant is there with its settings and origin.
    """
    words = [word for word in argv if word != "--json"]
    bridge.prepare()
    kinds = [*KINDS, "experiment"]
    if words and words[0] not in kinds:
        raise UsageError(f"list {' '.join(words)}", "no such kind", None, nearest(words[0], kinds))
    rows = [row for kind in (words[:1] or kinds) for row in _rows(kind)]
    if len(words) > 1:
        rows = _named(words, rows)
    if "--json" in argv:
        print(disarmed(json.dumps(rows, ensure_ascii=False, indent=1, default=str), HASH))
    elif not words:
        _print(_by_kind(rows, kinds))
    elif len(words) == 1:
        _print(_of_kind(words[0], rows))
    else:
        _print(details(rows[0], _width() or USUAL))
    return 0


def _named(words: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    kind, name = words[:2]
    where = f"list {' '.join(words)}"
    if len(words) > 2:
        raise UsageError(where, "too many words", None, "write auditfw list KIND NAME")
    named = [row for row in rows if row["name"] == name]
    if not named:
        raise UsageError(where, f"no {kind} named '{name}'", None, nearest(name, [row["name"] for row in rows]))
    return named


def _rows(kind: str) -> list[dict[str, Any]]:
    if kind != "experiment":
        return bridge.described(kind)
    rows = {
        file.stem: {
            "kind": kind,
            "name": file.stem,
            "what": "experiment",
            "doc": doc_line(file),
            "settings": {},
            "origin": origin,
        }
        for origin, folder in reversed(conf_folders())
        for file in sorted((folder / kind).glob("*.yaml"))
    }
    return [rows[name] for name in sorted(rows)]


def _by_kind(rows: Sequence[dict[str, Any]], kinds: Sequence[str]) -> list[str]:
    """The names of each kind, wrapped; below the kind where there is little room beside it."""
    width = _width() or USUAL
    lead = " " * (max(map(len, kinds)) + 2 if width >= ROOMY else 2)
    lines = []
    for kind in kinds:
        names = " ".join(dict.fromkeys(row["name"] for row in rows if row["kind"] == kind))
        wrapped = _wrapped(names, width, lead)
        lines += [kind, *wrapped] if width < ROOMY else [kind + wrapped[0][len(kind) :], *wrapped[1:]]
    foot = _wrapped("auditfw list KIND says what each does, auditfw list KIND NAME how to use it.", width)
    return ["What Can Be Chosen", *lines, "", *foot]


def _wrapped(text: str, width: int, lead: str = "") -> list[str]:
    wrapper = textwrap.TextWrapper(width, lead, lead, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text) or [lead]


def _of_kind(kind: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    """A line each: name, sentence, and where it is from if auditfw does not ship it."""
    head = f"{kind}: {KINDS[kind].doc if kind in KINDS else EXPERIMENT}"
    names = max((len(row["name"]) for row in rows), default=0) + 2
    lines = [f"{row['name']:{names}}{row['doc']}{_from(row)}" for row in rows]
    foot = _wrapped(f"auditfw list {kind} NAME shows one with its settings and an example.", _width() or USUAL)
    return [head, *map(_cut, lines), "", *foot]


def _from(row: dict[str, Any]) -> str:
    origin = str(row["origin"])
    return "" if origin.partition(".")[0] == SHIPPED else f" ({origin})"


def _cut(line: str) -> str:
    """A line as wide as the terminal; the whole line where it goes to a file or a program."""
    width = _width()
    return line if width is None or len(line) <= width else f"{line[: width - 1].rstrip()}…"


def _width() -> int | None:
    """The width beside the bar, of the terminal or of COLUMNS; None where there is neither."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdecimal():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns) - len("│ ")


def _print(lines: Sequence[str]) -> None:
    """Prints a headline and lines behind a bar, which keeps a text from the start of a line."""
    from auditfw.components.report.console import printing

    with printing() as page:
        page.head(lines[0])
        for line in lines[1:]:
            page.console.print(page.text(f"{'|' if page.ascii else '│'} {line}"), soft_wrap=True)
