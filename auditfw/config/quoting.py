"""Texts as values of overrides, so that Hydra reads the same text again."""

from __future__ import annotations

import re

_BARE = re.compile(r"[A-Za-z0-9_./%@+-]+")
_NO_TEXT = re.compile(r"null|true|false|[+-]?(?:nan|inf|[0-9_.]+(?:e[+-]?[0-9_]+)?)", re.IGNORECASE)


def quoted(text: str) -> str:
    """A text as the quoted value of an override: no part of it is looked up elsewhere.

    In Hydra's grammar backslashes count only before a quote and at the end, in that of its configs only before `${`.
    """
    plain = re.sub(r"(\\*)\$\{", r"\1\1\\${", text)
    plain = re.sub(r"(\\*)'", r"\1\1\\'", plain)
    plain = re.sub(r"(\\+)\Z", r"\1\1", plain)
    return f"'{plain}'"


def value(text: str) -> str:
    """A text as the value of an override: quoted where it would be read as something else."""
    return text if _BARE.fullmatch(text) and not _NO_TEXT.fullmatch(text) else quoted(text)
