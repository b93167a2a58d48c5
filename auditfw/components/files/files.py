"""Files as inputs: finding them, telling what they are, decompressing them within limits."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from auditfw.core.document import some, verb
from auditfw.core.errors import AuditError, DataError, nearest

from . import zstd
from .keys import FORMAT, SOURCE, Keys

LARGEST_RECORD = 256 << 20
NAMED = 5  # of the files that hold no record
FREE_OUTPUT, RATIO = 1 << 30, 200

MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"PK\x03\x04", "zip"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
SUFFIXES = {"gzip": ".gz", "zstd": ".zst"}


@dataclass(frozen=True)
class File:
    """One configured file: its path, its number among them (from 1), the columns set for it.

    `most` are the bytes that it may decode to, where that is configured; `keys` name its settings in messages;
    `columns`, `where` and `nulls` are settings of its own beside those of all files.
    """

    path: str
    number: int = 1
    several: bool = False
    set: Mapping[str, Any] = field(default_factory=dict)
    most: int | None = None
    keys: Keys = SOURCE
    columns: Mapping[str, str] = field(default_factory=dict)
    where: str | None = None
    nulls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def check_regular(path: str) -> None:
    """Raises DataError unless there is a readable regular file, naming the nearest one."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise missing(path, error) from None
    if stat.S_ISDIR(mode):
        inside = sorted(os.listdir(path))
        raise DataError(path, "is a folder", None, f"name a file in it: {', '.join(inside[:8])}" if inside else "")
    if not stat.S_ISREG(mode):
        raise DataError(path, "is not a regular file", _sort(mode), "write it to a file first")
    if not os.access(path, os.R_OK):
        raise DataError(path, "cannot be read", "permission denied")


def is_empty(path: str) -> bool:
    """Whether there is a file of no bytes."""
    return os.path.isfile(path) and not os.path.getsize(path)


def holding_nothing(paths: Sequence[str], files: int) -> tuple[str, ...]:
    """The warning about the files without a record."""
    more = f" and {len(paths) - NAMED:,} more" if len(paths) > NAMED else ""
    hold = verb(len(paths), "holds", "hold")
    message = f"{len(paths):,} of {some(files, 'file')} {hold} no record: {', '.join(paths[:NAMED])}{more}"
    return (message,) if paths else ()


def missing(path: str, error: OSError | None = None) -> AuditError:
    """The error for a file that is not there."""
    if error is not None and not isinstance(error, FileNotFoundError | NotADirectoryError):
        return DataError(path, "cannot be read", error.strerror or str(error))
    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        return DataError(
            path, "no such file", f"there is no folder {folder}", "paths are relative to the current folder"
        )
    return DataError(path, "no such file", None, nearest(name, sorted(os.listdir(folder or "."))))


