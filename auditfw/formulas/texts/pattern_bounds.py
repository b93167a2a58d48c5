"""The one place where patterns are compiled, after a look at what that would cost.

The package regex writes the body of a counted repeat out as often as it must match, and that of `+` twice: nested
repeats of a few characters take all memory, and the compiler cannot be stopped. So a pattern is read here first,
character by character, without being compiled. MOST_COST bounds what it is written out to; together with the other
bounds the worst pattern takes well under a second.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal, NamedTuple

Engine = Literal["regex", "re"]

MOST_CHARACTERS = 10_000
MOST_REWRITTEN = 200_000  # characters of a pattern that is written anew, each class as the set that it stands for
MOST_DEPTH, DEEPER = 50, 4  # the second for brackets that only come from rewriting
MOST_REPEATS = 100_000
MOST_ALTERNATIVES = 5_000
MOST_GROUPS = 2_000  # the time of the compiler grows with their square
MOST_COST = 700_000  # parts of a pattern whose repeats are written out: about 0.4 KB and 0.5 microseconds each
FOLDED_SET = 2_000  # parts that a set comes to under the flag f: the characters that fold to several
GROUP, CONDITION, LINE_BREAK = 8, 24, 24  # parts that a group, one with a condition, and \R come to

_FLAGS = re.compile(r"\?([a-zA-Z0-9]*)(?:-([a-zA-Z]+))?([:)])")
_CALL = re.compile(r"\?(?:R|[+-]?[0-9]+|&\w*|P>\w*)\)")
_CONDITION = re.compile(r"\?\([\w]*\)")
_OPENING = re.compile(r"\?(?:P?<\w+>|<[=!]|[=!>|])")
_CLASS = re.compile(r"\[:\^?\w+:\]")
_NAMED = re.compile(r"[pPN]\{[^{}]*\}")
_BLANKS = " \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0"


class PatternError(ValueError):
    """Why a text cannot be used as a pattern, and what to do."""

    def __init__(self, why: str, advice: str = "use single quotes") -> None:
        super().__init__(why)
        self.advice = advice


SHORTER = "write a shorter one, or several after each other"


@lru_cache(maxsize=1024)
def compiled(pattern: str, engine: Engine = "regex", *, rewritten: bool = False) -> Any:
    """A pattern as it is searched with. Raises PatternError for one that is none, or is beyond the bounds."""
    check_bounds(pattern, rewritten=rewritten)
    import regex

    try:
        return re.compile(pattern) if engine == "re" else regex.compile(pattern)
    except Exception as error:  # the package regex raises errors of several kinds
        raise PatternError(f"not a regular expression: {error}") from None


def check_bounds(pattern: str, *, rewritten: bool = False) -> None:
    """Raises PatternError for a pattern that is too large to be compiled, or that calls itself.

    In one that is `rewritten` sets and conditions stand for single signs: it may be as much longer and deeper.
    """
    _at_most(len(pattern), MOST_REWRITTEN if rewritten else MOST_CHARACTERS, "characters")
    flags: frozenset[str] = frozenset()
    while True:
        reader = _SizeReader(pattern, flags, rewritten)
        size = reader.pattern()
        if reader.everywhere == flags:
            break
        flags = reader.everywhere  # as the engine does, which reads a pattern again once it meets such a flag
    _at_most(size.repeats, MOST_REPEATS, "counted repeats", " (one within another multiplies)")
    _at_most(reader.groups, MOST_GROUPS, "groups")
    _at_most(size.cost, MOST_COST, "parts", " once its repeats are written out")


def _at_most(n: int, most: int, what: str, how: str = "") -> None:
    if n > most:
        raise PatternError(f"a pattern of {n:,} {what}{how}; at most {most:,} are allowed", SHORTER)


class _Extent(NamedTuple):
    """What a part comes to: its counted repeats, and the parts that it is written out to."""

    repeats: int
    cost: int


class _SizeReader:
    """Reads a pattern from left to right, only as far as its size goes; what is no pattern, the engine itself says."""

    def __init__(self, pattern: str, everywhere: frozenset[str], rewritten: bool) -> None:
        self.everywhere, self.groups = everywhere, 0
        self._pattern, self._at, self._depth, self._alternatives = pattern, 0, 0, 0
        self._flags = everywhere
        self._most_depth = MOST_DEPTH + DEEPER * rewritten
        self._most_alternatives = MOST_REWRITTEN if rewritten else MOST_ALTERNATIVES

    def pattern(self) -> _Extent:
        """The size of all; a bracket too many ends nothing."""
        repeats = cost = 0
        while True:
            size = self._either()
            repeats, cost = repeats + size.repeats, cost + size.cost
            if not self._next():
                return _Extent(repeats, cost)
            self._at += 1

    def _next(self) -> str:
        """The next character that means something, "" at the end: with the flag x blanks and comments do not."""
        text = self._pattern
        while "x" in self._flags and self._at < len(text):
            if text[self._at] == "#":
                self._at = text.find("\n", self._at) + 1 or len(text)
            elif text[self._at] in _BLANKS or text[self._at].isspace():
                self._at += 1
            else:
                break
        return text[self._at : self._at + 1]

    def _take(self, wanted: str) -> bool:
        present = self._next() == wanted
        self._at += present
        return present

    def _either(self) -> _Extent:
        repeats = cost = 0
        while (sign := self._next()) and sign != ")":
            if self._take("|"):
                self._alternatives += 1
                _at_most(self._alternatives + 1, self._most_alternatives, "alternatives")
                cost += 1
                continue
            part = self._repeated(self._part())
            repeats, cost = repeats + part.repeats, cost + part.cost
        return _Extent(repeats, cost)

    def _repeated(self, part: _Extent) -> _Extent:
        """A part with all that says how often it comes."""
        while (sign := self._next()) and sign in "*+?{":
            counts = self._counts() if sign == "{" else (int(sign == "+"), 1)
            if counts is None:
                break
            self._at += sign != "{"
            least, most = counts
            times = max(most, 1) if sign == "{" else 0
            part = _Extent(max(part.repeats, 1) * times or part.repeats, part.cost * (least + 1) + 1)
        return part

    def _counts(self) -> tuple[int, int] | None:
        """The numbers in braces; None, and nothing taken, where they say something else."""
        start = self._at
        self._at += 1
        least = self._digits()
        several = self._take(",")
        most = self._digits() if several else least
        if not self._take("}") or not (least or most or several):
            self._at = start
            return None
        if max(len(least), len(most)) > len(str(MOST_REPEATS)):
            least, most = least and str(MOST_REPEATS + 1), str(MOST_REPEATS + 1)
        return int(least or 0), max(int(least or 0), int(most or 0))

    def _digits(self) -> str:
        digits = ""
        while (sign := self._next()) and sign.isdecimal():
            digits += sign
            self._at += 1
        return digits.lstrip("0") or digits[:1]

    def _part(self) -> _Extent:
        sign = self._next()
        self._at += 1
        if sign == "(":
            return self._group()
        if sign == "[":
            self._set()
            full = "i" in self._flags and ("f" in self._flags or "V1" in self._flags)
            return _Extent(0, FOLDED_SET if full else 1)
        if sign == "\\":
            named = _NAMED.match(self._pattern, self._at)
            line_break = self._pattern.startswith("R", self._at)
            self._at = named.end() if named else self._at + 1
            return _Extent(0, LINE_BREAK if line_break else 1)
        return _Extent(0, 1)

    def _set(self) -> None:
        """To the end of a set; in version 1 of the engine's syntax one may be within another."""
        open_sets, begins, text = 1, True, self._pattern
        while open_sets and self._at < len(text):
            self._at += begins and text[self._at] == "^"
            sign = text[self._at : self._at + 1]
            named = _CLASS.match(text, self._at)
            if named or sign == "\\":
                self._at = named.end() if named else self._at + 2
            elif sign == "]" and not begins:
                open_sets, self._at = open_sets - 1, self._at + 1
            elif sign == "[" and "V1" in self._flags:
                open_sets, self._at = open_sets + 1, self._at + 1
                _at_most(self._depth + open_sets, self._most_depth, "brackets in each other")
                begins = True
                continue
            elif "V1" in self._flags and text[self._at : self._at + 2] in ("--", "&&", "||", "~~"):
                self._at += 2
                begins = True
                continue
            else:
                self._at += 1
            begins = False

    def _group(self) -> _Extent:
        text = self._pattern
        self._next()
        start = self._at
        if text.startswith("?#", self._at):
            end = text.find(")", self._at)
            self._at = len(text) if end < 0 else end + 1
            return _Extent(0, 0)
        if _CALL.match(text, self._at):
            raise PatternError("a group that calls a group, as (?R) does, takes memory without a bound", SHORTER)
        outer, flags = self._flags, _FLAGS.match(text, self._at)
        if flags:
            self._at = flags.end()
            self._set_flags(flags)
            if flags[3] == ")":
                return _Extent(0, 0)
        elif other := _OPENING.match(text, self._at) or _CONDITION.match(text, self._at):
            self._at = other.end()
            self.groups += "<" in other[0] and other[0][-1] == ">"
        else:
            if "x" in self._flags and self._next() == "?" and not text.startswith(("?(", "?P="), self._at):
                raise PatternError("a blank or a comment within the opening of a group", "write (?: without one")
            self.groups += self._next() != "?"
        own = CONDITION if text.startswith("?(", start) else GROUP
        self._depth += 1
        _at_most(self._depth, self._most_depth, "brackets in each other")
        size = self._either()
        self._take(")")
        self._depth -= 1
        self._flags = outer | self.everywhere
        return _Extent(size.repeats, size.cost + own)

    def _set_flags(self, match: re.Match[str]) -> None:
        """Turns flags on and off: in this group, from here on, or, where the engine does so, everywhere."""
        on = frozenset(re.findall("V[01]|[a-zA-Z]", match[1]))
        version = on & {"V0", "V1"}
        self.everywhere |= version
        if match[3] == ")" and "V1" not in self.everywhere:
            self.everywhere |= on
        self._flags = (self._flags | on) - frozenset(match[2] or "")
