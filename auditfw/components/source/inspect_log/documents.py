"""A log that is one JSON document: where its samples are in it, without decoding them.

Inspect indents a document by two blanks. No text in JSON holds a line break, so the blanks before a line say how deep
it is: a sample begins and ends with a brace behind four of them.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import Any, BinaryIO

from auditfw.components.files.archive import LARGEST_MEMBER
from auditfw.components.files.files import File
from auditfw.core.errors import DataError, NothingAudited

from .decoding import document_of, faults, strictly

CHUNK = 4 << 20
TAIL = 1 << 16
LARGEST_HEAD = 64 << 20
_SAMPLES = b'\n  "samples": ['
_BEGIN, _END, _LAST = b"\n    {", b"\n    }", b"\n  ]"

Span = tuple[int, int]


@dataclass(frozen=True)
class Spread:
    """A document with a line for each brace: its head as a JSON text, and from where to where each sample is."""

    head: bytes
    spans: tuple[Span, ...]


def spread(file: File) -> Spread | None:
    """Where the samples of a document are; None for one that is not indented as Inspect does. Raises DataError."""
    with open(file.path, "rb") as stream:
        if not stream.read(4).startswith(b"{\n  "):
            return None
        stream.seek(0)
        window = Window(stream, file)
        at = window.find(_SAMPLES, 0, LARGEST_HEAD)
        if at < 0:
            return None
        head = bytes(window.data[:at]).rstrip().rstrip(b",") + b"\n}"
        spans = _spans(window, at + len(_SAMPLES))
    return None if spans is None else Spread(head, tuple(spans))


def document_parts(file: File) -> dict[str, Any]:
    """The keys of a document with their undecoded values; the document is held as a whole. Raises DataError."""
    size, most = os.path.getsize(file.path), file.most or LARGEST_MEMBER
    if not size:
        raise NothingAudited(file.path, "is empty")
    if size > most:
        do = file.keys.advice(("convert it: inspect log convert --to eval", "path"))
        raise DataError(file.path, "the document is too large", f"{size:,} bytes, where {most:,} are allowed", do)
    with open(file.path, "rb") as stream:
        data = stream.read()
    try:
        parts = document_of(data)
    except faults():
        if data.lstrip().startswith(b"{") and not data.rstrip().endswith(b"}"):
            raise DataError(file.path, "the file is cut off", "its JSON does not end", "copy it again") from None
        try:
            parts = document_of(strictly(data, file.path, Counter()))
        except faults():
            parts = None
    if parts is None:
        do = "an Inspect log has the keys version, status and eval"
        raise DataError(file.path, "is not an Inspect log", "no object", do)
    return parts


def _spans(window: Window, at: int) -> list[Span] | None:
    """The samples from a place on; None where the lines are not as expected. Raises DataError for a cut-off file."""
    spans: list[Span] = []
    window.forget(at)
    if window.take(len(_LAST)).lstrip()[:1] == b"]":
        return spans
    while True:
        begin = window.find(_BEGIN, 0, len(_BEGIN))
        if begin != 0:
            return None
        end = window.find(_END, begin, window.most + 1)
        if end > window.most or (end < 0 and len(window.data) > window.most):
            do = window.file.keys.advice((f"write {window.file.keys.of('max_decoded')}=BYTES", "max_decoded"))
            raise DataError(
                window.file.path, f"sample {len(spans) + 1} is too large", f"over {window.most:,} bytes", do
            )
        if end < 0:
            raise DataError(window.file.path, "the file is cut off", f"inside sample {len(spans) + 1}", "copy it again")
        end += len(_END)
        spans.append((window.start + 1, window.start + end))
        window.forget(end)
        after = window.take(len(_LAST))
        if after[:1] == b",":
            window.forget(1)
        elif after == _LAST:
            window.check_end()
            return spans
        elif len(after) < len(_LAST):
            raise DataError(window.file.path, "the file is cut off", f"after sample {len(spans)}", "copy it again")
        else:
            return None


class Window:
    """A part of a file that moves on: what was forgotten is no longer held."""

    def __init__(self, stream: BinaryIO, file: File) -> None:
        self.stream, self.file, self.start, self.data = stream, file, 0, bytearray()
        self.most = file.most or LARGEST_MEMBER

    def find(self, word: bytes, start: int, most: int) -> int:
        """Where a word is in what is held, which grows to at most so many bytes; -1 where it is not there."""
        searched = start
        while (at := self.data.find(word, searched)) < 0:
            searched = max(start, len(self.data) - len(word) + 1)
            if len(self.data) >= most or not self._more():
                return -1
        return at

    def forget(self, size: int) -> None:
        """Moves on by so many bytes."""
        del self.data[:size]
        self.start += size

    def take(self, size: int) -> bytes:
        """The next bytes, fewer at the end of the file; they stay."""
        while len(self.data) < size and self._more():
            pass
        return bytes(self.data[:size])

    def check_end(self) -> None:
        """Raises DataError where the file does not end with a brace."""
        self.stream.seek(max(0, os.path.getsize(self.file.path) - TAIL))
        if not self.stream.read().rstrip().endswith(b"}"):
            raise DataError(self.file.path, "the file is cut off", "after its samples", "copy it again")

    def _more(self) -> bool:
        more = self.stream.read(CHUNK)
        self.data += more
        return bool(more)
