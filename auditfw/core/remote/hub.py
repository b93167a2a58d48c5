"""Data sets on a hub: the address of a file there, and its listing of a folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from auditfw.core.errors import AuditError, DataError

from .addresses import Address
from .refusals import RemoteFile, refused, silent, unanswered, unreachable

ENDPOINT, TOKEN = "HF_ENDPOINT", "HF_TOKEN"
USUAL = "https://huggingface.co"
NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
LARGE, SMALL = "sha256:", "git:"  # before the checksums that are versions
MOST = 1 << 26  # bytes of one page of a listing
Page = tuple[list[dict[str, Any]], str]


class _Staying(HTTPRedirectHandler):
    """Follows no redirection: the request carries a token."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def endpoint() -> str:
    """The address of the hub."""
    return (os.environ.get(ENDPOINT) or USUAL).rstrip("/")


def parts(address: Address) -> tuple[str, str, str]:
    """The data set, its revision, and the path in it."""
    owner, _, rest = address.key.partition("/")
    name, _, path = rest.partition("/")
    name, _, revision = name.partition("@")
    return f"{owner}/{name}", revision or "main", path


def hub_url(address: Address) -> str:
    """Where a file is fetched from."""
    name, revision, path = parts(address)
    return f"{endpoint()}/datasets/{quote(name)}/resolve/{quote(revision, safe='%')}/{quote(path)}"


def hub_listing(address: Address, folder: str, seconds: float) -> list[RemoteFile]:
    """The files below a folder of a data set; none where there is no such folder. Raises AuditError."""
    name, revision, path = parts(address.at(folder))
    before = "/".join([*address.key.split("/")[:2], ""])
    url = f"{endpoint()}/api/datasets/{quote(name)}/tree/{quote(revision, safe='%')}"
    url += (f"/{quote(path.rstrip('/'))}" if path else "") + "?recursive=true"
    files: list[RemoteFile] = []
    while url:
        rows, url = _page(address, url, seconds)
        for row in rows:
            if row.get("type") == "file":
                files.append(RemoteFile(before + str(row["path"]), _version(row), int(row["size"])))
    return files


def _version(row: dict[str, Any]) -> str:
    """What a listing says of the bytes of a file: the SHA-256 of a large one, else the checksum that Git has of it."""
    large, small = str((row.get("lfs") or {}).get("oid") or ""), str(row.get("oid") or "")
    if re.fullmatch("[0-9a-f]{64}", large):
        return LARGE + large
    return SMALL + small if re.fullmatch("[0-9a-f]{40}", small) else large or small


def checksum(file: RemoteFile) -> Any:
    """What sums the bytes of a file as its version does, where that is a checksum; None where it is not."""
    if file.version.startswith(LARGE):
        return hashlib.sha256()
    if file.version.startswith(SMALL):
        return hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    return None


def _page(address: Address, url: str, seconds: float) -> Page:
    """One page of a listing, and the address of the next. Raises AuditError."""
    token = os.environ.get(TOKEN, "")
    request = Request(url, headers={"authorization": f"Bearer {token}"} if token else {})  # noqa: S310
    try:
        with build_opener(_Staying).open(request, timeout=seconds) as answer:
            rows = json.loads(answer.read(MOST))
            following = NEXT.search(answer.headers.get("link", ""))
    except HTTPError as error:
        if error.code == 404:
            return [], ""
        if error.code in (401, 403):
            raise refused(str(address), str(error.code), "hf") from None
        raise unanswered(str(address), "the hub does not list it", str(error.code)) from None
    except TimeoutError:
        raise silent(str(address), seconds) from None
    except OSError as error:
        hung = "timed out" in str(error)
        raise (silent(str(address), seconds) if hung else unreachable(str(address))) from None
    except ValueError:
        raise _no_listing(address) from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _no_listing(address)
    after = following[1] if following is not None else ""
    return rows, after if after.startswith(endpoint() + "/") else ""


def _no_listing(address: Address) -> AuditError:
    return DataError(str(address), "the hub gives no listing of it", None, f"check {ENDPOINT}")
