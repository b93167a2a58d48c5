"""One mistake is one line, however many rows or files it shows in: its first place, and how many others there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mistakes import TRIAL, files, lines, parsing

import auditfw
from auditfw.commands.check import check
from auditfw.config import build as bridge
from auditfw.core.errors import AuditError, DataError, Faults, Findings, UsageError, and_more

TASK = {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]}
NO_TASK = {"train": [{"input": [[1], [2, 3]], "output": [[2]]}]}

pytestmark = pytest.mark.usefixtures("here")


def pairs(*rows: Any) -> dict[str, Any]:
    return {"experiment": "cross_agent", "source": {"use": "pairs", "path": lines("p.jsonl", *rows)}}


def pair(qid: Any, scholar: Any = "VALID", auditor: Any = "VALID") -> dict[str, Any]:
    return {"qid": qid, "scholar": {"label": scholar}, "auditor": {"label": auditor}}


def raters() -> dict[str, Any]:
    rows = [{"qid": f"q{n // 2}", "label": "VALID"} for n in range(40)]
    paths = {"scholar": lines("s.jsonl", *rows), "auditor": lines("a.jsonl", *rows[::2])}
    return {"experiment": "cross_agent", "source": {"use": "raters", "paths": paths}}


def loop(**source: Any) -> dict[str, Any]:
    return {"experiment": "self_audit", "by": [], "source": source, "solver": "search"}


def tasks() -> dict[str, Any]:
    for n in range(12):
        lines(f"tasks/{n:02}.json", NO_TASK if n % 3 else TASK)
    return loop(use="arc", path="tasks")


def scenarios(intended: Any) -> dict[str, Any]:
    rows = [{"label": f"s{n}", "intended": intended, "params": {"x": 1.0}} for n in range(30)]
    made = {"use": "jsonl", "path": lines("s.jsonl", *rows)}
    return {"experiment": "posiwid", "scenarios": made, "simulator": {"use": "python", "function": dict.copy}}


# What is run, and the lines that it must end with.
CASES: dict[str, tuple[Callable[[], dict[str, Any]], list[str]]] = {
    "duplicate ids": (
        lambda: parsing(path=lines("a.jsonl", *({"id": n // 2, **TRIAL} for n in range(60)))),
        ["a.jsonl:2: duplicate id '0' (first at a.jsonl:1; 29 more like this) - "],
    ),
    "a column in no file": (
        lambda: parsing(files=files({"id": 1, "raw_text": "x"})),
        ["1.jsonl: no column 'ground_truth', nor in 4 other files (found: id, raw_text) - write source.columns.ground"],
    ),
    "two columns in no file": (
        lambda: parsing(files=files({"id": 1})),
        [
            "1.jsonl: no column 'ground_truth', nor in 4 other files (found: id) - ",
            "1.jsonl: no column 'raw_text', nor in 4 other files (found: id) - ",
        ],
    ),
    "a column that is mapped": (
        lambda: parsing(files=files({"id": 1, **TRIAL}), columns={"stored": "score"}),
        ["source.columns.stored: no column 'score' in 1.jsonl, nor in 4 other files (found: id, raw_text, parsed_text"],
    ),
    "labels that are not declared": (
        lambda: pairs(*(pair(n, "VALID", ("maybe", "valid", "perhaps")[n % 3]) for n in range(30))),
        [
            "p.jsonl:1: a label that is not declared: auditor says 'maybe' (30 such items: auditor 'maybe' × 10,"
            " auditor 'valid' × 10, auditor 'perhaps' × 10) - declare it (audit.labels), map it (audit.aliases)"
        ],
    ),
    "records of a wrong type": (
        lambda: pairs(*(pair(n, 5 if n % 2 else ["x"]) for n in range(2_000))),
        [
            "p.jsonl:1: scholar: the label is a list \"['x']\", not text (999 more like this) - fix it, ",
            "p.jsonl:2: a label that is not declared: scholar says '5' (1,000 such items: scholar '5' × 1,000)",
        ],
    ),
    "duplicate items": (
        lambda: pairs(*(pair(f"q{n // 2}") for n in range(30))),
        ["p.jsonl:2: duplicate item 'q0' (first at p.jsonl:1; 14 more like this) - "],
    ),
    "items that a rater labels again": (
        raters,
        ["s.jsonl:2: scholar labels the item 'q0' twice (first at s.jsonl:1; 19 more like this) - "],
    ),
    "tasks that are none": (
        tasks,
        ["tasks/01.json:1: task '01', train example 1: the input is not a grid (rows of 1, 2 cells; 7 more like this)"],
    ),
    "problems without examples": (
        lambda: loop(use="problems", path=lines("a.jsonl", *({"id": n, "train": []} for n in range(5_000)))),
        ["a.jsonl:1, problem '0': has no training example (4,999 more like this) - without one every attempt would"],
    ),
    "outcomes that are no numbers": (
        lambda: scenarios({"y": "high"}),
        ["s.jsonl:1: expected a finite number in 'intended.y', got 'high'; 29 more like this"],
    ),
    "bands that are none": (
        lambda: scenarios({"y": {"between": [2, 1]}}),
        ["scenario 's0' (s.jsonl:1): intended 'y' has a lower bound 2 above its upper bound 1 (29 more like this) - "],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_mistake_is_one_line(name: str) -> None:
    settings, expected = CASES[name]
    with pytest.raises(AuditError) as caught:
        auditfw.run(settings() | {"engine": {"workers": 1}})
    assert caught.value.exit_code == 3
    told = str(caught.value).split("\n")
    assert [line[: len(words)] for line, words in zip(told, expected, strict=True)] == expected


def test_faults_of_one_kind_are_counted() -> None:
    faults = Faults()
    faults.refuse()
    for n in range(3):
        faults.add(DataError(f"a:{n}", f"task '{n}' is bad", n, "mend it"))
    faults.further(7)
    with pytest.raises(DataError) as caught:
        faults.refuse()
    assert str(caught.value) == "a:0: task '0' is bad (0; 9 more like this) - mend it"
    faults.add(DataError("b", "is bad"))
    faults.add(UsageError("b", "is bad"))
    faults.further(1_007)
    with pytest.raises(Findings) as several:
        faults.refuse()
    assert str(several.value).split("\n") == [
        "a:0: task '0' is bad (0; 9 more like this) - mend it", "b: is bad", "b: is bad", "and 1,007 more errors",
    ]  # fmt: skip
    assert str(and_more(DataError("a", "is bad", "x" * 200), 1_234)).endswith("x…; 1,234 more like this)")


def test_check_says_once_what_is_wrong_with_every_job() -> None:
    bridge.prepare()
    with pytest.raises(Findings) as caught:
        check(["-m", "source=jsonl", "source.path=none.jsonl", "by=[]", "seed=1,2"])
    job = "job 0, source=jsonl source.path=none.jsonl by=[] seed=1"
    assert str(caught.value) == f"{job}: none.jsonl: no such file (1 more like this) - none is known"


SHIFTED = [(n, "x", "x", "x" if n % 9 else "y", "maybe" if n % 7 == 0 else n % 2) for n in range(1, 101)]
NAMES = ("id", "raw_text", "parsed_text", "ground_truth", "stored")


@pytest.mark.parametrize("workers", [1, 2])
def test_stored_labels_that_are_none_are_refused_with_their_place_or_counted(workers: int) -> None:
    rows = [dict(zip(NAMES, row, strict=True)) for row in SHIFTED]
    settings = parsing(path=lines("a.jsonl", *rows)) | {"engine": {"workers": workers}, "gate": []}
    settings |= {"parser": ["answer_v2"], "normalizer": ["v2"]}
    with pytest.raises(DataError, match=r"a\.jsonl:7: the stored label .* \(14 such rows: 'maybe' × 14\) - say which"):
        auditfw.run(settings)
    result = auditfw.run(settings | {"audit": {"unknown_stored": "count"}}, Path(f"run{workers}"))
    assert result.counts == {"read": 100, "audited": 86, "unknown_stored": 14}
    [warning] = [text for text in result.warnings if "left out" in text]
    start = "14 rows left out: the stored label is neither true nor false ('maybe' × 14; first: the trial '7'; "
    assert warning.startswith(start)
    settings["source"] = {"use": "jsonl", "path": lines("b.jsonl", *(row for row in rows if row["id"] % 7))}
    assert auditfw.run(settings).measurements == result.measurements
    trials = pl.read_parquet(f"run{workers}/trials.parquet")
    left = trials.filter(pl.col("status") == "unknown_stored")
    assert left["id"].to_list() == [str(n) for n in range(7, 101, 7)]
    assert left["stored"].null_count() == left["answer_v2+v2"].null_count() == 14
