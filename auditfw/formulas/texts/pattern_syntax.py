r"""Reads regular expressions into trees, where they say what Python's re and the package regex understand alike.

Anything else is refused: possessive repeats, atomic groups, conditions, sets within sets, flags but `aims`. What a
single character may be is never interpreted here: its source is kept, for the engine itself to be asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ENDLESS = -1
MOST_COPIES = 20

_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\\[])*\]", re.DOTALL)
_REPEAT = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_FLAGS = re.compile(r"\(\?([aims]+)\)")
_OPENING = re.compile(r"\(\?(?:P?<([A-Za-z_]\w*)>|([aims]*)(?:-([ims]+))?:|(<?[=!]))")
_PROPERTY = re.compile(r"\\[pP]\{[^{}]*\}")
_CODE = re.compile(r"\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}")
_OPERATION = re.compile(r"--|&&|\|\||~~")


class UnknownSyntaxError(ValueError):
    """A part of a pattern that is not read here."""


@dataclass(frozen=True)
class One:
    """One character: the source of what it may be, under flags; `exact` where it can be this character alone."""

    source: str
    flags: str
    exact: str | None = None


@dataclass(frozen=True)
class Place:
    r"""A condition on the place alone: `kind` is one of "A", "Z", "^", "$", "^m", "$m", "b" and "B"."""

    kind: str
    word: One | None = None


@dataclass(frozen=True)
class Look:
    """A condition on what follows, or on the so many characters before."""

    body: Node
    wanted: bool
    behind: int = 0


@dataclass(frozen=True)
class Group:
    """A part whose text is kept under a number."""

    number: int
    body: Node


@dataclass(frozen=True)
class Again:
    """The text of a group once more."""

    number: int


@dataclass(frozen=True)
class Repeat:
    """A part from `least` to `most` times, as often as can be if `greedy`."""

    body: Node
    least: int
    most: int
    greedy: bool


@dataclass(frozen=True)
class Parts:
    """Parts one after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Either:
    """The first of several parts that fits."""

    parts: tuple[Node, ...]


Node = One | Place | Look | Group | Again | Repeat | Parts | Either


def widths(node: Node) -> tuple[int, int]:
    """The fewest and the most characters of a match, ENDLESS where there is no most."""
    match node:
        case One():
            return 1, 1
        case Place() | Look():
            return 0, 0
        case Again():
            return 0, ENDLESS
        case Group(body=body):
            return widths(body)
        case Repeat(body=body, least=least, most=most):
            low, high = widths(body)
            return low * least, ENDLESS if ENDLESS in (high, most) else high * most
        case Parts(parts=parts):
            sides = [widths(part) for part in parts]
            endless = any(high == ENDLESS for _, high in sides)
            return sum(low for low, _ in sides), ENDLESS if endless else sum(high for _, high in sides)
        case Either(parts=parts):
            sides = [widths(part) for part in parts]
            endless = any(high == ENDLESS for _, high in sides)
            return min(low for low, _ in sides), ENDLESS if endless else max(high for _, high in sides)


def parsed(pattern: str) -> tuple[Node, int]:
    """The tree of a pattern, and how many groups it has. Raises UnknownSyntaxError."""
    reader = _TreeReader(pattern)
    reader.at = leading_flags(pattern)
    tree = reader.either(frozenset(pattern[: reader.at]) - set("(?)"))
    if reader.at != len(pattern):
        raise UnknownSyntaxError(pattern[reader.at :])
    return tree, reader.groups


def leading_flags(pattern: str) -> int:
    """Where the flags end that a pattern begins with."""
    at = 0
    while match := _FLAGS.match(pattern, at):
        at = match.end()
    return at


