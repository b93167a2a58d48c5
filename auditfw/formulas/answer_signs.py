"""Signs that an accepted answer is none: it denies the truth, names several options, or holds the truth in a word.

Rules of thumb over plain text, for a reader to look at: nothing is decided by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

DENIES, SEVERAL, INSIDE = (
    "denies the truth",
    "names several options",
    "contains the truth only inside a longer word or number",
)
SIGNS = (DENIES, SEVERAL, INSIDE)
BEFORE = 60  # characters before a truth in which it may be denied
DENIED = re.compile(
    r"(?:(?:\bnot|\bcannot|\bnever|\bneither|\bnor|n't)(?! (?:only|just|merely|simply)\b)"
    r"(?: (?:be|equal|say|mean|choose|pick|think|believe))?(?: it (?:is|was))?"
    r"|\brather than|\binstead of|\bother than|\bexcept(?: for)?|\banything but)"
    r"(?: (?:the|a|an|in|at|to|of|option|answer|choice|really|actually|necessarily))*[ \"'“‘(*]*$"
)
WORDS = ("not", "n't", "never", "nor", "neither", "than", "instead", "except", "but")  # one of which it takes
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
LISTED = re.compile(r"(?:[(\[*/]|\b(?:or|and|option|choice|answer|is|answer:)\s)$", re.IGNORECASE)
LISTING = re.compile(r"[).:,;/*\]]|\s*$|\s*(?:/|\bor\b|\band\b)")


@lru_cache(maxsize=1_024)
def folded(text: str) -> str:
    """A text in one case, its apostrophes straight."""
    return text.casefold().replace("’", "'")


def denies(answer: str, truth: str) -> bool:
    """Whether an answer names the truth, and wherever it does, denies it: "not X", "isn't X", "rather than X"."""
    text, wanted = folded(answer), folded(truth).strip()
    places = 0
    for at in _alone(text, wanted):
        places += 1
        if not _denied(text[max(0, at - BEFORE) : at]):
            return False
    return places > 0


def _denied(before: str) -> bool:
    """Whether a text ends in words that deny what follows."""
    return any(word in before for word in WORDS) and DENIED.search(" ".join(before.split()) + " ") is not None


def inside_longer(answer: str, truth: str) -> bool:
    """Whether an answer holds the truth, but only inside a longer word or number: "cat" in "category", "7" in "17"."""
    text, wanted = folded(answer), folded(truth).strip()
    return bool(wanted) and wanted in text and next(_alone(text, wanted), None) is None


def options_named(answer: str, options: Sequence[str]) -> int:
    """How many of the options an answer names; an option inside a longer one that is named there does not count.

    A single letter counts where it is set off as an option: "(B)", "B.", "B and C", "B" at the end.
    """
    if options and LETTERS.issuperset(options):
        text = " ".join(answer.split())
        return sum(1 for option in dict.fromkeys(options) if _offers(text, option))
    text, named = folded(answer), 0
    for option in sorted(dict.fromkeys(map(folded, options)), key=lambda one: (-len(one), one)):
        between, end = [], 0
        for at in _alone(text, option):
            if at >= end:
                between.append(text[end:at])
            end = at + len(option)
        named += bool(between)
        text = "\0".join([*between, text[end:]])
    return named


def _alone(text: str, wanted: str) -> Iterator[int]:
    """Where a text has this one, not as a part of a longer word or number."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _joined(text[max(0, at - 2) : at], wanted[0]) and not _joined(text[end : end + 2][::-1], wanted[-1]):
            yield at
        at = text.find(wanted, at + 1)


def _joined(beside: str, edge: str) -> bool:
    """Whether a text goes on beside its edge: `beside` are up to two characters there, the nearer one last."""
    if not beside or not edge.isalnum():
        return False
    if beside[-1].isalnum() or beside[-1] == "_":
        return True
    return edge.isdigit() and beside[-1] in ".," and beside[:-1].isdigit()


def _offers(text: str, letter: str) -> bool:
    """Whether a text names a letter as an option."""
    return any(
        LISTING.match(text, at + 1) or LISTED.search(text[max(0, at - BEFORE) : at]) for at in _alone(text, letter)
    )


def answer_signs(answer: str, truths: Sequence[str], options: Sequence[str]) -> tuple[str, ...]:
    """The signs that an accepted answer is none; of several truths all must be denied, or inside longer words."""
    texts = [text for text in truths if text]
    if answer in texts:
        return ()
    present = [text for text in texts if folded(text).strip() in folded(answer)]
    signs = []
    if present and all(denies(answer, text) for text in present):
        signs.append(DENIES)
    if options and options_named(answer, options) > 1:
        signs.append(SEVERAL)
    if present and all(inside_longer(answer, text) for text in present):
        signs.append(INSIDE)
    return tuple(signs)
