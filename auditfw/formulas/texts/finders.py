"""Searches by the native kernel where that is proved equal to the engine that a pattern is written for.

A pattern becomes nodes, which the kernel walks as that engine does: leftmost match, alternatives in their order,
repeats as often as can be. What a single character may be the engine itself says, each time about 256 characters,
once in a process; so classes of characters and case are never translated. A pattern with anything else in it, and a
text on which the kernel gives up (very many steps, or very deep), is searched by the engine, under its deadline.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple

from auditfw.core.native import compiled as kernel
from auditfw.core.native import kernel_name

from .options import FOREIGN, ROMAN, ROMAN_FREE, SENTENCE, latin, option_patterns, without_i
from .pattern_bounds import Engine, compiled
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
    parsed,
    widths,
)
from .patterns import anchors, consumed, endless, must, prefix, search

Find = Callable[[str], str]

FILLED, JOINED, REPLACED, REST = -1, -2, -3, -4
MOST_NODES, MOST_GROUPS = 2000, 20
(ACCEPT, CHARACTER, ONE, MANY, FORK, SAVE, START, END, LINE_START, LINE_END, TEXT_END, EDGE, LOOK, AGAIN) = range(14)
_PLACES = {"A": START, "Z": END, "^": START, "$": TEXT_END, "^m": LINE_START, "$m": LINE_END}


class KeptPart(NamedTuple):
    """What is kept of a search: of the match `which`, 0 the first, -1 the last, the part `part`.

    That is a group's number, FILLED (the first group that is not empty), JOINED (all that took part, U+001F between
    them), REST (the rest of the line after the match), or REPLACED (the whole text, each match replaced by `text`).
    Else `text` is the result without a match, or where a group that is kept is empty.
    """

    which: int = 0
    part: int = 0
    text: str = ""


WHOLE = KeptPart()


def finder(pattern: str, kept: KeptPart, otherwise: Find, engine: Engine = "regex") -> Find | None:
    """What the kernel makes of a search: a function of the text, or None where the pattern is not for it.

    `otherwise` does the same by the engine, for texts on which the kernel gives up.
    """
    return _made(pattern, kept, otherwise, engine) if kernel_name() == "native" else None


@lru_cache(maxsize=1024)
def _made(pattern: str, kept: KeptPart, otherwise: Find, engine: Engine) -> Find | None:
    module, program = kernel(), _program(pattern, engine) if kept.which >= -1 else None
    if module is None or program is None or kept.part > program[1]:
        return None
    made: Find = module.Finder(*program[0], *kept, _asked(program[2], engine), otherwise)
    return made


def searcher(pattern: str, kept: KeptPart = WHOLE, *, engine: Engine = "regex", deadline: float = 1.0) -> Find:
    """What keeps a part of a text's first or last match, by the kernel, or by the engine: a group, FILLED or REST."""
    otherwise = _engine_search(pattern, kept, deadline, engine)
    return finder(pattern, kept, otherwise, engine) or otherwise


@lru_cache(maxsize=1024)
def _engine_search(pattern: str, kept: KeptPart, deadline: float, engine: Engine) -> Find:
    """The search by the engine, the same object each time: the kernel's search is kept under it."""
    return partial(_by_engine, pattern, kept, deadline, engine)


def _by_engine(pattern: str, kept: KeptPart, deadline: float, engine: Engine, text: str) -> str:
    if engine == "regex":
        match = search(pattern, text, kept.which, deadline)
    else:
        matches = compiled(pattern, engine, rewritten=True).finditer(text)
        match = next(matches, None) if kept.which == 0 else next(iter(deque(matches, maxlen=1)), None)
    if match is None:
        return kept.text
    if kept.part == REST:
        return str(text[match.end() :].split("\n", 1)[0])
    return (next(filter(None, match.groups()), "") if kept.part == FILLED else match[kept.part]) or kept.text


@lru_cache(maxsize=1024)
def _program(pattern: str, engine: Engine) -> tuple[tuple[Any, ...], int, tuple[One, ...]] | None:
    """The nodes of a pattern as the kernel takes them, its groups, its sets; None where it is not for the kernel."""
    try:
        tree, groups = parsed(pattern)
        if widths(tree)[0] == 0 or groups > MOST_GROUPS:
            return None
        ahead, writer = prefix(tree), _NodeWriter(engine)
        begin = writer.node(tree, writer.add(ACCEPT))
    except UnknownSyntaxError:
        return None
    if compiled(pattern, engine, rewritten=True).groups != groups:
        return None
    repeated = endless(tree)
    described = (
        (tuple(map(tuple, writer.nodes)), tuple(_ascii(one, engine) for one in writer.sets), begin, groups),
        _candidates(tree, ahead[0], engine),
        (*anchors(tree), -1 if repeated is None else writer.sets.index(repeated)),
        (*_places(ahead, engine), must(tree)),
    )
    return described, groups, tuple(writer.sets)


