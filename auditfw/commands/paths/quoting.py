"""Commands as one types them."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.escaping import typed


def spelt(words: Sequence[str]) -> str:
    """A command as one types it in a shell."""
    return " ".join(["auditfw", *map(typed, words)])
