"""Parquet files of one row group each, made one file of many: pages are copied, and only their places are told anew."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from .thrift import Struct, decoded, encoded

MAGIC = b"PAR1"
COPIED = 1 << 20

SCHEMA, ROWS, GROUPS = 2, 3, 4  # of a file
INNER = 5  # how many columns are in a column
CHUNKS, GROUP_AT, ORDINAL = 1, 5, 7  # of a row group
TOLD_AT, TOLD, OFFSETS_AT, OFFSETS_SIZE, INDEX_AT, INDEX_SIZE = 2, 3, 4, 5, 6, 7  # of one column of it
SIZE, DATA_AT, NO_PAGE_AT, DICTIONARY_AT, BLOOM_AT = 7, 9, 10, 11, 14  # of what is told of it
PAGES, PAGE_AT = 1, 1  # of a column's list of pages, and of a page in it
GROUP, CHUNK = frozenset((1, 2, 3, 5, 6, 7)), frozenset(range(2, 8))


class UnknownError(Exception):
    """A file that is not built as expected."""


@dataclass(frozen=True)
class Chunk:
    """A column of a row group: its fields, where its pages are, its pages' statistics and their places."""

    fields: Struct
    start: int
    stop: int
    index: bytes
    offsets: bytes

    def moved(self, shift: int) -> Struct:
        """What is told of it when its pages have moved."""
        told: Struct = _of(self.fields, TOLD)
        return _with(told, {n: at + shift for n, _, at in told if n in (DATA_AT, DICTIONARY_AT)})

    def moved_offsets(self, shift: int) -> bytes:
        """The places of its pages when these have moved."""
        fields, _ = decoded(self.offsets)
        kind, pages = _of(fields, PAGES)
        moved = [_with(page, {PAGE_AT: _of(page, PAGE_AT) + shift}) for page in pages]
        return encoded(_with(fields, {PAGES: (kind, moved)}))


@dataclass(frozen=True)
class Part:
    """A file of one row group."""

    path: Path
    footer: Struct
    chunks: list[Chunk]


def join(paths: Sequence[Path], target: Path) -> bool:
    """Writes the row groups of files into one file, as if it had been written at once; False where that cannot be.

    The files must be by one writer, of one schema without nested columns, and of one row group each.
    """
    try:
        parts = list(map(_read, paths))
    except (UnknownError, ValueError, IndexError, TypeError):
        return False
    if not parts or not all(_alike(parts[0].footer, part.footer) for part in parts):
        return False
    with open(target, "wb") as out:
        out.write(MAGIC)
        shifts = [_copied(part, out) for part in parts]
        _end(parts, shifts, out)
    return True


def _copied(part: Part, out: BinaryIO) -> list[int]:
    """Copies the pages of a part, with what is told behind each column's, and gives how far they have moved."""
    shifts = []
    with open(part.path, "rb") as source:
        for chunk in part.chunks:
            shifts.append(out.tell() - chunk.start)
            source.seek(chunk.start)
            left = chunk.stop - chunk.start
            while left > 0 and (piece := source.read(min(left, COPIED))):
                out.write(piece)
                left -= len(piece)
            if left:
                raise OSError(f"{part.path} has become shorter")
            out.write(encoded(chunk.moved(shifts[-1])))
    return shifts


def _end(parts: Sequence[Part], shifts: Sequence[Sequence[int]], out: BinaryIO) -> None:
    """Writes what follows the pages: their statistics, their places, and the footer."""
    indexes = [[_written(chunk.index, out) for chunk in part.chunks] for part in parts]
    offsets = [
        [_written(chunk.moved_offsets(shift), out) for chunk, shift in zip(part.chunks, moved, strict=True)]
        for part, moved in zip(parts, shifts, strict=True)
    ]
    groups = []
    for n, (part, moved) in enumerate(zip(parts, shifts, strict=True)):
        chunks = list(map(_chunk, part.chunks, moved, indexes[n], offsets[n]))
        kind, (group,) = _of(part.footer, GROUPS)
        inner, _ = _of(group, CHUNKS)
        at = part.chunks[0].start + moved[0]
        groups.append(_with(group, {CHUNKS: (inner, chunks), GROUP_AT: at, ORDINAL: n}))
    rows = sum(_of(part.footer, ROWS) for part in parts)
    footer = encoded(_with(parts[0].footer, {ROWS: rows, GROUPS: (kind, groups)}))
    out.write(footer + len(footer).to_bytes(4, "little") + MAGIC)


