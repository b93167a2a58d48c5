"""Addresses of values inside records: `output[0]`, `configs.temperature`, `a["b.c"]`, or put together `{a}/{b}`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from auditfw.core.errors import UsageError

Address = tuple[str | int, ...]

ABSENT: Any = object()
_PART = re.compile(r"""(?:^|\.)([^.\[\]]+)|\[(-?\d+)\]|\["([^"]*)"\]""")


def address(text: str, known: Collection[str], where: str) -> Address:
    """Reads an address; a name that is a column as it is is that column. Raises UsageError."""
    if text in known:
        return (text,)
    parts: list[str | int] = []
    end = 0
    while end < len(text):
        match = _PART.match(text, end)
        if match is None or (match.group(2) and not parts):
            raise UsageError(where, "cannot be read as the address of a value", text, 'write a.b, a[0] or a["b.c"]')
        name, index, quoted = match.groups()
        parts.append(int(index) if index is not None else name if name is not None else quoted)
        end = match.end()
    if not parts:
        raise UsageError(where, "expected the name of a column", "''")
    return tuple(parts)


def dig(record: Any, steps: Address) -> Any:
    """The value at an address, or ABSENT."""
    for step in steps:
        if isinstance(step, str):
            if not isinstance(record, Mapping) or step not in record:
                return ABSENT
            record = record[step]
        else:
            if not isinstance(record, Sequence) or isinstance(record, str) or not -len(record) <= step < len(record):
                return ABSENT
            record = record[step]
    return record


_NAMED = re.compile(r"\{([^{}]*)\}")


def pieces(theirs: str, known: Collection[str], where: str) -> list[tuple[bool, str]]:
    """The pieces of a composite address, from left to right: whether each is a name in braces, and its text.

    Nothing for an address that is none: one without braces, or that is a column as it is. Raises UsageError.
    """
    if "{" not in theirs or theirs in known or '["' in theirs:
        return []
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _NAMED.finditer(theirs):
        parts += [(False, theirs[end : match.start()])] if match.start() > end else []
        parts.append((True, match[1]))
        end = match.end()
    parts += [(False, theirs[end:])] if end < len(theirs) else []
    if any("{" in text or "}" in text for named, text in parts if not named) or (True, "") in parts:
        raise UsageError(where, "expected the name of a column in braces", theirs, "write {NAME} or {NAME}/{NAME}")
    return parts
