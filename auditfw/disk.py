"""What the disk refuses, as one error with path and errno; and what must be on the disk before others vouch for it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import AuditError, IncompleteError

DO = "look at the disk's space and your rights there, and run again"
_PART = re.compile(r"\.(.+)\.[0-9a-f]{16}\.part")
_CODE = re.compile(r"\(os error (\d+)\)")  # as Polars says it


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


def refused(error: BaseException, path: str = "") -> IncompleteError | None:
    """The error for what the system refused, wherever it is among the causes; None where it refused nothing."""
    link: BaseException | None = None if isinstance(error, AuditError) else error
    seen: list[BaseException] = []
    while link is not None and link not in seen:
        seen.append(link)
        code = link.errno if isinstance(link, OSError) and link.errno is not None else _polars_code(link)
        if code is not None:
            where = _whole_of(str(getattr(link, "filename", None) or path))
            return IncompleteError(where, "cannot be written or read", f"{os.strerror(code)}, errno {code}", DO)
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
