"""Ids that are there twice, looked for in the same pass as the work: eight bytes a row come back with each batch."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

from auditfw.core.native import native_kernel
from auditfw.core.records import Batch
from auditfw.kinds.context import Task

WIDTH = 8  # bytes of a hash
HELD = 1 << 20  # bytes of hashes that are held in memory; those of further rows are put into a file
PARTS = 256  # in which hashes in a file are compared, by their highest bits


@dataclass
class NotingTask:
    """A task, and when it is done the hashes of its ids."""

    task: Task
    note: bytes = b""

    def __call__(self) -> Batch:
        batch = self.task()
        self.note = hashes(list(batch.columns["id"]))
        return batch


class Hashes:
    """Hashes of which is asked whether two are the same: of any number of rows, about a megabyte is held in memory.

    Where no temporary file can be written, all are.
    """

    def __init__(self, held: int = HELD) -> None:
        self._most, self._held = held, bytearray()
        self._file: IO[bytes] | None = None
        self._blocks: list[tuple[int, Sequence[int]]] = []  # of each in the file: its place, and where its parts end

    def add(self, hashes: bytes) -> None:
        """Takes further hashes."""
        self._held.extend(hashes)
        if len(self._held) >= self._most:
            self._put_aside()

    def repeated(self) -> bool:
        """Whether two of all hashes are the same."""
        if self._file is None or not self._blocks:
            return _repeated(self._held)
        held, ends = _parted(self._held)
        return any(_repeated(held[slice(*_bounds(ends, n))] + self._part(n, self._file)) for n in range(PARTS))

    def _put_aside(self) -> None:
        """Writes what is held to the file, by parts."""
        parted, ends = _parted(self._held)
        place = sum(known[-1] for _, known in self._blocks)
        try:
            self._file = self._file or tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with the check
            self._file.seek(place)
            whole = self._file.write(parted) == len(parted)
        except OSError:
            whole = False
        if not whole:
            self._most = sys.maxsize
            return
        self._blocks.append((place, ends))
        self._held = bytearray()

    def _part(self, n: int, file: IO[bytes]) -> bytearray:
        """The hashes of one part in the file, of all blocks."""
        part = bytearray()
        for place, ends in self._blocks:
            start, end = _bounds(ends, n)
            file.seek(place + start)
            part += file.read(end - start)
        return part


@dataclass(frozen=True)
class IdCheck:
    """Tasks whose ids are checked when all of them are done.

    `settle(suspected)` comes last: it hears whether two hashes are the same, and raises DataError where two ids are.
    """

    readings: Iterable[Task]
    settle: Callable[[bool], None]
    notes: Hashes = field(default_factory=Hashes)

    @property
    def tasks(self) -> Iterator[Task]:
        """The tasks, once."""
        return map(NotingTask, self.readings)

    def take(self, note: bytes) -> None:
        """Takes the hashes of a batch."""
        self.notes.add(note)

    def finish(self) -> None:
        """Raises DataError for an id that is there twice."""
        self.settle(self.notes.repeated())


def _bounds(ends: Sequence[int], part: int) -> tuple[int, int]:
    """Where the bytes of a part begin and end."""
    return ends[part - 1] if part else 0, ends[part]


def _parted(hashes: bytearray) -> tuple[bytearray, Sequence[int]]:
    """Hashes by their highest eight bits, and where each of the parts ends."""
    kernel = native_kernel()
    if kernel is not None:
        parted, ends = kernel.parted(hashes)
        return parted, ends
    import numpy as np

    known = np.sort(np.frombuffer(hashes, np.uint64))
    counts = np.bincount((known >> np.uint64(56)).astype(np.int64), minlength=PARTS)
    return bytearray(known.tobytes()), (WIDTH * np.cumsum(counts)).tolist()


def _repeated(notes: bytearray) -> bool:
    """Whether two of the hashes are the same."""
    kernel = native_kernel()
    if kernel is not None:
        return bool(kernel.repeated(notes))
    import numpy as np

    known = np.frombuffer(notes, np.uint64)
    known.sort()  # where they are: there may be many
    return bool((known[1:] == known[:-1]).any())


def hashes(ids: Sequence[str]) -> bytes:
    """The hashes of ids, the same in every process that has the same kernel."""
    kernel = native_kernel()
    if kernel is not None:
        return bytes(kernel.hashes(list(ids)))
    words = (word.encode("utf-8", "surrogatepass") for word in ids)
    return b"".join(hashlib.blake2b(word, digest_size=WIDTH).digest() for word in words)
