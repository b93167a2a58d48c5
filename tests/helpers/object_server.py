"""A server on this machine that speaks the few calls of S3, GCS, Azure, plain HTTP and a hub that fetching makes."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

BUCKET = "logs-of-ours"
SECRET = "s3cr3t-k3y-of-ours"
NAMES = ("AWS_", "GOOGLE_", "AZURE_", "HF_", "AUDITFW_REMOTE")
ANSWER = "<ListBucketResult><IsTruncated>{more}</IsTruncated>{rows}{token}</ListBucketResult>"
ROW = (
    "<Contents><Key>{key}</Key><Size>{size}</Size><ETag>&quot;{etag}&quot;</ETag>"
    "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
)
BLOBS = "<EnumerationResults><Blobs>{rows}</Blobs>{token}</EnumerationResults>"
BLOB = (  # listings of Azure have ETags without quotes
    "<Blob><Name>{key}</Name><Properties><Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified>"
    "<Etag>{etag}</Etag><Content-Length>{size}</Content-Length><Content-Type>text/plain</Content-Type></Properties></Blob>"
)
PAGE = 3  # files of one page of a listing


class ObjectServer(ThreadingHTTPServer):
    """Files by their keys, what goes wrong with some, and what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, str] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.pause = 0.0  # seconds before each answer
        self.over = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def take(self, folder: Path, below: str = "") -> None:
        """Takes in the files of a folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.files[below + path.relative_to(folder).as_posix()] = path.read_bytes()

    def environment(self) -> dict[str, str]:
        """The variables by which a command finds it, with credentials."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "AKIA-of-ours",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "HF_ENDPOINT": self.address,
            "GOOGLE_BASE_URL": self.address,
            "GOOGLE_BEARER_TOKEN": SECRET,
            "AZURE_ENDPOINT": f"{self.address}/account",
            "AZURE_STORAGE_ACCOUNT_NAME": "account",
            "AZURE_STORAGE_ACCOUNT_KEY": base64.b64encode(SECRET.encode()).decode(),
            "AUDITFW_REMOTE_TIMEOUT": "30",  # a busy machine is no fault
        }


