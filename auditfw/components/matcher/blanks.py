"""Runs of blanks in texts that are unchanged: how matchers step over them without normalising a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

Test = Callable[[str], bool]


@lru_cache(maxsize=256)
def blank_run(blanks: frozenset[str]) -> str:
    """The pattern of a run of blanks."""
    return rf"[\s{re.escape(''.join(sorted(blanks)))}]+"


def collapsed(gap: str, text: str) -> str:
    """A text with one blank for each such run, and none at its ends."""
    return re.sub(gap, " ", text).strip()


def step_on(text: str, at: int, token: str, blanks: frozenset[str]) -> int:
    """Where a token ends that is after a run of blanks at this place, or -1."""
    start = past_blanks(text, at, blanks) if at >= 0 else at
    return start + len(token) if start > at and text.startswith(token, start) else -1


def past_blanks(text: str, at: int, blanks: frozenset[str]) -> int:
    """Where a run of blanks that begins at this place ends."""
    while at < len(text) and (text[at] in blanks or text[at].isspace()):
        at += 1
    return at