def _candidates(tree: Node, firsts: list[One], engine: Engine) -> tuple[bytes, bytes, int, bool]:
    """Which ASCII characters a match may begin with, which it may hold; the only one it begins with, or -1.

    Last whether it may begin with a character beyond ASCII.
    """
    begins = _joined([_ascii(one, engine) for one in firsts])
    within = _joined([begins, *(_ascii(one, engine) for one in consumed(tree))])
    sign = firsts[0].exact if len(firsts) == 1 else None
    lead = ord(sign) if sign and not sign.isalnum() and not sign.isspace() else -1
    return begins, within, lead, any(one.exact is None or not one.exact.isascii() for one in firsts)


def _places(ahead: list[list[One]], engine: Engine) -> tuple[bytes, int]:
    """For each ASCII character a bit for each place at a match's beginning, the last place first; and their number."""
    places = bytearray(128)
    for bit, ones in enumerate(reversed(ahead)):
        for code, fits in enumerate(_joined([_ascii(one, engine) for one in ones])):
            places[code] |= fits << bit
    return bytes(places), len(ahead)


def _asked(sets: tuple[One, ...], engine: Engine) -> Callable[[int, int], bytes]:
    """The function that the kernel asks which characters of a page a set holds."""
    return lambda number, page: _page(sets[number], engine, page)


@lru_cache(maxsize=8192)
def _page(one: One, engine: Engine, page: int) -> bytes:
    """For each of 256 characters whether the engine takes it for this one."""
    source = f"(?{one.flags}){one.source}" if one.flags else one.source
    fits = compiled(source, engine).fullmatch
    return bytes(fits(chr(code)) is not None for code in range(256 * page, 256 * page + 256))


def _ascii(one: One, engine: Engine) -> bytes:
    return _page(one, engine, 0)[:128]


def _joined(tables: list[bytes]) -> bytes:
    return bytes(map(max, zip(bytes(128), *tables, strict=True)))


