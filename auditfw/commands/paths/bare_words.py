"""Words of a command that are no override: a command in the wrong place, a key without its value."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence

from auditfw.core.errors import UsageError
from auditfw.kinds import KINDS

from .quoting import spelt

KEY = re.compile(r"\+{0,2}(\w+)(?:[./@][\w./@]*)?")
ALSO = ("by", "experiment", "gates", "hydra", "metrics", "reports", "claims", "resume", "seed", "objective", "sweep")
TOPS = {*KINDS, *ALSO}  # what a key begins with


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
            value = words[at + 1] if at + 1 < len(words) and "=" not in words[at + 1] else "VALUE"
            raise UsageError(word, "has no value", None, f"write {word}={value}, without spaces")
