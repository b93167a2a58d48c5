"""Work that is started now and collected later, while other work continues."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from threading import Thread, get_native_id
from typing import Generic, TypeVar

from .interrupts import joined

T = TypeVar("T")

PATIENT = 10  # how much a thread that yields gives way, as `nice` counts


class BackgroundTask(Generic[T]):
    """Computes in a thread of its own; calling it waits, and gives the value or raises the error of the computation.

    Worth it for what leaves the interpreter to others meanwhile, as checksums do. A run that ends early does not wait.
    One that `yields` leaves the processors to all other work, where the system can do that for a thread.
    """

    def __init__(self, compute: Callable[[], T], yields: bool = False) -> None:
        self._compute, self._yields = compute, yields
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        if self._yields and sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, get_native_id(), PATIENT)  # on Linux that is this thread alone
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
