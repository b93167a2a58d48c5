"""A first look at files: their format, keys and columns, and which columns are likely to be cells."""

from __future__ import annotations

import gzip
import json
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from files_read import lines
from places import ROOT

from auditfw.components.files.looks.attempts import cells, strata
from auditfw.components.files.looks.column_names import chat_text
from auditfw.components.files.looks.first_look import first_look, glimpse, top_level
from auditfw.components.files.looks.guessed import guessed
from auditfw.core.errors import AuditError
from auditfw.kinds.first_look import FirstLook


@pytest.mark.parametrize(("keys", "reached"), [("a", True), ("a.b.c.d.e", True), ("a.b.c.d.e.f", False)])
def test_how_deep_a_chat_is_looked_for(keys: str, reached: bool) -> None:
    """Five keys deep, the column among them."""
    value: Any = [{"role": "assistant", "content": "x"}]
    for key in reversed(keys.split(".")):
        value = {key: value}
    assert chat_text(list(value), [value]) == (f"{keys}[-1].content" if reached else None)


def test_guesses_of_columns() -> None:
    rows = [{"Question": "q", "Response": "r", "target": "t", "score": 0.5, "uid": i, "model": "m"} for i in range(2)]
    assert guessed(list(rows[0]), rows) == {  # a score of 0.5 is neither right nor wrong
        "raw_text": "Response", "ground_truth": "target", "item": "Question", "id": "uid",
    }  # fmt: skip
    assert guessed(["answer", "label"], [{"answer": "A", "label": "B"}]) == {"ground_truth": "answer"}
    assert cells(["model", "task"], [{"model": "a", "task": "t"}, {"model": "b", "task": "t"}]) == ["model"]


@pytest.mark.parametrize(
    ("values", "few"),
    [
        (["x", "y"] * 5, True),
        (["x"] * 10, False),
        (["x", "y"] * 4 + ["x"], False),  # two values need ten records
        ([f"{n % 20}" for n in range(100)], True),
        ([f"{n % 21}" for n in range(105)], False),
        ([0, 1] * 5, True),
        ([0.5, 1.5] * 5, False),
        ([None, "x"] * 5, False),
    ],
)
def test_columns_of_judgements_that_are_cells(values: list[Any], few: bool) -> None:
    rows = [{"a": value, "b": value, "c": value} for value in values]
    assert strata(["a", "b", "c"], rows) == (["a", "b"] if few else [])


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": {"b": 1}, "c": "d: {", "e": [', ["a", "c", "e"]),
        ('{"a\\"x": "\\\\", "b": 2}', ['a\\"x', "b"]),
        ("[]", []),
        ('{"a": "cut', ["a"]),
    ],
)
def test_top_level_keys_of_a_text_that_may_be_cut(text: str, keys: list[str]) -> None:
    assert top_level(text) == keys


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"id": 1, "q": "x"}\n{"z": 2}\n', FirstLook("a.txt", "jsonl", (), (), ["id", "q"])),
        ('{\n"id": 1}', FirstLook("a.txt", "object", ["id"])),
        ("id,q\n1,x\n", None),
    ],
)
def test_a_glimpse(text: str, seen: FirstLook | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(text, "utf-8")
    assert glimpse("a.txt") == seen
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr("header.json", text)
    assert glimpse("a.zip") == FirstLook("a.zip", "zip", ["header.json"])


@pytest.mark.parametrize(
    ("message", "at"),
    [
        ({"role": "assistant", "content": "x"}, "message.content"),
        ({"role": "user", "content": "x"}, None),
        ({"role": "assistant", "text": "x"}, None),
    ],
)
def test_the_text_of_one_message(message: dict[str, Any], at: str | None) -> None:
    assert chat_text(["message"], [{"message": message}]) == at


@pytest.mark.parametrize(
    ("name", "text", "model"),
    [
        ("a.mdl", "x = 1\n\t~\tm\n\t~\t\n\t|\n", True),
        ("a.mdl", "x,y\n1|2,2\n", False),
        ("a.mdl", "x,y\n~1,2\n", False),
        ("a.py", "def f(x):\n    return x\n", True),
        ("a.stmx", "<xmile/>\n", True),
        ("a.txt", "def,<xmile\n~,|\n", False),
    ],
)
def test_what_is_a_model(name: str, text: str, model: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    look = None
    with suppress(AuditError):
        look = first_look(str(tmp_path / name))
    assert (look is not None and look.format == "model") == model


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_first_record_may_be_long(ending: str, tmp_path: Path) -> None:
    for text in ("x" * (1 << 21), "} \n{".replace("\n", " ") * (1 << 19)):
        rows = [{"x": text}, {"x": 1, "y": 2}]
        data = "".join(f"{json.dumps(row)}\r\n" for row in rows).encode()
        path = tmp_path / f"a.txt{ending}"
        path.write_bytes(gzip.compress(data) if ending else data)
        assert first_look(str(path)).format == "jsonl"
        path.write_bytes(gzip.compress(data.split(b"\r")[0]) if ending else data.split(b"\r")[0])
        assert first_look(str(path)).format == "object"


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.jsonl", '{"x": 1}', "jsonl"),
        ("a.jsonl", '{"x": 1}\r\n', "jsonl"),
        ("A.NDJSON", '\ufeff{"x": 1}\n', "jsonl"),
        ("a.jsonl", '{\n"x": 1}', "object"),
        ("a.json", '{"x": 1}\n', "object"),
    ],
)
def test_a_table_of_one_line(name: str, text: str, form: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    look, first = first_look(str(tmp_path / name)), glimpse(str(tmp_path / name))
    assert first is not None
    assert (look.format, first.format) == (form, form)


def test_first_looks(tmp_path: Path) -> None:
    assert first_look(lines(*[{"x": 1}, {"x": 2}], name=str(tmp_path / "a.txt"))).format == "jsonl"
    (tmp_path / "b").write_text('[{"x": 1}]', encoding="utf-8")
    assert first_look(str(tmp_path / "b")).columns == ("x",)
    (tmp_path / "c.tsv").write_text("x\ty\n1\t2\n", encoding="utf-8")
    assert first_look(str(tmp_path / "c.tsv")).columns == ("x", "y")
    assert first_look(str(tmp_path)).names == ["a.txt", "b", "c.tsv"]
    for name, data in (
        ("d.tsv.gz", b"x\ty\n1\t2\n"),
        ("e.csv.gz", b"x,y\n1,2\n"),
        ("f.json.gz", b'[{"x": 1, "y": 2}]'),
    ):
        (tmp_path / name).write_bytes(gzip.compress(data))
        assert first_look(str(tmp_path / name)).columns == ("x", "y"), name
    with pytest.raises(AuditError):
        first_look(str(ROOT / "README.md"))
