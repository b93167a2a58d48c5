"""Addresses of files that lie elsewhere, and the folder that keeps copies of them.

A copy of `s3://bucket/folder/file` lies at `CACHE/auditfw/remote/MARK/s3/bucket/folder/file`, where the mark stands for
the address, the version and the size of all that was asked for at once: the way back to the address is its path.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from auditfw.core.errors import DataError, UsageError
from auditfw.core.masking import hide, show_as

STORES = ("s3", "gs", "az")
SCHEMES = (*STORES, "https", "hf")
PLAIN = "http"  # on this machine alone
FILE = "file://"
LOCAL = ("localhost", "127.0.0.1", "[::1]")
HUB = "datasets"
CACHE = "XDG_CACHE_HOME"
LONGEST = 255  # bytes of a name on disk
KEYS = ("path", "paths", "files", "metadata", "runs_dir", "solutions", "model", "times")  # of settings that name files
AGE = 946_684_800  # the time of modification of a copy: the first second of 2000
_PLAIN = {type(None), bool, int, float}
_IN_WORDS = r"[A-Za-z][A-Za-z0-9]*://[^\s,'\"\]\[{}]+"
_WORD = r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)"  # one letter is a drive
_SPECIAL = r"\{[^{}]*\}|\*\*/?|\*|\?|\[[^\]]+\]"
_MARKED = r"[0-9a-f]{16}/([a-z0-9]+)/(.*)"


class Address(NamedTuple):
    """Where files lie: a bucket (a container, a server, the hub) and a key, which may be a folder's or a pattern."""

    scheme: str
    host: str
    key: str
    query: str = ""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}/{self.key}"

    def at(self, key: str) -> Address:
        """Another one in the same place."""
        return Address(self.scheme, self.host, key)

    @property
    def listed(self) -> bool:
        """Whether what lies there can be listed."""
        return self.scheme in STORES or self.scheme == "hf"

    @property
    def folder(self) -> str:
        """The folder, with a slash at its end, that holds all that a pattern matches; "" for the whole bucket."""
        return "".join(re.split(_SPECIAL, self.key, maxsplit=1)[0].rpartition("/")[:2]) if self.is_pattern else self.key

    @property
    def is_pattern(self) -> bool:
        return self.listed and re.search(_SPECIAL, self.key) is not None

    def matches(self, key: str) -> bool:
        """Whether a pattern may mean a key: those that match, and perhaps more."""
        pattern, end = "", 0
        for match in re.finditer(_SPECIAL, self.key):
            pattern += re.escape(self.key[end : match.start()])
            end = match.end()
            pattern += ".*" if match[0].startswith("**") else "[^/]" if match[0][0] in "?[" else "[^/]*"
        return re.fullmatch(pattern + re.escape(self.key[end:]), key, re.DOTALL) is not None


def is_remote(path: str) -> bool:
    """Whether a path is an address, of whichever kind; one of a file on this machine is one too."""
    return "://" in path and re.fullmatch(_WORD, path, re.DOTALL) is not None and not os.path.lexists(path)


def is_here(text: str) -> bool:
    """Whether an address is that of a file on this machine."""
    return text[: len(FILE)].lower() == FILE


def address_of(text: str) -> Address:
    """The address that a text is; its query is in no output from now on. Raises UsageError."""
    match = re.fullmatch(_WORD, text, re.DOTALL)
    scheme, rest = (match[1].lower(), match[2]) if match is not None else ("", text)
    place, _, key = rest.partition("/")
    login, at, host = place.rpartition("@")
    query = ""
    if scheme in ("https", PLAIN):
        key, _, query = key.partition("#")[0].partition("?")
    if login or query:
        _conceal(text, login, query, f"{scheme}://{host}/{key}")
    shown = f"{scheme}://{host}/{key}"
    if at:
        do = "leave them out: credentials come from the environment alone"
        raise UsageError(shown, "user and password stand in the address", None, do)
    if scheme == PLAIN and host.rsplit(":", 1)[0] not in LOCAL:
        raise UsageError(shown, "is not encrypted", None, f"write https://{host}/{key}")
    if scheme not in (*SCHEMES, PLAIN):
        known = ", ".join(f"{one}://" for one in (*SCHEMES, "file"))
        raise UsageError(shown, "no such kind of address", f"{scheme}://", f"known: {known}")
    if not host or (scheme == "hf" and (host != HUB or key.count("/") < 1)):
        form = "hf://datasets/OWNER/NAME@REVISION/PATH" if scheme == "hf" else f"{scheme}://BUCKET/PATH"
        raise UsageError(shown, "is no whole address", None, f"write {form}")
    return Address(scheme, host, key, query)


