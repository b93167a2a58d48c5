"""A Parquet file that is written by a thread while its rows come in."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Semaphore
from typing import TYPE_CHECKING, Any

from auditfw.core.background import BackgroundTask
from auditfw.core.masking import masked_frame

if TYPE_CHECKING:
    import polars as pl

WAITING = 2  # frames that may wait to be written
PATIENCE = 0.1  # seconds between two looks whether the writing has failed


class ParquetStream:
    """Frames of one schema, in row groups of `rows` rows, into one file; the bytes do not depend on their sizes.

    `put` waits where frames come faster than they are written. What goes wrong is raised by the next `put`, or by
    `close`, which waits for the end. A stream that is given up without `close` leaves what was written.
    """

    def __init__(self, path: Path, schema: pl.Schema, rows: int, footer: dict[str, str]) -> None:
        from polars.io.plugins import register_io_source

        frames: SimpleQueue[pl.DataFrame | None] = SimpleQueue()
        room = Semaphore(WAITING)

        def source(columns: list[str] | None, *_: Any) -> Iterator[pl.DataFrame]:
            while (frame := frames.get()) is not None:
                room.release()
                yield frame if columns is None else frame.select(columns)

        written = register_io_source(source, schema=schema)
        self.schema = schema
        self._room, self._put = room, frames.put
        self._end = weakref.finalize(self, frames.put, None)
        self._end.atexit = False  # the task ends what is written
        self._writing = BackgroundTask(
            lambda: written.sink_parquet(
                path, compression="zstd", row_group_size=rows, maintain_order=True, metadata=footer
            ),
            stop=partial(frames.put, None),
        )

    def put(self, frame: pl.DataFrame) -> None:
        """Adds rows. Raises what the writing raised."""
        while not self._room.acquire(timeout=PATIENCE):
            if self._writing.done:
                self._writing()
        self._put(masked_frame(frame))

    def close(self) -> None:
        """Ends the file. Raises what the writing raised."""
        self._end()
        self._writing()
