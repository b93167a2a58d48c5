"""The names in a picture: cut short, different ones still different, and broken into lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from auditfw.core.escaping import visible

NAME = 60
INSIDE = re.compile(r"[^ _/.,;:=+-]*[ _/.,;:=+-]+|[^ _/.,;:=+-]+")


def short_names(texts: Iterator[str] | Sequence[str]) -> dict[str, str]:
    """What each of these names is called in a picture: cut short, and different ones still different."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text in names:
            continue
        short, number = short_name(text), 1
        while short in taken:
            number += 1
            short = f"{short_name(text)} ({number})"
        names[text] = short
        taken.add(short)
    return names


def short_name(text: str) -> str:
    """A name as it is drawn: without what cannot be seen, and cut short."""
    seen = visible(text)
    return seen if len(seen) <= NAME else seen[: NAME - 1] + "…"


def broken_name(name: str, letters: int) -> str:
    """A name on lines of at most so many letters, broken where one of its parts ends."""
    lines = [""]
    for part in INSIDE.findall(name):
        if lines[-1] and len(lines[-1] + part) > letters:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
