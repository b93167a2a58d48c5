"""Zstd by the module of the standard library, before Python 3.14 by its backport; no window above 128 MiB."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, BinaryIO

WINDOW_LOG = 27
CHUNK = 1 << 14


@cache
def library() -> Any:
    """The module `compression.zstd`, or what stands in for it."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def decompressor() -> Any:
    """What decompresses one frame."""
    return library().ZstdDecompressor(options=_options())


@cache
def _options() -> dict[Any, int]:
    return {library().DecompressionParameter.window_log_max: WINDOW_LOG}


def decompressed(packed: bytes | memoryview, size: int) -> bytes:
    """What frames hold: `size` bytes, one more where the frame has more, or less where they have less."""
    parts: list[bytes] = []
    left = size
    while left > 0 and len(packed):
        frame = decompressor()
        parts.append(frame.decompress(packed, left + 1))
        left -= len(parts[-1])
        packed = frame.unused_data if frame.eof else b""
    return parts[0] if len(parts) == 1 else b"".join(parts)


class Frames:
    """A stream of frames, decompressed; EOFError where it ends within one."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._frame = stream, decompressor()

    def read1(self, size: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        while True:
            data = self._frame.unused_data if self._frame.eof else b""
            if not data and (self._frame.eof or self._frame.needs_input):
                data = self._stream.read(CHUNK)
                if not data and self._frame.eof:
                    return b""
                if not data:
                    raise EOFError
            if self._frame.eof:
                self._frame = decompressor()
            if piece := self._frame.decompress(data, size):
                return bytes(piece)

    def close(self) -> None:
        """Closes the stream below."""
        self._stream.close()
