"""Texts as values of overrides, and commands as one types them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence


def quoted(text: str) -> str:
    """A text as the quoted value of an override: in it only quotes are escaped, and no part is looked up elsewhere."""
    plain = text.replace("${", "\\${")
    plain = re.sub(r"(\\*)'", r"\1\1\\'", plain)
    plain = re.sub(r"(\\+)$", r"\1\1", plain)
    return f"'{plain}'"


def value(text: str) -> str:
    """A text as the value of an override: quoted where Hydra's grammar asks for it."""
    return text if re.fullmatch(r"[\w./%@?+-]+", text) else quoted(text)


def spelt(words: Sequence[str]) -> str:
    """A command as one types it in a shell."""
    return " ".join(["auditfw", *map(_spelt, words)])


def _spelt(word: str) -> str:
    """A word for a shell: in double quotes where it holds single ones, and nothing that these would let act."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)
