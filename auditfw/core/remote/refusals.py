"""Files that lie elsewhere as their servers describe them, and the errors about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from auditfw.core.errors import AuditError, DataError, IncompleteError

CREDENTIALS = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS=FILE",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "hf": "set HF_TOKEN",
}


class RemoteFile(NamedTuple):
    """A file as it lies there: its key, what names its version ("" where the server has no such), its bytes."""

    key: str
    version: str
    size: int


class FetchedFrom(NamedTuple):
    """Where a copy was fetched from: its address, with what stands behind `?`, and what lay there."""

    address: str
    file: RemoteFile


class NotFetchedError(Exception):
    """Files of which the heads alone were asked for, in words."""


class WholeFilesError(IncompleteError):
    """A server that gives no parts of files."""


heads: list[bool] = []  # holds something while the heads of files alone are asked for


@contextmanager
def heads_alone() -> Iterator[None]:
    """Fetches nothing within that is larger than the head of a file. Raises NotFetchedError for what is."""
    heads.append(True)
    try:
        yield
    finally:
        heads.pop()


def changed(where: str, when: str, before: RemoteFile, now: RemoteFile | None) -> DataError:
    """The error for a file that is another one by now, or gone."""
    if now is None:
        return DataError(where, f"vanished {when}", None, "run again")
    sizes = f"{before.size:,} bytes before, {now.size:,} now"
    differs = sizes if now.size != before.size else f"ETag {before.version} before, {now.version} now"
    return DataError(where, f"changed {when}", differs, "run again when nothing writes to it")


def refused(where: str, code: str, scheme: str) -> AuditError:
    """The error for what a server does not let this user read."""
    return DataError(where, "the server refuses access", code, CREDENTIALS.get(scheme, "check the address"))


def unanswered(where: str, what: str, seen: str | None = None) -> AuditError:
    """The error for a server that does not answer as it should."""
    return IncompleteError(where, what, seen, "check the address and the network, and run again")


def silent(where: str, seconds: float) -> AuditError:
    """The error for a server that says nothing."""
    return unanswered(where, "the server does not answer", f"nothing for {seconds:g} s")


def unreachable(where: str) -> AuditError:
    """The error for a server that takes no connection."""
    return unanswered(where, "the server cannot be reached")
