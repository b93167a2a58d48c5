"""Files on disk: regular files alone are read and written, whole or not at all; what the disk refuses is one error."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from .errors import AuditError, DataError, IncompleteError
from .masking import written

DO = "check the disk space and your permissions there, and run again"
_PART = re.compile(r"\.(.+)\.[0-9a-f]{16}\.part")
_CODE = re.compile(r"(?:\(os error |\bOs \{ code: )(\d+)")  # as Polars says it
_CUT_OFF = "Invalid thrift: transport error"  # as Polars says it where the disk fills up at the end of a table
_LEFT = re.compile(rf"{_PART.pattern}|\.(parts|shared)-(.+-)?[0-9a-f]{{16}}")


@contextmanager
def guarded(path: str | Path) -> Iterator[None]:
    """Raises IncompleteError with path, cause and errno where the system refuses what is done within.

    An error that names a file is about that file, any other one about `path`.
    """
    try:
        yield
    except Exception as error:
        refusal = refused(error, str(path))
        if refusal is None:
            raise
        raise refusal from error


def refusals(path: str | Path, work: Sequence[Callable[[], object]]) -> list[IncompleteError | None]:
    """Does one after the other, also where the system refuses some; gives for each its refusal, None where it is done.

    Raises what else goes wrong.
    """
    outcomes: list[IncompleteError | None] = []
    for one in work:
        try:
            with guarded(path):
                one()
            outcomes.append(None)
        except IncompleteError as error:
            outcomes.append(error)
    return outcomes


def refused(error: BaseException, path: str = "") -> IncompleteError | None:
    """The error for what the system refused, wherever it is among the causes; None where it refused nothing."""
    link: BaseException | None = None if isinstance(error, AuditError) else error
    seen: list[BaseException] = []
    while link is not None and link not in seen:
        seen.append(link)
        code = link.errno if isinstance(link, OSError) and link.errno is not None else _polars_code(link)
        if code is not None or _CUT_OFF in str(link):
            where = _whole_of(str(getattr(link, "filename", None) or path))
            cause = f"{os.strerror(code)}, errno {code}" if code is not None else "the disk did not take all of it"
            return IncompleteError(where, "cannot be written or read", cause, DO)
        link = link.__cause__
    return None


def _whole_of(path: str) -> str:
    """The file that a part is written for: nobody knows the name of the part."""
    folder, name = os.path.split(path)
    part = _PART.fullmatch(name)
    return os.path.join(folder, part[1]) if part else path


def _polars_code(error: BaseException) -> int | None:
    """The errno that Polars, or another library in Rust, gives in words alone."""
    code = _CODE.search(str(error))
    return int(code[1]) if code else None


def sync_file(path: Path) -> None:
    """Returns when what was written to a file is on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Returns when the names in a folder are on the disk; on Windows there is no such call. Raises OSError."""
    if os.name != "nt":
        sync_file(path)


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
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise DataError(str(file), "is not a regular file", _kind(status.st_mode))
        if status.st_size > most:
            raise _too_large(file, most)
        yield stream


def _look(file: Path, links: bool = False) -> int:
    """The size of a regular file. Raises DataError for anything else, and for a link that leaves the file's folder."""
    try:
        status = os.lstat(file)
        if stat.S_ISLNK(status.st_mode):
            inside = Path(os.path.realpath(file)).parent == Path(os.path.realpath(file.parent))
            if not links and not inside:
                do = "put the file itself there"
                raise DataError(str(file), "is a symbolic link out of its folder", os.readlink(file), do)
            status = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(2, "no such file", str(file)) from None
    except OSError as error:
        raise DataError(str(file), "cannot be read", error.strerror) from None
    if not stat.S_ISREG(status.st_mode):
        raise DataError(str(file), "is not a regular file", _kind(status.st_mode))
    return status.st_size


def _kind(mode: int) -> str:
    return next((word for test, word in _KINDS if test(mode)), "no file")


def _too_large(file: Path, most: int) -> DataError:
    return DataError(str(file), f"is larger than {most:,} bytes", None, "no run writes so large a file")


