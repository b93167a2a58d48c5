"""Searches by a pattern of the user's, under a deadline, and the lint of such patterns."""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Any, Literal

from auditfw.core.errors import UsageError, brief

from .pattern_bounds import PatternError, check_bounds, compiled
from .pattern_syntax import (
    ENDLESS,
    Again,
    Either,
    Group,
    Look,
    Node,
    One,
    Parts,
    Place,
    Repeat,
    UnknownSyntaxError,
    leading_flags,
    parsed,
    widths,
)

# What every match of a pattern begins with, and what is in every match.

MOST_AHEAD, MOST_CALLS = 8, 500

Ahead = list[list[One]]


def prefix(tree: Node) -> Ahead:
    """What the first characters of a match may be: so many as every match has, but at most MOST_AHEAD, at least one.

    Raises UnknownSyntaxError where that is not seen.
    """
    ahead, _ = _Prefixes().of((tree,))
    if not ahead:
        raise UnknownSyntaxError("a beginning that may be anything")
    return ahead[:MOST_AHEAD]


class _Prefixes:
    """Counts what it looks at: optional parts one after another have very many beginnings."""

    def __init__(self) -> None:
        self._calls = 0

    def of(self, parts: tuple[Node, ...]) -> tuple[Ahead, bool]:
        """The first characters of parts, and whether these are all that they have."""
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise UnknownSyntaxError("very many beginnings")
        ahead: Ahead = []
        while parts:
            node, *rest = parts
            if isinstance(node, Parts | Group):
                inner = node.parts if isinstance(node, Parts) else (node.body,)
                parts = (*inner, *rest)
                continue
            sides, further = self._sides(node, tuple(rest))
            size = min(len(side) for side, _ in sides)
            ahead += [[one for side, _ in sides for one in side[place]] for place in range(size)]
            if not all(whole and len(side) == size for side, whole in sides) or len(ahead) >= MOST_AHEAD:
                return ahead, False
            parts = further
        return ahead, True

    def _sides(self, node: Node, rest: tuple[Node, ...]) -> tuple[list[tuple[Ahead, bool]], tuple[Node, ...]]:
        """The ways in which a part may begin, and what follows each of them."""
        match node:
            case One():
                return [([[node]], True)], rest
            case Place() | Look():
                return [([], True)], rest
            case Either(parts=parts):
                sides = [self.of((part,)) for part in parts]
                if all(side for side, _ in sides):
                    return sides, rest
                return [self.of((part, *rest)) for part in parts], ()
            case Repeat(body=body, least=0):
                ahead, _ = self.of((body,))
                return [(ahead, False), self.of(rest)], ()
            case Repeat(body=body, least=least, most=most):
                ahead, whole = self.of((body,) * least)
                return [(ahead, whole and most == least)], rest
        return [([], False)], rest


def consumed(node: Node) -> list[One]:
    """What the characters of a match may be."""
    match node:
        case One():
            return [node]
        case Group(body=body) | Repeat(body=body):
            return consumed(body)
        case Either(parts=parts) | Parts(parts=parts):
            return [one for part in parts for one in consumed(part)]
    return []


def _beginning(tree: Node) -> Node | None:
    """The part that every match begins with."""
    while isinstance(tree, Parts | Group):
        parts = tree.parts if isinstance(tree, Parts) else (tree.body,)
        if not parts:
            return None
        tree = parts[0]
    return tree


def anchors(tree: Node) -> tuple[bool, bool]:
    """Whether every match is at the start of the text, or else of a line."""
    part = _beginning(tree)
    kind = part.kind if isinstance(part, Place) else ""
    return kind in ("A", "^"), kind == "^m"


def endless(tree: Node) -> One | None:
    """What every match begins with an endless repeat of; None where it does not.

    Where a group may come once more it is None too: what such a match is depends on where it begins.
    """
    part = _beginning(tree)
    if not isinstance(part, Repeat) or part.most != ENDLESS or part.least > 1 or _again(tree):
        return None
    return part.body if isinstance(part.body, One) else None


