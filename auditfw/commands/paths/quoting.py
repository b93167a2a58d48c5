"""Commands as one types them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence


def spelt(words: Sequence[str]) -> str:
    """A command as one types it in a shell."""
    return " ".join(["auditfw", *map(spelt_word, words)])


def spelt_word(word: str) -> str:
    """A word for a shell: in double quotes where it holds single ones, and nothing that these would let act."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)
