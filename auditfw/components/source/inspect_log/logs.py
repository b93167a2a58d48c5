"""Inspect logs as files: .eval, a zip file with a member a sample, and .json, one document."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from auditfw.components.files.archive import (
    Archive,
    Member,
    Unpacker,
    archive_of,
    check_sizes,
    is_zip,
    read_member,
    room_of,
)
from auditfw.components.files.files import File
from auditfw.components.files.formats.strict_json import Reader, RefusedError
from auditfw.core.document import some, verb
from auditfw.core.errors import DataError
from auditfw.core.inputs import FilePart, file_part

from .decoding import faults, list_of, part_of
from .documents import Span, document_parts, spread
from .head import LogHead, head_of
from .samples import SampleText

GROUP_BYTES, GROUP_SAMPLES, GAP = 4 << 20, 512, 1 << 20
HEADER, START = "header.json", "_journal/start.json"
_PLACE = re.compile(r"\d{1,18}\.json", re.ASCII)
SAMPLES, SHELL = "samples/", "/sample.json"


class SampleGroup(Protocol):
    """Some samples of a log that one task reads."""

    @property
    def count(self) -> int: ...

    def samples(self) -> Iterator[SampleText]: ...


class Log(Protocol):
    """A log: its head, how many samples it has, and these in groups whose bounds depend on the file alone."""

    @property
    def file(self) -> File: ...

    @property
    def head(self) -> LogHead: ...

    @property
    def count(self) -> int: ...

    @property
    def names(self) -> Sequence[str] | None:
        """ID_epoch_N of each sample, in order; None where they are not known without reading the samples."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]: ...

    def groups(self, size: int = GROUP_BYTES) -> Iterator[SampleGroup]: ...


def log_of(file: File) -> Log:
    """Opens a log and reads its head. Raises DataError."""
    return _eval_log(file) if is_zip(file.path) or file.path.endswith(".eval") else _json_log(file)


def _head(data: bytes, file: File, where: str, killed: bool = False) -> LogHead:
    try:
        document = Reader().parse(data.decode("utf-8-sig", "surrogateescape"))
    except RefusedError as error:
        raise error.as_error(where) from None
    return head_of(document, file.path, killed)


class StoredSample(NamedTuple):
    """The name of a sample in its archive, its member, and the further ones of a sample that is kept in parts."""

    name: str
    member: Member
    parts: tuple[Member, ...] = ()


@dataclass(frozen=True)
class MemberGroup:
    """Some samples of an archive, which are read at once."""

    file: File
    stored: tuple[StoredSample, ...]
    first: int

    @property
    def count(self) -> int:
        return len(self.stored)

    def file_parts(self) -> list[FilePart]:
        """What another process reads of the file."""
        first, last = self.stored[0].member.offset, self.stored[-1].member.end
        apart = (part for one in self.stored for part in one.parts if not first <= part.offset < last)
        spans = [(first, last)]
        for part in sorted(apart, key=lambda part: part.offset):
            begin, end = spans[-1]
            if begin <= part.offset <= end + GAP:
                spans[-1] = begin, max(part.end, end)
            else:
                spans.append((part.offset, part.end))
        return [file_part(self.file.path, *span) for span in spans]

    def samples(self) -> Iterator[SampleText]:
        """The samples, unpacked one by one. Raises DataError."""
        start, end = self.stored[0].member.offset, self.stored[-1].member.end
        room, unpack = memoryview(room_of(self.file.path, start, end)), Unpacker(self.file)
        for number, (name, member, parts) in enumerate(self.stored, self.first):
            data = unpack(member, room[member.offset - start : member.end - start])
            where = f"{self.file.path}:{member.name}"
            yield SampleText(number, where, self._joined(data, parts, unpack, where) if parts else data, name)

    def _joined(self, shell: bytes, parts: Sequence[Member], unpack: Unpacker, where: str) -> bytes:
        """The sample whose metadata and attachments are members of their own, as one JSON text."""
        further: dict[str, Any] = {}
        for part in parts:
            data = unpack(part, room_of(self.file.path, part.offset, part.end))
            try:
                value = part_of(data)
            except faults() as error:
                raise DataError(f"{self.file.path}:{part.name}", "is not JSON", str(error)) from None
            if isinstance(value, dict):
                further["metadata"] = value
            elif isinstance(value, list):
                texts = further.setdefault("attachments", {})
                begin = int(part.name.rpartition("/")[2].removesuffix(".json"))
                texts.update({str(i): text for i, text in enumerate(value, begin)})
        whole = shell.rstrip()
        if not whole.endswith(b"}"):
            raise DataError(where, "the sample is cut off", None, "copy the log again")
        return whole[:-1] + b"," + json.dumps(further).encode()[1:] if further else whole


