"""The files of samples as versions of lm-evaluation-harness wrote them: an array, and filters without a name.

Versions 0.4.0 to 0.4.2 write one JSON array; until 0.4.5 a sample does not say its filter: all samples of one filter
follow those of the one before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import BOM, JsonLines

NUMBERED = "filter {}"
NO_NAMES = (
    "samples name no filter, and documents come again: the first of each are read as filter 1, the next as filter 2"
)
DOCUMENT, FILTER = "doc_id", "filter"
START, FIRST = 64, 1 << 16  # bytes


def is_array(file: File, encoding: str) -> bool:
    """Whether a file holds one JSON array."""
    with open_bytes(file, encoding) as stream:
        return stream.read(START).removeprefix(BOM).lstrip().startswith(b"[")


def may_lack_filter(file: File, encoding: str) -> bool:
    """Whether the start of a file names no filter."""
    with open_bytes(file, encoding) as stream:
        return f'"{FILTER}"'.encode() not in stream.read(FIRST)


@dataclass(frozen=True)
class UnnamedFilters:
    """Where the samples of each filter begin, by the numbers of their records, and what these filters are called."""

    starts: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def made_up(self) -> bool:
        """Whether the names are none of the harness."""
        return NUMBERED.format(1) in self.names

    def named(self, got: Records) -> Sequence[Row]:
        """The records with their filter."""
        return [
            {FILTER: self.names[bisect_right(self.starts, number) - 1], **row}
            for row, number in zip(got.rows, got.numbers, strict=True)
        ]


def unnamed_filters(reader: JsonLines | JsonArray, file: File, known: Sequence[str]) -> UnnamedFilters:
    """The filters of a file whose samples name none, of which some are `known` by name in their order.

    There are none where one filter has all samples.
    """
    starts: list[int] = []
    first: Any = None
    for numbers, documents in _documents(reader, file):
        for number, document in zip(numbers, documents, strict=True):
            first = str(document) if first is None else first
            starts += [number] if str(document) == first else []
    names = list(known) if len(known) == len(starts) else [NUMBERED.format(i) for i in range(1, len(starts) + 1)]
    return UnnamedFilters((0, *starts[1:]), tuple(names)) if len(starts) > 1 else UnnamedFilters()


def _documents(reader: JsonLines | JsonArray, file: File) -> Iterator[tuple[Sequence[int], Sequence[Any]]]:
    """The numbers of records, and their documents."""
    quick = reader.quick_ids(file, DOCUMENT)
    if quick is not None:
        yield from quick
        return
    for block in reader.blocks(file, frozenset((DOCUMENT,)), False):
        got = block()
        yield got.numbers, [row.get(DOCUMENT) for row in got.rows]