class Answers(BaseHTTPRequestHandler):
    """One request: for a file, a part of it, or a listing."""

    server: ObjectServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        self.server.asked.append(f"{self.command} {self.path}")
        self.server.headers.append({name.lower(): text for name, text in self.headers.items()})
        self.server.over.wait(self.server.pause)
        path, query = unquote(place.path).lstrip("/"), parse_qs(place.query)
        if "x-ms-version" in self.headers:  # the account comes first
            path = path.partition("/")[2]
        if "list-type" in query or "comp" in query:
            return self._list(query)
        if path.startswith("api/datasets/"):
            return self._tree(path)
        if path.startswith("datasets/"):
            path = "/".join([BUCKET, *path.split("/")[5:]])
        return self._file(path.partition("/")[2])

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        """Takes a file in."""
        key = self._changed()
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self._refused(key):
            self.server.files[key] = data
            self._answer(200, b"", {"etag": _etag(data)})

    def do_DELETE(self) -> None:
        """Removes a file."""
        key = self._changed()
        if not self._refused(key):
            self.server.files.pop(key, None)
            self._answer(204, b"")

    def do_POST(self) -> None:
        """Removes the files that are listed, as S3 has it."""
        self._changed()
        text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        keys = re.findall("<Key>(.*?)</Key>", text)
        if not any(self._refused(key) for key in keys):
            for key in keys:
                self.server.files.pop(unescape(key), None)
            rows = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            self._answer(200, f"<DeleteResult>{rows}</DeleteResult>".encode())

    def _changed(self) -> str:
        """The key of the file that a request is about, which is noted."""
        self.server.asked.append(f"{self.command} {self.path}")
        path = unquote(urlsplit(self.path).path).lstrip("/")
        if "x-ms-version" in self.headers:  # the account comes first
            path = path.partition("/")[2]
        return path.partition("/")[2]

    def _refused(self, key: str) -> bool:
        """Answers where writing, or removing, a file of this name is refused."""
        kind = {"POST": "DELETE"}.get(self.command, self.command)
        fault = self.server.faults.get(f"{kind} {key.rpartition('/')[2]}", "")
        if fault:
            self._answer(int(fault), b"<Error><Code>AccessDenied</Code></Error>")
        return bool(fault)

    def _file(self, key: str) -> None:
        fault = self.server.faults.get(key, "")
        if fault == "hang":
            self.server.over.wait(60)
            return None
        if fault == "no head" and self.command == "HEAD":  # as of addresses that are signed for one question
            return self._answer(403, b"")
        if fault in ("401", "403", "500"):
            return self._answer(int(fault), b"<Error><Code>AccessDenied</Code></Error>")
        data = self.server.files.get(key)
        if data is None:
            return self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        etag = hashlib.md5(data, usedforsecurity=False).hexdigest()
        if fault == "changing" and self.command == "GET":  # as soon as it is fetched it is another one
            self.server.files[key] = data.replace(b"1", b"2")
        start, last = 0, len(data) - 1
        if fault == "other" and self.command == "GET":  # under the same name for its version
            data = data[::-1]
        if wanted := self.headers.get("range", "") if fault != "no ranges" else "":
            first, _, until = wanted.removeprefix("bytes=").partition("-")
            start, last = int(first), int(until or last)
        headers = {"etag": f'"{etag}"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
        if fault == "no versions":
            headers = {}
        if wanted:
            headers["content-range"] = f"bytes {start}-{last}/{len(data)}"
        part = data[start : last + 1]
        half = len(part) // 2 if fault in ("cut", "stall") else None
        return self._answer(206 if wanted else 200, part, headers, half, stalls=fault == "stall")

    def _list(self, query: dict[str, list[str]]) -> None:
        below, after = query.get("prefix", [""])[0], query.get("continuation-token", query.get("marker", [""]))[0]
        if self.server.faults.get("", ""):
            return self._answer(int(self.server.faults[""]), b"<Error><Code>AccessDenied</Code></Error>")
        keys = [key for key in sorted(self.server.files) if key.startswith(below) and key > after]
        files = self.server.files
        blobs, more = "comp" in query, len(keys) > PAGE
        form = BLOB if blobs else ROW
        rows = [form.format(key=escape(key), size=len(files[key]), etag=_etag(files[key])) for key in keys]
        name = "NextMarker" if blobs else "NextContinuationToken"
        token = f"<{name}>{escape(keys[PAGE - 1])}</{name}>" if more else ""
        text = (BLOBS if blobs else ANSWER).format(more=str(more).lower(), rows="".join(rows[:PAGE]), token=token)
        return self._answer(200, text.encode(), {"content-type": "application/xml"})

    def _tree(self, path: str) -> None:
        below = "/".join(path.split("/")[6:])
        files = {key: data for key, data in self.server.files.items() if key.startswith(below)}
        rows = [{"type": "file", "path": key, "size": len(data), **_sums(key, data)} for key, data in files.items()]
        return self._answer(200 if rows else 404, json.dumps(rows).encode(), {"content-type": "application/json"})

    def _answer(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        sent: int | None = None,
        stalls: bool = False,
    ) -> None:
        self.send_response(status)
        for name, text in {**(headers or {}), "content-length": str(len(body))}.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(body[:sent])
        if sent is not None:
            self.wfile.flush()
            if stalls:
                self.server.over.wait(60)
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        return


def _etag(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _sums(key: str, data: bytes) -> dict[str, object]:
    """What a hub says of a file: the checksum that Git has of it, or of what stands in its place for a large one."""
    if key.endswith(".parquet"):
        return {"oid": "0" * 40, "lfs": {"oid": hashlib.sha256(data).hexdigest(), "size": len(data)}}
    return {"oid": hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()}


@contextmanager
def serving() -> Iterator[ObjectServer]:
    """A server that runs within."""
    server = ObjectServer()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


def without_clouds() -> dict[str, str]:
    """This process's environment without variables that are about stores."""
    return {name: text for name, text in os.environ.items() if not name.startswith(NAMES)}
