"""What reading a file is held to: unpacking alone, the fastest decoder at hand alone, and plain Python."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from auditfw.components.files import zstd
from auditfw.components.files.archive import LOCAL, archive_of
from auditfw.components.files.files import File

Row = tuple[str, Any, Any, Any]  # id, output, ground truth, stored label

PIECE = 1 << 21
COLUMNS = ("id", "raw_text", "ground_truth", "stored")


def pieces(path: str) -> Iterator[bytes]:
    """A file's bytes, decompressed."""
    with open(path, "rb") as stream:
        if path.endswith(".gz"):
            source: Any = gzip.GzipFile(fileobj=stream)
        elif path.endswith(".zst"):
            source = zstd.library().open(stream)
        else:
            source = stream
        while data := source.read(PIECE):
            yield data


def unpacked(path: str) -> int:
    """The bytes of a file, decompressed."""
    parts = (data for _, data in members(path)) if path.endswith(".eval") else pieces(path)
    return sum(map(len, parts))


def members(path: str) -> Iterator[tuple[str, bytes]]:
    """The members of a log of Inspect with what they hold, read and unpacked one by one, their checksums tried."""
    decompress = zstd.library().decompress
    with open(path, "rb") as stream:
        for member in archive_of(File(path)).members:
            stream.seek(member.offset)
            start = LOCAL + len(member.name.encode())
            data = decompress(stream.read(start + member.packed)[start:])
            if zlib.crc32(data) != member.checksum:
                raise ValueError(member.name)
            yield member.name, data


def _samples(path: str) -> Iterator[bytes]:
    return (data for name, data in members(path) if name.startswith("samples/"))


def _blocks(path: str) -> Iterator[bytes]:
    """The file in blocks of whole lines."""
    rest = b""
    for data in pieces(path):
        end = data.rfind(b"\n") + 1
        yield rest + data[:end]
        rest = data[end:]
    yield rest


@cache
def _struct(*names: str) -> Any:
    import msgspec

    return msgspec.defstruct("Record", [(name, object, None) for name in names], gc=False)


def typed_lines(path: str, *names: str) -> int:
    """The records of JSON Lines by msgspec, only the fields named made."""
    import msgspec

    decode = msgspec.json.Decoder(_struct(*(names or COLUMNS))).decode_lines
    return sum(len(decode(block)) for block in _blocks(path))


def typed_array(path: str) -> int:
    """The records of a JSON array by msgspec, only the fields named made; the whole file in memory."""
    import msgspec

    with open(path, "rb") as stream:
        return len(msgspec.json.Decoder(list[_struct(*COLUMNS)]).decode(stream.read()))  # type: ignore[misc]


def typed_samples(path: str) -> int:
    """The samples of an Inspect log unpacked, and decoded by msgspec, only what is read of them made."""
    import msgspec

    decode = msgspec.json.Decoder(_struct("id", "epoch", "target", "output", "scores")).decode
    return sum(decode(data) is not None for data in _samples(path))


def polars_csv(path: str) -> int:
    """The rows of CSV by Polars, as a frame of the columns named; the whole file in memory."""
    import polars as pl

    return pl.read_csv(path, columns=list(COLUMNS), infer_schema=False).height


def polars_parquet(path: str) -> int:
    """The rows of Parquet by Polars, as a frame of the columns named."""
    import polars as pl

    return pl.read_parquet(path, columns=list(COLUMNS)).height


SAMPLE = ("doc_id", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "exact_match")
DECODERS: Mapping[str, Callable[[str], int]] = {
    "jsonl": typed_lines,
    "jsonl.gz": typed_lines,
    "jsonl.zst": typed_lines,
    "json": typed_array,
    "csv": polars_csv,
    "parquet": polars_parquet,
    "lm_eval": lambda path: typed_lines(path, *SAMPLE),
    "inspect": typed_samples,
}


def plain(name: str, path: str) -> Iterator[Row]:
    """The rows as a script of few lines reads them, with `json` and `csv`."""
    if name == "json":
        with open(path, encoding="utf-8") as text:
            yield from (_row(record) for record in json.load(text))
    elif name == "csv":
        with open(path, encoding="utf-8", newline="") as text:
            yield from (_row(record) for record in csv.DictReader(text))
    elif name == "parquet":
        import polars as pl

        yield from pl.read_parquet(path, columns=list(COLUMNS)).select(COLUMNS).iter_rows()
    elif name == "inspect":
        yield from _plain_samples(path)
    else:
        for block in _blocks(path):
            for line in block.splitlines():
                yield (_sample if name == "lm_eval" else _row)(json.loads(line))


def _row(record: Mapping[str, Any]) -> Row:
    return record["id"], record["raw_text"], record["ground_truth"], record["stored"]


def _sample(record: Mapping[str, Any]) -> Row:
    word = f"{record['doc_id']}/{record['filter']}/0"
    return word, record["resps"][0][0], record["target"], record["exact_match"]


def _plain_samples(path: str) -> Iterator[Row]:
    for one in map(json.loads, _samples(path)):
        label = one["scores"]["match"]["value"] == "C"
        yield f"{one['id']}#{one['epoch']}", one["output"]["completion"], one["target"], label