def conceal(words: Iterable[str]) -> None:
    """Keeps logins and queries of the addresses in words of a command out of every output."""
    for word in words:
        key = word.partition("=")[0]
        if "://" in word and not key.endswith("url"):
            for address in (word, word.partition("=")[2], *re.findall(_IN_WORDS, word)):
                with suppress(UsageError):
                    address_of(address)


def addresses(value: Any) -> list[str]:
    """The addresses from which settings, or a built run, fetch files; each may be of a folder or a pattern."""
    texts: list[str] = []
    _collect(value, False, texts)
    return texts


def _collect(value: Any, named: bool, texts: list[str]) -> None:
    """Adds the addresses; a text counts where it is `named` as one of files. All settings of all jobs pass here."""
    kind = type(value)
    if kind is str:
        if named and "://" in value and is_remote(value) and not is_here(value):
            texts.append(value)
    elif kind is list or kind is tuple:
        for one in value:
            if one is not None:
                _collect(one, named, texts)
    elif kind not in _PLAIN and (isinstance(value, Mapping) or dataclasses.is_dataclass(kind)):
        for key, one in value.items() if isinstance(value, Mapping) else _fields(value):
            if type(one) not in _PLAIN:
                _collect(one, named or key in KEYS, texts)


def _fields(value: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value)]


def check_addresses(settings: Any) -> None:
    """Raises UsageError for an address with a login in it; what stands behind a question mark is in no output."""
    engine = settings.get("engine") if isinstance(settings, Mapping) else None
    parts = engine.get("parts") if isinstance(engine, Mapping) else None
    for text in [*addresses(settings), *([parts] if isinstance(parts, str) and is_remote(parts) else [])]:
        if "@" in text or "?" in text:
            address_of(text)


def _conceal(text: str, login: str, query: str, shown: str) -> None:
    """Keeps what may be a secret in an address out of every output."""
    show_as(text, shown)
    for secret in (query, login, login.rpartition(":")[2]):
        hide(secret)


def cache_folder() -> Path:
    """The folder of all copies. Raises UsageError where there is no home."""
    named = os.environ.get(CACHE, "")
    try:
        base = Path(named) if os.path.isabs(named) else Path.home() / ".cache"
    except RuntimeError:
        raise UsageError(CACHE, "not set, and there is no home folder", None, f"set {CACHE}=FOLDER") from None
    return base / "auditfw" / "remote"


def address_at(path: str) -> str | None:
    """The address of which a path is the copy; None for any other path."""
    if "/auditfw/remote/" not in path:
        return None
    match = re.match(_MARKED, path.rpartition("/auditfw/remote/")[2], re.DOTALL)
    return f"{match[1]}://{match[2]}" if match is not None else None


def no_name(address: Address, part: str | None = None) -> DataError:
    """The error for a key that no file on this machine can have."""
    return DataError(str(address), "is no name that a file can have", part, "give it another name there")


def inside(address: Address) -> str:
    """The path of a copy, or of a folder of copies, in its folder. Raises DataError for a key that no file can have."""
    key = address.key.removesuffix("/")
    parts = [address.scheme, address.host, *(key.split("/") if key else ())]
    for part in parts[1:]:
        if part in ("", ".", "..") or "\0" in part or len(os.fsencode(part)) > LONGEST:
            raise no_name(address, part or None)
    return os.sep.join(parts)


def visible(keys: Sequence[str], folder: str) -> list[str]:
    """The keys below a folder that stand for files, without hidden ones."""
    below = (key for key in keys if key.startswith(folder) and not key.endswith("/"))
    return [key for key in below if not any(part.startswith(".") for part in key[len(folder) :].split("/"))]


def settle(path: Path) -> None:
    """Marks a copy as whole: nobody writes to it any more, and on all machines it is as old."""
    os.utime(path, (AGE, AGE))
    path.chmod(0o444)


def is_whole(path: str, size: int | None = None) -> bool:
    """Whether a copy, of this size, is there, and is whole."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    return status.st_mtime == AGE and size in (None, status.st_size)


def use(path: str) -> None:
    """Notes that a copy, or a folder of copies, is used: what nobody uses is removed after some time."""
    place, cache, below = path.rpartition("/auditfw/remote/")
    with suppress(OSError):
        os.utime(place + cache + below.partition("/")[0])
