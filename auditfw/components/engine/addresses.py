"""Where a cluster is: what addresses look like, and whether anybody answers there."""

from __future__ import annotations

import importlib
import re
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from auditfw.core.errors import UsageError
from auditfw.core.masking import mask
from auditfw.core.remote.parts import check_parts, shared_folder

S = TypeVar("S")
T = TypeVar("T")

SECONDS = 4.0  # that an address has to answer
_HOST = re.compile(r"(?:(\w+)://)?((?:\[[0-9a-fA-F:]+\]|[\w.-]+)):(\d{1,5})")


@dataclass(frozen=True)
class ClusterSettings(ABC):
    """Where a cluster is, or how many processes a new one has; each engine says how its addresses look."""

    schemes: ClassVar[Sequence[str]] = ()  # that may stand before HOST:PORT
    words: ClassVar[Sequence[str]] = ()  # that are addresses, too
    example: ClassVar[str] = ""

    address: str | None = None
    workers: int | None = None
    parts: str | None = None
    most_joined: int | None = 10_000_000

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError("workers", "expected a whole number of 1 or more", self.workers)
        if self.workers is not None and self.address is not None:
            do = "set only one of the two"
            raise UsageError("workers", "a cluster at an address has its own", self.workers, do)
        if self.most_joined is not None and self.most_joined < 0:
            raise UsageError("most_joined", "expected a whole number of 0 or more", self.most_joined)
        if self.parts is not None:
            check_parts(self.parts)
        if self.address is None or self.address in self.words:
            return
        parts = _HOST.fullmatch(self.address)
        if parts is None or (parts[1] or "") not in ("", *self.schemes) or not 0 < int(parts[3]) < 1 << 16:
            do = f"write it as in {self.example}, or null to start a cluster here"
            raise UsageError("address", "is no address of a cluster", repr(self.address), do)

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        return self.map_beside(work, tasks, ())

    @abstractmethod
    def map_beside(self, work: Callable[[S], T], tasks: Iterable[S], others: Sequence[S]) -> Iterator[T]:
        """Yields `work(task)` for each of the others, which are begun at once, and then for each task, in order."""

    @property
    def starts(self) -> str:
        """The cluster the work is sent to, where there is one already."""
        sends = [] if self.address is None else [f"sends the work to {self.address}"]
        writes = [] if self.parts is None else [f"has workers write into {self.parts}"]
        return " and ".join(sends + writes)

    def reached(self) -> str:
        """What answers, in words. Raises AuditError where nothing does, or where parts cannot be written."""
        with shared_folder(self.parts, mask()) as folder:
            words = [] if self.address is None else [self._reached()]
            words += [] if folder is None else [f"parts can be written to {self.parts}"]
        return "; ".join(words)

    @abstractmethod
    def _reached(self) -> str:
        """The cluster at the address, in words. Raises IncompleteError where none answers or none can do the work."""


def imported(module: str, extra: str) -> Any:
    """A module of an extra. Raises UsageError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError("engine", f"needs the extra {extra}", None, f"pip install 'auditfw[{extra}]'") from None


def answers(address: str) -> bool:
    """Whether anybody takes a connection at HOST:PORT; True for an address that is a word."""
    parts = _HOST.fullmatch(address)
    if parts is None:
        return True
    with suppress(OSError), socket.create_connection((parts[2].strip("[]"), int(parts[3])), SECONDS):
        return True
    return False