def _again(node: Node) -> bool:
    match node:
        case Group(body=body) | Repeat(body=body) | Look(body=body):
            return _again(body)
        case Either(parts=parts) | Parts(parts=parts):
            return any(map(_again, parts))
    return isinstance(node, Again)


def must(tree: Node) -> str:
    """The longest text that is in every match, without the very first one; "" where it is not two characters."""
    texts, text = [], ""
    for node in tree.parts if isinstance(tree, Parts) else ():
        if isinstance(node, One) and node.exact:
            text += node.exact
        elif not isinstance(node, Place | Look):
            texts.append(text)
            text = ""
    return max((text for text in [*texts, text][1:] if len(text) > 1), key=len, default="")


Classes = Literal["regex", "re"]  # whose \s, \w and \b a pattern means
BETWEEN_GROUPS = "\x1f"  # where the texts of a pattern's groups, or what they are compared with, are one text
# What Python's re takes for white space and for characters of words, where the package regex takes something else.
_BLANK, _WORD = r"\s\x1c-\x1f", r"\p{L}\p{nt=De}\p{nt=Di}\p{nt=Nu}_"
_IN_A_SET = {r"\s": _BLANK, r"\w": _WORD}
_ALONE = {
    r"\s": f"[{_BLANK}]",
    r"\S": f"[^{_BLANK}]",
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\b": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    r"\B": f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
}
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


def flagged(pattern: str, flags: str) -> str:
    """A pattern with its flags in front."""
    return f"(?{flags}){pattern}" if flags else pattern


@lru_cache(maxsize=1024)
def as_re(pattern: str) -> str:
    r"""A pattern whose \s, \w and \b, and their opposites, are those of Python's re, not those of the package regex.

    They differ on separators of files (U+001C to U+001F), on combining marks and on digits such as ². In a set, \S and
    \W stay as they are.
    """
    return _PARTS.sub(_as_re, pattern)


def _as_re(part: re.Match[str]) -> str:
    if part[0][0] == "[":
        return _ESCAPE.sub(lambda escape: _IN_A_SET.get(escape[0], escape[0]), part[0])
    return _ALONE.get(part[0], part[0])


@lru_cache(maxsize=1024)
def written(pattern: str, flags: str, classes: Classes) -> str:
    """A pattern as the package regex takes it. Raises UsageError where it becomes too large."""
    source = flagged(as_re(pattern) if classes == "re" else pattern, flags)
    try:
        compiled(source, rewritten=True)
    except PatternError as error:
        raise UsageError("pattern", str(error), brief(pattern), error.advice) from None
    return source


def search(pattern: str, text: str, which: int, deadline: float) -> Any:
    """One of the matches of a pattern by its number, or None. Raises TimeoutError, naming the pattern."""
    searched, timeout = _searched(pattern), _LATE.timeout(pattern, text, deadline)
    try:
        if which == 0:
            return searched.search(text, timeout=timeout)
        matches = searched.finditer(text, timeout=timeout)
        if which > 0:
            return next(islice(matches, which, None), None)
        last = deque(matches, maxlen=-which)
        return last[0] if len(last) == -which else None
    except TimeoutError:
        raise _LATE.error(pattern, text, deadline) from None


def replace(pattern: str, replacement: str, text: str, deadline: float) -> str:
    """A text whose matches of a pattern are replaced. Raises TimeoutError, naming the pattern."""
    timeout = _LATE.timeout(pattern, text, deadline)
    try:
        replaced: str = _searched(pattern).sub(replacement, text, timeout=timeout)
    except TimeoutError:
        raise _LATE.error(pattern, text, deadline) from None
    return replaced


