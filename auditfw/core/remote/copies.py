"""Copies of files that lie elsewhere: fetched once by address, version and size, whole or not at all, read-only."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from auditfw.core import interrupts
from auditfw.core.background import report_regularly
from auditfw.core.document import some
from auditfw.core.errors import DataError, UsageError
from auditfw.core.escaping import quoted, value
from auditfw.core.files import guarded, remove, scratch_in
from auditfw.core.imports import refuse_if_safe
from auditfw.core.masking import show_as

from .addresses import FILE, LOCAL, Address, address_of, cache_folder, inside, is_here, is_whole, settle, use, visible
from .refusals import FetchedFrom, NotFetchedError, RemoteFile, changed, heads
from .stores import check_library, fetch, head, listing

MOST = 4 << 30  # bytes that one path may fetch unless it is said otherwise
HEAD = 1 << 20  # bytes that `check` fetches
FRESH = 30.0  # seconds for which an answer of a server holds within a command
AT_ONCE = 8
MARK = 16
MARKED = rf"/[0-9a-f]{{{MARK}}}/([a-z0-9]+)/"  # what follows in the path of a copy
PARTS = ".parts"
OWN = f"[0-9a-f]{{{MARK}}}"  # names of folders of copies
FORGOTTEN = 86_400  # seconds after which what a killed process left is removed
UNUSED = 30 * FORGOTTEN  # the same for copies that nobody used


@dataclass(frozen=True)
class CopiedFiles:
    """What was asked for at once, and when: its address, the folder of its copies, and the files by their paths."""

    address: Address
    root: str
    files: Mapping[str, RemoteFile]
    asked: float

    def at(self, address: Address) -> str:
        """Where the copies of what an address means are among these."""
        return f"{self.root}/{address.scheme}/{address.host}/{address.key}".rstrip("/")


_by_text: dict[str, CopiedFiles] = {}
_by_path: dict[str, CopiedFiles] = {}
_queries: dict[str, str] = {}  # addresses with a query as they were typed, by the path of the copy


def located(text: str, most: int | None = None, setting: str = "") -> str:
    """The path of the copies of what lies at an address, fetched where there are none. Raises AuditError."""
    if is_here(text):
        return _on_this_machine(text)
    address = address_of(text)
    known = _by_text.get(text) or _copy_of(address)
    if known is not None and time.monotonic() - known.asked < FRESH:
        return known.at(address)
    refuse_if_safe(f"{address} is fetched over the network")
    check_library(address)
    copies = _copied(*_asked(address), most, setting)
    _by_text[text] = copies
    _by_path.update(dict.fromkeys(copies.files, copies))
    if address.query:
        _queries[copies.at(address)] = text
    return copies.at(address)


def origin(path: str) -> FetchedFrom | None:
    """Where this process fetched a copy from; None for what it did not fetch."""
    copies = _by_path.get(path)
    if copies is None:
        return None
    file, query = copies.files[path], copies.address.query
    return FetchedFrom(f"{copies.address.at(file.key)}{'?' if query else ''}{query}", file)


def as_typed(word: str) -> str:
    """A word of a command with addresses in place of the paths of their copies."""
    for path, text in _queries.items():
        word = word.replace(quoted(path), quoted(text)).replace(path, value(text))
    for copies in _by_text.values():
        word = word.replace(f"{copies.root}/{copies.address.scheme}/", f"{copies.address.scheme}://")
    return word


def check_versions(paths: Sequence[str]) -> None:
    """Raises DataError for the first file that is not any more what was fetched by this process."""
    for copies in {id(one): one for path in paths if (one := _by_path.get(path)) is not None}.values():
        now = {file.key: file for file in _listed(copies.address)}
        for path in paths:
            before = copies.files.get(path)
            if before is None or now.get(before.key) == before:
                continue
            _forget(copies)
            remove([Path(copies.root)])  # of a version that is not there any more
            raise changed(str(copies.address.at(before.key)), "during the run", before, now.get(before.key))


def _forget(copies: CopiedFiles) -> None:
    for known in (_by_text, _by_path):
        for name in [name for name, one in known.items() if one is copies]:
            del known[name]


def _copy_of(address: Address) -> CopiedFiles | None:
    """The copies that one file was fetched with."""
    if address.key.endswith("/"):
        return None
    return next((one for one in _by_text.values() if one.at(address) in one.files), None)


def _on_this_machine(text: str) -> str:
    place = urlsplit(text).netloc
    if "@" in place:
        address_of(text)  # raises: a login stands in it
    if place not in ("", *LOCAL):
        raise UsageError(text, "names a file on another machine", place, "write file:///PATH")
    return url2pathname(text[len(FILE) :].removeprefix(place))


def _asked(address: Address) -> tuple[Address, list[RemoteFile]]:
    """The files that an address means; one of a folder ends in a slash then. Raises AuditError."""
    if not address.is_pattern:
        inside(address)
    files = _listed(address)
    if files:
        return address, files
    if address.listed and not address.is_pattern and address.key and not address.key.endswith("/"):
        folder = address.at(f"{address.key}/")
        files = _listed(folder)
        if files:
            return folder, files
    folder_too = not address.key or address.key.endswith("/")
    what = "no file matches" if address.is_pattern else "holds no file" if folder_too else "no such file"
    raise DataError(str(address), what, None, "check the address")


def _listed(address: Address) -> list[RemoteFile]:
    """The files at an address; none where there are none. Raises AuditError."""
    if not address.is_pattern and address.key and not address.key.endswith("/"):
        seen = head(address)
        return [] if seen is None else [seen]
    if not address.listed:
        raise UsageError(str(address), "is no file, and cannot be listed", None, "name each file")
    there = {file.key: file for file in listing(address, address.folder)}
    if address.is_pattern and address.key in there:  # a file whose name has such characters
        return [there[address.key]]
    keys = sorted(visible(list(there), address.folder))
    folders = {key[:end] for key in keys for end in range(len(key)) if key[end] == "/"}
    chosen = [there[key] for key in keys if not address.is_pattern or address.matches(key)]
    return _no_folders(address, chosen, folders)


def _no_folders(address: Address, files: list[RemoteFile], folders: set[str]) -> list[RemoteFile]:
    """Files without what marks folders there: empty ones of their names. Raises DataError for one that is both."""
    names = {file.key for file in files}
    for file in files:
        if file.size and file.key in folders and any(name.startswith(f"{file.key}/") for name in names):
            do = "name one of the two"
            raise DataError(str(address.at(file.key)), "is a file and a folder at once", None, do)
    return [file for file in files if file.size or file.key not in folders]


def _copied(address: Address, files: Sequence[RemoteFile], most: int | None, setting: str) -> CopiedFiles:
    """The copies of files, fetched where they are not there yet. Raises AuditError."""
    size, root = sum(file.size for file in files), cache_folder()
    places = {inside(address.at(file.key)): file for file in files}
    folder = root / _mark(address, files)
    show_as(str(root), r"\1://", MARKED)
    _check_size(address, files, size, most, setting)
    if not _whole(folder, places):
        if heads and size > HEAD:
            count = some(len(files), "file")
            raise NotFetchedError(f"{address}: {count}, {size:,} bytes, not fetched: what they hold is seen by a run")
        _fill(address, folder, places)
    use(str(folder))
    by_path = {str(folder / one): file for one, file in places.items()}
    return CopiedFiles(address, str(folder), by_path, time.monotonic())


def _check_size(address: Address, files: Sequence[RemoteFile], size: int, most: int | None, setting: str) -> None:
    most = MOST if most is None else most
    if size <= most:
        return
    sizes = f"{size:,} bytes in {some(len(files), 'file')}, where {most:,} are allowed"
    do = f"write {setting}={size}, or name fewer files" if setting else "copy it to this machine, and name the copy"
    raise DataError(str(address), "is too large to be fetched", sizes, do)


def _mark(address: Address, files: Sequence[RemoteFile]) -> str:
    """What stands for the files in their versions; of one without a version it is another each time."""
    versions = [[file.key, file.version or secrets.token_hex(MARK), file.size] for file in files]
    text = json.dumps([str(address), address.query, versions])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:MARK]


def _whole(folder: Path, places: Mapping[str, RemoteFile]) -> bool:
    """Whether a folder holds all copies in their sizes."""
    with suppress(OSError):
        return folder.is_dir() and all(is_whole(str(folder / one), file.size) for one, file in places.items())
    return False


def _fill(address: Address, folder: Path, places: Mapping[str, RemoteFile]) -> None:
    """Makes a folder of copies, whole or not at all. Raises AuditError."""
    with guarded(folder.parent):
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _clear(folder.parent)
        scratch = scratch_in(folder.parent, PARTS)
    pool, failed = ThreadPoolExecutor(AT_ONCE), threading.Event()
    try:
        with guarded(folder):
            for one in {(scratch / place).parent for place in places}:
                one.mkdir(parents=True, exist_ok=True)
            waiting = [pool.submit(_fetch, address, file, scratch / one, failed) for one, file in places.items()]
            with report_regularly(partial(_how_far, address, scratch, places)):
                for each in as_completed(waiting):
                    interrupts.result(each)
            _place(scratch, folder, places)
    except Exception:
        failed.set()
        pool.shutdown(cancel_futures=True)
        raise
    finally:
        failed.set()
        pool.shutdown(wait=False, cancel_futures=True)
        remove([scratch])


def _how_far(address: Address, scratch: Path, places: Mapping[str, RemoteFile]) -> str:
    fetched = 0
    for one in places:
        with suppress(OSError):
            fetched += (scratch / one).stat().st_size
    return f"{address}: {fetched:,} of {sum(file.size for file in places.values()):,} bytes are fetched"


def _place(scratch: Path, folder: Path, places: Mapping[str, RemoteFile]) -> None:
    """Brings copies into place, unless another process has meanwhile: somebody may read those. Raises OSError."""
    if _whole(folder, places):
        return
    old = folder.with_name(f"{PARTS}-{secrets.token_hex(8)}")
    with suppress(OSError):
        os.rename(folder, old)  # copies that were cut, or have holes
    try:
        os.rename(scratch, folder)
    except OSError:
        if not _whole(folder, places):
            raise
    finally:
        remove([old])


def _fetch(address: Address, file: RemoteFile, path: Path, failed: threading.Event) -> None:
    """One copy; of a file that this process fetched with others it is one of that copy."""
    own = address if address.key == file.key else address.at(file.key)
    known = _copy_of(own)
    if known is not None and known.files[known.at(own)] == file:
        shutil.copyfile(known.at(own), path)
    else:
        with path.open("xb") as stream:
            fetch(own, file, stream, failed.is_set)
    settle(path)


def _clear(root: Path) -> None:
    """Removes what processes that were killed left long ago, and copies that nobody has used for long."""
    for one in root.iterdir():
        with suppress(OSError):
            age = time.time() - one.stat().st_mtime
            if one.name.startswith(f"{PARTS}-"):
                if age > FORGOTTEN:
                    remove([one])
            elif age > UNUSED and re.fullmatch(OWN, one.name):
                old = one.with_name(f"{PARTS}-{secrets.token_hex(8)}")
                os.rename(one, old)
                remove([old])
