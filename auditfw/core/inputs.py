"""The files of a run: what they were before they were read, their checksums, and that the two belong together."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple, cast

from auditfw.core.remote.addresses import address_at
from auditfw.core.remote.places import check_unchanged, origin_of, present, shown
from auditfw.core.remote.refusals import FetchedFrom

from .errors import DataError
from .records import Input

MOST_DIGESTS = 4_096
SHORT, PIECE = 8, 1 << 20  # bytes of a digest of a part, and read at once for it
BEHIND = 8  # blocks that may wait to be summed
SECOND = 1_000_000_000
PATIENCE = 1.1  # seconds to wait for the clock of a file system that keeps whole seconds
PAUSE = 0.001
TICK = 20_000_000  # nanoseconds: more than the clock of files lags behind where it cannot be read

Stamp = tuple[int, int, int, int, int]  # device, inode, size, time of modification, time of change (or checksum)


@dataclass(frozen=True)
class Watched:
    """Files as they were before the first byte of them was read.

    Guaranteed: where `check` and `inputs` raise nothing, every byte that anybody has read of these files since `watch`
    (any process, as often as it liked) is the byte that the checksum is of. They raise DataError for a file that was
    written to, cut, replaced, moved or removed, also where its size and time of modification are what they were: what
    is compared besides is the time of change (ctime), which the system sets at every such event, no program can set
    back, and which no two events share (`watch` waits until the clock of the files has gone on).

    Not noticed: what does not go through the file system (a raw disk, another machine on a shared one), a mapped page
    that a process had written before and writes again before the system has stored it, and edits with the times put
    back on file systems that keep no time of change (FAT and some in user space). Files `beside` (the logs of
    databases, whose time of change SQLite itself sets where root reads them) are compared by their contents instead:
    an edit that is undone before `check` goes unnoticed there.
    """

    stamps: Mapping[str, Stamp | None]
    beside: frozenset[str] = field(default=frozenset())

    def check(self) -> None:
        """Raises DataError for the first file that is not what it was, on this machine or where it was fetched from."""
        for path, known in self.stamps.items():
            now = _summed(path) if path in self.beside else stamp_or_none(path)
            if now != known:
                raise _changed(path, known, now)
        check_unchanged(self.stamps)

    @property
    def unsummed(self) -> list[FileSum]:
        """The files whose checksums are not known yet, for another process to compute; it need not have our copies."""
        here = (path for path in self.stamps if path not in self.beside and address_at(path) is None)
        stamps = ((path, known) for path in here if (known := self.stamps[path]))
        return [FileSum(path, known) for path, known in stamps if (path, known) not in _digests][: MOST_DIGESTS // 2]

    def joined(self, other: Watched) -> Watched:
        """These files and then others."""
        return Watched({**self.stamps, **other.stamps}, self.beside | other.beside)

    def inputs(self) -> list[Input]:
        """The files with their SHA-256, in order; those `beside` only where they hold something. Raises DataError."""
        inputs = []
        for path, known in self.stamps.items():
            if path not in self.beside:
                inputs.append(Input(shown(path), _digest(path, known), known[2] if known else 0))
            elif known is not None and known[2]:
                inputs.append(Input(shown(path), f"{known[4]:064x}", known[2]))
        Watched({path: self.stamps[path] for path in self.beside}, self.beside).check()
        return inputs


def watch(paths: Iterable[str], beside: Iterable[str] = ()) -> Watched:
    """Notes what files are now, before they are read; those `beside` may be missing and belong to the others."""
    stamps = {path: stamp_or_none(path) for path in paths}
    deadline = time.monotonic() + PATIENCE
    while any(known and _may_repeat(known[4]) for known in stamps.values()) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    logs = {path: _summed(path) for path in beside}
    return Watched(stamps | logs, frozenset(logs))


def stamp(path: str) -> Stamp:
    """What shows whether a file is still the same. Raises OSError."""
    return _stamp(os.stat(path))


def stamp_or_none(path: str) -> Stamp | None:
    """The same; None where there is no such file."""
    try:
        return stamp(path)
    except OSError:
        return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _summed(path: str) -> Stamp | None:
    """The stamp of a log, with its checksum in place of the time of change; None where there is no such file."""
    try:
        with open(path, "rb") as stream:
            device, inode, size, changed, _ = _stamp(os.fstat(stream.fileno()))
            value = hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()
    except OSError:
        return None
    return device, inode, size, changed, int(value, 16)


def _may_repeat(changed: int) -> bool:
    """Whether a change now could get the very time of change that a file has already."""
    clock = getattr(time, "CLOCK_REALTIME_COARSE", None)  # what the system stamps files by
    now = time.time_ns() - TICK
    if clock is not None and hasattr(time, "clock_gettime_ns"):
        now = time.clock_gettime_ns(clock)
    ahead = changed - now + (SECOND if changed % SECOND == 0 else 0)
    return 0 <= ahead <= SECOND


def _changed(path: str, known: Stamp | None, now: Stamp | None) -> DataError:
    """The error for a file that is not what it was."""
    what, do = "changed during the run", "run again when nothing writes to it"
    if known is None or now is None:
        return DataError(path, "vanished during the run" if now is None else what, None, do if now else "run again")
    if now[:2] != known[:2]:
        change = "another file is in its place"
    elif now[2] != known[2]:
        change = f"{known[2]:,} bytes before, {now[2]:,} now"
    else:
        change = "written to" if now[3] != known[3] else "written to, moved, or its permissions were changed"
    return DataError(path, what, change, do)


def _digest(path: str, known: Stamp | None) -> str:
    """The SHA-256 of a file that is what it was; read once in a process. Raises DataError where it is not."""
    try:
        if known is None or stamp_or_none(path) != known:
            raise _changed(path, known, stamp_or_none(path))
        if (path, known) not in _digests:
            with open(path, "rb") as stream:
                value = hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()
                now = _stamp(os.fstat(stream.fileno()))
            if now != known:
                raise _changed(path, known, now)
            _remember(path, known, value)
    except OSError as error:
        raise DataError(path, "cannot be read", error.strerror or str(error)) from None
    return _digests[path, known]


_digests: dict[tuple[str, Stamp], str] = {}


def _remember(path: str, known: Stamp, digest: str) -> None:
    if len(_digests) >= MOST_DIGESTS:
        _digests.clear()
    _digests[path, known] = digest


def digest(path: str) -> str | None:
    """The SHA-256 of a file as it is now; None where there is none that stays the same while it is read."""
    try:
        return watch([path]).inputs()[0].sha256
    except DataError:
        return None


@dataclass(frozen=True)
class FileSum:
    """The SHA-256 of a file (`value`, once it is summed), computed where the file is read: also on another machine."""

    path: str
    stamp: Stamp
    value: str = ""

    def file_parts(self) -> list[FilePart]:
        """The file as a worker is to have it: of this size, and with the same time of modification."""
        return [file_part(self.path)]

    def summed(self) -> FileSum:
        """Reads the file. Raises DataError where it cannot be read, or changes meanwhile."""
        try:
            with open(self.path, "rb") as stream:
                before = _stamp(os.fstat(stream.fileno()))
                value = hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()
                after = _stamp(os.fstat(stream.fileno()))
        except OSError as error:
            raise DataError(self.path, "cannot be read", error.strerror or str(error)) from None
        if before != after or after[2] != self.stamp[2]:
            raise _changed(self.path, (*before[:2], *self.stamp[2:3], *before[3:]), after)
        return replace(self, value=value)

    def keep(self) -> None:
        """Keeps the sum for `Watched.inputs`, in the process that opened the file."""
        _remember(self.path, self.stamp, self.value)


class Summing:
    """The SHA-256 of a file that is read from its start to its end anyway, for `Watched.inputs` to know.

    It is computed in a thread of its own, a few blocks behind; leaving waits for it.
    """

    def __init__(self, path: str) -> None:
        self._path, self._stamp = path, stamp(path)
        self._known = (path, self._stamp) in _digests
        self._sum, self._left = hashlib.sha256(), self._stamp[2]
        self._thread = ThreadPoolExecutor(1)
        self._waiting: deque[Future[None]] = deque()

    def __enter__(self) -> Summing:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=self._left > 0)

    def add(self, data: bytes) -> None:
        """Takes the next bytes; when they are the last of a file that did not change, the sum is known."""
        if self._known:
            return
        self._left -= len(data)
        if len(self._waiting) >= BEHIND:
            self._waiting.popleft().result()
        self._waiting.append(self._thread.submit(self._take, data, self._left == 0))

    def _take(self, data: bytes, last: bool) -> None:
        self._sum.update(data)
        if last and stamp(self._path) == self._stamp:
            _remember(self._path, self._stamp, self._sum.hexdigest())


# Parts of files that processes on other machines read, where another file may have the same path.


class FilePart(NamedTuple):
    """What a task will read of a file: the file's size, and a digest of the bytes from `start` to `end`.

    Without a digest the file is known by its time of modification. A copy of a file that lies elsewhere has an
    `origin`, from which it is fetched where it is not there.
    """

    path: str
    size: int
    changed: int
    start: int = 0
    end: int = 0
    digest: bytes = b""
    origin: FetchedFrom | None = None

    def check(self, folder: str) -> None:
        """Raises DataError where another file is here; a relative path is one from `folder`."""
        path = os.path.join(folder, self.path)
        compared = present(path, self.origin, self.start, self.end, self._is_of)
        do = "share its folder under the same path, or copy it there"
        try:
            here = os.stat(path)
            if here.st_size != self.size:
                raise DataError(path, "is another file", f"{here.st_size:,} bytes, wanted {self.size:,}", do)
            if not self.digest and here.st_mtime_ns != self.changed:
                raise DataError(path, "is another file", "modified at another time", f"{do} with its time (cp -p)")
            if self.digest and not compared and not self._same(path, here):
                bytes_ = f"other bytes from {self.start:,} to {self.end:,}"
                raise DataError(path, "is another file", bytes_, do)
        except FileNotFoundError:
            raise DataError(path, "no such file", None, do) from None
        except OSError as error:
            raise DataError(path, "cannot be read", error.strerror or str(error), do) from None

    def _same(self, path: str, here: os.stat_result) -> bool:
        return _short_digest(path, _stamp(here), self.start, self.end) == self.digest

    def _is_of(self, stream: BinaryIO) -> bool:
        """Whether its bytes are in an open file."""
        return _digest_in(stream, self.start, self.end) == self.digest


def file_part(path: str, start: int = 0, end: int = 0, data: bytes | None = None) -> FilePart:
    """A part of a file, of which `data` are the bytes, where they are at hand. Raises OSError."""
    status = os.stat(path)
    digest = b""
    if end == 0 and address_at(path) is not None:
        end = status.st_size  # all copies have one time of modification
    if end > start:
        digest = _short_digest(path, _stamp(status), start, end) if data is None else _short(data)
    return FilePart(path, status.st_size, status.st_mtime_ns, start, end, digest, origin_of(path))


@lru_cache(maxsize=256)
def _short_digest(path: str, _of: Stamp, start: int, end: int) -> bytes:
    with open(path, "rb") as stream:
        return _digest_in(stream, start, end)


def _digest_in(stream: BinaryIO, start: int, end: int) -> bytes:
    total, left = hashlib.blake2b(digest_size=SHORT), end - start
    stream.seek(start)
    while left > 0 and (data := stream.read(min(left, PIECE))):
        total.update(data)
        left -= len(data)
    return total.digest()


def _short(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=SHORT).digest()
