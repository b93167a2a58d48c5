"""Small valid files of every format that is read, and what spoils them: the cases of each reader, by number."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import spoiling
from benchmarks.data.conformity import write_run
from fuzzing import DATA, changed
from odd_settings import odd
from spoiling import FORMS, HOSTILE, Record, packed, rendered, spoilt, spoilt_bytes


@dataclass
class Case:
    """The files of a case by name, and the settings of the run that reads them."""

    files: dict[str, bytes]
    settings: dict[str, Any] = field(default_factory=dict)


TRIALS: list[Record] = [
    {**row, "id": f"{row['id']}{model}", "model": model, "facts": {"n": 1, "tags": ["a"]}, "score": 0.5}
    for model in "ab"
    for row in DATA["d.jsonl"]
]
EVIDENCE: Record = {
    "answer_json": {"claim": "x", "citations": ["a"]},
    "retrieved_ids": ["a", "b"],
    "flags": {"bad": False},
}
PAIRS: list[Record] = [{**row, **EVIDENCE, "difficulty": 1} for row in DATA["p.jsonl"]]
JUDGED: list[Record] = [
    {"qid": str(n), "rater": rater, "label": label, "reason": "ok", **EVIDENCE}
    for rater in ("scholar", "auditor")
    for n, label in enumerate(("VALID", "REJECT", "VALID"))
]
GRID: Record = {"input": [[1, 2]], "output": [[2, 1]]}
PROBLEMS: list[Record] = [{"id": f"p{n}", "train": [GRID, GRID], "test": [GRID], "difficulty": "easy"} for n in (1, 2)]
ATTEMPTS: list[Record] = [
    {
        "problem": f"p{n}",
        "attempt": k,
        "outputs": [[[2, 1]], [[k, 1]], [[2, 1]]],
        "seconds": 0.5,
        "tokens": 3,
        "why": "w",
    }
    for n in (1, 2)
    for k in (1, 2)
]
JOURNAL: list[Record] = [
    {"journal": 1, "version": "0.1.0"},
    *({**row, "of": "x", "score": 0.5, "exact": False, "started": None, "outputs": None} for row in ATTEMPTS),
    {"problem": "p1", "attempt": 3, "started": 1.5},
]
SCENES: list[Record] = [
    {
        "label": f"s{n}",
        "intended": {"a": 0.5, "b": -n},
        "params": {"x": n / 10},
        "group": "g",
        "actual": {"a": 0.4, "b": n},
    }
    for n in (1, 2, 3)
]
FLAT: list[Record] = [
    {f"{key}.{name}" if name else key: value for key, given in row.items() for name, value in
     (given.items() if isinstance(given, dict) else [("", given)])}
    for row in SCENES
]  # fmt: skip
SERIES: list[Record] = [{"time": n, "a": n / 2, "b": 3} for n in range(4)]


# Readers

AUDITS = {
    "parsing": {"experiment": "answer_parsing"},
    "agreement": {"experiment": "cross_agent"},
    "loop": {"experiment": "self_audit", "stop": {"max_iterations": 2}},
    "aims": {"experiment": "posiwid"},
}


def trials(draw: random.Random, form: str, path: str = "") -> Case:
    """Stored answers, in a file of any format."""
    path = path or f"t.{form}"
    source: dict[str, Any] = {"use": form, "path": path, **odd(draw, form)}
    if form == "sqlite":
        source |= {
            "query": draw.choice(("SELECT * FROM t", "SELECT * FROM t", "SELECT id, raw_text FROM t ORDER BY 1"))
        }
    data = spoilt(draw, TRIALS, form)
    if form == "csv" and draw.random() < 0.5:
        source["delimiter"] = delimiter = draw.choice((";", "\t", "|", " ", "\0", "\x1c"))
        data = spoilt_bytes(draw, spoiling.delimited(draw, TRIALS, delimiter))
        source |= {"quote": draw.choice((None, "'"))} if draw.random() < 0.3 else {}
    if form == "json" and draw.random() < 0.3:
        source["records"] = draw.choice(("records", "records.deep", "nix", ""))
        data = b'{"n": [1], "records": ' + data + draw.choice((b"}", b', "x": 1e999}', b', "records": []}', b"} x"))
    joined = spoilt(draw, [{"who": "a", "mark": "1"}, {"who": "b", "mark": ""}], "csv") if "join" in source else b""
    return Case({path: data, "j.csv": joined}, {**AUDITS["parsing"], "source": source})


def compressed(draw: random.Random, ending: str) -> Case:
    """Stored answers in a compressed file, which is spoilt itself."""
    form = draw.choice(("jsonl", "jsonl", "json", "csv"))
    path = f"t.{form}.{ending}"
    case = trials(draw, form, path)
    sound = draw.random() < 0.6 and not {"delimiter", "records"} & set(case.settings["source"])
    case.files[path] = packed(draw, FORMS[form](draw, TRIALS) if sound else case.files[path], ending)
    return case


def pairs(draw: random.Random) -> Case:
    source: dict[str, Any] = {"use": "pairs", "path": "p.jsonl", **odd(draw, "jsonl"), **_lenient(draw)}
    files = {"p.jsonl": spoilt(draw, PAIRS, "jsonl"), "j.csv": b"who,mark\n1,2\n"}
    return Case(files, {**AUDITS["agreement"], "source": source})


def _lenient(draw: random.Random) -> dict[str, Any]:
    return {
        **({"malformed": "count"} if draw.random() < 0.3 else {}),
        **({"missing_qid": "line"} if draw.random() < 0.2 else {}),
    }


def raters(draw: random.Random) -> Case:
    """Judgements in a file for each rater, or in one table."""
    form = draw.choice(("jsonl", "jsonl", "json", "csv", "parquet"))
    if draw.random() < 0.4:
        source: dict[str, Any] = {"path": f"r.{form}"}
        files = {f"r.{form}": spoilt(draw, JUDGED, form)}
    else:
        files = {f"a.{form}": spoilt(draw, JUDGED[:3], form), "b.jsonl": FORMS["jsonl"](draw, JUDGED[3:])}
        source = {"paths": {"scholar": f"a.{form}", "auditor": "b.jsonl"}}
    few = {name: value for name, value in odd(draw, "").items() if name in ("where", "nulls", "encoding", "columns")}
    return Case(files, {**AUDITS["agreement"], "source": {"use": "raters", **source, **few, **_lenient(draw)}})


TASK: Record = {"train": [GRID, GRID], "test": [GRID]}


def arc(draw: random.Random) -> Case:
    """Tasks in a folder, or a mapping of tasks, with their solutions or without."""
    if draw.random() < 0.5:
        files = {"tasks/p1.json": _document(draw, TASK), "tasks/p2.json": rendered(TASK).encode()}
        source: dict[str, Any] = {"path": "tasks"}
    else:
        files = {"all.json": _document(draw, {"p1": TASK, "p2": {"train": [GRID], "test": [{"input": [[1]]}]}})}
        source = {"path": "all.json"}
    if draw.random() < 0.4:
        files["solutions.json"] = _document(draw, {"p1": [[[2, 1]]], "p2": [[[3]]]})
        source["solutions"] = "solutions.json"
    files["a.jsonl"] = FORMS["jsonl"](draw, ATTEMPTS)
    return Case(files, {**AUDITS["loop"], **_replayed("a.jsonl"), "source": {"use": "arc", **source}})


def _document(draw: random.Random, value: Any) -> bytes:
    """A JSON document, spoilt."""
    way = draw.random()
    data = rendered(changed(draw, json.loads(json.dumps(value)), HOSTILE) if way < 0.7 else value).encode()
    return spoilt_bytes(draw, data) if way > 0.6 else data


def _replayed(path: str) -> dict[str, Any]:
    return {"solver": {"use": "replay", "path": path, "past_end": "stop"}}


def problems(draw: random.Random) -> Case:
    few = {name: value for name, value in odd(draw, "jsonl").items() if name != "join"}
    files = {"q.jsonl": spoilt(draw, PROBLEMS, "jsonl"), "a.jsonl": FORMS["jsonl"](draw, ATTEMPTS)}
    source = {"use": "problems", "path": "q.jsonl", **few}
    return Case(files, {**AUDITS["loop"], **_replayed("a.jsonl"), "source": source})


def replay(draw: random.Random) -> Case:
    """Recorded attempts: a record each, or a problem with its list of them."""
    lists = [{"problem": f"p{n}", "attempts": [[[[2, 1]]] * 3, {"outputs": [[[2, 1]]] * 3, "cost": 1}]} for n in (1, 2)]
    form = draw.choice(("jsonl", "jsonl", "json"))
    files = {
        "q.jsonl": FORMS["jsonl"](draw, PROBLEMS),
        f"a.{form}": spoilt(draw, draw.choice((ATTEMPTS, JOURNAL, lists)), form),
    }
    made = _replayed(f"a.{form}")
    made["solver"] |= {"past_end": draw.choice(("error", "null", "stop"))}
    made["solver"] |= {"where": draw.choice(("attempt < 2", "nix = 1", "seconds > 0"))} if draw.random() < 0.1 else {}
    return Case(files, {**AUDITS["loop"], **made, "source": {"use": "problems", "path": "q.jsonl"}})


def scenarios(draw: random.Random, form: str) -> Case:
    """Scenarios with the outcomes that were recorded for them."""
    rows = FLAT if form == "csv" or (form == "parquet" and draw.random() < 0.7) else SCENES
    few = {name: value for name, value in odd(draw, form).items() if name not in ("unpivot", "join")}
    made = {"use": form, "path": f"s.{form}", **few}
    table = {"use": "table", **({"path": "o.jsonl"} if form == "csv" else {})}
    files = {f"s.{form}": spoilt(draw, rows, form), "o.jsonl": FORMS["jsonl"](draw, SCENES)}
    return Case(files, {**AUDITS["aims"], "scenarios": made, "simulator": table})


def series(draw: random.Random) -> Case:
    """A table of time series for a scenario, and the same for its outcomes."""
    files = {
        "s.csv": spoilt(draw, SERIES, "csv"),
        "o.jsonl": b'{"label": "s", "actual": {"a@0": 0, "a": 1.5, "b": 3}}\n',
    }
    made = {"use": "series", "path": "s.csv", "label": "s", "outcomes": draw.choice(("series", "end"))}
    table = {"use": "table", "path": "o.jsonl"}
    return Case(files, {**AUDITS["aims"], "scenarios": made, "simulator": table})


def recorded(draw: random.Random) -> Case:
    """Outcomes recorded in a file of their own."""
    form = draw.choice(("jsonl", "jsonl", "csv", "csv", "json", "parquet", "report"))
    rows = [{"label": row["label"], "actual": row["actual"]} for row in SCENES]
    if form in ("csv", "parquet"):
        rows = [{"label": row["label"], **row["actual"]} for row in SCENES]
    simulator: dict[str, Any] = {"use": "table", "path": f"o.{form}"}
    if form == "report":
        path, data = "o.json", b'{"individual_results": ' + spoilt(draw, rows, "json") + b"}"
        simulator |= {"path": path, "format": "posiwid_report"}
    else:
        path, data = f"o.{form}", spoilt(draw, rows, form)
    files = {"s.jsonl": FORMS["jsonl"](draw, SCENES), path: data}
    made = {"use": "jsonl", "path": "s.jsonl"}
    return Case(files, {**AUDITS["aims"], "scenarios": made, "simulator": simulator})


CONDITIONS = ("control", "asch_history_5")
TABLES = (
    "runs",
    "conformity_datasets",
    "conformity_items",
    "conformity_conditions",
    "conformity_trials",
    "conformity_outputs",
)


@cache
def run_database() -> bytes:
    """The database of one run of conformity trials."""
    given = {"variant": "v", "dataset": "d", "parsed_answer_text": "Rome", "raw_text": "Rome", "is_correct": 1}
    rows = [
        {
            **given,
            "trial": f"t{n}",
            "run_id": "r",
            "condition": CONDITIONS[n % 2],
            "item": f"i{n}",
            "ground_truth": truth,
        }
        for n, truth in enumerate(("Rome", "Oslo", None, "Rome"))
    ]
    with tempfile.TemporaryDirectory() as folder:
        return write_run(Path(folder) / "r", rows, "r").read_bytes()


def conformity(draw: random.Random) -> Case:
    """A folder of runs with its metadata: rows, tables, bytes or the metadata spoilt."""
    listed = {"experiments": {"0.5": {"status": "completed", "run_dir": "r", "run_id": "r", "trials": 4}}}
    way, data = draw.random(), run_database()
    data = spoiling.database_of(lambda db: _alter(draw, db), data) if 0.3 < way < 0.8 else data
    data = spoilt_bytes(draw, data) if way > 0.75 else data
    metadata = _document(draw, listed) if way < 0.35 else rendered(listed).encode()
    files = {"metadata.json": metadata, "runs/r/simulation.db": data}
    source: dict[str, Any] = {"use": "conformity", "metadata": "metadata.json", "runs_dir": "runs"}
    source |= {"null_labels": "missing"} if draw.random() < 0.3 else {}
    source |= {"where": draw.choice(("temperature > 0", "nix = 1", "refusal"))} if draw.random() < 0.1 else {}
    return Case(files, {**AUDITS["parsing"], "source": source})


def _alter(draw: random.Random, db: sqlite3.Connection) -> None:
    """Changes values, rows, columns or tables of a database."""
    for _ in range(draw.choice((1, 1, 2))):
        table = draw.choice(TABLES)
        column = draw.choice([row[1] for row in db.execute(f"PRAGMA table_info({table})")] or ["x"])
        statements = (
            *(f"UPDATE OR IGNORE {table} SET {column} = {draw.choice(spoiling.ODD)}",) * 4,
            *(f"UPDATE OR IGNORE {table} SET {column} = '{draw.choice(('x', '0', 'control', 'None', 'é'))}'",) * 2,
            *(f"DELETE FROM {table}", f"DROP TABLE {table}", f"ALTER TABLE {table} RENAME TO x"),
            *(f"ALTER TABLE {table} RENAME COLUMN {column} TO x", f"DELETE FROM {table} WHERE rowid = 1"),
            *(f"UPDATE {table} SET rowid = rowid + {draw.choice((9, 2**40, -(2**40), 2**62))}",),
        )
        db.execute(draw.choice(statements))


READERS: Mapping[str, Callable[[random.Random], Case]] = {
    **{form: (lambda draw, form=form: trials(draw, form)) for form in FORMS},
    "gzip": lambda draw: compressed(draw, "gz"),
    "zstd": lambda draw: compressed(draw, "zst"),
    "conformity": conformity,
    "pairs": pairs,
    "raters": raters,
    "arc": arc,
    "problems": problems,
    "replay": replay,
    **{
        f"scenarios_{form}": (lambda draw, form=form: scenarios(draw, form))
        for form in ("jsonl", "json", "csv", "parquet")
    },
    "series": series,
    "recorded": recorded,
}


def case_of(reader: str, seed: int) -> Case:
    """The case of a reader with this number."""
    return READERS[reader](random.Random(f"{reader} {seed}"))
