"""What a paper can say of a run in two sentences: only what was measured, with n, test or interval, version, seed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from auditfw.core.digits import fixed, interval_digits, short
from auditfw.core.document import Note, Section, some

TITLE = "For Your Paper"
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def paper_section(sentences: Iterable[str]) -> Section:
    """The section of these sentences; empty where there is none."""
    text = " ".join(sentences)
    return Section(TITLE, [Note(text)] if text else [])


def made_by(seed: int) -> str:
    """What made the numbers: `auditfw 0.1.0, seed 0`."""
    return f"auditfw {version('auditfw')}, seed {seed}"


def in_words(n: int) -> str:
    """A number of things at hand, in words up to ten."""
    return WORDS[n] if 0 <= n < len(WORDS) else f"{n:,}"


def all_of(n: int, read: int, noun: str) -> str:
    """What was scored of what was read: `all 96 answers`, `90 of 96 answers`."""
    if n < read:
        return f"{n:,} of {some(read, noun)}"
    return f"all {some(n, noun)}" if n > 1 else f"one {noun}"


def places_of(low: float, high: float, share: bool = False, apart: bool = False) -> int:
    """The decimal places that an interval bears; one more, at most 2, where numbers are set `apart` from each other."""
    digits = interval_digits(low, high, share)
    return min(2, digits + 1) if apart else digits


def with_span(value: str, low: float, high: float, digits: int, more: str = "") -> str:
    """A number with its interval: `24.7 % (95 % CI 16.4–35.4, clustered by 20 items)`.

    An end that is not 0, of an interval that leaves 0 out, is never shown as 0.
    """
    ends = [_end(one, digits, low * high > 0) for one in (low, high)]
    joined = (" to " if ends[0].startswith("-") else "–").join(ends)
    return f"{value} (95 % CI {joined}{f', {more}' if more else ''})"


def _end(end: float, digits: int, clear: bool) -> str:
    shown = fixed(end, digits)
    return short(end, 1) if clear and not shown.strip("-0.") else shown


def percent(part: float, low: float, high: float, more: str = "") -> str:
    """A share of 1 as percent with its interval."""
    low, high = 100 * low, 100 * high
    digits = places_of(low, high)
    return with_span(f"{fixed(100 * part, digits)} %", low, high, digits, more)
