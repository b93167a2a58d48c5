"""An array read by the scanner gives the records, lines, notes and errors of the strict reader."""

from __future__ import annotations

import gzip
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
from auditfw.components.files.formats import scanned_array
from auditfw.components.files.formats.json import HeldText, JsonArray
from auditfw.core.errors import AuditError
from auditfw.core.native import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="the kernel was not built")

ELEMENTS = [
    '{"id": "a", "x": [1, {"y": "}]"}]}', '{\n  "id": 1.5,\n  "x": "\\"é\\n\\\\"\n}', "{}", '{"id": NaN}',
    '{"id": 1e999}',
    '{"id": "\\ud83d"}', '{"id": "\\ud83d\\ude00"}', '{"other": "\\ud83d", "id": null}', '{"a": 1, "a": 2}',
    '{"id": "\udcff"}',
    '{"id": 1]', '{"id": }', "[]", "1", '"text"', '{"id": "open}', "{,}", '{"id": ' + "[" * 501 + "]" * 501 + "}", "",
    '{"id": ' + "[" * 110 + "]" * 110 + "}", "\xa0{}", '{"id": 1} {}', '{"\\u0069d": 3}', '{"id": "\U0001f600"}',
    "{\x00}",
]  # fmt: skip
SOUND = [ELEMENTS[i] for i in (0, 1, 2, 3, 4, 5, 6, 7, 9)]
BEGINNINGS = ["[", " [ ", "\ufeff[\n", "\n\n[", "", "{", "[[", '{"a": [']
ENDS = ["]", " ]\n\n", ",]", "", "] x", "]]", "],", "\n]\x00"]
COLUMNS = (None, frozenset(("id",)), frozenset(("id", "x", "é")), frozenset[str]())


def read(blocks: Iterable[RowBlock]) -> Any:
    """All that is read, however it is cut into blocks."""
    rows, notes, unfinite = [], Counter[str](), False
    try:
        for block in blocks:
            got = block()
            rows += [(n, at, dict(row)) for n, at, row in zip(got.numbers, got.lines or (), got.rows, strict=True)]
            notes.update(got.notes)
            unfinite = unfinite or got.unfinite
    except AuditError as error:
        return repr(error), str(error)
    return [(n, at, sorted(map(repr, row.items()))) for n, at, row in rows], notes, unfinite


def both(path: Path, text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    source, file = JsonArray(path=str(path)), File(str(path))
    for columns in COLUMNS:
        assert read(source.blocks(file, columns, False)) == read(source._strictly(file, columns, 0))


@pytest.fixture(params=[9, 1 << 20], ids=["small-pieces", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(scanned_array, "BLOCK", request.param)
    return int(request.param)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.one_of(st.lists(st.sampled_from(SOUND)), st.lists(st.sampled_from(ELEMENTS), max_size=4)),
    st.sampled_from([",", ",\n", " , "]),
    st.tuples(st.sampled_from(BEGINNINGS), st.sampled_from(ENDS)),
)
def test_any_text(size: int, tmp_path: Path, parts: list[str], comma: str, around: tuple[str, str]) -> None:
    both(tmp_path / "a.json", around[0] + comma.join(parts) + around[1])


def test_each_element(size: int, tmp_path: Path) -> None:
    for element in ELEMENTS:
        both(tmp_path / "a.json", f'[{{"id": 0}},\n{element}\n, {{"id": 2}}]')
        both(tmp_path / "a.json.gz", f"[{element}]")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_each_beginning_and_end(beginning: str, end: str, size: int, tmp_path: Path) -> None:
    both(tmp_path / "a.json", f'{beginning}{{"id": 1}}{end}')
    both(tmp_path / "a.json", beginning + end)


def test_sound_records_are_not_read_twice(tmp_path: Path) -> None:
    """An array whose records are of every usual form is scanned, and what is odd in one is read strictly alone."""
    path = tmp_path / "a.json"
    path.write_bytes(("[" + ",".join(SOUND) + "]").encode("utf-8", "surrogateescape"))
    blocks = list(JsonArray(path=str(path)).blocks(File(str(path)), None, False))
    assert [block.count for block in blocks] == [len(SOUND)]
    assert not any(isinstance(block, HeldText) for block in blocks)