@dataclass(frozen=True)
class EvalLog:
    """A log that is an archive."""

    archive: Archive
    head: LogHead

    @property
    def file(self) -> File:
        return self.archive.file

    @property
    def count(self) -> int:
        return len(self._order)

    @property
    def names(self) -> Sequence[str]:
        return [stored.name for stored in self._stored]

    @property
    def remarks(self) -> tuple[str, ...]:
        n = self.archive.superseded
        were, are = verb(n, "was", "were"), verb(n, "is", "are")
        message = f"{self.file.path}: {some(n, 'member')} that {were} written again later {are} not read"
        return (message,) if n else ()

    @cached_property
    def _parts(self) -> dict[str, list[Member]]:
        """The further members of the samples that are kept in parts."""
        shells = {name.removesuffix(SHELL) for name in self.archive.members.names if _is_sample(name, SHELL)}
        parts: dict[str, list[Member]] = {shell: [] for shell in shells}
        for one in self.archive.members if shells else ():
            folder, _, name = one.name.rpartition("/")
            owner = folder.removesuffix("/attachments")
            if owner in shells and (name == "metadata.json" if owner == folder else _PLACE.fullmatch(name)):
                parts[owner].append(one)
        return parts

    @cached_property
    def _order(self) -> array[int]:
        """Where in the directory the samples are, in the order in which they are in the file."""
        members = self.archive.members
        begins = members.offsets()
        places = (i for i, name in enumerate(members.names) if _is_sample(name) and self._is_whole(name))
        return array("Q", sorted(places, key=begins.__getitem__))

    def _is_whole(self, name: str) -> bool:
        """Whether a member is a sample, or its shell, and no part of one."""
        return not self._parts or name.removesuffix(SHELL) in self._parts or not _within(name, self._parts)

    @property
    def _stored(self) -> Iterator[StoredSample]:
        """The samples in the order in which they are in the file, each made when it is asked for."""
        for place in self._order:
            one: Member = self.archive.members[place]
            path = one.name.removesuffix(SHELL)
            if path in self._parts:
                yield StoredSample(path[len(SAMPLES) :], one, tuple(self._parts[path]))
            else:
                yield StoredSample(one.name[len(SAMPLES) : -len(".json")], one)

    def groups(self, size: int = GROUP_BYTES) -> Iterator[MemberGroup]:
        """The samples in groups of so many bytes in the file."""
        check_sizes(self.file, (one for stored in self._stored for one in (stored.member, *stored.parts)))
        held: list[StoredSample] = []
        first = 1
        for stored in self._stored:
            full = len(held) >= GROUP_SAMPLES
            if held and (full or _apart(held[0].member, held[-1].member, stored.member, size)):
                yield MemberGroup(self.file, tuple(held), first)
                first += len(held)
                held = []
            held.append(stored)
        if held:
            yield MemberGroup(self.file, tuple(held), first)


def _is_sample(name: str, end: str = ".json") -> bool:
    return name.startswith(SAMPLES) and name.endswith(end)


def _apart(first: Member, last: Member, after: Member, size: int) -> bool:
    """Whether another member is too much for a group of this size, or too far behind it."""
    return after.end - first.offset > size or after.offset - last.end > GAP


def _within(path: str, shells: Collection[str]) -> bool:
    """Whether a member is a part of a sample that is kept in parts."""
    folders = path.split("/")
    return any("/".join(folders[:n]) in shells for n in range(2, len(folders)))


def _eval_log(file: File) -> EvalLog:
    archive = archive_of(file, superseded=True)
    data, name = read_member(archive, HEADER), HEADER
    if data is None:
        data, name = read_member(archive, START), START
    if data is None:
        names = archive.members.names
        detail = f"its members are {', '.join(names[:5])}" if names else None
        raise DataError(file.path, "is a zip file and not an Inspect log", detail, f"an Inspect log has a {HEADER}")
    return EvalLog(archive, _head(data, file, f"{file.path}:{name}", name == START))


@dataclass(frozen=True)
class SpanGroup:
    """Some samples of one JSON document, by where they are in the file."""

    file: File
    spans: tuple[Span, ...]
    first: int

    @property
    def count(self) -> int:
        return len(self.spans)

    def file_parts(self) -> list[FilePart]:
        """What another process reads of the file."""
        return [file_part(self.file.path, self.spans[0][0], self.spans[-1][1])]

    def samples(self) -> Iterator[SampleText]:
        start = self.spans[0][0]
        room = room_of(self.file.path, start, self.spans[-1][1])
        for number, (begin, end) in enumerate(self.spans, self.first):
            yield SampleText(number, f"{self.file.path}: sample {number}", room[begin - start : end - start])


@dataclass(frozen=True)
class HeldGroup:
    """Some samples of one JSON document, held as they were read."""

    file: File
    texts: tuple[bytes, ...]
    first: int

    @property
    def count(self) -> int:
        return len(self.texts)

    def samples(self) -> Iterator[SampleText]:
        for number, data in enumerate(self.texts, self.first):
            yield SampleText(number, f"{self.file.path}: sample {number}", data)


@dataclass(frozen=True)
class JsonLog:
    """A log that is one JSON document: where its samples are, or what they are."""

    file: File
    head: LogHead
    spans: tuple[Span, ...] = ()
    texts: tuple[bytes, ...] = ()
    names: None = None
    remarks: tuple[str, ...] = field(default=())

    @property
    def count(self) -> int:
        return len(self.spans or self.texts)

    def groups(self, size: int = GROUP_BYTES) -> Iterator[SampleGroup]:
        sizes = [end - begin for begin, end in self.spans] or list(map(len, self.texts))
        start, held = 0, 0
        for at, more in enumerate(sizes, 1):
            held += more
            if held >= size or at - start >= GROUP_SAMPLES or at == len(sizes):
                if self.spans:
                    yield SpanGroup(self.file, self.spans[start:at], start + 1)
                else:
                    yield HeldGroup(self.file, self.texts[start:at], start + 1)
                start, held = at, 0


def _json_log(file: File) -> JsonLog:
    """Opens a log of one JSON document: by its lines as Inspect writes them, else as a whole."""
    layout = spread(file)
    if layout is not None:
        return JsonLog(file, _head(layout.head, file, file.path), spans=layout.spans)
    parts = document_parts(file)
    try:
        samples = list_of(parts.pop("samples", None))
    except faults():
        raise DataError(file.path, "the samples are not a list", None, "write the log again") from None
    head = b"{" + b",".join(json.dumps(key).encode() + b":" + bytes(value) for key, value in parts.items()) + b"}"
    return JsonLog(file, _head(head, file, file.path), texts=tuple(samples))
