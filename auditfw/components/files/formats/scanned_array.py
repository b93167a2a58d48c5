"""Records of a JSON array by the native scanner: where they end comes first, and whoever has a block looks into it.

Whatever is in the least unusual is left to the strict reader, which begins again at the start: so there is one place
that says what is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from auditfw.components.files.file_settings import Records
from auditfw.components.files.file_source import ROWS
from auditfw.components.files.files import File, is_compressed
from auditfw.components.files.keys import FORMAT, Keys
from auditfw.components.files.looks.column_names import COMMON
from auditfw.core.native import compiled, native_kernel
from auditfw.core.native.columns import marked
from auditfw.core.notes import Remark

from .blocks import ODD_ROWS, rows_of, span
from .scanned_cells import BLOCK, BOM, OTHER, Piece, UnusualError, is_utf8, more, piece_of
from .strict_json import Reader, RefusedError, mended

MORE, END = 0, 1  # what follows the objects


class StrictArray(Protocol):
    """The strict reader of a file that holds one array."""

    @property
    def encoding(self) -> str: ...

    def refuse(self, file: File) -> None:
        """Raises DataError for what is wrong with it."""
        ...


@dataclass(frozen=True)
class Elements:
    """A block of records, whose bytes are a `piece` of the file."""

    strict: StrictArray
    file: File
    columns: frozenset[str] | None
    start: int
    line: int
    count: int
    piece: Piece

    def __call__(self) -> Records:
        kernel, data = compiled(), self.piece.content()
        names = sorted(self.columns or ())
        assert kernel is not None
        whole, *held = kernel.elements(data, ((), *((name.encode(),) for name in names)), self.count)
        lines, before, line = [], 0, self.line
        for at in memoryview(whole[0]).cast("I"):
            line += data.count(b"\n", before, at)
            before = at
            lines.append(line)
        got = Records([], range(self.start, self.start + self.count), lines)
        odd = self._odd(data, whole, got)
        columns = None if self.columns is None else dict(zip(names, held, strict=True))
        got.rows = rows_of(kernel, data, whole, columns, odd)
        return got

    def _odd(self, data: bytes, whole: tuple[bytes, bytes, bytes], got: Records) -> dict[int, Any]:
        """The records that the strict reader takes, and notes what was odd. Raises DataError."""
        odd, reader, halves = dict[int, Any](), Reader(), Counter[str]()
        for i in marked(whole[2], ODD_ROWS):
            try:
                row = reader.parse(data[slice(*span(whole, i))].decode("utf-8", "surrogateescape"))
            except RefusedError as error:
                self.strict.refuse(self.file)
                raise error.as_error(f"{self.file.path}:{(got.lines or ())[i]}") from None
            kept = row if self.columns is None else {name: v for name, v in row.items() if name in self.columns}
            odd[i], n = mended(kept)
            if n:
                remark = "bytes or escapes that are not characters, read as U+FFFD"
                halves[Remark(remark, self.file.path, f"line {(got.lines or ())[i]}")] += n
        got.notes, got.unfinite = halves, reader.unfinite
        return odd


def elements(strict: StrictArray, file: File, stream: BinaryIO, columns: frozenset[str] | None) -> Iterator[Elements]:
    """The blocks of records of a file that is one array. Raises UnusualError where it is not, behind sound blocks."""
    kernel = native_kernel()
    if kernel is None or not is_utf8(strict.encoding) or OTHER in (columns or ()):
        raise UnusualError
    rest, at = _begun(more(stream, BLOCK))
    plain = not is_compressed(file)
    start, line, state, base = 1, 1 + rest.count(b"\n", 0, at), MORE, 0
    while state == MORE:
        count, end, state = kernel.objects(rest, at, ROWS)
        if state not in (MORE, END) or (state == END and not count):
            raise UnusualError
        if count:
            data = rest[at:end]
            piece = piece_of(file.path, base + at, data, plain)
            yield Elements(strict, file, columns, start, line, count, piece)
            start, line, at = start + count, line + kernel.ends(data), end
        if state == MORE and (not count or end >= len(rest)):
            further = more(stream, max(BLOCK, len(rest) - at))
            if not further:
                raise UnusualError
            base, rest, at = base + at, rest[at:] + further, 0
    while not rest[at:].strip(b" \t\r\n"):
        rest, at = more(stream, BLOCK), 0
        if not rest:
            return
    raise UnusualError


def _begun(data: bytes) -> tuple[bytes, int]:
    """The start of a file, and where its first record may be. Raises UnusualError where it does not begin an array."""
    text = data.removeprefix(BOM)
    at = len(data) - len(text.lstrip(b" \t\r\n"))
    if data[at : at + 1] != b"[":
        raise UnusualError
    return data, at + 1


# Records of a JSON text that were read strictly, as a block.


@dataclass(frozen=True)
class HeldText:
    """A block whose records were read already."""

    rows: tuple[dict[str, Any], ...]
    start: int
    path: str
    lines: tuple[int, ...]
    unfinite: bool = False
    left_out: int = 0

    @property
    def count(self) -> int:
        return len(self.rows)

    def __call__(self) -> Records:
        notes = Counter[str]()
        if self.left_out:
            notes[Remark("values next to the records that are not objects were left out", self.path)] = self.left_out
        pairs = [mended(row) for row in self.rows]
        for line, (_, halves) in zip(self.lines, pairs, strict=True):
            if halves:
                remark = "bytes or escapes that are not characters, read as U+FFFD"
                notes[Remark(remark, self.path, f"line {line}")] += halves
        numbers = range(self.start, self.start + len(self.rows))
        return Records([row for row, _ in pairs], numbers, self.lines, notes=notes, unfinite=self.unfinite)


# Which array inside a JSON object holds the records: for messages that say what to write.

DEEPEST = 4  # keys that lead to an array
LOOKED_AT = 200  # elements of an array
LISTED = 3  # arrays none of which has keys that records often have
LIKE_ONE = 3  # usual keys of an object that looks like a record
FURTHER = (
    "annotations", "base_status", "category", "origin_prompt", "plus_status", "predictions", "rating",
    "reasoning", "task", "text",
)  # fmt: skip
ALSO = {name.replace("_", "") for names in (*COMMON.values(), FURTHER) for name in names}  # as keys in lower case
TURN = frozenset(("role", "content"))  # what a turn of a chat has
USUAL = frozenset(
    (
        "id", "doc_id", "sample_id", "qid", "input", "question", "prompt", "query", "output", "completion", "response",
        "prediction", "answer", "target", "truth", "ground_truth", "expected", "label", "score", "scores", "correct",
    )
)  # fmt: skip


@dataclass(frozen=True)
class FoundArray:
    """An array of objects, or an object of objects, below some keys.

    `turns` says that they are turns of a chat, `usual` how many keys all have that records often have; `rank` puts the
    likeliest first.
    """

    keys: tuple[str, ...]
    size: int
    keyed: bool
    turns: bool
    usual: int
    rank: tuple[int, ...]

    @property
    def path(self) -> str:
        return ".".join(self.keys)


def advice(whole: Mapping[str, Any], mapped: Sequence[str], keys: Keys) -> str:
    """What to write to read the records inside an object; `mapped` are the addresses that columns are mapped to."""
    wanted = {re.split(r"[.\[]", text)[0] for text in mapped if not text.startswith("#")}
    wanted |= {text for one in mapped for text in re.findall(r"\{([^{}.\[]+)", one)}
    if _is_record(whole, wanted):
        line = f"on one line for {keys.format('jsonl')}"
        return keys.advice("it looks like one record: write it into an array, [{...}]", (line, FORMAT), between=", or ")
    arrays = sorted(_arrays(whole, (), wanted), key=lambda one: one.rank, reverse=True)
    if not arrays:
        return "there is no array of objects in it: write the records as an array, [{...}, ...]"
    first = arrays[0]
    if first.keyed:
        where = f"the object at '{first.path}'" if first.keys else "the object"
        members = f"{first.path}.*" if first.keys else "*"
        record = f"write {keys.of('records')}='{members}'"
        return f"{where} holds {first.size:,} records by key: " + keys.advice((record, "records"))
    if any("." in key for key in first.keys):
        return f"the records seem to be at '{first.path}': rename the key that has a dot"
    several = [one for one in arrays if not one.turns]
    if not several:
        return f"no array in it looks like samples, '{first.path}' holds turns of a chat: write the samples as an array"
    setting = keys.of("records")
    if first.usual or len(several) == 1:
        return keys.advice((f"write {setting}={first.path}", "records"))
    listed = ", ".join(f"{one.path} ({one.size:,} objects)" for one in several[:LISTED])
    return keys.advice((f"set {setting} to the array of the samples: {listed}", "records"))


def records_at(whole: Mapping[str, Any]) -> str | None:
    """The setting `records` for the likeliest records inside an object; None where nothing looks like them."""
    arrays = sorted(_arrays(whole, (), set()), key=lambda one: one.rank, reverse=True)
    if not arrays or arrays[0].turns or any("." in key for key in arrays[0].keys):
        return None
    return ".".join([*arrays[0].keys, *(["*"] if arrays[0].keyed else [])])


def _is_record(whole: Mapping[str, Any], wanted: set[str]) -> bool:
    """Whether an object looks like a record itself: no array in it has more of the columns that are mapped."""
    arrays = (part for part in whole.values() if isinstance(part, list) and part and isinstance(part[0], dict))
    inner = max((len(wanted & part[0].keys()) for part in arrays), default=0)
    return len(wanted & whole.keys()) > inner or (not wanted and len(USUAL & whole.keys()) >= LIKE_ONE)


def _arrays(value: Mapping[str, Any], keys: tuple[str, ...], wanted: set[str]) -> Iterator[FoundArray]:
    """What may be the records inside an object; what is inside an array belongs to one of its elements."""
    firsts = {key: part[0] if _of_objects(part) else part for key, part in value.items()}
    members = {key: part for key, part in firsts.items() if isinstance(part, dict) and part}
    numbered = all(key.isdecimal() for key in members)
    if len(members) > 1 and (numbered or len(members) == len(value)):
        keyed = _found(keys, list(members.values()), True, wanted)
        if keyed.usual > 1 or (keyed.usual and numbered):
            yield keyed
            return
    for key, part in value.items():
        inner = (*keys, key)
        if _of_objects(part):
            yield _found(inner, part, False, wanted)
        elif isinstance(part, dict) and len(inner) < DEEPEST:
            yield from _arrays(part, inner, wanted)


def _of_objects(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(one, dict) for one in part)


def _found(keys: tuple[str, ...], parts: Sequence[Any], keyed: bool, wanted: set[str]) -> FoundArray:
    names: set[str] = set().union(*(part.keys() for part in parts[:LOOKED_AT]))
    common = set.intersection(*(set(part) for part in parts[:LOOKED_AT]))
    turns = common >= TURN
    usual = sum(key in USUAL or key in wanted or key.lower().replace("_", "") in ALSO for key in common)
    rank = (len(names & wanted), not turns, min(2, usual), len(parts), -len(keys))
    return FoundArray(keys, len(parts), keyed, turns and not wanted & names, usual, tuple(map(int, rank)))
