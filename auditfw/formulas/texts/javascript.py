r"""Regular expressions of JavaScript, written as those of the package regex: the parts that mean the same in both.

Meant are patterns without flags, as `new RegExp(pattern)` reads them. What cannot be translated is refused: what
JavaScript itself refuses, such as (?i), and what the two engines do not share, such as references to groups that
come later. One thing differs: a character beyond U+FFFF counts as one here, and as two for JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from .pattern_bounds import PatternError, check_bounds, compiled

DIGIT, WORD = "0-9", "A-Za-z0-9_"
BLANK = r"\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SETS = {"d": DIGIT, "w": WORD, "s": BLANK}
CLASSES = {name: f"[{held}]" for name, held in SETS.items()} | {n.upper(): f"[^{held}]" for n, held in SETS.items()}
BOUNDARIES = {
    "b": f"(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))",
    "B": f"(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))",
}
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}
SIGNS = {"^": r"\A", "$": r"\Z", ".": r"[^\n\r\u2028\u2029]", "|": "|"}
ANY, NEVER = r"(?s:.)", r"(?!)"
BEHIND = -1
_ESCAPE = r"\\(?P<escape>x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|0(?!\d)|[^0])"
_MEMBER = re.compile(rf"(?s){_ESCAPE}|[^\\]")
_TOKEN = re.compile(
    r"(?s)(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})\??)|(?P<open>\((?:\?(?:[:=!]|<[=!]|<(?P<name>[A-Za-z_$][\w$]*)>)|(?!\?)))"
    rf"|\\k<(?P<named>[^>]*)>|\\(?P<number>[1-9]\d*)|(?!\\k<){_ESCAPE}|\[(?P<negated>\^?)(?P<set>(?:\\.|[^\]\\])*)\]|[^\\[(]"
)


class UntranslatableError(PatternError):
    """A pattern that cannot be written so that it means the same."""


@lru_cache(maxsize=4096)
def translated(pattern: str) -> str:
    """The pattern as the package regex takes it.

    Raises UntranslatableError, which says why it cannot, and PatternError for one beyond the bounds of patterns.
    """
    check_bounds(pattern)
    text = "".join(_Groups(pattern).parts())
    try:
        compiled(text, rewritten=True)
    except PatternError as error:
        raise UntranslatableError(str(error)) from None
    return text


def _tokens(token: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        match = token.match(text, at)
        if match is None:
            raise UntranslatableError(f"it is no pattern of JavaScript's from here on: {text[at : at + 4]}")
        yield match
        at = match.end()


class _Groups:
    """Reads a pattern from left to right, with its groups by number."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._opened: list[int] = []  # the groups that are open, 0 or BEHIND for one without a number
        self._groups, self._closed, self._inner, self._names = 0, set[int](), set[int](), dict[str, int]()

    def parts(self) -> Iterator[str]:
        fixed = True  # whether what was read last cannot be repeated
        for token in _tokens(_TOKEN, self._pattern):
            if token["repeat"]:
                if fixed:
                    raise UntranslatableError(f"nothing to repeat at {token.start()}")
                fixed = True
                yield token[0]
            elif token[0] == ")":
                if not self._opened:
                    raise UntranslatableError("a bracket is closed and not opened")
                self._closed.add(self._opened[-1])
                fixed = self._opened.pop() == BEHIND
                yield ")"
            else:
                fixed = bool(token["open"]) or token[0] in ("^", "$", "|", r"\b", r"\B")
                yield self._part(token)

    def _part(self, token: re.Match[str]) -> str:
        escape = token["escape"]
        if token["open"]:
            return self._open(token)
        if token["named"] is not None or token["number"]:
            return self._back(token)
        if token["set"] is not None:
            return self._set(token["negated"], token["set"])
        if escape:
            return CLASSES.get(escape) or BOUNDARIES.get(escape) or _literal(self._character(escape))
        return SIGNS.get(token[0]) or _literal(token[0])

    def _open(self, token: re.Match[str]) -> str:
        if token[0] != "(" and token["name"] is None:
            self._opened.append(BEHIND if token[0].startswith("(?<") else 0)
            return token[0]
        self._groups += 1
        if self._opened:
            self._inner.add(self._groups)
        self._opened.append(self._groups)
        if token["name"] is not None and self._names.setdefault(token["name"], self._groups) != self._groups:
            raise UntranslatableError(f"two groups are called {token['name']}")
        return "("

    def _back(self, token: re.Match[str]) -> str:
        """A reference to a group, which JavaScript takes for empty where the group has matched nothing."""
        number = int(token["number"] or self._names.get(token["named"], 0))
        behind = "(?<=" in self._pattern or "(?<!" in self._pattern
        if number < 1 or number not in self._closed - self._inner or behind:
            raise UntranslatableError(f"a reference to a group that is not before it or inside another: {token[0]}")
        return f"(?({number})\\{number}|)"

    def _character(self, escape: str) -> str:
        """The character that an escape stands for."""
        if len(escape) > 1:
            number = int(escape[1:], 16)
            if 0xD800 <= number < 0xE000:
                raise UntranslatableError("half of a character")
            return chr(number)
        if escape in "123456789c" or (escape == "k" and "(?<" in self._pattern):
            raise UntranslatableError(f"the escape \\{escape}")
        return CONTROLS.get(escape, escape)

    def _set(self, negated: str, text: str) -> str:
        """A set of characters; sets within it, such as \\S, are alternatives beside it."""
        read = list(_tokens(_MEMBER, text))
        chars = [self._member(one["escape"]) if one["escape"] else one[0] for one in read]
        inside, beside, at = "", list[str](), 0
        while at < len(read):
            first, last = chars[at], chars[at + 2] if at + 2 < len(read) and read[at + 1][0] == "-" else ""
            if len(first) > 1 or len(last) != 1:
                beside += [first] if first.startswith("[^") else []
                inside += _literal(first) if len(first) == 1 else "" if first.startswith("[^") else first[1:-1]
                at += 1
            elif last < first:
                raise UntranslatableError(f"a range out of order: {first}-{last}")
            else:
                inside, at = f"{inside}{_literal(first)}-{_literal(last)}", at + 3
        either = "|".join([*([f"[{inside}]"] if inside else []), *beside])
        if not either:
            return ANY if negated else NEVER
        return f"(?:(?!{either}){ANY})" if negated else f"(?:{either})"

    def _member(self, escape: str) -> str:
        """The character, or the set, that an escape in a set stands for."""
        return "\b" if escape == "b" else CLASSES.get(escape) or self._character(escape)


def _literal(char: str) -> str:
    """A character that stands for itself, in a set and outside."""
    if char.isascii():
        return char if char.isalnum() or char == "_" else f"\\x{ord(char):02x}"
    return char


# The assertions of promptfoo that compare texts: their types, and how their values are written.

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
