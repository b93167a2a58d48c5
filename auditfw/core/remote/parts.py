"""Parts of a table that workers write themselves, on storage that all machines of a run share: a folder, or an address.

Each run has a folder of its own there, of a name that nobody can foresee, from before its first task to its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import Thread
from typing import NamedTuple

from auditfw.core.errors import AuditError, IncompleteError, UsageError
from auditfw.core.files import TABLE_BYTES, data_digest, guarded, opened, remove, scratch_in, whole
from auditfw.core.imports import refuse_if_safe
from auditfw.core.masking import Mask
from auditfw.core.tables import PackedRows

from .addresses import STORES, Address, address_of, is_remote

SETTING, NAME = "engine.parts", "auditfw-parts"
OPEN = "open"  # an object that is there as long as the run goes on
AGAIN = "run again, and let nothing else write or remove files there"
PATIENCE = 5.0  # seconds
_open: list[Address] = []  # of runs that go on
SHARE = "name a folder that all machines have under this path"


def check_parts(place: str) -> None:
    """Raises UsageError for a place that can be none of parts."""
    if not place:
        raise UsageError("parts", "names no folder", repr(place), "write engine.parts=FOLDER, or null")
    if is_remote(place):
        address = address_of(place)
        if address.scheme not in STORES:
            do = f"write {', '.join(f'{one}://' for one in STORES)} or a folder that all machines share"
            raise UsageError("parts", "parts cannot be written to an address of this kind", str(address), do)


@dataclass(frozen=True)
class SharedFolder:
    """The folder of a run on shared storage, and what is masked in all that is written there."""

    place: str
    mask: Mask

    def lay(self, number: int, rows: PackedRows) -> LaidRows:
        """Writes a part whole, in a worker; the same part again is the same file. Raises AuditError."""
        name = f"part-{number:05}.parquet"
        if is_remote(self.place):
            _upload(address_of(f"{self.place}/{name}"), rows.data)
        elif os.path.isdir(self.place):
            with guarded(self.place), whole(Path(self.place, name), sync=False) as stream:
                stream.write(rows.data)
        else:
            raise IncompleteError(self.place, "is not there on this machine", None, SHARE)
        return LaidRows(rows.names, rows.height, f"{self.place}/{name}", len(rows.data), data_digest(rows.data))


class LaidRows(NamedTuple):
    """Rows that lie on shared storage as a Parquet file: where, its bytes, and the SHA-256 of these."""

    names: Sequence[str]
    height: int
    place: str
    size: int
    digest: str

    def packed(self) -> PackedRows:
        """The rows in memory, compared with what the worker wrote. Raises AuditError."""
        try:
            data = self._data()
        except FileNotFoundError:
            raise IncompleteError(self.place, "a worker wrote it, and it is not there", None, SHARE) from None
        if data_digest(data) != self.digest:
            size = "other bytes" if len(data) >= self.size else f"{len(data):,} bytes, wanted {self.size:,}"
            raise IncompleteError(self.place, "is not what a worker wrote", size, AGAIN)
        return PackedRows(self.names, self.height, data, True)

    def _data(self) -> bytes:
        """What lies there, and no more than a byte too much. Raises FileNotFoundError."""
        if is_remote(self.place):
            from .stores import whole_object

            return whole_object(address_of(self.place))
        with opened(Path(self.place), TABLE_BYTES) as stream:
            return stream.read(self.size + 1)


@contextmanager
def shared_folder(place: str | None, mask: Mask) -> Iterator[SharedFolder | None]:
    """A new folder for the parts of a run in a place that its machines share, removed with all in it at the end.

    Raises UsageError where there is no such place, AuditError where it cannot be written to.
    """
    if place is None:
        yield None
    elif is_remote(place):
        address = address_of(f"{place.rstrip('/')}/{NAME}-{token_hex(8)}")
        refuse_if_safe(f"parts of the table are written to {address}")
        with _emptied(address):
            yield SharedFolder(str(address), mask)
    else:
        folder = Path(os.path.abspath(place))
        if not folder.is_dir():
            raise UsageError(SETTING, "no such folder", str(folder), "make it, where all machines see it")
        try:
            own = scratch_in(folder, NAME)
        except OSError as error:
            do = "let the command write there, and its workers"
            raise IncompleteError(str(folder), "parts cannot be written there", error.strerror, do) from None
        try:
            yield SharedFolder(str(own), mask)
        finally:
            remove([own])


@contextmanager
def _emptied(address: Address) -> Iterator[None]:
    """Marks an address as that of a run which goes on, and removes all that lies there at the end."""
    from .stores import check_library, delete, put

    check_library(address)
    own = address.at(f"{address.key}/{OPEN}")
    tried = address.at(f"{address.key}/tried")
    put(tried, b"")
    delete([tried])
    _open.append(address)
    try:
        put(own, b"")
        yield
    finally:
        _empty(address)
        _open.remove(address)


def _empty(address: Address) -> None:
    """Removes all that lies at an address, as far as that can be."""
    from .stores import delete, listing

    with suppress(AuditError):
        delete([address.at(f"{address.key}/{OPEN}")])  # who comes later removes what it wrote
        delete([address.at(file.key) for file in listing(address, address.key)])


def remove_open() -> None:
    """Removes what lies at addresses of runs of this process, which is about to end; it waits some seconds for that."""
    for address in list(_open):
        thread = Thread(target=_empty, args=(address,), daemon=True)
        thread.start()
        thread.join(PATIENCE)


def _upload(address: Address, data: bytes) -> None:
    """Writes an object, unless the run is over by then."""
    from .stores import check_library, delete, head, put

    refuse_if_safe(f"parts of the table are written to {address}")
    check_library(address)
    put(address, data)
    if head(address.at(f"{address.key.rpartition('/')[0]}/{OPEN}")) is None:
        delete([address])
        raise IncompleteError(str(address), "the run is over, or this machine sees another bucket", None, SHARE)
