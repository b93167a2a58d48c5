"""The first complete JSON object in a text.

Asked at every brace of nested objects that do not end, the decoder reads each of them to the end of the text, and its
errors count the lines before them. So where the first brace is none of a complete object, a text is read here, token by
token, and the decoder is asked where it succeeds. An object within one that does not end is not read again, but for
those within its strings: no place is read more than twice.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

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
