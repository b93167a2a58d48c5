"""Delimited text read by the scanner gives the rows, lines, notes and errors of Python's csv."""

from __future__ import annotations

import gzip
import pickle
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.components.files.file_settings import RowBlock
from auditfw.components.files.files import File
from auditfw.components.files.formats import scanned_cells
from auditfw.components.files.formats.csv import Cells, DelimitedText
from auditfw.core.errors import AuditError
from auditfw.core.native import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="the kernel was not built")

CELLS = [
    "", "a", '"a"', '""', '"a""b"', '"""a"""', '"a,b"', '"a\nb"', '"a\r\nb"', 'a"b', "é", '"é\n"', "\U0001f600", " ",
    ' "a"',
    '"a" ', '"a"b', '"', '"a', "\r", '"a\rb"', "\0", '"\0"', "\udcff", '"\udcff\n"', "\ufeff", "'", ";",
    "x" * 40, "\x1c\u2028\v",
]  # fmt: skip
SOUND = [cell for cell in CELLS[:15] if not cell.startswith(" ")]
ENDS = ["\n", "\r\n"]
COLUMNS = (None, frozenset(("id", "c")), frozenset[str]())


def read(blocks: Iterable[RowBlock]) -> Any:
    """All that is read, however it is cut into blocks."""
    rows, notes = [], Counter[str]()
    try:
        for block in blocks:
            got = block()
            rows += [(n, at, dict(row)) for n, at, row in zip(got.numbers, got.lines or (), got.rows, strict=True)]
            notes.update(got.notes)
    except AuditError as error:
        return repr(error), str(error)
    return rows, notes


def both(path: Path, text: str, **settings: Any) -> None:
    data = text.encode("utf-8", "surrogateescape")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    source, file = DelimitedText(path=str(path), **settings), File(str(path))
    for columns in COLUMNS:
        assert read(source.blocks(file, columns, False)) == read(source._strictly(file, columns, 0)), (data, columns)


def test_a_last_row_without_a_line_end_in_another_process(tmp_path: Path) -> None:
    """What is sent reads the file again, which ends within the row."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,c\n1,a\n2,b")
    blocks = list(DelimitedText(path=str(path)).blocks(File(str(path)), None, False))
    rows, _ = read(pickle.loads(pickle.dumps(blocks)))
    assert rows == [(1, 2, {"id": "1", "c": "a"}), (2, 3, {"id": "2", "c": "b"})]


@pytest.fixture(params=[5, 1 << 20], ids=["small-pieces", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(scanned_cells, "BLOCK", request.param)
    return int(request.param)


rows_of = [
    st.lists(st.tuples(*[st.sampled_from(cells)] * 3).map(list), max_size=5)
    for cells in (SOUND, CELLS)
]  # fmt: skip
ragged = st.lists(st.lists(st.sampled_from(SOUND), max_size=4), max_size=4)


heads = st.sampled_from(["id,b,c", '\ufeff"id",b,"c"', '"i\nd",id,c', "\n\nid,b,c"])


@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.one_of(*rows_of, ragged), st.tuples(st.sampled_from(ENDS), st.booleans()), heads)
def test_any_text(size: int, tmp_path: Path, rows: Any, ends: Any, head: str) -> None:
    text = ends[0].join([head, *(",".join(row) for row in rows)]) + ends[0] * ends[1]
    both(tmp_path / "a.csv", text)


def test_each_cell(size: int, tmp_path: Path) -> None:
    for cell in CELLS:
        for end in ("", "\r", "\n\n\r\n", "\n \n"):
            both(tmp_path / "a.csv", f"id,b,c\n1,2,3\n{cell},x,y\n\n1,{cell},y\nx,y,{cell}{end}")
            both(tmp_path / "a.csv", f"id\nx\n{cell}{end}")
        both(tmp_path / "a.csv.gz", f"id,{cell}\r\n1,2\r\n")


@pytest.mark.parametrize(
    "settings", [{"delimiter": "\t"}, {"quote": None}, {"quote": "'"}, {"delimiter": "é"}, {"encoding": "latin-1"}]
)
def test_settings(settings: dict[str, Any], size: int, tmp_path: Path) -> None:
    sign = settings.get("delimiter", ",")
    for cell in SOUND:
        both(tmp_path / "a.csv", sign.join(("id", "b", "c")) + f"\n1{sign}{cell}{sign}'a{sign}''b'\n", **settings)


def test_sound_rows_are_not_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(("id,b,c\r\n" + "".join(f"{cell},2,{cell}\r\n" for cell in SOUND)).encode())
    blocks = list(DelimitedText(path=str(path)).blocks(File(str(path)), None, False))
    assert [block.count for block in blocks] == [len(SOUND)]
    assert not any(isinstance(block, Cells) for block in blocks)
