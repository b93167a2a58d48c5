"""Whatever a file of data holds: a documented code, a line that names the file, counts that add up, by both kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fuzzing_readers import examined, found, outcome
from reading import AUDITS, PAIRS, PROBLEMS, READERS, SCENES, TRIALS, Case

FAST, SLOW = range(1), range(100, 130)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_of_spoilt_data(reader: str) -> None:
    assert [said for seed in FAST if (said := examined(reader, seed)[1])] == []


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_of_much_spoilt_data(reader: str) -> None:
    assert [said for seed in SLOW if (said := examined(reader, seed)[1])] == []


def lines(rows: list[dict[str, Any]], **changes: Any) -> bytes:
    return "".join(json.dumps({**row, **changes}) + "\n" for row in rows).encode()


def of(kind: str, place: str, data: bytes, name: str, **settings: Any) -> Case:
    """A case of one file."""
    more = {"simulator": {"use": "table"}} if place == "scenarios" else {}
    return Case({name: data}, {**AUDITS[kind], place: {"path": name, **settings}, **more})


ENDS: dict[str, tuple[Case, int, str]] = {
    "flags that are a text in every line, by both kernels": (
        of("agreement", "source", lines(PAIRS, flags='{"bad": true}'), "p.jsonl", use="pairs"),
        3,
        "p.jsonl:1: flags is text '{\"bad\": true}', not an object (2 more like this) - mend it, or write",
    ),
    "flags that are a number in every line": (
        of("agreement", "source", lines(PAIRS, flags=1), "p.jsonl", use="pairs"),
        3,
        "p.jsonl:1: flags is a number '1', not an object",
    ),
    "a record's own column #place": (
        of("parsing", "source", lines(TRIALS, stored="-1", **{"#place": None}), "t.jsonl", use="jsonl"),
        3,
        "t.jsonl:1: the stored label is neither true nor false",
    ),
    "JSON that is not what its encoding says": (
        of("parsing", "source", lines(TRIALS), "t.json", use="json", encoding="utf-32"),
        3,
        "t.json:1: is not utf-32 (",
    ),
    "an encoding that is none of text": (
        of("parsing", "source", lines(TRIALS), "t.csv", use="csv", encoding="rot13"),
        2,
        "source.encoding: unknown encoding (rot13) - ",
    ),
    "scenarios all of which a condition drops": (
        of("aims", "scenarios", lines(SCENES), "s.jsonl", use="jsonl", where="1 = 0"),
        5,
        "",
    ),
    "a parameter beyond all floats": (
        of("aims", "scenarios", lines(SCENES, params={"x": 10**400}), "s.jsonl", use="jsonl"),
        3,
        "s.jsonl:1: 'params.x' is no number (1000",
    ),
    "a parameter beyond 64 bits": (
        of("aims", "scenarios", lines(SCENES * 10, params={"x": 2**70}), "s.jsonl", use="jsonl", duplicates="all"),
        1,
        "",
    ),
    "quoting that raters cannot be told of": (
        of("agreement", "source", b'qid,rater,label\n1,a,"x"y\n', "r.csv", use="raters"),
        3,
        "r.csv:2: the quoting is wrong (',' expected after '\"') - quotes inside a cell are doubled",
    ),
    "an encoding that tasks cannot be told of": (
        of("loop", "source", "{}".encode("utf-16"), "t.json", use="arc"),
        3,
        "t.json: is UTF-16 text - convert it to UTF-8",
    ),
    "an array where a replay wants lines": (
        Case(
            {"q.jsonl": lines(PROBLEMS), "a.jsonl": b'[{"problem": "p1"}]\n'},
            {**AUDITS["loop"], "source": {"use": "problems", "path": "q.jsonl"},
             "solver": {"use": "replay", "path": "a.jsonl"}},
        ),
        3,
        "a.jsonl: holds one JSON array, not a record a line",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_what_was_found_ends_as_documented(name: str) -> None:
    case, code, said = ENDS[name]
    for path, data in case.files.items():
        Path(path).write_bytes(data)
    end = outcome(case.settings, "python")
    assert (end.code, (end.said or ("",))[0][: len(said)]) == (code, said), end.said
    assert list(found(case, end)) == []
