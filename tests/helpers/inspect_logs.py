"""Logs of Inspect, written member by member: as they should be, or spoilt."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from places import CASES

from auditfw.components.files import zstd

LOGS = CASES / "data" / "inspect_logs"
STORED, DEFLATE, ZSTD = 0, 8, 93
Members = Sequence[tuple[str, bytes]]


def packed(data: bytes, method: int) -> bytes:
    if method == DEFLATE:
        machine = zlib.compressobj(9, zlib.DEFLATED, -15)
        return machine.compress(data) + machine.flush()
    if method == ZSTD:
        machine = zstd.library().ZstdCompressor()
        return machine.compress(data) + machine.flush()
    return data


def zipped(
    members: Members,
    method: int = ZSTD,
    flags: int = 0x800,
    checksum: int | None = None,
    size: int | None = None,
    *,
    sizes: Mapping[str, int] | None = None,
    backwards: bool = False,
) -> bytes:
    """A zip file; flags, checksum and size are those that the directory has of every member, sizes of some of them.

    The directory names the members in their order in the file, or `backwards`.
    """
    body, entries = b"", []
    for name, data in members:
        word, inner = name.encode(), packed(data, method)
        crc = zlib.crc32(data) if checksum is None else checksum
        length = (sizes or {}).get(name, len(data) if size is None else size)
        numbers = (flags, method, 0, 0x21, crc, len(inner), length, len(word))
        entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, *numbers, 0, 0, 0, 0, 0, len(body)) + word
        entries.append(entry)
        body += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, *numbers, 0) + word + inner
    directory = b"".join(reversed(entries) if backwards else entries)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + end


def head(*scorers: str, **more: Any) -> dict[str, Any]:
    """The head of a log of these scorers."""
    run = {
        "eval_id": "e",
        "task": "sums",
        "task_id": "t",
        "model": "mock/one",
        "dataset": {},
        "config": {},
        "packages": {"inspect_ai": "0.3.1"},
        "scorers": [{"name": name, "options": {}} for name in scorers or ("match",)],
    }
    run |= {key: more.pop(key) for key in list(more) if key in run or key == "model_generate_config"}
    return {"version": 2, "status": "success", "eval": run, "plan": {"config": {}}, **more}


def sample(number: Any = 1, epoch: int = 1, value: Any = "C", **more: Any) -> dict[str, Any]:
    """A sample whose answer is 4, with a score of match."""
    return {
        "id": number,
        "epoch": epoch,
        "input": "2+2?",
        "target": "4",
        "messages": [],
        "output": {"choices": [], "completion": "It is 4"},
        "scores": {"match": {"value": value, "answer": "It is 4", "explanation": "because"}},
        "metadata": {},
        "store": {},
        "events": [{"event": "model", "metadata": {"error": "no", "model_usage": {}}}],
        "model_usage": {},
        "attachments": {},
        **more,
    }


def text(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def members(samples: Sequence[Mapping[str, Any]], log_head: Mapping[str, Any] | None = None) -> list[tuple[str, bytes]]:
    """The members of a log, its head last."""
    named = [(f"samples/{one['id']}_epoch_{one['epoch']}.json", text(one)) for one in samples]
    return [("_journal/start.json", text(head())), *named, ("header.json", text(log_head or head()))]


def eval_log(
    *samples: Mapping[str, Any], log_head: Mapping[str, Any] | None = None, name: str = "a.eval", **zipping: Any
) -> str:
    """Writes an .eval log into the current folder."""
    Path(name).write_bytes(zipped(members(samples, log_head), **zipping))
    return name


def json_log(
    *samples: Mapping[str, Any], log_head: Mapping[str, Any] | None = None, name: str = "a.json", indent: int | None = 2
) -> str:
    """Writes a .json log into the current folder, indented as Inspect does."""
    document = {**(log_head or head()), "samples": list(samples)}
    Path(name).write_text(json.dumps(document, indent=indent), "utf-8")
    return name