_TRIES = 20  # of removing a folder: a thread may make a file in it while its list is gone through
_temporary: set[Path] = set()  # files and folders of this process that are in nobody's way as soon as it has ended


@contextmanager
def part_beside(file: Path) -> Iterator[Path]:
    """A name beside a file that nobody can foresee, to write under until the file is whole; gone after an error."""
    part = file.with_name(f".{file.name}.{secrets.token_hex(8)}.part")
    _temporary.add(part)
    try:
        yield part
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    finally:
        _temporary.discard(part)


def scratch_in(folder: Path, name: str) -> Path:
    """A new folder within another, of a name that begins so and that nobody can foresee. Raises OSError."""
    scratch = folder / f"{name}-{secrets.token_hex(8)}"
    scratch.mkdir()
    _temporary.difference_update([path for path in list(_temporary) if not path.exists()])
    _temporary.add(scratch)
    return scratch


def remove_temporary(folder: str | None) -> None:
    """Removes what this process has not brought into place yet: it is about to be ended.

    Within `folder` this holds for all processes: those of the run have ended.
    """
    remove(_temporary)
    if folder is not None:
        remove_left(folder)


def remove_left(folder: str | os.PathLike[str]) -> None:
    """Removes what processes that have ended left within a folder before it was in place."""
    walk = os.walk(folder)
    remove([Path(at, name) for at, inside, files in walk for name in (*inside, *files) if _LEFT.fullmatch(name)])


def remove(paths: Iterable[Path]) -> None:
    """Removes files, links and folders as far as they can be, a folder also while a thread writes in it."""
    for path in list(paths):
        if path.is_dir() and not path.is_symlink():
            for _ in range(_TRIES):
                shutil.rmtree(path, ignore_errors=True)
                if not path.exists():
                    break
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


@contextmanager
def whole(file: Path, sync: bool = True) -> Iterator[BinaryIO]:
    """A file to write, that is in its place when all of it is written (`sync`: and on the disk). Raises OSError."""
    with part_beside(file) as part:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OWN, 0o666)
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.replace(part, file)


@contextmanager
def restored(*files: Path) -> Iterator[None]:
    """Leaves files as they were, or away, where what is done within fails. Raises OSError."""
    with ExitStack() as stack:
        before = {file: stack.enter_context(part_beside(file)) for file in files}
        for file, part in before.items():
            if file.is_file():
                shutil.copyfile(file, part)
        try:
            yield
        except BaseException:
            for file, part in before.items():
                with suppress(OSError):
                    if part.exists():
                        os.replace(part, file)
                    else:
                        file.unlink(missing_ok=True)
            raise
        for part in before.values():
            part.unlink(missing_ok=True)


def shared_handle(file: Path, flags: int) -> int:
    """Opens a file that several processes write to, made where there is none; the caller closes it.

    Raises DataError for a link, or what is no regular file; OSError where it cannot be opened.
    """
    try:
        handle = os.open(file, flags | os.O_CREAT | _OWN, 0o644)
    except OSError:
        refuse_link(file)
        raise
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
        return handle
    os.close(handle)
    what = "has another name elsewhere (a hard link)" if stat.S_ISREG(status.st_mode) else "is not a regular file"
    raise DataError(str(file), what, None, "remove it")


def append(file: Path, text: str, sync: bool = False) -> None:
    """Adds a text to a file of ours. Raises DataError for a link, OSError where it cannot be written."""
    with os.fdopen(shared_handle(file, os.O_WRONLY | os.O_APPEND), "ab") as stream:
        stream.write(written(text).encode("utf-8", "replace"))
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


def refuse_links(folder: Path, log: str, inside: str | None = ".hydra") -> None:
    """Raises DataError where a link in a folder replaces what Hydra writes there before a run."""
    if folder.is_dir():
        names = ("", "config.yaml", "hydra.yaml", "overrides.yaml") if inside is not None else ()
        for file in (folder / log, *(folder / str(inside) / name for name in names)):
            refuse_link(file)


def data_digest(data: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal: what stored settings are known by."""
    return hashlib.sha256(data).hexdigest()
