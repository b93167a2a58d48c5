r"""Regular expressions of JavaScript, written as those of the package regex: the parts that mean the same in both.

Meant are patterns without flags, as `new RegExp(pattern)` reads them. What cannot be translated is refused: what
JavaScript itself refuses, such as (?i), and what the two engines do not share, such as references to groups that
come later. One thing differs: a character beyond U+FFFF counts as one here, and as two for JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .pattern_bounds import PatternError, check_bounds, compiled

DIGIT, WORD = "0-9", "A-Za-z0-9_"
BLANK = r"\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SETS = {"d": DIGIT, "w": WORD, "s": BLANK}
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
BOUNDARY = f"(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"
NO_BOUNDARY = f"(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"
ANY, NEVER = r"(?s:.)", r"(?!)"
BEHIND = -1
_OPENING = re.compile(r"\((?:\?(?:[:=!]|<[=!]|<[A-Za-z_$][\w$]*>)|(?!\?))")
_REPEAT = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})\??")
_CODE = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")


class UntranslatableError(PatternError):
    """A pattern that cannot be written so that it means the same."""


@lru_cache(maxsize=4096)
def translated(pattern: str) -> str:
    """The pattern as the package regex takes it.

    Raises UntranslatableError, which says why it cannot, and PatternError for one beyond the bounds of patterns.
    """
    check_bounds(pattern)
    text = "".join(_Reader(pattern).parts())
    try:
        compiled(text, rewritten=True)
    except PatternError as error:
        raise UntranslatableError(str(error)) from None
    return text


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0
        self._opened: list[int] = []  # the groups that are open by number, 0 or BEHIND for one without a number
        self._groups, self._closed, self._inner, self._names = 0, set[int](), set[int](), dict[str, int]()
        self._behind = "(?<=" in pattern or "(?<!" in pattern
        self._fixed = True  # whether what was read last cannot be repeated

    def parts(self) -> Iterator[str]:
        while self._at < len(self._pattern):
            yield self._part()

    def _part(self) -> str:
        char = self._pattern[self._at]
        repeat = _REPEAT.match(self._pattern, self._at)
        if repeat is not None:
            self._at = repeat.end()
            if self._fixed:
                raise UntranslatableError(f"nothing to repeat at {repeat.start()}")
            self._fixed = True
            return repeat[0]
        if char == "(":
            self._fixed = True
            return self._open()
        self._at += 1
        self._fixed = char in "^$|" or (char == "\\" and self._pattern[self._at : self._at + 1] in ("b", "B"))
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._set()
        if char == ")":
            if not self._opened:
                raise UntranslatableError("a bracket is closed and not opened")
            opened = self._opened.pop()
            self._fixed = opened == BEHIND
            self._closed.add(opened)
        return {"^": r"\A", "$": r"\Z", ".": r"[^\n\r\u2028\u2029]", "|": "|", ")": ")"}.get(char) or _literal(char)

    def _open(self) -> str:
        opening = _OPENING.match(self._pattern, self._at)
        if opening is None:
            raise UntranslatableError(f"no group of JavaScript: {self._pattern[self._at : self._at + 4]}")
        self._at = opening.end()
        named = opening[0].endswith(">")
        if not named and opening[0] != "(":
            self._opened.append(BEHIND if opening[0].startswith("(?<") else 0)
            return opening[0]
        self._groups += 1
        self._opened.append(self._groups)
        if len(self._opened) > 1:
            self._inner.add(self._groups)
        if named:
            name = opening[0][3:-1]
            if name in self._names:
                raise UntranslatableError(f"two groups are called {name}")
            self._names[name] = self._groups
        return "("

    def _escape(self) -> str:
        char = self._next()
        if char in SETS:
            return f"[{SETS[char]}]"
        if char.lower() in SETS:
            return f"[^{SETS[char.lower()]}]"
        if char in "bB":
            return BOUNDARY if char == "b" else NO_BOUNDARY
        if char in "123456789":
            return self._reference(char)
        if char == "k" and self._pattern.startswith("<", self._at):
            return self._named_reference()
        return _literal(self._character(char))

    def _reference(self, digits: str) -> str:
        while self._at < len(self._pattern) and self._pattern[self._at] in "0123456789":
            digits += self._next()
        return self._back(int(digits))

    def _named_reference(self) -> str:
        name, _, _ = self._pattern[self._at + 1 :].partition(">")
        if name not in self._names:
            raise UntranslatableError(f"no group {name} before its name is used")
        self._at += len(name) + 2
        return self._back(self._names[name])

    def _back(self, number: int) -> str:
        """A reference to a group, which JavaScript takes for empty where the group has matched nothing."""
        if number not in self._closed - self._inner or self._behind:
            raise UntranslatableError(f"a reference to the group {number}, which is not before it or inside another")
        return f"(?({number})\\{number}|)"

    def _character(self, char: str) -> str:
        """The character that an escape stands for."""
        if char in CONTROLS:
            return CONTROLS[char]
        if char in "xu":
            code = _CODE.match(self._pattern, self._at - 1)
            if code is None:
                return char
            self._at = code.end()
            number = int(code[1] or code[2], 16)
            if 0xD800 <= number < 0xE000:
                raise UntranslatableError("half of a character")
            return chr(number)
        if char in "0123456789c" or (char == "k" and "(?<" in self._pattern):
            if char == "0" and not self._pattern[self._at : self._at + 1].isdigit():
                return "\0"
            raise UntranslatableError(f"the escape \\{char}")
        return char

    def _set(self) -> str:
        """A set of characters; sets within it, such as \\S, are alternatives beside it."""
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        inside: list[str] = []
        beside: list[str] = []
        while (first := self._member(inside, beside)) is not None:
            if (
                not first
                or not self._pattern.startswith("-", self._at)
                or self._pattern[self._at + 1 :][:1] in ("]", "")
            ):
                inside.append(_literal(first) if first else "")
                continue
            self._at += 1
            last = self._member(inside, beside)
            if not last:
                inside.append(_literal(first) + r"\-")
            elif last < first:
                raise UntranslatableError(f"a range out of order: {first}-{last}")
            else:
                inside.append(f"{_literal(first)}-{_literal(last)}")
        own = [f"[{''.join(inside)}]"] if any(inside) else []
        either = "|".join([*own, *beside])
        if not either:
            return ANY if negated else NEVER
        return f"(?:(?!{either}){ANY})" if negated else f"(?:{either})"

    def _member(self, inside: list[str], beside: list[str]) -> str | None:
        """The next character of a set; "" for a set within it, None at its end."""
        char = self._next("a set is not closed")
        if char != "\\":
            return None if char == "]" else char
        char = self._next()
        if char in SETS:
            inside.append(SETS[char])
            return ""
        if char.lower() in SETS:
            beside.append(f"[^{SETS[char.lower()]}]")
            return ""
        return "\b" if char == "b" else self._character(char)

    def _next(self, what: str = "it ends with a backslash") -> str:
        if self._at >= len(self._pattern):
            raise UntranslatableError(what)
        self._at += 1
        return self._pattern[self._at - 1]


def _literal(char: str) -> str:
    """A character that stands for itself, in a set and outside."""
    if char.isascii():
        return char if char.isalnum() or char == "_" else f"\\x{ord(char):02x}"
    return char
