"""Records written in a format and spoilt: values, columns, rows and bytes, each decided by a random generator."""

from __future__ import annotations

import contextlib
import copy
import csv
import gzip
import io
import json
import os
import random
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import polars as pl
from fuzzing import WRONG, bitten, changed

from auditfw.components.files import zstd

Record = dict[str, Any]


class Raw(str):
    """A piece of JSON that stands as it is written."""


HOSTILE: tuple[Any, ...] = (
    *WRONG,
    *map(Raw, ("1e999", "-1e999", "-Infinity", "1e-400", "-0", "-0.0", "01", "1.", "9" * 40, "9" * 5000)),
    *map(Raw, (r'"\ud800"', r'"\udc00\ud800"', r'"\u0000"', '"\x01"', '"\x85\u2028"', "[" * 99 + "]" * 99)),
    *map(Raw, ("[" * 5000 + "]" * 5000, '{"a": 1, "a": 2}', "tru", "'a'", "", '{"": {"": null}}', "1" + "0" * 400)),
    *("None", "nan", "1e5", " ", "a\nb", 'a"b,c', "é" * 300, "\u202ex", "true", "-9223372036854775809"),
    *(2**63, 2**64, -(2**63)),
    *([{"type": "text", "text": "Rome"}], {"label": [None]}, [[1, 2], [3]], [[10**30]], {"x": {"y": {"z": []}}}),
)  # fmt: skip
SIGNS = (
    *(b"\0", b"\r", b"\n", b"\r\n", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b'"', b"'", b"\\"),
    *(b",", b";", b"\t", b"{", b"}", b"[", b"]", b":", b"NaN", b"null", b"1e999", b"\\ud800", b"\x1c", b"\xe2\x80\xa8"),
    *(b"\n\n\n", b"\xf4\x90\x80\x80", b"\x1a", b"\x7f", b"9" * 400, b"PAR1", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"),
)


# Values, columns and rows


def spoilt_rows(draw: random.Random, rows: Sequence[Record]) -> list[Any]:
    """The records with a few things about them changed."""
    made: list[Any] = json.loads(json.dumps(rows))
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        made = draw.choice(WAYS)(draw, copy.deepcopy(made))  # hostile values are shared
        made = made if isinstance(made, list) else [made]
    return made


def _renamed(draw: random.Random, rows: list[Any]) -> list[Any]:
    """A column with another name, or gone, or there twice: everywhere or in one record."""
    names = sorted({name for row in rows if isinstance(row, dict) for name in row})
    if not names:
        return rows
    old, one = draw.choice(names), draw.randrange(len(rows)) if draw.random() < 0.4 else None
    new = draw.choice(
        (None, "", "x", "#", "a.b", "a[0]", "\ud800", old.upper(), "id", "label", "#place", draw.choice(names))
    )
    for at, row in enumerate(rows):
        if isinstance(row, dict) and old in row and one in (None, at):
            value = row[old] if draw.random() < 0.3 else row.pop(old)
            row.update({} if new is None else {new: value})
    return rows


def _retyped(draw: random.Random, rows: list[Any]) -> list[Any]:
    """A column of other values, in every record or in some."""
    names = sorted({name for row in rows if isinstance(row, dict) for name in row})
    name = draw.choice(names) if names else ""
    ways: tuple[Callable[[Any], Any], ...] = (
        *(str, lambda _: None, lambda value: [value], lambda value: {"text": value}, lambda _: draw.random() * 10),
        *(lambda _: draw.randrange(-3, 3), lambda _: draw.random() < 0.5, lambda _: draw.choice(HOSTILE), lambda _: ""),
    )
    way, some = draw.choice(ways), draw.choice((0.3, 1.1))
    for row in rows:
        if isinstance(row, dict) and name in row and draw.random() < some:
            row[name] = way(row[name])
    return rows


def _moved(draw: random.Random, rows: list[Any]) -> list[Any]:
    """Records gone, there twice, in another order, or none at all."""
    if not rows:
        return rows
    at = draw.randrange(len(rows))
    ways = (rows[:at], rows[at:], [*rows, rows[at]], rows[:at] + rows[at + 1 :], draw.sample(rows, len(rows)), [])
    return list(draw.choice(ways))


def _many(draw: random.Random, rows: list[Any]) -> list[Any]:
    """More records than are looked at before a file is read: what is odd comes late."""
    return _multiplied(rows, 1_200) if draw.random() < 0.2 else rows


def _multiplied(rows: Sequence[Any], count: int) -> list[Any]:
    """About so many records, each with an id of its own; the given ones are the last."""
    keys = ("id", "qid", "label", "problem")
    more = [
        {name: f"{value}/{n}" if name in keys else value for name, value in row.items()}
        for n in range(count // max(1, len(rows)))
        for row in rows
        if isinstance(row, dict)
    ]
    return [*more, *rows]


def _valued(draw: random.Random, rows: list[Any]) -> Any:
    return changed(draw, rows, HOSTILE)


WAYS = (_valued, _valued, _valued, _renamed, _retyped, _moved, _many)


# Bytes


def spoilt_bytes(draw: random.Random, data: bytes, other: bytes = b"") -> bytes:
    """The bytes with one or a few places changed, cut, repeated, or spliced with those of another file."""
    for _ in range(draw.choice((1, 1, 2, 5))):
        data = _spoilt_once(draw, data, other)
    return data if draw.random() < 0.9 else _encoded(draw, data)


def _spoilt_once(draw: random.Random, data: bytes, other: bytes) -> bytes:
    a, b = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
    b = b if draw.random() < 0.3 else min(b, a + draw.choice((1, 4, 30)))
    ways: tuple[Callable[[], bytes], ...] = (
        *(lambda: bitten(draw, bytearray(data)),) * 2,
        *(lambda: data[:a] + draw.choice(SIGNS) + data[a:],) * 2,
        *(lambda: data[:a] + data[b:], lambda: data[:b] + data[a:], lambda: data[:a] + other[min(a, len(other)) :]),
        *(lambda: data + other, lambda: _bits(draw, data), lambda: _bits(draw, data)),
    )
    return draw.choice(ways)()


def _bits(draw: random.Random, data: bytes) -> bytes:
    """One bit flipped: near the end, near the start, or anywhere."""
    if not data:
        return data
    made, near = bytearray(data), min(len(data), 120)
    at = draw.choice((draw.randrange(near), len(data) - 1 - draw.randrange(near), draw.randrange(len(data))))
    made[at] ^= 1 << draw.randrange(8)
    return bytes(made)


def _encoded(draw: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    ways = (
        *(lambda: text.encode("utf-16"), lambda: text.encode("utf-16-be"), lambda: text.encode("latin-1", "replace")),
        *(lambda: text.encode("utf-8-sig"), lambda: data.replace(b"\n", b"\r\n"), lambda: data.replace(b"\n", b"\r")),
        *(lambda: data.replace(b"a", b"\0"), lambda: text.encode("utf-32"), lambda: data.rstrip(b"\n")),
    )
    return draw.choice(ways)()


def packed(draw: random.Random, data: bytes, form: str) -> bytes:
    """The bytes compressed, and often spoilt after that; or not compressed at all."""
    press = gzip_of if form == "gz" else zstd_of
    ways = (
        *(lambda: press(data), lambda: press(data), lambda: spoilt_bytes(draw, press(data), press(b"x"))),
        *(lambda: press(press(data)), lambda: press(data[:40]) + press(data[40:]), lambda: press(data) + b"\0" * 9),
        *(lambda: data, lambda: press(data) + b"junk", lambda: press(b"") + press(data), lambda: press(data)[:-4]),
        *(lambda: spoilt_bytes(draw, press(data)), lambda: (zstd_of if form == "gz" else gzip_of)(data)),
    )
    return draw.choice(ways)()


def gzip_of(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zstd_of(data: bytes) -> bytes:
    return zstd.library().compress(data, options={zstd.library().CompressionParameter.checksum_flag: 1})


# Formats


def rendered(value: Any) -> str:
    """A value as JSON."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {rendered(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(rendered, value)) + "]"
    return json.dumps(value)


def json_lines(draw: random.Random, rows: Sequence[Any]) -> bytes:
    lines = [rendered(row) for row in rows]
    if lines and draw.random() < 0.05:  # a key that stands twice
        lines[-1] = lines[-1].replace("{", '{"id": "twice", ', 1)
    return _utf8("".join(f"{line}\n" for line in lines))


def json_array(draw: random.Random, rows: Sequence[Any]) -> bytes:
    return _utf8("[" + draw.choice((",", ",\n", " ,\r\n ")).join(map(rendered, rows)) + "]")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def delimited(draw: random.Random, rows: Sequence[Any], delimiter: str = ",") -> bytes:
    """The records as lines of cells, with the columns of all of them."""
    names = _names(rows)
    end = draw.choice(("\n", "\n", "\r\n"))
    text = io.StringIO()
    table = csv.writer(text, delimiter=delimiter, lineterminator=end)
    table.writerow(names)
    table.writerows([_cell(row.get(name)) for name in names] for row in _flat(rows))
    return _utf8(text.getvalue())


def _cell(value: Any) -> str:
    return "" if value is None else str(value) if isinstance(value, str) else rendered(value)


def _flat(rows: Sequence[Any]) -> list[Mapping[str, Any]]:
    return [row if isinstance(row, dict) else {"x": row} for row in rows]


def _names(rows: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(name for row in _flat(rows) for name in row))


KINDS: tuple[Any, ...] = (
    *(pl.Categorical, pl.Binary, pl.Decimal(38, 2), pl.Date, pl.Datetime("us", "Europe/Paris"), pl.Duration, pl.Time),
    *(pl.Int128, pl.UInt64, pl.Int8, pl.Float32, pl.Boolean, pl.Null, pl.String, pl.List(pl.String), pl.Float64),
)


def parquet(draw: random.Random, rows: Sequence[Any]) -> bytes:
    """The records as a Parquet file, a column now and then of another type."""
    table = {name: [row.get(name) for row in _flat(rows)] for name in _names(rows)}
    columns = [_series(name.encode("utf-8", "replace").decode(), values) for name, values in table.items()]
    frame = pl.DataFrame({column.name: column for column in columns})
    if frame.columns and draw.random() < 0.3:
        name, kind = draw.choice(frame.columns), draw.choice(KINDS)
        with contextlib.suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException):
            frame = frame.with_columns(pl.col(name).cast(kind, strict=False))
    out = io.BytesIO()
    how: Any = draw.choice(("zstd", "snappy", "uncompressed", "gzip"))
    size = draw.choice((None, max(2, len(rows) // 4)))
    try:
        frame.write_parquet(out, compression=how, row_group_size=size)
    except pl.exceptions.PolarsError:  # a struct without fields, for one
        out = io.BytesIO()
        frame.select(pl.lit(1).alias(name) for name in frame.columns).write_parquet(out)
    return out.getvalue()


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column as Polars takes it, else of texts."""
    if not any(isinstance(value, Raw) for value in values):
        with contextlib.suppress(Exception, pl.exceptions.PanicException):
            return pl.Series(name, values)
    words = [None if value is None else _cell(value).encode("utf-8", "replace").decode() for value in values]
    return pl.Series(name, words, dtype=pl.String)


def database(draw: random.Random, rows: Sequence[Any]) -> bytes:
    """The records as the table `t` of an SQLite database."""
    names = [name.encode("utf-8", "replace").decode().replace("\0", "") for name in _names(rows)] or ["x"]
    names = list({name.lower(): name for name in names}.values())  # SQLite makes no difference
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)

    def fill(db: sqlite3.Connection) -> None:
        db.execute(f"CREATE TABLE t ({quoted})")
        marks = ", ".join(draw.choice(("?", "?", "?", "?", "CAST(? AS BLOB)", "CAST(? AS TEXT)")) for _ in names)
        db.executemany(
            f"INSERT INTO t VALUES ({marks})", ([_bound(row.get(name)) for name in names] for row in _flat(rows))
        )
        if draw.random() < 0.2:
            db.execute(f'UPDATE t SET "{names[0]}" = {draw.choice(ODD)}'.replace('""', '"'))

    return database_of(fill)


ODD = (
    "CAST(x'ff' AS TEXT)",
    "x'00ff'",
    "1e999",
    "-1e999",
    "NULL",
    "zeroblob(9)",
    "char(0)",
    "''",
    "0.5",
    "randomblob(0)",
)


def _bound(value: Any) -> Any:
    """A value that SQLite takes."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    return _cell(value).encode("utf-8", "replace").decode()


def database_of(fill: Callable[[sqlite3.Connection], None], start: bytes = b"") -> bytes:
    """The bytes of a database, after something was done in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.db")
        with open(path, "wb") as file:
            file.write(start)
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA synchronous = OFF")
            with contextlib.suppress(sqlite3.Error, OverflowError):
                fill(db)
            db.commit()
        with open(path, "rb") as file:
            return file.read()


FORMS: Mapping[str, Callable[[random.Random, Sequence[Any]], bytes]] = {
    "jsonl": json_lines,
    "json": json_array,
    "csv": delimited,
    "parquet": parquet,
    "sqlite": database,
}


def spoilt(draw: random.Random, rows: Sequence[Record], form: str) -> bytes:
    """A file of these records in a format: its records spoilt, its bytes, or both."""
    way = draw.random()
    if way > 0.94:  # what is wrong is wrong late
        data = FORMS[form](draw, _multiplied(rows, 3_000))
        return data[: len(data) // 2] + spoilt_bytes(draw, data[len(data) // 2 :])
    data = FORMS[form](draw, spoilt_rows(draw, rows) if way < 0.75 else rows)
    return spoilt_bytes(draw, data, FORMS[form](draw, rows)) if way > 0.6 else data
