"""The bytes of a block for whoever reads it, and the way from a scanner that gives up to the strict reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from auditfw.components.files.file_settings import RowBlock
from auditfw.components.files.files import LARGEST_RECORD
from auditfw.core.errors import DataError

BLOCK = 2 << 20


class UnusualError(Exception):
    """The text is to be read strictly from its start."""


@dataclass(frozen=True)
class Piece:
    """The bytes of a block: of a plain file by offset and length, or `data` themselves.

    `near` are the bytes of a plain file while they are in this process; other processes read them again.
    """

    path: str
    offset: int
    length: int
    data: bytes | None = None
    near: bytes | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "near": None}

    def content(self) -> bytes:
        """The bytes as they are in the file."""
        data = self.near if self.data is None else self.data
        if data is not None:
            return data
        with open(self.path, "rb") as stream:
            stream.seek(self.offset)
            return stream.read(self.length)


def piece_of(path: str, offset: int, data: bytes, plain: bool, near: bool = True) -> Piece:
    """The piece that these bytes are; those of a `plain` file are kept in this process alone, and only if `near`."""
    return Piece(path, offset, len(data), *((None, data if near else None) if plain else (data, None)))


def scanned_first(scanned: Iterable[RowBlock], strictly: Callable[[int], Iterable[RowBlock]]) -> Iterator[RowBlock]:
    """The blocks that a scanner finds; where it raises UnusualError those behind the rows so far, read strictly."""
    done = 0
    try:
        for block in scanned:
            yield block
            done += block.count
    except UnusualError:
        yield from strictly(done)


def more(stream: BinaryIO, size: int) -> bytes:
    """The next bytes, none at the end. Raises UnusualError for a record too long, and a stream that is cut off."""
    if size > LARGEST_RECORD:
        raise UnusualError
    try:
        return stream.read(size)
    except DataError:
        raise UnusualError from None
