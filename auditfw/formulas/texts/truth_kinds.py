"""What kind of answer a ground truth is: a number, an option letter, yes or no, text …; and what kind a run's are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from auditfw.core.document import some, verb

Kind = Literal["empty", "letter", "yes_no", "number", "latex", "code", "structured", "text", "long"]

MIXED = "mixed"
SHARE = 0.95  # of the truths that are not empty: from there on the kind is that of the run
READ = 5_000  # characters of a truth
WORDS = 12  # of a text; more are long
LONGEST_NUMBER = 1_000
SHORT = 200  # characters of a text whose kind is cached
NAMES: Mapping[str, tuple[str, str]] = {  # one of a kind, and several
    "letter": ("a letter", "letters"),
    "yes_no": ("yes or no", "yes or no"),
    "number": ("a number", "numbers"),
    "latex": ("LaTeX", "LaTeX"),
    "code": ("code", "code"),
    "structured": ("structured", "structured"),
    "text": ("text", "text"),
    "long": ("a long text", "long texts"),
    "empty": ("empty", "empty"),
}

_LETTER = re.compile(r"\([A-J]\)|[A-J]")
_CURRENCY = "$€£¥₹₩₽"
_DIGITS = r"(?:\d{1,3}(?:[,' \u00a0\u2009\u202f]\d{3})+|\d+)"
_NUMBER = re.compile(
    rf"[-−+]?\s?[{_CURRENCY}]?\s?[-−+]?(?:\d{{1,3}}(?:\.\d{{3}})+,\d+|{_DIGITS}(?:[.,]\d*)?|[.,]\d+)"
    rf"(?:/\d+)?(?:[eE][-+]?\d+)?\s?(?:\\?%|[{_CURRENCY}])?"
)
_CODE = re.compile(r"\s*(?:(?:def|class|import|SELECT)\b|<\w+|#include\b)")


def _kind(truth: str) -> Kind:
    """The kind of one text, by its first characters."""
    text = truth[:READ].strip()
    if not text:
        return "empty"
    if _LETTER.fullmatch(text):
        return "letter"
    if text.casefold() in ("yes", "no", "true", "false"):
        return "yes_no"
    if len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text):
        return "number"
    if "\\" in text or text.count("$") > 1:
        return "latex"
    if text.count("\n") > 1 or _CODE.match(text):
        return "code"
    if text[0] in "[{" and text[-1] in "]}":
        return "structured"
    return "text" if len(text.split(None, WORDS)) <= WORDS else "long"


_cached_kind = lru_cache(maxsize=1 << 16)(_kind)


def kind_of(truth: str | Sequence[str]) -> Kind:
    """The kind of a truth; of several texts theirs, text where they are of several kinds."""
    if isinstance(truth, str):
        return _cached_kind(truth) if len(truth) <= SHORT else _kind(truth)
    kinds = {kind_of(text) for text in truth} - {"empty"}
    return kinds.pop() if len(kinds) == 1 else "text" if kinds else "empty"


def kinds_of(truths: Sequence[str | Sequence[str]]) -> Counter[str]:
    """How many truths are of which kind."""
    kinds: Counter[str] = Counter()
    for truth, n in Counter(truths).items():
        kinds[kind_of(truth)] += n
    return kinds


def common_kind(kinds: Mapping[str, int]) -> str:
    """The kind of almost all truths that are not empty; "mixed" where there is none."""
    filled = {kind: n for kind, n in kinds.items() if kind != "empty" and n}
    first = max(filled, key=lambda kind: filled[kind], default=MIXED)
    return first if filled and filled[first] >= SHARE * sum(filled.values()) else MIXED


def kinds_sentence(kinds: Mapping[str, int]) -> str:
    """`384 of 400 truths are numbers, 16 are empty`; the most frequent kind first, the empty ones last."""
    there = sorted((kind == "empty", -n, kind) for kind, n in kinds.items() if n)
    counted = [(kind, -n) for _, n, kind in there]
    parts = [f"{n:,} {verb(n, 'is', 'are')} {verb(n, *NAMES[kind])}" for kind, n in counted]
    of = f" of {some(sum(n for _, n in counted), 'truth')} "
    return ", ".join(parts).replace(" ", of, 1)
