"""Words of a command that are no override: paths, a command in the wrong place, a key without its value."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence

from auditfw.config.quoting import is_path
from auditfw.core.errors import UsageError
from auditfw.core.escaping import typed, value
from auditfw.kinds import KINDS

from .proposal import spelt

KEY = re.compile(r"\+{0,2}(\w+)(?:[./@][\w./@]*)?")
ALSO = (
    "by",
    "experiment",
    "gates",
    "hydra",
    "metrics",
    "reports",
    "claims",
    "resume",
    "seed",
    "objective",
    "sweep",
    "guessed",
)
TOPS = {*KINDS, *ALSO}  # what a key begins with


def is_setting(word: str) -> bool:
    """Whether a word is an override of a key that there is."""
    key = KEY.fullmatch(word.partition("=")[0])
    return "=" in word and key is not None and key[1] in TOPS


def check_bare_words(words: Sequence[str], verbs: Collection[str] = (), verb: str = "") -> None:
    """Says where a word without `=` belongs. Raises UsageError.

    `verbs` are the commands there are, which come first; `verb` is the one that these words follow. Paths, and words
    that could be anything, are left to others.
    """
    for at, word in enumerate(words):
        if word.startswith("-"):
            return  # flags come last
        if "=" in word or word.startswith("~") or os.path.exists(word):
            continue
        if word in verbs and (at or verb):
            others = [one for one in words if one != word]
            raise UsageError(word, "is a command, and commands come first", None, f"write {spelt([word, *others])}")
        if (key := KEY.fullmatch(word)) and key[1] in TOPS and word not in verbs:
            after = words[at + 1] if at + 1 < len(words) else "="
            text = value(after) if is_path(after) or "=" not in after else "VALUE"
            raise UsageError(word, "has no value", None, f"write {typed(f'{word}={text}')}, without spaces")