@lru_cache(maxsize=1024)
def _searched(pattern: str) -> Any:
    r"""A pattern that gives the same matches, in linear time where it begins with an endless repeat, as \s+$ does.

    A match that begins within a run of what is repeated could begin where the run does: so only there it is tried, and
    where the match before it ended.
    """
    try:
        tree, _ = parsed(pattern)
        repeated = endless(tree) if widths(tree)[0] else None
    except UnknownSyntaxError:
        repeated = None
    start = leading_flags(pattern)
    if repeated is None or not set(repeated.flags) <= set(pattern[:start]):
        return compiled(pattern, rewritten=True)
    begins = rf"(?:(?<!{repeated.source})|\G)"
    return compiled(f"{pattern[:start]}{begins}{pattern[start:]}", rewritten=True)


class _LateSearches:
    """The searches of this process that reached their deadline: none is made a second time.

    A pattern that has reached it `MOST` times gets a small part of it from then on: quick searches succeed as before.
    """

    MOST, PART = 10, 1 / 200

    def __init__(self) -> None:
        self._texts: dict[tuple[str, float], set[bytes]] = {}

    def forget(self) -> None:
        self._texts.clear()

    def timeout(self, pattern: str, text: str, deadline: float) -> float:
        """How long a search may take. Raises TimeoutError for one that has been late."""
        late = self._texts.get((pattern, deadline))
        if late is None:
            return deadline
        if _digest(text) in late:
            raise _late(pattern, deadline)
        return deadline if len(late) < self.MOST else deadline * self.PART

    def error(self, pattern: str, text: str, deadline: float) -> TimeoutError:
        """Notes that a search was late."""
        late = self._texts.setdefault((pattern, deadline), set())
        if len(late) < MOST_LATE:
            late.add(_digest(text))
        return _late(pattern, deadline)


MOST_LATE = 100_000
_LATE = _LateSearches()


def forget_late() -> None:
    """Begins a run: whatever was late before may be asked again."""
    _LATE.forget()


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _late(pattern: str, deadline: float) -> TimeoutError:
    return TimeoutError(f"the pattern {pattern!r} took longer than {deadline:g} s")


def check_pattern(
    pattern: str, deadline: float, setting: str = "pattern", *, flags: str = "", empty: bool = False
) -> None:
    """Raises UsageError for a pattern that cannot be meant so; unless `empty`, for one that matches empty text."""
    if any(c in pattern for c in map(chr, (*range(9), 11, 12, *range(14, 32), 127))):
        raise UsageError(setting, "control character in a regular expression", pattern, "use single quotes")
    if not set(flags) <= set("aimsx"):
        raise UsageError("flags", "not flags of a regular expression", flags, "write letters of aimsx, such as i")
    try:
        check_bounds(pattern)
        checked = compiled(flagged(pattern, flags), rewritten=True)
    except PatternError as error:
        raise UsageError(setting, str(error), brief(pattern), error.advice) from None
    if deadline <= 0:
        raise UsageError("deadline", "expected a number of seconds above 0", deadline)
    if not pattern or (not empty and checked.search("", timeout=deadline) is not None):
        raise UsageError(setting, "the pattern matches empty text", pattern, "write + for *, or anchor it to a word")


_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+]|\{\d*,\d*\}|[()]|.", re.DOTALL)


def lint(pattern: str) -> str | None:
    """Says where an endless repeat holds another endless repeat, as in (a+)+, which may take exponential time."""
    opened: list[int] = []
    repeats: list[int] = []  # where endless repeats are
    closed: tuple[int, int] | None = None  # the group that has just been closed
    for token in _TOKEN.finditer(pattern):
        text, at = token[0], token.start()
        if text == "(":
            opened.append(at)
        endless = text in ("*", "+") or (text.startswith("{") and text.endswith(",}"))
        possessive = endless and pattern[token.end() : token.end() + 1] == "+"
        if endless and not possessive:
            if closed and any(closed[0] < inner < closed[1] for inner in repeats):
                group = pattern[closed[0] : token.end()]
                return f"{group} repeats a repeat: it may take exponential time - write it with one repeat"
            if pattern[at - 1 : at] not in ("*", "+", "}") or pattern[at - 2 : at - 1] == "\\":
                repeats.append(at)
        closed = (opened.pop(), at) if text == ")" and opened else None
    return None
