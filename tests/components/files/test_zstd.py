"""Zstd within limits: whole members, and streams of frames."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from auditfw.components.files import zstd
from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.zstd import Frames, decompressed, library
from auditfw.core.errors import DataError

ZEROS = 8 << 20


def packed(data: bytes, **options: Any) -> bytes:
    names = library().CompressionParameter
    return bytes(library().compress(data, options={getattr(names, name): value for name, value in options.items()}))


ONE, OTHER = packed(b"one"), packed(b"other")
SKIPPED = b"\x50\x2a\x4d\x18\x02\0\0\0xx"
UNSIZED = packed(b"one", content_size_flag=0)


def streamed(data: bytes, size: int = 1 << 20) -> bytes:
    frames, parts = Frames(io.BytesIO(data)), []
    while part := frames.read1(size):
        assert len(part) <= size
        parts.append(part)
    return b"".join(parts)


def test_it_is_the_standard_library_where_that_has_it() -> None:
    assert library().__name__ == ("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (ONE, b"one"),
        (UNSIZED, b"one"),
        (ONE + OTHER, b"oneother"),
        (ONE + packed(b"!"), b"one!"),
        (SKIPPED + ONE + SKIPPED + OTHER + SKIPPED, b"oneother"),
        (packed(b"") + ONE, b"one"),
        (packed(bytes(ZEROS)), bytes(ZEROS)),
        (b"".join(packed(b"%d," % n) for n in range(5000)), b"".join(b"%d," % n for n in range(5000))),
    ],
)
def test_what_frames_hold(data: bytes, whole: bytes) -> None:
    assert streamed(data) == streamed(data, 7 if len(whole) < 10_000 * 5 else 1 << 16) == whole
    assert decompressed(memoryview(data), len(whole)) == whole


@pytest.mark.parametrize("data", [ONE[:-1], ONE + OTHER[:5], SKIPPED[:4], packed(bytes(ZEROS))[:-3]])
def test_a_stream_that_ends_within_a_frame(data: bytes) -> None:
    with pytest.raises(EOFError):
        streamed(data)
    assert len(decompressed(data, ZEROS)) < ZEROS


@pytest.mark.parametrize("data", [b"not zstd", ONE + b"not zstd", packed(b"one" * 99, checksum_flag=1)[:-1] + b"x"])
def test_what_is_no_frame(data: bytes) -> None:
    with pytest.raises(library().ZstdError):
        streamed(data)


@pytest.mark.parametrize(("log", "refused"), [(27, False), (28, True)])
def test_a_window_above_the_limit(log: int, refused: bool) -> None:
    data = packed(bytes(1 << 10) + bytes(1), window_log=log, content_size_flag=0)
    frame = bytearray(data)
    assert frame[4] & 0x20 == 0, "the frame names its window"
    frame[5] = (log - 10) << 3
    for read in (streamed, lambda data: decompressed(data, 1025)):
        if refused:
            with pytest.raises(library().ZstdError):
                read(bytes(frame))
        else:
            assert read(bytes(frame)) == bytes(1025)


def test_a_bomb_gives_no_more_than_is_asked_for() -> None:
    bomb = packed(bytes(64 << 20))
    assert len(bomb) < 10_000
    assert len(decompressed(bomb, 100)) == 101
    frames = Frames(io.BytesIO(bomb))
    assert [len(frames.read1(1000)) for _ in range(3)] == [1000] * 3
    assert zstd.WINDOW_LOG == 27


def test_a_file_that_is_no_frame_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(ONE + b"not zstd")
    with (
        open_bytes(File(str(path))) as stream,
        pytest.raises(DataError, match=r"a\.jsonl\.zst: cannot be decompressed"),
    ):
        stream.read()
