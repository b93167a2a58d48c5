"""Results as JSON, rows of measurements, and files that are whole or not there."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from auditfw.core.errors import IncompleteError
from auditfw.core.result_json import dumps, write_whole


def test_dumps() -> None:
    assert dumps({"b": "é漢", "a": [1.0, None]}) == '{\n "b": "é漢",\n "a": [\n  1.0,\n  null\n ]\n}\n'
    assert dumps("\ud800\x9b\u202e😀") == '"\ufffd\\u009b\\u202e😀"\n'
    assert dumps("é😀", ascii_only=True) == '"\\u00e9\\ud83d\\ude00"\n'
    with pytest.raises(ValueError, match="JSON"):
        dumps(math.nan)


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    assert write_whole(str(tmp_path), "a", "é\nb\n") == "a"
    assert (tmp_path / "a").read_bytes() == "é\nb\n".encode()
    (tmp_path / "folder").mkdir()
    for folder, name in ((tmp_path / "none", "a"), (tmp_path, "folder"), (tmp_path / "a", "b")):
        with pytest.raises(IncompleteError, match="cannot be written"):
            write_whole(str(folder), name, "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "folder"]
