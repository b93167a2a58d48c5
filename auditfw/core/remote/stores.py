"""What is asked of servers: what lies at an address, in which version, and its bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, BinaryIO

from auditfw.core.errors import AuditError, DataError, UsageError

from .addresses import Address, no_name
from .hub import TOKEN, checksum, hub_listing, hub_url
from .refusals import CREDENTIALS, RemoteFile, WholeFilesError, changed, refused, silent, unanswered, unreachable

TIMEOUT = "AUDITFW_REMOTE_TIMEOUT"
SECONDS = 20.0  # that a server may say nothing
RETRIES = 1
ENDPOINTS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    "gs": ("GOOGLE_BASE_URL",),
    "az": ("AZURE_ENDPOINT", "AZURE_STORAGE_ENDPOINT"),
}
HERE = ("http://127.0.0.1:", "http://localhost:")  # a store on this machine, as one for tests
VARIABLES = ("AWS_", "GOOGLE_", "AZURE_", "HF_", "IDENTITY_")
CHUNK = 1 << 20
STATUS, INVALID = "Server returned non-2xx status code: ", "object with invalid path"  # words of the library
NO_HEAD = ("400", "403", "405", "501")  # answers of web servers that may give a file and not its head
MOST_LISTED = 100_000
# without one of these, what is asked is not signed: a public bucket needs no credentials
SIGNED_BY = {
    "s3": ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
           "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_METADATA_ENDPOINT"),
    "gs": ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH",
           "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_BEARER_TOKEN"),
    "az": ("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_MASTER_KEY", "AZURE_STORAGE_SAS_KEY",
           "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_TOKEN",
           "AZURE_STORAGE_CLIENT_SECRET", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT"),
}  # fmt: skip


def head(address: Address) -> RemoteFile | None:
    """One file; None where there is none of this name. Raises AuditError."""
    import obstore

    with refusals(address):
        store, path = _store(address)
        try:
            try:
                seen = obstore.head(store, path)
            except Exception as error:
                if address.listed or _status(str(error)) not in NO_HEAD:
                    raise
                seen = obstore.get(store, path).meta  # an address may be signed for this question alone
        except FileNotFoundError:
            return None
        return RemoteFile(address.key, _version(seen), seen["size"])


def listing(address: Address, folder: str) -> list[RemoteFile]:
    """The files below a folder, by their keys. Raises AuditError."""
    if address.scheme == "hf":
        return hub_listing(address, folder, patience())
    import obstore

    with refusals(address):
        store, _ = _store(address)
        files: list[RemoteFile] = []
        for chunk in obstore.list(store, folder.rstrip("/") or None, chunk_size=1_000):
            files += [RemoteFile(one["path"], _version(one), one["size"]) for one in chunk]
            if len(files) > MOST_LISTED:
                raise DataError(str(address), f"lists more than {MOST_LISTED:,} files", None, "name a folder in it")
        return files


def fetch(
    address: Address,
    file: RemoteFile,
    target: BinaryIO,
    given_up: Callable[[], bool] = bool,
    span: tuple[int, int] | None = None,
) -> None:
    """Writes the bytes of a file, or those of a span of it.

    Raises DataError where it is another one by now, AuditError where that fails.
    """
    import obstore

    with refusals(address):
        store, path = _store(address)
        try:
            answer = obstore.get(store, path, options={} if span is None else {"range": span})
        except FileNotFoundError:
            raise DataError(str(address), "vanished while it was fetched", None, "run again") from None
        now = RemoteFile(file.key, _version(answer.meta), answer.meta["size"])
        if address.scheme != "hf" and now != file:
            raise changed(str(address), "while it was fetched", file, now)
        size, wanted = 0, file.size if span is None else span[1] - span[0]
        total = checksum(file) if span is None else None
        for chunk in answer.stream(CHUNK):
            if given_up():
                return
            size += target.write(chunk)
            if total is not None:
                total.update(chunk)
        if size != wanted:
            raise changed(str(address), "while it was fetched", file, RemoteFile(file.key, file.version, size))
        if total is not None and (summed := f"{file.version.partition(':')[0]}:{total.hexdigest()}") != file.version:
            raise changed(str(address), "while it was fetched", file, RemoteFile(file.key, summed, size))


def whole_object(address: Address) -> bytes:
    """The bytes of an object. Raises FileNotFoundError where there is none of this name, AuditError."""
    import obstore

    with refusals(address):
        store, path = _store(address)
        try:
            return bytes(obstore.get(store, path).bytes())
        except FileNotFoundError:
            pass
    raise FileNotFoundError(2, "no such object", str(address))


def put(address: Address, data: bytes) -> None:
    """Writes an object, whole or not at all. Raises AuditError."""
    import obstore

    with refusals(address):
        store, path = _store(address)
        obstore.put(store, path, data, use_multipart=False)


def delete(addresses: Sequence[Address]) -> None:
    """Removes objects of one bucket as far as they are there. Raises AuditError."""
    import obstore

    for address in addresses[:1]:
        with refusals(address), suppress(FileNotFoundError):
            store, _ = _store(address)
            obstore.delete(store, [one.key for one in addresses])


def _version(seen: Any) -> str:
    """The ETag, else the time of the last change; listings of Azure give it without the quotes."""
    time = seen["last_modified"]
    return (seen["e_tag"] or "").strip('"') or (time.isoformat() if time.timestamp() > 0 else "")


def _status(text: str) -> str:
    """The status that a server answered with, by the words of the library."""
    return text.partition(STATUS)[2][:3]


_user: dict[str, int] = {}  # the process that fetches


def patience() -> float:
    """The seconds that a server may say nothing. Raises UsageError."""
    text = os.environ.get(TIMEOUT, "")
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise UsageError(TIMEOUT, "expected a number of seconds", text)
    return seconds


def _store(address: Address) -> tuple[Any, str]:
    """The store of an address, and the path in it. Raises AuditError."""
    from obstore.exceptions import BaseError

    if _user.setdefault("process", os.getpid()) != os.getpid():  # the library waits for ever in a copy of its process
        raise unanswered(str(address), "cannot be fetched in a forked process")
    environment = frozenset(one for one in os.environ.items() if one[0].startswith(VARIABLES))
    bucket = address.scheme in SIGNED_BY
    try:
        store = _opened(address.at("") if bucket else address, patience(), environment)
    except BaseError as error:
        cause, do = str(error).partition("\n")[0], CREDENTIALS.get(address.scheme, "check the address")
        raise UsageError(str(address), "cannot be asked with what the environment says", cause, do) from None
    return store, address.key if bucket else ""


@lru_cache(maxsize=64)
def _opened(address: Address, seconds: float, environment: frozenset[tuple[str, str]]) -> Any:
    """A bucket, or one file of a server or the hub, asked with what the environment says."""
    from obstore.store import AzureStore, GCSStore, HTTPStore, S3Store

    known, names = dict(environment), SIGNED_BY.get(address.scheme)
    wait, short = timedelta(seconds=seconds), timedelta(seconds=min(0.2, seconds / 10))
    backoff = {"init_backoff": short, "max_backoff": short, "base": 2}
    retry: Any = {"max_retries": RETRIES, "retry_timeout": 3 * wait, "backoff": backoff}
    client: Any = {"connect_timeout": wait, "read_timeout": wait, "timeout": timedelta(days=7)}
    if names is None:
        hub = address.scheme == "hf"
        text = hub_url(address) if hub else f"{address}{'?' if address.query else ''}{address.query}"
        client["allow_http"] = text.startswith("http://")
        if hub and known.get(TOKEN):
            client["default_headers"] = {"authorization": f"Bearer {known[TOKEN]}"}
        return HTTPStore.from_url(text, client_options=client, retry_config=retry)
    endpoint = next((known[name] for name in ENDPOINTS[address.scheme] if known.get(name)), "")
    allowed = address.scheme == "s3" and known.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true")
    client["allow_http"] = allowed or endpoint.startswith(HERE)
    unsigned: Any = {} if any(known.get(name) for name in names) else {"skip_signature": True}
    kind: Any = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}[address.scheme]
    return kind(address.host, client_options=client, retry_config=retry, **unsigned)


def check_library(address: Address) -> None:
    """Raises UsageError where the library that fetches is not there."""
    if find_spec("obstore") is None:
        raise UsageError(str(address), "needs the extra remote", None, "pip install 'auditfw[remote]'")


@contextmanager
def refusals(address: Address) -> Iterator[None]:
    """Makes one line of what a server, or the way to it, refuses. Raises AuditError."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    where = str(address)
    try:
        yield
    except AuditError:
        raise
    except ValueError:
        raise no_name(address) from None
    except FileNotFoundError:
        raise DataError(where, "no such bucket", None, "check the address") from None
    except (PermissionDeniedError, UnauthenticatedError) as error:
        code = "401" if isinstance(error, UnauthenticatedError) else "403"
        raise refused(where, code, address.scheme) from None
    except BaseError as error:
        raise _cause(address, str(error), patience()) from None


def _cause(address: Address, text: str, seconds: float) -> AuditError:
    """What is wrong by the words of the library; it quotes addresses, so these stay out."""
    where = str(address)
    if "kind: Timeout" in text:
        return silent(where, seconds)
    if "kind: Connect" in text:
        return unreachable(where)
    code = text.partition(STATUS)[2]
    if INVALID in text:
        return no_name(address, text.partition(f'{INVALID}: Error parsing Path "')[2].partition('": Enc')[0] or None)
    if code[:3] == "404":
        return DataError(where, "no such bucket", None, "check the address")
    if code[:3] in ("401", "403"):
        return refused(where, code[:3], address.scheme)
    if "ange request not supported" in text or "non-partial response" in text:
        return WholeFilesError(where, "the server gives no parts of files", None, "run again")
    if code:
        return unanswered(where, "the server does not give it", code.split(":")[0].strip())
    if "bytes" in text or "body" in text or "ange" in text or "kind: Interrupted" in text:
        return unanswered(where, "the connection ended before the file did")
    return unanswered(where, "cannot be fetched", text.partition("\n")[0].partition(" http")[0])
