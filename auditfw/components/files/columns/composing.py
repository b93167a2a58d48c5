"""Columns put together of others: `{model}/{doc_id}`."""

from __future__ import annotations

import re
from collections.abc import Collection

from auditfw.core.errors import UsageError

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
