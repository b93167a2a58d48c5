"""What travels to workers on other machines: the work, the tasks, and what there must be the same as here."""

from __future__ import annotations

import io
import os
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

from auditfw.core.errors import AuditError, IncompleteError
from auditfw.core.imports import add_folders, search_path, user_folders
from auditfw.core.inputs import FilePart, file_part
from auditfw.kinds.capabilities import files_read
from auditfw.kinds.registry import registered_name

from .identity import at_worker, check_modules, check_same, lacking, modules, program

# How a task went: it has a result, an error of the user's, an error of ours, or there is not what it needs.
Outcome = tuple[Literal["done", "failed", "broke", "lacking"], Any]
CALL = "[exec(text, space := {}), space['answer'](parcel, task)][1]"  # the outpost's text, wherever it is run


class _Packer(pickle.Pickler):
    """Pickles, and notes which parts of files will be read by what it pickles."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream)
        self.parts: list[FilePart] = []

    def reducer_override(self, packed: Any) -> Any:
        """Called for each object; it leaves them all to the usual ways."""
        parts = getattr(type(packed), "file_parts", None)
        if parts is not None:
            self.parts += parts(packed)
        elif registered_name(type(packed)) is not None:
            self.parts += [file_part(path, 0, os.path.getsize(path)) for path in files_read(packed)]
        return NotImplemented


def packed_apart(content: Any, number: int = 0) -> bytes:
    """Work, or a task with its number, as bytes, in which what it will read comes first."""
    stream = io.BytesIO()
    packer = _Packer(stream)
    packer.dump(content)
    return pickle.dumps((number, os.getcwd(), packer.parts, stream.getvalue()))


def parcel_of(work: Callable[[Any], Any]) -> tuple[str, bytes]:
    """Work with all that a worker needs and must have: the text that runs there first, and what that is given."""
    needs = dict(program()), modules(), search_path(), user_folders()
    return _text(), pickle.dumps((*needs, packed_apart(work)))


@cache
def _text() -> str:
    return Path(__file__).with_name("outpost.py").read_text("utf-8")


def unpacked(answer: tuple[str, str, Any]) -> Any:
    """What the outpost answered: the result, or the error raised, which begins with the name of the machine."""
    host, kind, content = answer
    if kind == "done":
        return content
    if kind == "failed":
        raise at_worker(content, host)
    if kind == "lacking":
        do = f"install auditfw {program()['auditfw'].partition(' ')[0]} there, and start its workers again"
        raise IncompleteError(f"worker {host}", "cannot run this auditfw", content, do)
    what, where = content
    do = "please report it with the traceback that HYDRA_FULL_ERROR=1 shows"
    raise AuditError(f"worker {host}", "a defect of auditfw", what, do) from RuntimeError(where)


# In the worker

_busy = threading.Lock()  # works and their databases belong to one thread
# The work by its parcel, and the number of its last task: what it keeps between tasks supposes their order, so a task
# that comes late, or again after a worker died, is done by a fresh one.
_works: dict[bytes, tuple[Callable[[Any], Any], int]] = {}


def apply(parcel: bytes, task: bytes) -> Outcome:
    """One task in a worker: the work is unpacked once in each process, when all that it needs is there."""
    if not _busy.acquire(blocking=False):
        do = "start it with one thread: dask worker ADDRESS --nthreads 1 --nworkers -1"
        return "failed", IncompleteError("", "does several tasks at once in one process", None, do)
    try:
        number, folder, parts, packed = pickle.loads(task)  # noqa: S301 - written by the process that gave the task
        if parcel not in _works or number <= _works[parcel][1]:
            _works.clear()
            _works[parcel] = _opened(parcel), -1
        work = _works[parcel][0]
        _works[parcel] = work, number
        for part in parts:
            part.check(folder)
        with _within(folder):
            return "done", work(pickle.loads(packed))  # noqa: S301
    except AuditError as error:
        return "failed", error
    except ImportError as error:  # it is imported when the work begins
        return "failed", lacking(error, user_folders())
    except OSError as error:
        return "failed", IncompleteError(str(error.filename or ""), "the system refuses", error.strerror or str(error))
    except MemoryError:
        return "failed", IncompleteError("", "has no more memory", None, "start fewer workers there")
    except Exception as error:
        return "broke", (f"{type(error).__name__}: {error}", traceback.format_exc())
    finally:
        _busy.release()


def _opened(parcel: bytes) -> Callable[[Any], Any]:
    """The work of a parcel. Raises IncompleteError, or DataError, where something here is not what it needs."""
    wanted, needed, path, folders, work = pickle.loads(parcel)  # noqa: S301
    check_same(wanted, program())
    sys.path += [place for place in path if place not in sys.path]
    add_folders(folders)
    check_modules(needed)
    _, folder, parts, packed = pickle.loads(work)  # noqa: S301
    for part in parts:
        part.check(folder)
    try:
        with _within(folder):
            opened: Callable[[Any], Any] = pickle.loads(packed)  # noqa: S301
    except ImportError as error:
        raise lacking(error, folders) from None
    return opened


@contextmanager
def _within(folder: str) -> Iterator[None]:
    """Within, relative paths are those of the command; where its folder is not here, none is."""
    before = None
    with suppress(OSError):
        before = os.getcwd()
    with suppress(OSError):
        os.chdir(folder)
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(before or "/")
