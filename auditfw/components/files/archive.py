"""The directory of a zip file: its members, where each is and how it is compressed, within limits."""

from __future__ import annotations

import os
import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

from auditfw.core.errors import DataError

from . import zstd
from .files import FREE_OUTPUT, RATIO, File

LARGEST_MEMBER = 512 << 20
LARGEST_DIRECTORY = 256 << 20
MOST_MEMBERS = 1_000_000
ENCRYPTED = 0x1 | 0x40 | 0x2000
UTF8 = 0x800

_END, _END64, _LOCATOR = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_END_SIZE, _LOCATOR_SIZE, _LONGEST_COMMENT = 22, 20, 0xFFFF
_ENTRY = struct.Struct("<4s4x2H4x3I3H8xI")  # an entry of the directory without its versions, times and attributes
NUMBERS = 6  # of a member, besides its name
OFFSET = 4  # which of them says where it begins
LOCAL = 30  # bytes before a member's name where the member is
_FULL64 = 0xFFFFFFFF


class Member(NamedTuple):
    """A member of a zip file: how it is compressed, its bytes packed and unpacked, and where it is.

    `end` is where its room in the file ends: where the next member begins.
    """

    name: str
    method: int
    checksum: int
    packed: int
    size: int
    offset: int
    end: int = 0


class Members(Sequence[Member]):
    """Members in little room: their names, and the numbers of all of them in one array. There may be very many."""

    def __init__(self, members: Iterable[Member] = ()) -> None:
        self.names: list[str] = []
        self._numbers = array("Q")
        for name, *numbers in members:
            self.names.append(name)
            self._numbers.extend(numbers)

    def end_at(self, place: int, end: int) -> None:
        """Notes where the room of a member ends."""
        self._numbers[(place + 1) * NUMBERS - 1] = end

    def kept(self, places: Sequence[int]) -> Members:
        """The members at these places alone."""
        return Members(map(self.__getitem__, places))

    def offsets(self) -> array[int]:
        """Where each member begins."""
        return self._numbers[OFFSET::NUMBERS]

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = range(len(self))[place]
        return Member(self.names[i], *self._numbers[i * NUMBERS : (i + 1) * NUMBERS])


@dataclass(frozen=True)
class Archive:
    """The members of a zip file in the order of its directory, each name once.

    `superseded` says how many further members there are whose name another has, later in the directory.
    """

    file: File
    members: Members
    superseded: int = 0

    def named(self, name: str) -> Member | None:
        """The member of this name, None where there is none."""
        names = self.members.names
        return self.members[names.index(name)] if name in names else None


def is_zip(path: str) -> bool:
    """Whether a file begins as a zip file does, or holds nothing but the end of one."""
    with open(path, "rb") as stream:
        return stream.read(4) in (b"PK\3\4", _END)


