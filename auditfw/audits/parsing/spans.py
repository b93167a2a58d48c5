"""Where in a raw text is what a parser kept, and where the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from auditfw.kinds.text import Parser

ASKED = 8
LONGEST = 200_000
PLACES = 20
SHORT = 4  # as for the matcher `containment`: so short a truth must not be part of a word


def kept_at(parser: Parser, text: str, kept: str) -> int:
    """Where in a text the part begins that a parser kept; -1 where what it kept is not a part of the text.

    Where the part occurs several times, the parser is asked: one letter or digit of one occurrence is changed, and if
    the parser then keeps the changed part, it was that one. Where none is found so, or the text is very long, the last
    is taken.
    """
    if not kept:
        return -1
    first, last = text.find(kept), text.rfind(kept)
    if first == last:
        return first
    inside = next((i for i, character in enumerate(kept) if character.isalnum()), None)
    if inside is None or len(text) > LONGEST:
        return last
    changed = kept[:inside] + _neighbour(kept[inside]) + kept[inside + 1 :]
    between = islice(_places(text[first + 1 : last + len(kept) - 1], kept), ASKED - 2)
    for at in (first, last, *(first + 1 + place for place in between)):
        if _keeps(parser, text[:at] + changed + text[at + len(kept) :], changed):
            return at
    return last


def _keeps(parser: Parser, text: str, wanted: str) -> bool:
    try:
        return parser(text) == wanted
    except Exception:
        return False  # it failed on a text of ours, which is no trial


def _neighbour(character: str) -> str:
    """A letter or digit of the same sort."""
    if not character.isascii():
        return "a" if character.islower() else "A"
    return chr(ord(character) + (1 if character in "0aA" else -1))


def truth_at(text: str, low: str, truth: str) -> list[tuple[int, int]]:
    """The first places of a truth in a text, ignoring case; `low` is the text in lower case.

    A truth of four characters or fewer counts only where no letter or digit continues it.
    """
    wanted = truth.lower()
    if not wanted.strip():
        return []
    if len(low) == len(text) and len(wanted) == len(truth):
        spans = ((at, at + len(wanted)) for at in _places(low, wanted))
    else:  # İ lowers to two characters
        spans = ((match.start(), match.end()) for match in re.finditer(re.escape(truth), text, re.IGNORECASE))
    alone = len(truth) <= SHORT
    return list(islice((place for place in spans if not (alone and _continued(text, *place))), PLACES))


def _continued(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())


def _places(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))
