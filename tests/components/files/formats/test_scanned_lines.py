"""Lines read by the scanner give the records, values, notes and errors of the strict reader."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from files_read import placed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.components.files.column_rows import column_of
from auditfw.components.files.files import File
from auditfw.components.files.formats.blocks import scanned
from auditfw.components.files.formats.jsonl import Lines
from auditfw.core.errors import AuditError
from auditfw.core.native import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="the kernel was not built")

VALUES = [
    "null", "true", "false", "0", "-0", "1", "-1", "123456789012345678", "1234567890123456789", "9" * 400, "1.5",
    "-0.0", "1e5", "1E-5", "1e400", "-1e400", "0.1e1", "1.7976931348623157e308", "5e-324", "NaN", "-Infinity", "01",
    "1.", ".5", '""', '"a"', '"é"', r'"\u00e9"', r'"a\nb\t\"\\\/\b\f\r"', r'"\u0000"', r'"\ud83d\ude00"',
    r'"\uD83D\uDE00x"',
    r'"\ud83d"', r'"\ude00"', r'"\ud83d\n"', r'"\ud83dx"', r'"\ud83d\u0041"', r'"\ud83d\ud83d\ude00"', r'"\ud83d\ude0"',
    r'"\uffff\ue000\ud7ff"', '"\U0001f600"', '"\t"', '"\x7f\u2028"', '"a', r'"\x"', "[]", r'["a","b\n"]',
    '[1,[2,{"id":3}]]', "[-0,-0.0,0e1,1E5,100000000000000000]", "{}", '{"id":1}', '{"a":1,"a":2}',
    '{"a":{"b":[1.25,"x"]}}', r'{"\u0061":1,"a":2}', "[1,]", "tru", "", "[" * 120 + "]" * 120, "[" * 600 + "]" * 600,
]  # fmt: skip
KEYS = ["id", "raw_text", "a", "b.c", "é", r"\u0069d", r"i\"d", ""]
LINES = [
    b"", b" ", b"\t\r", b"{}", b"[1]", b'"id"', b"{", b'{"id":1} x', b'{"id":1},', b"\xff", b'{"id":"\xff"}',
    b"\xc2\xa0", b"\xef\xbb\xbf{}", b'{"id": 1 , "a" :[ ] }\r', b"\x00", b'{"id":"\xed\xa0\x80"}', b"'a'",
]  # fmt: skip

values = st.sampled_from(VALUES)
members = st.lists(st.tuples(st.sampled_from(KEYS), values), max_size=4)
objects = members.map(lambda pairs: "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}")
lines = st.one_of(objects.map(str.encode), objects.map(str.encode), st.sampled_from(LINES))


def read(read_lines: Any) -> Any:
    """What reading gives, in a form in which NaN is NaN and 1 is not 1.0."""
    try:
        got = read_lines()
    except AuditError as error:
        return repr(error), str(error)
    if got is None:
        return None
    shape = sorted(placed(got.notes).items()), sorted(got.dropped.items()), got.unfinite, list(got.numbers)
    return [repr(dict(row)) for row in got.rows], shape


def both(data: bytes, start: int, last: bool, tolerant: bool = False) -> None:
    reader = Lines(File("a.jsonl"), "utf-8", tolerant)
    strictly = read(lambda: reader.records(data, start, last))
    whole = read(lambda: scanned(reader, data, start, last, None))
    assert whole in (strictly, None)
    wanted = frozenset(("id", "a", "é", "missing"))
    some = read(lambda: scanned(reader, data, start, last, wanted))
    if isinstance(strictly[0], str) or some is None:
        assert some in (strictly, None)
        return
    assert some[1] == strictly[1]
    rows = reader.records(data, start, last).rows
    got = scanned(reader, data, start, last, wanted)
    assert got is not None
    for name in wanted:
        assert repr(column_of(got.rows, name)) == repr([row.get(name) for row in rows])
    for mine, row in zip(got.rows, rows, strict=True):
        assert {k: repr(v) for k, v in mine.items() if k in wanted} == {
            k: repr(v) for k, v in row.items() if k in wanted
        }


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines, max_size=6), st.sampled_from([1, 7]), st.booleans(), st.booleans(), st.booleans())
def test_any_lines(parts: list[bytes], start: int, last: bool, ended: bool, tolerant: bool) -> None:
    both(b"\n".join(parts) + b"\n" * ended, start, last, tolerant)


@pytest.mark.parametrize("key", KEYS)
def test_each_value_under_each_key(key: str) -> None:
    for value in VALUES:
        line = f'{{"{key}":{value}}}'.encode()
        both(line + b"\n" + line, 1, True)
        both(b'{"id":"x"}\n\n' + line + b"\n", 3, False)


def test_most_lines_need_no_second_look() -> None:
    """Half characters, numbers that may not fit and keys that stand twice do; characters in two halves do not."""
    kernel = compiled()
    assert kernel is not None
    odd = {'"\\ud83d"', '"\\ude00\\ud83d"', "1e400", '{"a":1,"a":2}', "NaN"}
    usual = {'"\\ud83d\\ude00"', '"\\n"', "1.5", "12", '{"a":[{}]}', "null"}
    for value in odd | usual:
        [(_, _, kinds)] = kernel.lines(f'{{"a":{value}}}'.encode(), ((),), 1)
        assert (kinds == b"\0") == (value in odd), value


def test_numbers_and_texts_are_those_of_json() -> None:
    rng = Random(1)
    numbers = [f"{rng.uniform(-1, 1) * 10 ** rng.randint(-30, 30)!r}" for _ in range(2_000)]
    numbers += [f"{rng.randrange(10**17)}.{rng.randrange(10**16)}e{rng.randint(-99, 99)}" for _ in range(2_000)]
    texts = [json.dumps("".join(chr(rng.choice([9, 10, 34, 65, 92, 233, 8232, 128512, 65535])) for _ in range(9)))
             for _ in range(500)]  # fmt: skip
    for values in (numbers, texts):
        both("\n".join(f'{{"id":{value},"a":[{value}]}}' for value in values).encode(), 1, True)


def test_columns_that_cannot_be_scanned_are_read_strictly() -> None:
    reader = Lines(File("a.jsonl"), "utf-8", False)
    for name in ('"', "\ud83d"):
        assert scanned(reader, b'{"a":1}', 1, True, frozenset((name,))) is None
    assert scanned(Lines(File("a.jsonl"), "latin-1", False), b'{"a":1}', 1, True, None) is None


def test_records_are_rows_where_somebody_looks(tmp_path: Path) -> None:
    reader = Lines(File("a.jsonl"), "utf-8", False)
    got = scanned(reader, b'{"id":1,"a":null}\n{"id":2}\n{"id":"\\ud83d"}\n', 1, True, frozenset(("id", "a")))
    assert got is not None
    assert [dict(row) for row in got.rows] == [{"a": None, "id": 1}, {"id": 2}, {"id": "\ufffd"}]
    assert got.first(2).rows == [{"a": None, "id": 1}, {"id": 2}]
    assert (column_of(got.rows, "a"), column_of(got.rows, "b")) == ([None, None, None], [None, None, None])
    assert list(placed(got.notes)) == ["a.jsonl: half a surrogate pair, read as U+FFFD (first: line 3)"]
