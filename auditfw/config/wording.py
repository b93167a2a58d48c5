"""Values in messages, as they are written in a config."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.core.errors import brief


def with_type(value: Any) -> str:
    """A value with its type where that may be the surprise: YAML reads `[A-D]` as a list and `YES` as true."""
    kinds = {bool: "boolean", list: "list", dict: "mapping"}
    kind = next((word for cls, word in kinds.items() if isinstance(value, cls)), "")
    return f"{written(value)} ({kind})" if kind else written(value)


def one_of(choices: Sequence[Any]) -> str:
    """The values that a setting may have: "error or missing", "one of a, b, c"."""
    words = ["null" if one is None else str(one) for one in choices]
    return " or ".join(words) if len(words) < 3 else f"one of {', '.join(words)}"


def written(value: Any) -> str:
    """A value as YAML would write it: a text in quotes, so that 'one' is not taken for a number."""
    if value is None:
        return "nothing"
    text = brief(value)
    return text.lower() if isinstance(value, bool) else f"'{text}'" if isinstance(value, str) else text
