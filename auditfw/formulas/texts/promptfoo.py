"""The assertions of promptfoo that compare texts: their types, and how their values are written."""

from __future__ import annotations

from typing import Literal

Assertion = Literal[
    "equals",
    "contains",
    "icontains",
    "contains-any",
    "icontains-any",
    "contains-all",
    "icontains-all",
    "starts-with",
    "regex",
]
SEVERAL = frozenset(("contains-any", "icontains-any", "contains-all", "icontains-all"))
NEGATION = "not-"


class UnquotedError(ValueError):
    """A quoted part of a value that has no end, or something behind it."""


def separated(text: str) -> list[str]:
    r"""The parts of a value that is a text: between commas, empty ones left out; "a, b" is one, \" and "" a quote.

    Source: `parseCommaSeparatedValues` of promptfoo 0.121.20. Raises UnquotedError.
    """
    parts: list[str] = []
    at = _behind(text, 0, ",")
    while at < len(text):
        if text[at] == '"':
            part, at = _quoted(text, at + 1)
            at = _behind(text, at)
            if at < len(text) and text[at] != ",":
                raise UnquotedError(text)
        else:
            end = text.find(",", at)
            part, at = text[at : len(text) if end < 0 else end].strip(), len(text) if end < 0 else end
        parts.append(part)
        at = _behind(text, at, ",")
    return parts


def _behind(text: str, at: int, also: str = "") -> int:
    """The place behind blanks, and behind these other characters."""
    while at < len(text) and (text[at].isspace() or text[at] == "\ufeff" or text[at] in also):
        at += 1
    return at


def _quoted(text: str, at: int) -> tuple[str, int]:
    """A part up to its closing quote, and the place behind it."""
    part = ""
    while at < len(text):
        pair = text[at : at + 2]
        if pair in ('\\"', "\\\\", '""'):
            part, at = part + pair[1], at + 2
        elif text[at] == '"':
            return part, at + 1
        else:
            part, at = part + text[at], at + 1
    raise UnquotedError(text)
