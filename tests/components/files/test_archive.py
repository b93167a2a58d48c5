"""Zip files: what their directory says, and members that are not what it says."""

from __future__ import annotations

import io
import os
import struct
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inspect_logs import DEFLATE, STORED, ZSTD, zipped

from auditfw.components.files.archive import Archive, Member, archive_of, check_sizes, is_zip, read_member
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")

HELLO = [("a/one.txt", b"hello " * 100), ("two", b"")]


def laid(data: bytes, most: int | None = None) -> File:
    Path("a.zip").write_bytes(data)
    return File("a.zip", most=most)


def refused(data: bytes, *words: str, most: int | None = None) -> None:
    with pytest.raises(DataError) as caught:
        read_all(archive_of(laid(data, most)))
    assert [word for word in ("a.zip", *words) if word not in str(caught.value)] == [], str(caught.value)


def read_all(archive: Archive) -> None:
    check_sizes(archive.file, archive.members)
    for member in archive.members:
        read_member(archive, member.name)


@pytest.mark.parametrize("method", [STORED, DEFLATE, ZSTD])
def test_members_are_read(method: int) -> None:
    archive = archive_of(laid(zipped(HELLO, method)))
    assert [(one.name, one.size) for one in archive.members] == [("a/one.txt", 600), ("two", 0)]
    for name, data in HELLO:
        assert read_member(archive, name) == data
    assert (read_member(archive, "three"), archive.named("three")) == (None, None)


def test_zip_files_of_python() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.comment = b"a comment PK\5\6 in the end"
        for name, data in HELLO:
            with writer.open(name, "w", force_zip64=True) as member:
                member.write(data)
    archive = archive_of(laid(stream.getvalue()))
    assert [read_member(archive, name) for name, _ in HELLO] == [data for _, data in HELLO]


