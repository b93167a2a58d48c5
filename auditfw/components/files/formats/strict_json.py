"""JSON read strictly: no duplicate keys, bounded depth, whole numbers of bounded length, finite numbers."""

from __future__ import annotations

import json
import re
from typing import Any

from auditfw.core.errors import DataError

DEEPEST = 500
_SURROGATE = re.compile("[\ud800-\udfff]")


class RefusedError(ValueError):
    """JSON that is not accepted: what is wrong, what was found, what to do, and where in the text."""

    def __init__(self, what: str, found: object = None, do: str = "", at: int | None = None) -> None:
        super().__init__(what)
        self.what, self.found, self.do, self.at = what, found, do, at

    def as_error(self, where: str) -> DataError:
        return DataError(where, self.what, self.found, self.do)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RefusedError("duplicate key in one object", f"key {twice!r}", "keep one of the two")
    return document


def _constant(name: str) -> Any:
    raise RefusedError("a number that is not finite", name, "write null")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise RefusedError("a number too large", text, "write it as text, or null")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite)


class TooLarge(float):
    """A number in JSON that no float can hold: an infinity that knows its text."""

    text: str

    def __new__(cls, text: str) -> TooLarge:
        number = super().__new__(cls, text)
        number.text = str(text)
        return number


class Reader:
    """Reads JSON texts that may hold NaN, an infinity or a number too large in a field that nobody reads.

    These become floats, and `unfinite` says whether any was met since it was last set to False.
    """

    def __init__(self) -> None:
        self.unfinite = False
        self.decoder = json.JSONDecoder(
            object_pairs_hook=_unique, parse_constant=self._constant, parse_float=self._number
        )

    def parse(self, text: str) -> Any:
        """Reads one JSON text. Raises RefusedError."""
        return _parsed(text, self.decoder)

    def _constant(self, name: str) -> float:
        self.unfinite = True
        return float(name)

    def _number(self, text: str) -> float:
        value = float(text)
        if value in (float("inf"), float("-inf")):
            self.unfinite = True
            return TooLarge(text)
        return value


def parse(text: str) -> Any:
    """Reads one JSON text whose numbers are all finite. Raises RefusedError."""
    return _parsed(text, _DECODER)


def _parsed(text: str, decoder: json.JSONDecoder) -> Any:
    try:
        value = decoder.decode(text)
    except ValueError as error:
        raise refused(text, error) from None
    except RecursionError:
        raise too_deep() from None
    if text.count("[") + text.count("{") > DEEPEST:
        check_depth(value)
    return value


INSTEAD = {  # by what the decoder says
    "Extra data": "write one value, a record a line in JSON Lines",
    "Unterminated string": 'end it with "',
    "Invalid control character": "write \\n for a line break, \\t for a tab",
    "Invalid \\": "write \\\\ for a backslash",
    "Expecting value": "write a text in quotes, a number, true, false, null, [...] or {...}",
    "Expecting property name": 'write {"name": value}',
    "Expecting ':'": 'write {"name": value}',
    "Expecting ','": "write a comma, or close the text or value before it",
}


def refused(text: str, error: ValueError) -> RefusedError:
    """Says what the decoder's error means."""
    if isinstance(error, RefusedError):
        return error
    if not isinstance(error, json.JSONDecodeError):
        return RefusedError("a whole number with too many digits", str(error).split(":")[0], "write it as text")
    at, message = error.pos, error.msg
    rest, before = text[at : at + 2], text[:at].rstrip()[-1:]
    do = next((do for start, do in INSTEAD.items() if message.startswith(start)), "write it as JSON")
    if "trailing comma" in message or (before == "," and rest[:1] in "]}"):
        message, do = "trailing comma", "leave it out"
    elif rest.startswith(("#", "//", "/*")):
        message, do = "comments are not JSON", "leave them out"
    elif rest[:1] == "'":
        message, do = "single quotes are not JSON", 'write "text"'
    elif text[at : at + 4] in ("True", "Fals", "None"):
        do = "write true, false, null"
    return RefusedError(f"not JSON: {message}", text[max(0, at - 20) : at + 20] or "nothing", do, at=at)


def too_deep() -> RefusedError:
    """The error for nesting beyond the limit."""
    return RefusedError("nested too deep", f"limit {DEEPEST}", "flatten the record")


def check_depth(value: Any) -> None:
    """Raises RefusedError where a value is nested deeper than the limit."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise too_deep()
        parts = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list))
        level = [inner for part in parts for inner in part if isinstance(inner, dict | list)]


def may_hold_surrogates(text: str) -> bool:
    """Whether a JSON text has escapes that could stand for half a character."""
    return "\\ud" in text or "\\uD" in text


def mended(value: Any) -> tuple[Any, int]:
    """A value with each lone surrogate replaced by U+FFFD, and how many there were."""
    if isinstance(value, str):
        if value.isascii():
            return value, 0
        try:
            value.encode()
        except UnicodeEncodeError:
            return _SURROGATE.subn("\ufffd", value)
    elif isinstance(value, list):
        pairs = [mended(part) for part in value]
        return [part for part, _ in pairs], sum(n for _, n in pairs)
    elif isinstance(value, dict):
        parts = [(mended(key), mended(part)) for key, part in value.items()]
        return {k: v for (k, _), (v, _) in parts}, sum(n + m for (_, n), (_, m) in parts)
    return value, 0