class _NodeWriter:
    """Writes trees as nodes, the last part first: each node says which one follows."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.nodes: list[list[int]] = []
        self.sets: list[One] = []

    def add(self, op: int, after: int = 0, a: int = 0, b: int = 0, times: tuple[int, int] = (0, 0)) -> int:
        """A further node, its number."""
        if len(self.nodes) >= MOST_NODES:
            raise UnknownSyntaxError("a very long pattern")
        self.nodes.append([op, after, a, b, *times])
        return len(self.nodes) - 1

    def _set(self, one: One) -> int:
        if one not in self.sets:
            self.sets.append(one)
        return self.sets.index(one)

    def node(self, node: Node, after: int) -> int:
        """The node that a tree begins with, where another one follows it."""
        match node:
            case One(exact=exact):
                return self.add(CHARACTER, after, ord(exact)) if exact else self.add(ONE, after, self._set(node))
            case Place(kind=kind, word=word):
                if word is not None:
                    return self.add(EDGE, after, self._set(word), int(kind == "b"))
                return self.add(_PLACES[kind], after)
            case Look(body=body, wanted=wanted, behind=behind):
                return self.add(LOOK, after, self.node(body, self.add(ACCEPT)), int(not wanted), (behind, behind))
            case Again(number=number):
                return self.add(AGAIN, after, number)
            case Group(number=number, body=body):
                inner = self.node(body, self.add(SAVE, after, 2 * number + 1))
                return self.add(SAVE, inner, 2 * number)
            case Parts(parts=parts):
                for part in reversed(parts):
                    after = self.node(part, after)
                return after
            case Either(parts=parts):
                self._check_sets(parts)
                *others, number = [self.node(part, after) for part in parts]
                for other in reversed(others):
                    number = self.add(FORK, 0, other, number)
                return number
            case Repeat():
                return self._repeat(node, after)

    def _check_sets(self, parts: tuple[Node, ...]) -> None:
        """Of "[^a]|[^b]" the package regex makes one set, and loses matches: so it is left to decide itself."""
        singles = [part.parts[0] for part in parts if isinstance(part, Parts) and len(part.parts) == 1]
        sets = [one.source for one in singles if isinstance(one, One)]
        others = [source for source in sets if source.startswith("[^")]
        risky = len(others) > 1 or any(len(source) <= len(r"[^\.]") for source in others)
        if self.engine == "regex" and len(sets) > 1 and risky:
            raise UnknownSyntaxError("a set of all but a character beside another one")

    def _repeat(self, node: Repeat, after: int) -> int:
        if isinstance(node.body, One):
            return self.add(MANY, after, self._set(node.body), int(node.greedy), (node.least, node.most))
        number = after
        if node.most == ENDLESS:
            number = self.add(FORK)
            self._fork(number, self.node(node.body, number), after, node.greedy)
        for _ in range(max(node.most, node.least) - node.least):
            body, number = self.node(node.body, number), self.add(FORK)
            self._fork(number, body, after, node.greedy)
        for _ in range(node.least):
            number = self.node(node.body, number)
        return number

    def _fork(self, number: int, body: int, after: int, greedy: bool) -> None:
        first, second = (body, after) if greedy else (after, body)
        self.nodes[number][2:4] = first, second


# The letter of the option that a text chooses, by the native kernel where it is built.

_FIRST, _LAST = KeptPart(0, FILLED), KeptPart(-1, FILLED)


@lru_cache
def quick_option_letter(letters: str) -> Find:
    """What finds the same letter in a text as `options.option_letter`."""
    letters = letters.upper()
    roman = searcher(ROMAN.pattern, engine="re") if "I" in letters else None
    plain = _searches(letters, letters)

    def letter_of(text: str) -> str:
        ascii_only, text = text.isascii(), latin(text)
        searches = _searches(letters, without_i(letters)) if roman is not None and roman(text) else plain
        for number, (find, first) in enumerate(searches):
            letter = "" if ascii_only and number in FOREIGN else find(text)
            if letter and (number < SENTENCE or first(text).upper() == letter.upper()):
                return letter.upper()
        return ""

    return letter_of


@lru_cache
def _searches(letters: str, options: str) -> list[tuple[Find, Find]]:
    """The searches by the patterns of an option, for the last match and the first; no Roman number is like some."""
    patterns = *option_patterns(letters)[:ROMAN_FREE], *option_patterns(options)[ROMAN_FREE:]
    return [(searcher(one.pattern, _LAST, engine="re"), searcher(one.pattern, _FIRST, engine="re")) for one in patterns]


# The first complete JSON object in a text.

DEEPEST = 500  # of objects and lists within each other; what is deeper counts as not complete
_BLANKS = r"[ \t\n\r]*+"
_STRING = r'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\]*+)*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+"
_KEY = rf"{_STRING}{_BLANKS}:{_BLANKS}"
_OPENING = re.compile(rf'\{{(?={_BLANKS}["}}])')
# A value, as far as its first one: group 1 is the beginning of one that holds values, group 2 of one that holds none.
_VALUE = re.compile(
    rf"(\{{{_BLANKS}{_KEY}|\[{_BLANKS}(?!\]))|(\{{{_BLANKS}(?=\}})|\[{_BLANKS})"
    rf"|{_STRING}|{_NUMBER}|null|true|false|NaN|-?Infinity"
)
_AFTER = {  # what follows a value within an object or a list: group 1 is its end
    "{": re.compile(rf"{_BLANKS}(?:,{_BLANKS}{_KEY}|(\}}))"),
    "[": re.compile(rf"{_BLANKS}(?:,{_BLANKS}|(\]))"),
}
# Numbers keep the spelling they have in the text.
_JSON = json.JSONDecoder(strict=False, parse_int=str, parse_float=str, parse_constant=str)


def first_object(text: str) -> dict[str, Any] | None:
    """The first complete JSON object in a text; line breaks in its strings are accepted."""
    depths: dict[int, int] = {}
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if not depths and text.count("{") + text.count("[") <= DEEPEST:
            with suppress(ValueError):  # as a rule the first one is complete
                return _decoded(text, start)
        if start not in depths:
            _measure(text, start, depths)
        if 0 < depths[start] <= DEEPEST:
            return _decoded(text, start)
    return None


def _decoded(text: str, start: int) -> dict[str, Any]:
    fields: dict[str, Any] = _JSON.raw_decode(text, start)[0]
    return fields


def _measure(text: str, start: int, depths: dict[int, int]) -> None:
    """Notes how deep the object at a place is, and all that are in it; 0 for those that are not complete."""
    at, depths[start] = start, 0
    places: list[int] = []  # where the objects and lists begin that are open, and how deep each is so far
    inner: list[int] = []
    while value := _VALUE.match(text, at):
        at = value.end()
        if value.lastindex:
            depths[value.start()] = 0
            places.append(value.start())
            inner.append(0)
        if value.lastindex == 1:
            continue
        while places:
            after = _AFTER[text[places[-1]]].match(text, at)
            if after is None:
                return
            at = after.end()
            if not after[1]:
                break
            depth = depths[places.pop()] = inner.pop() + 1
            inner[-1:] = [max(depth, *inner[-1:])] if inner else []
        if not places:
            return
