"""Files of run folders: read only where they are regular files of a bounded size, written only by names of our own.

A run folder may come from anybody. A FIFO or a device in it must not be opened, a symbolic link must not lead what is
written to a file elsewhere: what is new is written under a random name, or under a name that must not exist yet, and
then moved to its place.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from .errors import DataError

TEXT_BYTES = 1 << 28  # the most that is read of a JSON file
JOURNAL_BYTES = 1 << 32  # the most that is read of a journal
TABLE_BYTES = 1 << 37  # the most that is read of a table

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_OWN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def present(file: Path) -> bool:
    """Whether there is a file of this name. Raises DataError where it is anything but a regular file of the folder."""
    try:
        _look(file)
    except FileNotFoundError:
        return False
    return True


def check(file: Path, most: int = TABLE_BYTES) -> Path:
    """The path of a file that others open. Raises DataError, or FileNotFoundError."""
    size = _look(file)
    if size > most:
        raise _too_large(file, most)
    return file


def read_bytes(file: Path, most: int = TEXT_BYTES, links: bool = False) -> bytes:
    """The content of a regular file. Raises DataError, or FileNotFoundError.

    `links` lets the file be a symbolic link to anywhere, for a file that the user names.
    """
    with opened(file, most, links) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise _too_large(file, most)
    return data


def read_text(file: Path, most: int = TEXT_BYTES, links: bool = False) -> str:
    """The content of a UTF-8 file. Raises DataError, FileNotFoundError, or UnicodeDecodeError (a ValueError)."""
    return read_bytes(file, most, links).decode("utf-8")


@contextmanager
def opened(file: Path, most: int = TEXT_BYTES, links: bool = False) -> Iterator[BufferedReader]:
    """An open regular file of at most `most` bytes. Raises DataError, or FileNotFoundError."""
    _look(file, links)
    try:
        handle = os.open(file, _READ)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataError(str(file), "cannot be read", error.strerror) from None
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise DataError(str(file), "is not a regular file", _kind(found.st_mode))
        if found.st_size > most:
            raise _too_large(file, most)
        yield stream


def _look(file: Path, links: bool = False) -> int:
    """The size of a regular file. Raises DataError for anything else, and for a link that leaves the file's folder."""
    try:
        found = os.lstat(file)
        if stat.S_ISLNK(found.st_mode):
            inside = Path(os.path.realpath(file)).parent == Path(os.path.realpath(file.parent))
            if not links and not inside:
                do = "put the file itself there"
                raise DataError(str(file), "is a symbolic link out of its folder", os.readlink(file), do)
            found = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(2, "no such file", str(file)) from None
    except OSError as error:
        raise DataError(str(file), "cannot be read", error.strerror) from None
    if not stat.S_ISREG(found.st_mode):
        raise DataError(str(file), "is not a regular file", _kind(found.st_mode))
    return found.st_size


def _kind(mode: int) -> str:
    return next((word for test, word in _KINDS if test(mode)), "no file")


def _too_large(file: Path, most: int) -> DataError:
    return DataError(str(file), f"is larger than {most:,} bytes", None, "a run writes none as large")


def part_beside(file: Path) -> Path:
    """A name beside a file that nobody can foresee, to write under until the file is whole."""
    return file.with_name(f".{file.name}.{secrets.token_hex(8)}.part")


def scratch_in(folder: Path, name: str) -> Path:
    """A new folder within another, of a name that begins so and that nobody can foresee. Raises OSError."""
    made = folder / f"{name}-{secrets.token_hex(8)}"
    made.mkdir()
    return made


@contextmanager
def whole(file: Path, sync: bool = True) -> Iterator[BinaryIO]:
    """A file to write, that is in its place when all of it is written (`sync`: and on the disk). Raises OSError."""
    part = part_beside(file)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OWN, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.replace(part, file)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def shared_handle(file: Path, flags: int) -> int:
    """Opens a file that several processes write to, made where there is none; the caller closes it.

    Raises DataError for a link, or what is no regular file; OSError where it cannot be opened.
    """
    try:
        handle = os.open(file, flags | os.O_CREAT | _OWN, 0o644)
    except OSError:
        refuse_link(file)
        raise
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
        return handle
    os.close(handle)
    what = "has another name elsewhere (a hard link)" if stat.S_ISREG(found.st_mode) else "is not a regular file"
    raise DataError(str(file), what, None, "remove it")


def append(file: Path, text: str, sync: bool = False) -> None:
    """Adds a text to a file of ours. Raises DataError for a link, OSError where it cannot be written."""
    with os.fdopen(shared_handle(file, os.O_WRONLY | os.O_APPEND), "ab") as stream:
        stream.write(text.encode("utf-8", "replace"))
        stream.flush()
        if sync:
            os.fsync(stream.fileno())


def refuse_link(file: Path) -> None:
    """Raises DataError where a name is a symbolic link, or a file or folder that must not be written to."""
    if file.is_symlink():
        raise DataError(str(file), "is a symbolic link", os.readlink(file), "remove it, or name a new folder")
    with suppress(OSError):
        mode = os.lstat(file).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise DataError(str(file), "is not a regular file", _kind(mode), "remove it")


def own_folder(folder: Path) -> Path:
    """A folder of ours within a run's, made where there is none. Raises DataError for a link, else OSError."""
    refuse_link(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
