"""A made-up log of Inspect AI, of any size: members in zstd, as the package writes them."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

from auditfw.components.files import zstd

METHOD = 93  # zstd, in a zip
NAMES = 0x800  # a flag: names are UTF-8
WORDS = 2000  # different ones in the texts
EVENT_WORDS = 150
LABELS = ("C", "I")
MODEL = "mockllm/model"


class ZipWriter:
    """Writes members into a zip, one after the other."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._entries = stream, bytearray()
        self._count, self._pack = 0, zstd.library().compress

    def add(self, name: str, data: bytes) -> None:
        """Adds a member, packed."""
        packed, place, text = self._pack(data), self._stream.tell(), name.encode()
        shared = struct.pack(
            "<HHHHHIIIHH", 45, NAMES, METHOD, 0, 0x21, zlib.crc32(data), len(packed), len(data), len(text), 0
        )
        self._stream.write(b"PK\x03\x04" + shared + text + packed)
        self._entries += (
            b"PK\x01\x02" + struct.pack("<H", 45) + shared + struct.pack("<HHHII", 0, 0, 0, 0, place) + text
        )
        self._count += 1

    def close(self) -> None:
        """Writes the directory."""
        place = self._stream.tell()
        end = struct.pack("<HHHHIIH", 0, 0, self._count, self._count, len(self._entries), place, 0)
        self._stream.write(bytes(self._entries) + b"PK\x05\x06" + end)


def write_log(path: Path, samples: int, size: int) -> int:
    """Writes a log of so many samples, of about `size` bytes of JSON each; gives the bytes of JSON in all."""
    random, total, summaries = Random(samples), 0, []
    words = ["".join(random.choices("aeinorstlmdcu", k=random.randint(2, 9))) for _ in range(WORDS)]
    with path.open("wb") as stream:
        log = ZipWriter(stream)
        log.add("_journal/start.json", _bytes({"version": 2, "eval": _header(samples)["eval"], "plan": {}}))
        for number in range(1, samples + 1):
            sample = _sample(number, random, words)
            parts = [" ".join(random.choices(words, k=EVENT_WORDS)) for _ in range(max(1, size // 1200))]
            events = [_event(number, place, part) for place, part in enumerate(parts)]
            data = _bytes({**{key: sample[key] for key in BEFORE}, "events": events, **sample, "attachments": {}})
            log.add(f"samples/{number}_epoch_1.json", data)
            total += len(data)
            summaries.append({key: sample[key] for key in SUMMARY})
        log.add("summaries.json", _bytes(summaries))
        log.add("header.json", _bytes(_header(samples)))
        log.close()
    return total


BEFORE = ("id", "epoch", "input", "target", "messages", "output", "scores", "metadata", "store")  # the events
SUMMARY = ("id", "epoch", "input", "target", "metadata", "scores", "model_usage", "total_time", "uuid")


def _sample(number: int, random: Random, words: list[str]) -> dict[str, Any]:
    right = random.random() < 0.7
    answer = str(number % 97) if right else str(number % 97 + 1)
    text = " ".join(random.choices(words, k=300)) + f"\n\nANSWER: {answer}"
    question = f"What is {number} modulo 97?"
    message = {"id": f"m{number}", "content": text, "source": "generate", "role": "assistant", "model": MODEL}
    usage = {"input_tokens": 11, "output_tokens": 400, "total_tokens": 411}
    score = {"value": LABELS[not right], "answer": text.casefold(), "explanation": text, "history": []}
    return {
        "id": number,
        "epoch": 1,
        "input": question,
        "target": str(number % 97),
        "messages": [{"id": f"q{number}", "content": question, "source": "input", "role": "user"}, message],
        "output": {"model": MODEL, "choices": [{"message": message, "stop_reason": "stop"}], "completion": text},
        "scores": {"match": score},
        "metadata": {},
        "store": {},
        "model_usage": {MODEL: usage},
        "total_time": 1.5,
        "uuid": f"u{number}",
    }


def _event(number: int, place: int, text: str) -> dict[str, Any]:
    when = "2026-11-23T12:16:45+00:00"
    return {"uuid": f"e{number}.{place}", "event": "info", "timestamp": when, "working_start": 0.1, "data": text}


def _header(samples: int) -> dict[str, Any]:
    scorers = [{"name": "match", "options": {}, "metrics": [{"name": "accuracy", "options": {}}]}]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": "made-up",
            "run_id": "made-up",
            "created": "2026-11-23T12:16:45+00:00",
            "task": "sums",
            "task_id": "made-up",
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "dataset": {"samples": samples},
            "model": MODEL,
            "model_args": {},
            "config": {"epochs": 1},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": scorers,
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {"total_samples": samples, "completed_samples": samples, "scores": []},
        "stats": {"started_at": "", "completed_at": "", "model_usage": {}},
    }


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