class _TreeReader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.groups = pattern, 0, 0
        self._closed: set[int] = set()
        self._names: set[str] = set()
        self._looking = 0

    def either(self, flags: frozenset[str]) -> Node:
        """Alternatives up to the end of the group that they are in."""
        parts = [self._sequence(flags)]
        while self._next("|"):
            parts.append(self._sequence(flags))
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _next(self, wanted: str) -> bool:
        present = self.pattern.startswith(wanted, self.at)
        self.at += len(wanted) * present
        return present

    def _sequence(self, flags: frozenset[str]) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self._repeated(self._part(flags)))
        return Parts(tuple(parts))

    def _repeated(self, node: Node) -> Node:
        match = _REPEAT.match(self.pattern, self.at)
        if match is None:
            return node
        least, most = {"*": (0, ENDLESS), "+": (1, ENDLESS), "?": (0, 1)}.get(match[0], (0, 0))
        if match[0][0] == "{":
            if not match[1] and not match[3]:
                raise UnknownSyntaxError(match[0])
            least = int(match[1] or 0)
            most = least if not match[2] else int(match[3]) if match[3] else ENDLESS
        self.at = match.end()
        greedy = not self._next("?")
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?", "{") and self.at < len(self.pattern):
            raise UnknownSyntaxError("a repeat of a repeat, or a possessive one")
        if widths(node)[0] == 0:
            raise UnknownSyntaxError("a repeat of what may be empty")
        if not isinstance(node, One) and max(least, most) > MOST_COPIES:
            raise UnknownSyntaxError("a part that is repeated very often")
        if most not in (ENDLESS,) and most < least:
            raise UnknownSyntaxError(match[0])
        return Repeat(node, least, most, greedy)

    def _part(self, flags: frozenset[str]) -> Node:
        sign = self.pattern[self.at]
        if sign == "(":
            return self._group(flags)
        if sign == "[":
            return self._set(flags)
        if sign == "\\":
            return self._escape(flags)
        if sign in "*+?{":
            raise UnknownSyntaxError(sign)
        self.at += 1
        if sign in "^$":
            return Place(sign + "m" * ("m" in flags))
        return _one(".", flags) if sign == "." else _character(sign, flags)

    def _set(self, flags: frozenset[str]) -> Node:
        match = _SET.match(self.pattern, self.at)
        if match is None or _OPERATION.search(match[0]):
            raise UnknownSyntaxError("a set with operations")
        self.at = match.end()
        return _one(match[0], flags)

    def _escape(self, flags: frozenset[str]) -> Node:
        for longer in (_PROPERTY, _CODE):
            if match := longer.match(self.pattern, self.at):
                self.at = match.end()
                return _one(match[0], flags)
        sign = self.pattern[self.at + 1 : self.at + 2]
        self.at += 2
        if sign in "AZ" and sign:
            return Place(sign)
        if sign in ("b", "B"):
            return Place(sign, _one(r"\w", flags))
        if sign and sign in "sSdDwWntrfv":
            return _one("\\" + sign, flags)
        if sign.isdigit() and not self.pattern[self.at : self.at + 1].isdigit():
            return self._again(int(sign), flags)
        if not sign or not sign.isascii() or sign.isalnum():
            raise UnknownSyntaxError("\\" + sign)
        return _character(sign, flags)

    def _again(self, number: int, flags: frozenset[str]) -> Node:
        if number not in self._closed or "i" in flags:
            raise UnknownSyntaxError("a group before its end, or in any case")
        return Again(number)

    def _group(self, flags: frozenset[str]) -> Node:
        match = _OPENING.match(self.pattern, self.at)
        if match is None and self.pattern.startswith("(?", self.at):
            raise UnknownSyntaxError(self.pattern[self.at : self.at + 4])
        self.at = match.end() if match else self.at + 1
        if match and match[4]:
            return self._look(match[4], flags)
        if match and match[1] is None:
            body = self.either((flags | set(match[2])) - set(match[3] or ""))
            return self._closing(body)
        if self._looking or (match and match[1] in self._names):
            raise UnknownSyntaxError("a group in a condition, or a second one of its name")
        if match:
            self._names.add(match[1])
        self.groups += 1
        number = self.groups
        body = self._closing(self.either(flags))
        self._closed.add(number)
        return Group(number, body)

    def _look(self, sign: str, flags: frozenset[str]) -> Node:
        self._looking += 1
        body = self._closing(self.either(flags))
        self._looking -= 1
        low, high = widths(body)
        if sign[0] == "<" and (low != high or _conditions(body)):
            raise UnknownSyntaxError("a look behind of no fixed width")
        return Look(body, sign[-1] == "=", low if sign[0] == "<" else 0)

    def _closing(self, body: Node) -> Node:
        if not self._next(")"):
            raise UnknownSyntaxError("a group that is not closed")
        return body


def _conditions(node: Node) -> bool:
    """Whether a tree holds a condition or a group's text."""
    match node:
        case One():
            return False
        case Group(body=body) | Repeat(body=body):
            return _conditions(body)
        case Parts(parts=parts) | Either(parts=parts):
            return any(map(_conditions, parts))
    return True


def _one(source: str, flags: frozenset[str], exact: str | None = None) -> One:
    return One(source, "".join(sorted(flags)), exact)


def _character(sign: str, flags: frozenset[str]) -> One:
    source = sign if sign.isalnum() or not sign.isascii() else "\\" + sign
    return _one(source, flags, None if "i" in flags else sign)
