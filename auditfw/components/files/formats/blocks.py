"""Files of lines, cut into blocks of whole lines: plain ones by looking for the ends, compressed ones as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, TypeVar

from auditfw.components.files.files import LARGEST_RECORD, CutOffError, too_long
from auditfw.core.inputs import Summing
from auditfw.core.native import native_kernel

T = TypeVar("T")

PIECE = 1 << 20


def line_blocks(stream: BinaryIO, path: str, size: int, tolerant: bool, rows: int) -> Iterator[tuple[bytes, int]]:
    """Cuts a stream into blocks of whole lines: about `size` bytes and at most about `rows` lines; with their ends."""
    parts: list[bytes] = []
    while chunk := _read(stream, size, tolerant):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield from _cut(b"".join((*parts, chunk[:end])), rows)
            parts = []
        parts.append(chunk[end:])
        if sum(map(len, parts)) > LARGEST_RECORD:
            raise too_long(path)
    if rest := b"".join(parts):
        yield from _cut(rest, rows)


def plain_blocks(stream: BinaryIO, path: str, size: int, rows: int) -> Iterator[tuple[bytes, int]]:
    """The same of a file that is not compressed: where a block ends is looked up first, and then it is read at once."""
    offset = 0
    while True:
        stream.seek(offset + size - 1)
        beyond = _left_of_line(stream, path)
        stream.seek(offset)
        data = stream.read(size + beyond)
        if not data:
            return
        offset += len(data)
        ends = _ends(data)
        yield from _cut(data, rows) if ends > rows else [(data, ends)]


def _left_of_line(stream: BinaryIO, path: str) -> int:
    """How many bytes follow the next one until its line has ended, read piece by piece. Raises DataError."""
    length, ended = -1, False
    while not ended:
        piece = stream.readline(PIECE)
        length, ended = length + len(piece), len(piece) < PIECE or piece.endswith(b"\n")
        if length > LARGEST_RECORD:
            raise too_long(path)
    return max(0, length)


def filled_blocks(
    blocks: Iterable[tuple[bytes, int]], summing: Summing | None
) -> Iterator[tuple[bytes, int, int, int]]:
    """The blocks that hold more than blank lines, with their ends, first line and offset; all of them are summed."""
    start, offset = 1, 0
    for data, ends in blocks:
        if summing is not None:
            summing.add(data)
        if not data.isspace():
            yield data, ends, start, offset
        start, offset = start + ends, offset + len(data)


def _read(stream: BinaryIO, size: int, tolerant: bool) -> bytes:
    """Reads so many bytes, fewer at the end; where a compressed file is cut off, what is left of it."""
    parts, missing = [], size
    while missing > 0:
        try:
            part = stream.read1(missing)  # type: ignore[attr-defined]
        except CutOffError:
            if not tolerant:
                raise
            break
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _cut(data: bytes, rows: int) -> Iterator[tuple[bytes, int]]:
    """Cuts a block of many short lines into about equal parts."""
    parts = -(-_ends(data) // rows) or 1
    start = 0
    for part in range(1, parts + 1):
        end = len(data) if part == parts else data.find(b"\n", max(start, len(data) * part // parts)) + 1 or len(data)
        if end > start:
            piece = data[start:end]
            yield piece, _ends(piece)
        start = end


def _ends(data: bytes) -> int:
    kernel = native_kernel()
    return data.count(b"\n") if kernel is None else kernel.ends(data)


def filled_lines(data: bytes) -> int:
    """How many lines are not blank."""
    if data.isspace():
        return 0
    return sum(1 for line in data.split(b"\n") if line.strip(b" \t\r"))


def with_last(blocks: Iterable[T]) -> Iterator[tuple[T, bool]]:
    held: list[T] = []
    for block in blocks:
        if held:
            yield held.pop(), False
        held.append(block)
    if held:
        yield held.pop(), True
