"""What the engines on clusters share: the same work over the same partitions, in other processes or on other machines.

Workers need auditfw installed, and the input files under the same paths. Results come back in the order of the
tasks, a bounded number of them under way.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.core.imports import add_folders, search_path, user_folders
from auditfw.core.interrupts import raising

Parcel = tuple[bytes, tuple[str, ...], tuple[str, ...]]

_unpacked: dict[bytes, Callable[[Any], Any]] = {}


def parcel_of(work: bytes) -> Parcel:
    """Packed work with the places where a worker finds its modules."""
    return work, tuple(search_path()), user_folders()


def apply_work(parcel: Parcel, task: Any) -> Any:
    """One task in a worker: the work is unpacked once in each process."""
    work, path, folders = parcel
    if work not in _unpacked:
        sys.path += [place for place in path if place not in sys.path]
        add_folders(folders)
        _unpacked.clear()
        _unpacked[work] = pickle.loads(work)  # noqa: S301 - written by the process that gave the task
    return _unpacked[work](task)


@dataclass(frozen=True)
class ClusterSettings:
    """Where a cluster is, or how many processes a new one has; each engine says how its addresses look."""

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError("workers", "expected a whole number of 1 or more", self.workers)
        if self.workers is not None and self.address is not None:
            do = "set only one of the two"
            raise UsageError("workers", "a cluster at an address has its own", self.workers, do)

    @property
    def starts(self) -> str:
        """The cluster the work is sent to, where there is one already."""
        return "" if self.address is None else f"sends the work to {self.address}"


def waited(wait: Callable[..., Any], *what: Any) -> Any:
    """What a cluster gives, which does not look for signals while it waits."""
    with raising():
        return wait(*what)


def imported(module: str, extra: str) -> Any:
    """A module of an extra. Raises UsageError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError("engine", f"needs the extra {extra}", None, f"pip install 'auditfw[{extra}]'") from None
