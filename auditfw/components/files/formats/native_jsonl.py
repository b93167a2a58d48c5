"""Blocks of lines read by the native scanner: only where wanted values are is noted, and odd lines are handed back.

What the scanner takes is strict JSON in UTF-8; all else (half characters, numbers that may not fit, duplicate
keys or have escapes, deep nesting, whatever is no JSON) is left to the strict reader, line by line.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.native.columns import ABSENT, BENEATH, KINDS, LIST, NOTHING, OBJECT, PLAIN, WHOLE, Held, TextSlices

from .strict_json import parse

Path = tuple[str, ...]
Kinds = frozenset[int]

BOM = b"\xef\xbb\xbf"
ENOUGH = 0.8  # of the lines must be usual, or the strict reader takes them all
TEXT_OR_NUMBER: Kinds = frozenset((PLAIN, WHOLE))
OBJECT_OR_NOTHING: Kinds = frozenset((ABSENT, NOTHING, OBJECT))
OTHER = '"'  # the step for any key beside it that has none of its own: no key is a bare quote
NEVER: Kinds = frozenset((ABSENT,))
NOT_LIST: Kinds = frozenset(KINDS) - {LIST}  # a list may hold content parts
NOT_NULL: Kinds = frozenset(KINDS) - {NOTHING, BENEATH}


@dataclass(frozen=True)
class Scanner:
    """How blocks are scanned: the paths of our columns, and the kinds of value that make a line usual."""

    kernel: Any
    wanted: Mapping[str, Path]
    usual: Mapping[Path, Kinds]

    def columns(
        self, data: bytes, start: int, read: Callable[[bytes, int], dict[str, Any] | None], count: int | None = None
    ) -> tuple[dict[str, TextSlices], Sequence[int]] | None:
        """The columns of a block by our names, and the rows' line numbers; None where it must be read strictly.

        `read(line, number)` gives the values of one line the strict way, or None where that says more than values;
        `count` is how many lines there are, where that is known.
        """
        data = data.removeprefix(BOM) if start == 1 else data
        paths = tuple(dict.fromkeys(((), *self.wanted.values(), *self.usual)))
        try:
            count = self.kernel.ends(data) + (not data.endswith(b"\n")) if count is None else count
            columns = self.kernel.lines(data, tuple(tuple(step.encode() for step in path) for path in paths), count)
        except UnicodeEncodeError:
            return None
        held = dict(zip(paths, columns, strict=True))
        lines = TextSlices(data, held[()], {}, parse)
        odd = self._odd(held, lines.kinds)
        if len(odd) > (1 - ENOUGH) * len(lines):
            return None
        numbers = line_numbers(data, lines.held, start, count)
        strict: dict[int, dict[str, Any]] = {}
        for i in odd:
            row = read(lines.raw(i), numbers[i])
            if row is None:
                return None
            strict[i] = row
        return {
            name: TextSlices(data, held[way], {i: row.get(name) for i, row in strict.items()}, parse)
            for name, way in self.wanted.items()
        }, numbers

    def _odd(self, held: Mapping[Path, tuple[bytes, bytes, bytes]], lines: bytes) -> list[int]:
        odd = {i for i, kind in enumerate(lines) if kind != OBJECT} if lines.strip(bytes([OBJECT])) else set()
        for path, kinds in self.usual.items():
            rows = held[path][2]
            if rows.translate(None, bytes(kinds)):
                odd.update(i for i, kind in enumerate(rows) if kind not in kinds)
        return sorted(odd)


def line_numbers(data: bytes, whole: Held, start: int, count: int) -> Sequence[int]:
    """The line number of each row of a block of so many lines, some of which may be blank."""
    if len(whole[2]) == count:
        return range(start, start + count)
    numbers, before = [], 0
    for at in memoryview(whole[0]).cast("I"):
        start += data.count(b"\n", before, at)
        before = at
        numbers.append(start)
    return numbers


def is_utf8(encoding: str) -> bool:
    """Whether text in this encoding is what the scanner reads."""
    return codecs.lookup(encoding).name == "utf-8"


def as_path(steps: Iterable[str | int]) -> Path | None:
    """An address as a path of names, None where it has places in lists."""
    path = tuple(step for step in steps if isinstance(step, str))
    return path if len(path) == len(tuple(steps)) and path else None
