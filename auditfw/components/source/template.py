"""Lines that are all built alike: read by one pattern made from the first, many times faster than JSON by JSON.

A line that the pattern matches is strict JSON with the same keys in the same order; every other line is left to the
strict reader. So what is read is the same, whichever way it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.formats.strict_json import RefusedError, may_hold_surrogates, parse
from auditfw.kinds.judgements import ANSWER, CITED, PLACE, RETRIEVED

ENOUGH = 0.8  # of the lines must match, or the strict reader takes them all
CITATIONS = (ANSWER, "citations")
DEEPEST = 20

STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?(?:[eE][-+]?[0-9]{1,2})?"
WHOLE = r"-?(?:0|[1-9][0-9]{0,17})"
SIMPLE_STRING = '"[^"]*+"'  # where a slice holds no backslash and no control character
NOT_PLAIN = bytes(c for c in range(0x20) if c != 0x0A) + b"\\"

_TOKEN = re.compile(rf"[ \t]*(?:({STRING})|([{{}}\[\]:,])|(true|false|null|-?[0-9][0-9.eE+-]*))")
_GAP = re.compile(r"[ \t]*")

Path = tuple[str, ...]
Columns = dict[str, Sequence[Any]]


class UnlikeError(Exception):
    """A line from which no pattern can be made."""


class Unread(Sequence[Any]):
    """JSON texts, each parsed when it is looked at; `given` are values at hand in the place of some.

    `simple` says that no text holds an escape.
    """

    def __init__(self, texts: Sequence[str], given: Mapping[int, Any], simple: bool) -> None:
        self.texts, self.given, self.simple = texts, given, simple

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, i: Any) -> Any:
        return self.given[i] if i in self.given else parse(self.texts[i])


class Places(Sequence[str]):
    """FILE:LINE of lines that follow each other, each made when it is looked at."""

    def __init__(self, path: str, start: int, count: int) -> None:
        self.path, self.start, self.size = path, start, count

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: Any) -> Any:
        return f"{self.path}:{self.start + range(self.size)[i]}"


@dataclass(frozen=True)
class Template:
    """A compiled pattern and what its groups hold: the path in the record, and whether it is text, a number or JSON."""

    pattern: re.Pattern[str]
    groups: tuple[tuple[Path, str], ...]

    def find(self, data: str) -> tuple[dict[Path, Sequence[str]], list[int]] | None:
        """The texts of the groups by path, and which lines (from 0) do not match; None where most do not."""
        matches = self.pattern.findall(data)
        count = data.count("\n") + (not data.endswith("\n"))
        if len(matches) != count or not self.groups:
            return None  # a blank line, or a quote that is closed on a later one
        columns = list(zip(*matches, strict=True))
        odd = [i for i, line in enumerate(columns[-1]) if line] if any(columns[-1]) else []
        if len(odd) > (1 - ENOUGH) * count:
            return None
        return {path: column for (path, _), column in zip(self.groups, columns, strict=False)}, odd


def template(line: str, wanted: Sequence[Path], simple: bool = False) -> Template:
    """The pattern of lines built like this one, with a group for each path wanted. Raises UnlikeError."""
    try:
        record = parse(line)
    except RefusedError:
        raise UnlikeError from None
    if not isinstance(record, dict) or may_hold_surrogates(line):
        raise UnlikeError
    making = _Making(line, frozenset(wanted), SIMPLE_STRING if simple else STRING)
    body = making.value(())
    if line[making.at :].strip():
        raise UnlikeError
    return Template(re.compile(rf"^(?:{body})[ \t]*\r?$|^(.+)$", re.MULTILINE), tuple(making.groups))


class _Making:
    """The making of one pattern, from left to right."""

    def __init__(self, line: str, wanted: frozenset[Path], string: str) -> None:
        self.line, self.wanted, self.string, self.at = line, wanted, string, 0
        self.groups: list[tuple[Path, str]] = []
        self.comma = re.escape(", ") if '", "' in line else ","

    def value(self, path: Path) -> str:
        """The pattern of the value that begins here."""
        gap = self._gap()
        sign = self.line[self.at : self.at + 1]
        held = path in self.wanted and bool(path)
        if sign == "{":
            return gap + (self._held(path, "json", self._object) if held else self._object(path))
        if sign == "[":
            return gap + (self._held(path, "json", self._list) if held else self._list(path))
        token = _TOKEN.match(self.line, self.at)
        if token is None:
            raise UnlikeError
        self.at = token.end()
        if not held:
            return gap + self._scalar
        if token[1] is not None:
            self.groups.append((path, "text"))
            return f'{gap}"({self.string[1:-1]})"'
        if re.fullmatch(WHOLE, token[3] or ""):
            self.groups.append((path, "number"))
            return f"{gap}({WHOLE})"
        raise UnlikeError

    @property
    def _scalar(self) -> str:
        return rf"(?:{self.string}|{NUMBER}|true|false|null)"

    def _held(self, path: Path, kind: str, make: Any) -> str:
        self.groups.append((path, kind))
        return f"({make(path)})"

    def _object(self, path: Path) -> str:
        if len(path) > DEEPEST:
            raise UnlikeError
        self.at += 1
        pattern = r"\{"
        for n, key in enumerate(self._keys()):
            pattern += ("," if n else "") + key[0]
            pattern += self.value((*path, json.loads(key[1])))
        return pattern + self._gap() + self._sign("}")

    def _keys(self) -> Iterator[tuple[str, str]]:
        """The keys of an object: each as a pattern up to its colon, and as it is."""
        first = True
        while True:
            start = self.at
            gap = self._gap()
            if self.line[self.at : self.at + 1] == "}":
                self.at = start
                return
            if not first:
                if gap:
                    raise UnlikeError
                self._sign(",")
                gap = self._gap()
            token = _TOKEN.match(self.line, self.at)
            if token is None or token[1] is None:
                raise UnlikeError
            self.at = token.end()
            before = self._gap()
            yield f"{gap}{re.escape(token[1])}{before}{self._sign(':')}", token[1]
            first = False

    def _list(self, path: Path) -> str:
        try:
            parts, end = json.JSONDecoder().raw_decode(self.line, self.at)
        except ValueError:
            raise UnlikeError from None
        if any(isinstance(part, dict | list) for part in parts):
            raise UnlikeError
        self.at = end
        inner = self.string if path in self.wanted else self._scalar
        return rf"\[(?:{inner}(?:{self.comma}{inner})*+)?\]"

    def _gap(self) -> str:
        match = _GAP.match(self.line, self.at)
        gap = match[0] if match else ""
        self.at += len(gap)
        return re.escape(gap)

    def _sign(self, sign: str) -> str:
        if self.line[self.at : self.at + 1] != sign:
            raise UnlikeError
        self.at += 1
        return re.escape(sign)


def plain(data: bytes) -> bool:
    """Whether no text can hold an escape or a control character, so that a string simply ends at the next quote."""
    return data.translate(None, NOT_PLAIN) == data


@dataclass(frozen=True)
class Uniform:
    """How slices of lines of one file are read: `wanted` are our names with paths in the record.

    `read(line, number)` gives the values of one line the strict way, by our names, or None where it has no record.
    """

    wanted: Mapping[str, Path]
    place: str

    def columns(self, data: bytes, start: int, read: Callable[[bytes, int], dict[str, Any] | None]) -> Columns | None:
        """The columns of a slice, by our names; None where it must be read the strict way as a whole.

        The citations of answers come as a column of their own, objects and lists are left unread.
        """
        simple = plain(data)
        try:
            text = data.decode()
            paths = (*self.wanted.values(), *([CITATIONS] if ANSWER in self.wanted else []))
            line_template = template(text.partition("\n")[0].rstrip("\r"), paths, simple)
        except (UnicodeDecodeError, UnlikeError):
            return None
        got = line_template.find(text)
        if got is None or (not simple and may_hold_surrogates(text)):
            return None
        slices, odd = got
        count = len(next(iter(slices.values())))
        strict: dict[int, dict[str, Any]] = {}
        for i, line in zip(odd, _lines(data, odd), strict=True):
            row = read(line, start + i)
            if row is None:
                return None
            strict[i] = row
        kinds = dict(line_template.groups)
        columns: Columns = {
            name: _column(
                slices.get(way), kinds.get(way, ""), {i: row.get(name) for i, row in strict.items()}, count, simple
            )
            for name, way in self.wanted.items()
        }
        columns[PLACE] = Places(self.place, start, count)
        cited = slices.get(CITATIONS)
        if cited is not None and all(isinstance(columns.get(name), Unread) for name in (ANSWER, RETRIEVED)):
            columns[CITED] = Unread(cited, dict.fromkeys(odd), simple)
        return columns


def _lines(data: bytes, wanted: Sequence[int]) -> list[bytes]:
    if not wanted:
        return []
    lines = data.split(b"\n")
    return [lines[i] for i in wanted]


def _column(
    texts: Sequence[str] | None, kind: str, values: Mapping[int, Any], count: int, simple: bool
) -> Sequence[Any]:
    """A column of groups as values, those of odd lines put in; objects and lists unread."""
    if texts is None:
        return [values.get(i) for i in range(count)] if values else [None] * count
    if kind == "json":
        return Unread(texts, values, simple)
    column: list[Any] = list(texts)
    if kind == "number" or not simple:
        known = {text: parse(text if kind == "number" else f'"{text}"') for text in dict.fromkeys(texts) if text}
        column = [known.get(text, "") for text in texts]
    for i, value in values.items():
        column[i] = value
    return column