def _sort(mode: int) -> str:
    sorts = {stat.S_IFIFO: "a fifo", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return sorts.get(stat.S_IFMT(mode), "a special file")


def looks_like(path: str) -> str | None:
    """What the first bytes say a file is, or None where they say nothing."""
    with open(path, "rb") as stream:
        start = stream.read(16)
    return next((name for magic, name in MAGIC if start.startswith(magic)), None)


def most_decoded(file: File, free: int | None = None) -> int:
    """The bytes that a file may decode to: as configured, else what is plausible for its size, and at least `free`."""
    return file.most or max(free or FREE_OUTPUT, RATIO * os.path.getsize(file.path))


def too_much(file: File, what: str, n: int, most: int) -> DataError:
    """The error for a file that decodes to more."""
    more = f"write {file.keys.of('max_decoded')}=BYTES"
    do = file.keys.advice("unpack it first", (more, "max_decoded"), between=", or ")
    return DataError(file.path, what, f"{n:,} bytes, where {most:,} are allowed", do)


def open_bytes(file: File, encoding: str = "utf-8") -> BinaryIO:
    """Opens a text file for its bytes, decompressed (within its limit) where the name ends in .gz or .zst.

    Raises DataError where name, encoding and content disagree.
    """
    path = file.path
    look = looks_like(path)
    wanted = next((name for name, suffix in SUFFIXES.items() if path.endswith(suffix)), None)
    if wanted is not None and look != wanted and os.path.getsize(path):
        raise DataError(path, f"is not {wanted}-compressed, although its name says so", None, "rename it")
    if wanted is None and look is not None and not encoding.lower().replace("_", "-").startswith(look):
        raise DataError(path, *_surprise(file, look))
    stream = open(path, "rb")  # noqa: SIM115 - the caller closes it
    if wanted is None or not os.path.getsize(path):
        return stream
    inner = gzip.GzipFile(fileobj=stream) if wanted == "gzip" else zstd.Frames(stream)
    return io.BufferedReader(_Guarded(file, inner), 1 << 20)


def is_compressed(file: File) -> bool:
    """Whether a file is, by its name."""
    return file.path.endswith((".gz", ".zst"))


def text_of(binary: BinaryIO, encoding: str) -> io.TextIOWrapper:
    """The text of a stream, line ends untouched; bytes that are no text become lone surrogates."""
    plain = codecs.lookup(encoding).name
    return io.TextIOWrapper(binary, "utf-8-sig" if plain == "utf-8" else encoding, "surrogateescape", newline="")


def is_encoding(name: str) -> bool:
    """Whether it is one of text; Python has others too, and some that cannot replace what does not fit."""
    try:
        b"a".decode(name, "surrogateescape")
    except UnicodeDecodeError:
        return True
    except (LookupError, ValueError):
        return False
    return True


def _surprise(file: File, look: str) -> tuple[str, None, str]:
    keys = file.keys
    if look in SUFFIXES:
        do = f"rename it to {file.path}{SUFFIXES[look]}"
        return f"is {look}-compressed, although its name does not say so", None, do
    if look == "utf-16":
        other = f"(csv can read it with {keys.of('encoding')}=utf-16)"
        return "is UTF-16 text", None, keys.advice("convert it to UTF-8", (other, "encoding"), between=" ")
    do = "unpack it first" if look == "zip" else keys.advice((f"write {keys.format(look)}", FORMAT))
    return f"is a {look} file, not text", None, do


class _Guarded(io.RawIOBase):
    """A decompressing stream with limits; its faults are data errors."""

    def __init__(self, file: File, inner: Any) -> None:
        self._file, self._inner, self._given, self._most = file, inner, 0, most_decoded(file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read1(len(buffer))
        except EOFError:
            raise CutOffError(self._file.path) from None
        except (OSError, zlib.error) as error:
            raise DataError(self._file.path, "cannot be decompressed", str(error)) from None
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise DataError(self._file.path, "cannot be decompressed", str(error)) from None
        self._given += len(data)
        if self._given > self._most:
            raise too_much(self._file, "decompresses to more than is plausible", self._given, self._most)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


class Bounded(io.BufferedIOBase):
    """A stream of bytes that refuses a line too long before more of it is held."""

    def __init__(self, inner: BinaryIO, path: str) -> None:
        self._inner, self._path, self._line = inner, path, 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Reads some bytes. Raises DataError where no line has ended for too long."""
        data: bytes = self._inner.read1(size)  # type: ignore[attr-defined]
        last = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self._line = self._line + len(data) if last < 0 else len(data) - last - 1
        if self._line > LARGEST_RECORD:
            raise too_long(self._path)
        return data

    def read(self, size: int | None = -1, /) -> bytes:
        """Reads some bytes, too."""
        return self.read1(-1 if size is None else size)


def too_long(path: str) -> DataError:
    """The error for a line that is too long."""
    return DataError(path, "a line is too long", f"over {LARGEST_RECORD:,} bytes", "cut the texts")


class CutOffError(DataError):
    """A compressed file ended before its end mark."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "the compressed file is cut off", None, "copy it again, or recover it with zcat")
        self.args = (path,)
