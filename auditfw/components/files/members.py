"""Members of a zip file, stored, deflated or compressed with zstd.

Nothing is written to disk, and no more comes out of a member than its directory says.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from auditfw.core.errors import DataError

from . import zstd
from .archive import LOCAL, Archive, Member, check_sizes
from .files import File

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
