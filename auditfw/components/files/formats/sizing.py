"""How many rows the files of a source have: counted where that is cheap, else estimated within a range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, Protocol

from auditfw.core.errors import AuditError
from auditfw.core.notes import Size, total

if TYPE_CHECKING:
    from auditfw.components.files.files import File

UNKNOWN_END = 200_000  # rows counted in a file of which nobody knows how much is left

Step = tuple[int, int | None]  # rows so far, and bytes of the file read so far where that is known


class FileStart(Protocol):
    """The start of a file: its first records, and a rough number of them (`exact`: no estimate)."""

    @property
    def rows(self) -> Sequence[object]: ...

    @property
    def estimate(self) -> int | None: ...

    @property
    def exact(self) -> bool: ...


class StartedFile(Protocol):
    """A file and its start."""

    @property
    def file(self) -> File: ...

    @property
    def glance(self) -> FileStart: ...


class Counted(Protocol):
    """What is asked of a source: its limit of records, what counting may cost in bytes, its rows one by one."""

    @property
    def limit(self) -> int | None: ...

    @property
    def affordable(self) -> int: ...

    def steps(self, file: File) -> Iterator[Step]: ...

    def spread(self, file: File, least: int) -> Size | None: ...


def sized(source: Counted, seen: Sequence[StartedFile], width: int) -> Size:
    """The number of rows of all files, `width` of each record."""
    left, sizes = source.affordable, list[Size]()
    for number, one in enumerate(seen):
        if one.glance.exact:
            sizes.append(Size.exactly(one.glance.estimate or 0))
            continue
        size, cost = _counted(source, one, left // (len(seen) - number))
        sizes.append(size)
        left -= cost
    whole_size = total(sizes)
    return (whole_size if source.limit is None else whole_size.up_to(source.limit)).times(width)


def _counted(source: Counted, one: StartedFile, affordable: int) -> tuple[Size, int]:
    """The number of records of one file, and the bytes that were read for it."""
    import os

    whole = os.path.getsize(one.file.path)
    least = len(one.glance.rows)
    if whole > affordable and (guess := source.spread(one.file, least)) is not None:
        return guess, affordable
    rows, read = 0, 0
    try:
        for rows, at in source.steps(one.file):
            read = at or read
            if (at or 0) > affordable or (at is None and rows > UNKNOWN_END):
                return _left(one.glance, max(rows, least), read, whole), read
    except AuditError:  # the run will say what is wrong there
        return _left(one.glance, max(rows, least), read, whole), read
    return Size.exactly(rows), whole


def _left(glance: FileStart, rows: int, read: int, whole: int) -> Size:
    """The size of a file that was not counted to its end."""
    likely = round(rows * whole / read) if read else glance.estimate
    return Size(rows, None, None if likely is None else max(likely, rows))


def position(stream: BinaryIO) -> int | None:
    """How far a file is read; None where it is compressed."""
    try:
        return stream.tell()
    except OSError:
        return None


def by_samples(samples: Sequence[tuple[int, int]], whole: int, least: int) -> Size:
    """The number of lines of a file of `whole` bytes, by the lines and bytes of samples spread over it."""
    densities = [lines / size for lines, size in samples]
    mean = sum(lines for lines, _ in samples) / sum(size for _, size in samples)
    low, high = (round(whole * part) for part in (min(densities), max(densities)))
    return Size(max(low, least), max(high, least), max(round(whole * mean), least))


def evenly(whole: int, size: int, affordable: int) -> list[int]:
    """Where samples of a size begin that are spread evenly over a file."""
    n = max(2, affordable // size)
    starts = [round(i * (whole - size) / (n - 1)) for i in range(n)]
    return [start for start, after in pairwise([*starts, whole]) if after > start]