def _chunk(chunk: Chunk, shift: int, index: tuple[int, int], offsets: tuple[int, int]) -> Struct:
    places = {INDEX_AT: index[0], INDEX_SIZE: index[1], OFFSETS_AT: offsets[0], OFFSETS_SIZE: offsets[1]}
    return _with(chunk.fields, {TOLD_AT: _of(chunk.fields, TOLD_AT) + shift, TOLD: chunk.moved(shift), **places})


def _written(data: bytes, out: BinaryIO) -> tuple[int, int]:
    at = out.tell()
    out.write(data)
    return at, len(data)


def _read(path: Path) -> Part:
    """What a file says of itself. Raises UnknownError where it is not as expected, or as the decoder does."""
    with open(path, "rb") as source:
        source.seek(-8, os.SEEK_END)
        tail = source.read(8)
        end = source.tell() - 8 - int.from_bytes(tail[:4], "little")
        _expect(tail[4:] == MAGIC and end >= len(MAGIC))
        source.seek(end)
        text = source.read()[:-8]
        footer, _ = decoded(text)
        _expect(encoded(footer) == text)
        _, (group,) = _of(footer, GROUPS)
        _expect({number for number, _, _ in group} == GROUP)
        _expect(all(_of(column, INNER) is None for column in _of(footer, SCHEMA)[1][1:]))
        chunks = [_chunk_of(fields, source) for fields in _of(group, CHUNKS)[1]]
    spans = [(chunk.start, chunk.stop + len(encoded(_of(chunk.fields, TOLD)))) for chunk in chunks]
    for at, size in ((INDEX_AT, INDEX_SIZE), (OFFSETS_AT, OFFSETS_SIZE)):
        spans += [(_of(chunk.fields, at), _of(chunk.fields, at) + _of(chunk.fields, size)) for chunk in chunks]
    _expect(spans[0][0] == len(MAGIC) == _of(group, GROUP_AT) and spans[-1][1] == end)
    _expect(all(before[1] == span[0] for before, span in pairwise(spans)))
    return Part(path, footer, chunks)


def _chunk_of(fields: Struct, source: BinaryIO) -> Chunk:
    _expect({number for number, _, _ in fields} == CHUNK)
    told = _of(fields, TOLD)
    _expect(all(_of(told, number) is None for number in (NO_PAGE_AT, BLOOM_AT)))
    start = min(_of(told, number) for number in (DATA_AT, DICTIONARY_AT) if _of(told, number) is not None)
    stop = start + _of(told, SIZE)
    behind = encoded(told)
    _expect(_stretch(source, stop, len(behind)) == behind)
    index = _stretch(source, _of(fields, INDEX_AT), _of(fields, INDEX_SIZE))
    offsets = _stretch(source, _of(fields, OFFSETS_AT), _of(fields, OFFSETS_SIZE))
    _expect(encoded(decoded(offsets)[0]) == offsets)
    return Chunk(fields, start, stop, index, offsets)


def _stretch(source: BinaryIO, at: int, size: int) -> bytes:
    source.seek(at)
    return source.read(size)


def _expect(true: bool) -> None:
    if not true:
        raise UnknownError


def _alike(one: Struct, other: Struct) -> bool:
    """Whether two footers say the same but for their rows."""
    own = {ROWS, GROUPS}
    return [field for field in one if field[0] not in own] == [field for field in other if field[0] not in own]


def _of(fields: Struct, number: int) -> Any:
    return next((value for n, _, value in fields if n == number), None)


def _with(fields: Struct, changes: Mapping[int, Any]) -> Struct:
    return [(n, kind, changes.get(n, value)) for n, kind, value in fields]
