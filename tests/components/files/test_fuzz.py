"""Whatever a file of data holds: a documented code, a line that names the file, counts that add up, by both kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fuzzing_readers import examined, found, lay, outcome
from reading import ATTEMPTS, AUDITS, PAIRS, PROBLEMS, READERS, SCENES, TRIALS, Case, run_database
from spoiling import database_of

FAST, SLOW = range(1), range(100, 130)

pytestmark = pytest.mark.usefixtures("here")


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


def looped(problems: bytes, attempts: bytes) -> Case:
    """A case of problems and recorded attempts."""
    source, solver = {"use": "problems", "path": "q.jsonl"}, {"use": "replay", "path": "a.jsonl", "past_end": "stop"}
    return Case({"q.jsonl": problems, "a.jsonl": attempts}, {**AUDITS["loop"], "source": source, "solver": solver})


ENDS: dict[str, tuple[Case, int, str]] = {
    "flags that are a text in every line, by both kernels": (
        of("agreement", "source", lines(PAIRS, flags='{"bad": true}'), "p.jsonl", use="pairs"),
        3,
        "p.jsonl:1: flags is text '{\"bad\": true}', not an object (2 more like this) - fix it, or write",
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
        "source.encoding: expected an encoding such as utf-8 or latin-1, got 'rot13'",
    ),
    "scenarios all of which a condition drops": (
        of("aims", "scenarios", lines(SCENES), "s.jsonl", use="jsonl", where="1 = 0"),
        5,
        "",
    ),
    "a parameter beyond all floats": (
        of("aims", "scenarios", lines(SCENES, params={"x": 10**400}), "s.jsonl", use="jsonl"),
        3,
        "s.jsonl:1: expected a finite number in 'params.x', got 1000",
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
        looped(lines(PROBLEMS), b'[{"problem": "p1"}]\n'),
        3,
        "a.jsonl: holds one JSON array, not a record a line",
    ),
    "a cell of a grid beyond all floats": (
        looped(lines(PROBLEMS, train=[{"input": [[1]], "output": [[10**400]]}]), lines(ATTEMPTS)),
        3,
        "q.jsonl:1, problem 'p1', train example 1: the expected output is not a grid: row 1 holds a cell",
    ),
    "tokens that cannot be added up": (
        looped(lines(PROBLEMS), lines(ATTEMPTS, tokens=10**400)),
        3,
        "a.jsonl:1: expected a number of 0 or more as 'tokens', got 1000",
    ),
    "seconds that cannot be shared out": (
        looped(lines(PROBLEMS), lines([{"problem": "p1", "attempts": [1, 2]}], seconds=10**400)),
        3,
        "a.jsonl:1: expected a number of 0 or more as 'seconds', got 1000",
    ),
}  # fmt: skip


def test_a_condition_whose_name_is_a_blob() -> None:
    def blob(db: Any) -> None:
        db.execute("UPDATE conformity_conditions SET name = CAST(name AS BLOB)")

    source = {"use": "conformity", "metadata": "metadata.json", "runs_dir": "runs"}
    listed = b'{"experiments": {"0.5": {"status": "completed", "run_dir": "r", "run_id": "r"}}}'
    files = {"metadata.json": listed, "runs/r/simulation.db": database_of(blob, run_database())}
    lay(Case(files))
    end = outcome({**AUDITS["parsing"], "source": source}, "python")
    assert (end.code, "source.conditions" in end.said[0]) == (3, True), end


def test_parquet_of_scenarios_that_is_damaged_late() -> None:
    rows = range(3_000)
    columns = {"label": list(map(str, rows)), "intended.a": [n / 7 for n in rows], "params.x": [n / 3 for n in rows]}
    frame = pl.DataFrame({**columns, "actual.a": columns["params.x"]})
    frame.write_parquet("s.parquet", row_group_size=500, compression="zstd")
    data = bytearray(Path("s.parquet").read_bytes())
    start = len(data) // 2
    data[start : start + 3_000] = bytes(3_000)
    end = outcome(of("aims", "scenarios", b"", "s.parquet", use="parquet").settings, "python")
    assert end.code in (0, 1)
    Path("s.parquet").write_bytes(data)
    end = outcome(of("aims", "scenarios", b"", "s.parquet", use="parquet").settings, "python")
    assert (end.code, end.said[0][:44]) == (3, "s.parquet: cannot be read as Parquet (parque"), end


@pytest.mark.parametrize("kind", [pl.Int128, pl.Decimal(20, 2), pl.UInt64, pl.Float32])
def test_parquet_of_scenarios_with_numbers_of_any_kind(kind: Any) -> None:
    names = ("intended.a", "params.x")
    frame = pl.DataFrame({"label": ["s", "t"], **{name: [1, 2] for name in names}})
    frame.with_columns(pl.col(names).cast(kind)).write_parquet("s.parquet")
    Path("o.csv").write_text("label,a\ns,1\nt,2\n", "utf-8")
    scenarios, table = {"use": "parquet", "path": "s.parquet"}, {"use": "table", "path": "o.csv"}
    end = outcome({**AUDITS["aims"], "scenarios": scenarios, "simulator": table}, "python")
    assert (end.code, end.counts) == (0, {"read": 2, "audited": 2}), end


@pytest.mark.parametrize("name", ENDS)
def test_what_was_found_ends_as_documented(name: str) -> None:
    case, code, said = ENDS[name]
    for path, data in case.files.items():
        Path(path).write_bytes(data)
    end = outcome(case.settings, "python")
    assert (end.code, (end.said or ("",))[0][: len(said)]) == (code, said), end.said
    assert list(found(case, end)) == []
