"""A worker's share of a file that lies elsewhere: the bytes that its tasks read, fetched once for all on its machine.

The copy is as long as the file and has holes where nothing was fetched. No list says which bytes are there: they are
where the digest that came with the task is theirs. A whole copy has another time of modification.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from auditfw.core.files import guarded, part_beside
from auditfw.core.imports import refuse_if_safe
from auditfw.core.locks import lock_span

from .addresses import Address, address_of, is_whole, settle, use
from .refusals import FetchedFrom, WholeFilesError
from .stores import check_library, fetch


def bring(path: str, own: FetchedFrom, start: int, end: int, is_right: Callable[[BinaryIO], bool]) -> bool:
    """Fetches the bytes from `start` to `end` of the version that the command knows, or the file where these are none.

    `is_right` says by their digest whether they are in a file. One process of this machine fetches them, others wait.
    Gives whether the bytes are there, and were compared; of a whole copy they are not. Raises AuditError.
    """
    address, size = address_of(own.address), own.file.size
    refuse_if_safe(f"{address} is fetched over the network")
    check_library(address)
    try:
        return _brought(path, own, address, (start, end), is_right)
    except WholeFilesError:
        return _brought(path, own, address, (0, size), is_right)


def _brought(
    path: str, own: FetchedFrom, address: Address, span: tuple[int, int], is_right: Callable[[BinaryIO], bool]
) -> bool:
    start, end = span
    size = own.file.size
    with guarded(path), _held(path, start, end, size) as stream:
        if is_whole(path):
            return False
        if end - start in (0, size):
            with part_beside(Path(path)) as part:
                with part.open("xb") as whole:
                    fetch(address, own.file, whole)
                settle(part)
                os.replace(part, path)
            return False
        if is_right(stream):
            return True
        stream.seek(start)
        fetch(address, own.file, stream, span=span)
        stream.flush()
        return is_right(stream)


@contextmanager
def _held(path: str, start: int, end: int, size: int) -> Iterator[BinaryIO]:
    """A copy with holes, of which no other process of this machine fetches these bytes meanwhile."""
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, os.O_RDWR | flags, 0o600)
    except PermissionError:  # by now it is a whole copy, to which nobody writes
        handle = os.open(path, os.O_RDONLY | flags)
    with os.fdopen(handle, "r+b") as stream:
        if os.fstat(handle).st_size < size:
            os.ftruncate(handle, size)
        use(path)
        lock_span(handle, start, end - start)
        yield stream