def test_members_with_further_fields_and_comments() -> None:
    """Of an own length each, so that the next member is found after both alone."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as writer:
        for (name, data), comment in zip(HELLO, (b"a note", b""), strict=True):
            member = zipfile.ZipInfo(name)
            member.extra, member.comment = struct.pack("<HH2s", 0x7777, 2, b"ab"), comment
            writer.writestr(member, data)
    archive = archive_of(laid(stream.getvalue()))
    assert [(one.name, read_member(archive, one.name)) for one in archive.members] == HELLO


def wide(data: bytes) -> bytes:
    """The zip file with the record of large ones: all numbers of its end in 64 bits."""
    at = data.rfind(b"PK\5\6")
    count, size, start = struct.unpack("<10xHII2x", data[at:])
    record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
    full = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:at] + record + locator + full


def test_large_zip_files() -> None:
    archive = archive_of(laid(wide(zipped(HELLO))))
    assert [read_member(archive, name) for name, _ in HELLO] == [data for _, data in HELLO]
    refused(wide(zipped(HELLO)).replace(b"PK\6\6", b"PK\0\0"), "damaged", "directory is missing")


def with_wide_entry(data: bytes, extra: bytes) -> bytes:
    """The zip file of one member with all numbers of its entry in an extra field."""
    at, end = data.rfind(b"PK\1\2"), data.rfind(b"PK\5\6")
    packed, size = struct.unpack_from("<II", data, at + 20)
    wide_numbers = struct.pack("<HHQQQ", 1, 24, size, packed, 0)
    length, extra_field = struct.unpack_from("<H", data, at + 28)[0], extra + wide_numbers
    entry = data[at : at + 20] + b"\xff" * 8 + struct.pack("<HH", length, len(extra_field)) + data[at + 32 : at + 42]
    entry += b"\xff" * 4 + data[at + 46 : at + 46 + length] + extra_field
    last = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(entry), at, 0)
    assert end > at
    return data[:at] + entry + last


@pytest.mark.parametrize("extra", [b"", b"\x99\x00\x02\x00ab"])
def test_members_whose_numbers_need_64_bits(extra: bytes) -> None:
    data = with_wide_entry(zipped(HELLO[:1]), extra)
    assert read_member(archive_of(laid(data)), "a/one.txt") == b"hello " * 100
    refused(data.replace(struct.pack("<HH", 1, 24), struct.pack("<HH", 2, 24)), "damaged", "too short")


@pytest.mark.parametrize(
    ("name", "out"),
    [("x", False), ("\\x", True), ("a..b", False), ("..", True), ("a/../b", True), ("/etc", True), ("c:x", True)],
)
def test_names_that_lead_out(name: str, out: bool) -> None:
    if out:
        refused(zipped([(name, b"1")]), "leads out of the archive")
    else:
        assert archive_of(laid(zipped([(name, b"1")]))).members[0].name == name


DATA = zipped(HELLO)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DATA[:-30], ("cut off", "zip -FF")),
        (b"no zip at all", ("is not a zip file",)),
        (b"", ("is not a zip file",)),
        (DATA[:40] + DATA[60:], ("damaged",)),
        (DATA.replace(b"PK\1\2", b"PK\1\0", 1), ("damaged", "fewer than 2 members")),
        (b"junk" + DATA[4:], ("a/one.txt", "not where its directory says")),
        (zipped([("a", b"1"), ("a", b"2")]), ("two members have the same name", "(a)")),
        (zipped(HELLO, flags=1), ("a/one.txt", "encrypted")),
        (zipped(HELLO, method=12), ("a/one.txt", "unknown method", "12")),
        (zipped(HELLO, checksum=1), ("a/one.txt", "damaged", "checksum")),
        (zipped(HELLO, size=601), ("a/one.txt", "damaged", "601 bytes")),
        (zipped(HELLO, size=599), ("a/one.txt", "damaged")),
        (zipped(HELLO, DEFLATE, size=10), ("a/one.txt", "damaged", "10 bytes")),
        (zipped(HELLO, STORED, size=10), ("a/one.txt", "damaged", "10 bytes")),
    ],
)
def test_zip_files_that_are_refused(data: bytes, words: tuple[str, ...]) -> None:
    refused(data, *words)


def test_members_of_one_name_where_the_last_counts() -> None:
    archive = archive_of(laid(zipped([("a", b"1"), ("b", b"2"), ("a", b"3")])), superseded=True)
    assert ([one.name for one in archive.members], archive.superseded) == (["b", "a"], 1)
    assert read_member(archive, "a") == b"3"


def test_members_that_overlap() -> None:
    data = zipped([("a", b"1" * 50), ("b", b"2" * 50)], STORED)
    at = data.rfind(b"PK\1\2")
    refused(data[: at + 42] + struct.pack("<I", 10) + data[at + 46 :], "overlaps")
    refused(data[: at + 42] + struct.pack("<I", 0) + data[at + 46 :], "damaged", "at the same place")


@pytest.mark.parametrize("method", [DEFLATE, ZSTD])
def test_more_comes_out_than_is_allowed(method: int) -> None:
    data = zipped([("bomb", b"0" * 5_000_000)], method)
    assert len(data) < 20_000
    refused(data, "bomb", "too large", "5,000,000 bytes, where 4,000,000", "source.max_decoded=BYTES", most=4_000_000)
    small = zipped([("bomb", b"0" * 5_000_000)], method, size=100)
    refused(small, "bomb", "damaged")


def test_all_together_may_not_be_implausibly_large() -> None:
    members = tuple(Member(str(i), ZSTD, 0, 10, 400 << 20, 60 * i) for i in range(4))
    file = laid(DATA)
    with pytest.raises(DataError, match="more than is plausible"):
        check_sizes(file, members)
    check_sizes(file, members[:2])
    check_sizes(File("a.zip", most=2 << 30), members)


def test_too_many_members() -> None:
    data = zipped(HELLO)
    at = data.rfind(b"PK\5\6")
    full = data[:at] + struct.pack(
        "<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFE, 0xFFFE, *struct.unpack("<12xII2x", data[at:]), 0
    )
    refused(full, "damaged", "fewer than 65,534 members")
    huge = wide(zipped(HELLO))
    at = huge.rfind(b"PK\6\6")
    refused(huge[: at + 24] + struct.pack("<QQ", 10**9, 10**9) + huge[at + 40 :], "too many members", "1,000,000,000")


def test_a_large_directory_takes_little_room() -> None:
    file = laid(zipped([(f"samples/{i:09}_epoch_1.json", b"{}") for i in range(5_000)]))
    tracemalloc.start()
    try:
        archive = archive_of(file)
        assert tracemalloc.get_traced_memory()[0] / 5_000 < 160  # bytes a member, of which its name takes 82
    finally:
        tracemalloc.stop()
    assert [archive.members[i].name[8:17] for i in (0, -1)] == ["000000000", "000004999"]
    assert archive.members[-1] == archive.members[4_998:][1] == archive.named("samples/000004999_epoch_1.json")
    with pytest.raises(IndexError):
        archive.members[5_000]


def test_what_begins_as_a_zip_file() -> None:
    Path("b").write_bytes(b"PK\3\4")
    Path("c").write_bytes(b"{}")
    assert (is_zip("b"), is_zip("c")) == (True, False)


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
@example(len(DATA) - 12, 2)  # of two members: the record at the end says none
def test_a_changed_byte_is_noticed_or_does_no_harm(at: int, change: int) -> None:
    path = f"changed-{os.getpid()}.zip"
    Path(path).write_bytes(DATA[:at] + bytes([DATA[at] ^ change]) + DATA[at + 1 :])
    with suppress(DataError):
        archive = archive_of(File(path))
        assert {read_member(archive, one.name) for one in archive.members} == {b"hello " * 100, b""}