def archive_of(file: File, superseded: bool = False) -> Archive:
    """The directory of a zip file; several members of one name are refused unless they may be `superseded`.

    Of these the last counts, as it does for whoever appends to a zip file. Raises DataError.
    """
    path = file.path
    with open(path, "rb") as stream:
        count, size, start = _end(stream, path)
        stream.seek(start)
        data = stream.read(size)
    entries = Members(_entries(data, count, path))
    once = len(set(entries.names)) == len(entries)
    if not once and not superseded:
        seen: set[str] = set()
        twice = next(name for name in entries.names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(path, "two members have the same name", twice, "write it again")
    _place(entries, start, path)
    kept = entries if once else entries.kept(sorted({name: i for i, name in enumerate(entries.names)}.values()))
    return Archive(file, kept, len(entries) - len(kept))


def _end(stream: BinaryIO, path: str) -> tuple[int, int, int]:
    """How many entries the directory has, its size and where it begins, by the record at the end of the file."""
    whole = stream.seek(0, os.SEEK_END)
    tail_start = max(0, whole - _END_SIZE - _LONGEST_COMMENT - _LOCATOR_SIZE)
    stream.seek(tail_start)
    tail = stream.read()
    at = _place_of_end(tail)
    if at < 0:
        raise _no_end(stream, path)
    count, size, start = struct.unpack("<10xHII2x", tail[at : at + _END_SIZE])
    before = at - _LOCATOR_SIZE
    if before >= 0 and tail[before : before + 4] == _LOCATOR:
        (place,) = struct.unpack("<8xQ4x", tail[before:at])
        stream.seek(min(place, whole))
        record = stream.read(56)
        if len(record) < 56 or record[:4] != _END64:
            raise _damaged(path, "its directory is missing")
        count, size, start = struct.unpack("<32xQQQ", record)
    if start + size > tail_start + at:
        raise _damaged(path, "its directory is not where its last record says")
    if count > MOST_MEMBERS or size > LARGEST_DIRECTORY:
        raise DataError(path, "has too many members", f"{count:,}, where {MOST_MEMBERS:,} are allowed", "split it")
    return count, size, start


def _place_of_end(tail: bytes) -> int:
    """Where the record that ends a zip file begins: the last whose comment ends with the file, else the last at all."""
    last = at = tail.rfind(_END, 0, len(tail) - _END_SIZE + len(_END))
    while at >= 0 and at + _END_SIZE + int.from_bytes(tail[at + 20 : at + 22], "little") != len(tail):
        at = tail.rfind(_END, 0, at)
    return last if at < 0 else at


def _no_end(stream: BinaryIO, path: str) -> DataError:
    """The error for a file without the record that ends a zip file."""
    stream.seek(0)
    if stream.read(2) == b"PK":
        do = "copy it again, or recover its content with zip -FF FILE --out NEW"
        return DataError(path, "the zip file is cut off", "it has no directory at its end", do)
    return DataError(path, "is not a zip file", None, "name another file")


def _damaged(path: str, detail: str) -> DataError:
    return DataError(path, "the zip file is damaged", detail, "copy it again")


def _entries(data: bytes, count: int, path: str) -> Iterator[Member]:
    """The entries of the directory, as they come."""
    at = 0
    for _ in range(count):
        if len(data) - at < _ENTRY.size or data[at : at + 4] != b"PK\1\2":
            raise _damaged(path, f"its directory holds fewer than {count:,} members")
        _, *numbers = _ENTRY.unpack_from(data, at)
        flags, method, checksum, packed, size, length, extra, comment, offset = numbers
        name_end = at + _ENTRY.size + length
        name = _name(data[at + _ENTRY.size : name_end], flags, path)
        if _FULL64 in (packed, size, offset):
            size, packed, offset = _wide(data[name_end : name_end + extra], (size, packed, offset), path)
        at = name_end + extra + comment
        if flags & ENCRYPTED:
            raise DataError(f"{path}:{name}", "the member is encrypted", None, "unpack it first")
        yield Member(name, method, checksum, packed, size, offset)
    if data[at : at + 4] == b"PK\1\2":
        raise _damaged(path, f"its directory holds more than {count:,} members")


def _name(data: bytes, flags: int, path: str) -> str:
    """A member's name. Raises DataError for one that leads out of the archive."""
    name = data.decode("utf-8" if flags & UTF8 or not data.isascii() else "ascii", "surrogateescape")
    name = name.encode("utf-8", "replace").decode() if not name.isascii() else name
    parts = name.replace("\\", "/").split("/")
    if "\0" in name or ".." in parts or name[:1] in ("/", "\\") or not name or name[1:2] == ":":
        raise DataError(path, "the name of a member leads out of the archive", name, "write it again")
    return name


def _wide(extra: bytes, values: Sequence[int], path: str) -> tuple[int, ...]:
    """The numbers of an entry that need more than 32 bits, from its extra field."""
    at, wide = 0, b""
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            wide = extra[at + 4 : at + 4 + length]
        at += 4 + length
    needed = [value == _FULL64 for value in values]
    if len(wide) < 8 * sum(needed):
        raise _damaged(path, "an entry of its directory is too short")
    numbers = iter(struct.unpack_from(f"<{sum(needed)}Q", wide))
    return tuple(next(numbers) if full else value for value, full in zip(values, needed, strict=True))


def _place(entries: Members, directory: int, path: str) -> None:
    """Notes where the room of each member ends. Raises DataError for members that overlap."""
    begins = entries.offsets()
    order = array("Q", sorted(range(len(begins)), key=begins.__getitem__))
    for place, after in pairwise(order):
        if begins[place] == begins[after]:
            raise _damaged(path, "two members start at the same place")
        entries.end_at(place, begins[after])
    if order:
        entries.end_at(order[-1], directory)
    for one in entries:
        if one.offset + LOCAL + one.packed > one.end:
            raise DataError(f"{path}:{one.name}", "the member overlaps another", None, "write it again")


def check_sizes(file: File, members: Iterable[Member]) -> None:
    """Raises DataError where a member of a zip file, or all of them, decode to more than is allowed."""
    most = file.most or LARGEST_MEMBER
    do = file.keys.advice((f"write {file.keys.of('max_decoded')}=BYTES", "max_decoded"))
    whole, plausible = 0, RATIO * os.path.getsize(file.path)
    for one in members:
        whole += one.size
        if one.size > most:
            detail = f"{one.size:,} bytes, where {most:,} are allowed"
            raise DataError(f"{file.path}:{one.name}", "the member is too large", detail, do)
    if whole > max(file.most or 0, FREE_OUTPUT, plausible):
        detail = f"{whole:,} bytes, where {max(file.most or 0, FREE_OUTPUT, plausible):,} are allowed"
        raise DataError(file.path, "decompresses to more than is plausible", detail, do)


# Members of a zip file, stored, deflated or compressed with zstd.

STORED, DEFLATE, ZSTD, OLD_ZSTD = 0, 8, 93, 20
_LOCAL = struct.Struct("<4s22x2H")


def read_member(archive: Archive, name: str) -> bytes | None:
    """What a member holds, None where there is none of this name. Raises DataError."""
    member = archive.named(name)
    if member is None:
        return None
    check_sizes(archive.file, (member,))
    return Unpacker(archive.file)(member, room_of(archive.file.path, member.offset, member.end))


def room_of(path: str, start: int, end: int) -> bytes:
    """The bytes of a file from one place to another."""
    with open(path, "rb") as stream:
        stream.seek(start)
        return stream.read(end - start)


@dataclass
class Unpacker:
    """Unpacks members of one file, by the bytes of their room in it."""

    file: File

    def __call__(self, member: Member, room: bytes | memoryview) -> bytes:
        """What a member holds. Raises DataError where that is not what the directory says."""
        return self._checked(member, self._unpacked(member, _packed(self.file.path, member, room)))

    def _unpacked(self, member: Member, packed: bytes | memoryview) -> bytes:
        try:
            if member.method == DEFLATE:
                machine = zlib.decompressobj(-zlib.MAX_WBITS)
                return machine.decompress(packed, member.size + 1)
            if member.method in (ZSTD, OLD_ZSTD):
                return zstd.decompressed(packed, member.size)
        except zlib.error as error:
            raise _broken(self.file.path, member, str(error)) from None
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise _broken(self.file.path, member, str(error)) from None
        return bytes(packed)

    def _checked(self, member: Member, data: bytes) -> bytes:
        if len(data) != member.size:
            raise _broken(self.file.path, member, f"not the {member.size:,} bytes that its directory says")
        if zlib.crc32(data) != member.checksum:
            raise _broken(self.file.path, member, "its checksum differs")
        return data


def _packed(path: str, member: Member, room: bytes | memoryview) -> memoryview:
    """The compressed bytes of a member within its room."""
    view = memoryview(room)
    start = _start(path, member, view[:LOCAL])
    if start + member.packed > len(view):
        raise _broken(path, member, "it is cut off")
    return view[start : start + member.packed]


def _start(path: str, member: Member, header: bytes | memoryview) -> int:
    """Where the compressed bytes of a member begin within its room, by the header there."""
    if len(header) < LOCAL or header[:4] != b"PK\3\4":
        raise _broken(path, member, "it is not where its directory says")
    if member.method not in (STORED, DEFLATE, ZSTD, OLD_ZSTD):
        known = "known methods: stored (0), deflated (8), zstd (93)"
        raise DataError(f"{path}:{member.name}", "is compressed by an unknown method", member.method, known)
    _, length, extra = _LOCAL.unpack_from(header)
    return int(LOCAL + length + extra)


def _broken(path: str, member: Member, detail: str) -> DataError:
    return DataError(f"{path}:{member.name}", "the member is damaged", detail, "copy the file again")
