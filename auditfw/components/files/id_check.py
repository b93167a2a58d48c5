"""Ids that are there twice, looked for in the same pass as the work: eight bytes a row come back with each batch."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from auditfw.core.native import native_kernel
from auditfw.core.records import Batch
from auditfw.kinds.context import Task

WIDTH = 8  # bytes of a hash


@dataclass
class NotingTask:
    """A task, and when it is done the hashes of its ids."""

    task: Task
    note: bytes = b""

    def __call__(self) -> Batch:
        batch = self.task()
        self.note = hashes(list(batch.columns["id"]))
        return batch


@dataclass(frozen=True)
class IdCheck:
    """Tasks whose ids are checked when all of them are done.

    `settle(suspected)` comes last: it hears whether two hashes are the same, and raises DataError where two ids are.
    """

    readings: Iterable[Task]
    settle: Callable[[bool], None]
    notes: bytearray = field(default_factory=bytearray)

    @property
    def tasks(self) -> Iterator[Task]:
        """The tasks, once."""
        return map(NotingTask, self.readings)

    def take(self, note: bytes) -> None:
        """Takes the hashes of a batch."""
        self.notes.extend(note)

    def finish(self) -> None:
        """Raises DataError for an id that is there twice."""
        import polars as pl  # which a run has imported by now, as it has not NumPy

        numbers = pl.Series("", array("Q", bytes(self.notes)), dtype=pl.UInt64).sort(multithreaded=False)
        self.settle((numbers[1:] == numbers[:-1]).any())


def hashes(ids: Sequence[str]) -> bytes:
    """The hashes of ids, the same in every process that has the same kernel."""
    kernel = native_kernel()
    if kernel is not None:
        return bytes(kernel.hashes(list(ids)))
    words = (word.encode("utf-8", "surrogatepass") for word in ids)
    return b"".join(hashlib.blake2b(word, digest_size=WIDTH).digest() for word in words)
