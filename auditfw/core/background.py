"""Work that is started now and collected later, while other work continues."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from threading import Thread
from typing import Any, Generic, TypeVar

from .interrupts import LOOK, joined, look

T = TypeVar("T")


class BackgroundTask(Generic[T]):
    """Computes in a thread of its own; calling it waits, and gives the value or raises the error of the computation.

    Worth it for what leaves the interpreter to others meanwhile, as checksums do. A run that ends early does not wait.
    """

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute = compute
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._value.append(self._compute())
        except BaseException as error:
            self._error = error

    @property
    def done(self) -> bool:
        """Whether the computation has ended, with a value or an error."""
        return not self._thread.is_alive()

    def __call__(self) -> T:
        joined(self._thread)
        if self._error is not None:
            raise self._error
        return self._value[0]


def readable(stream: Any, seconds: float) -> bool:
    """Whether a stream has something to read, or ends, within these seconds; looks meanwhile. Raises Interrupted."""
    if not hasattr(select, "poll"):  # Windows, where only sockets can be waited for
        thread = Thread(target=stream.peek, daemon=True)
        thread.start()
        return joined(thread, seconds)
    until = time.monotonic() + seconds
    while True:
        look()
        left = until - time.monotonic()
        if select.select([stream], [], [], max(0.0, min(left, LOOK)))[0]:
            return True
        if left <= 0:
            return False
