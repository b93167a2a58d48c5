"""Writes folders of conformity runs: one SQLite database a run and the metadata that lists the runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

DATABASE = "simulation.db"
BATCH = 2_000
CREATED_AT = 1_770_000_000.0

SCHEMA = """
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, seed INTEGER NOT NULL, created_at REAL NOT NULL, config_json TEXT NOT NULL);
CREATE TABLE conformity_datasets (
    dataset_id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, path TEXT NOT NULL,
    sha256 TEXT NOT NULL, created_at REAL NOT NULL);
CREATE TABLE conformity_items (
    item_id TEXT PRIMARY KEY, dataset_id TEXT NOT NULL REFERENCES conformity_datasets(dataset_id),
    domain TEXT NOT NULL, question TEXT NOT NULL, ground_truth_text TEXT, ground_truth_json TEXT,
    source_json TEXT, created_at REAL NOT NULL);
CREATE TABLE conformity_conditions (
    condition_id TEXT PRIMARY KEY, name TEXT NOT NULL, params_json TEXT NOT NULL, created_at REAL NOT NULL);
CREATE TABLE conformity_trials (
    trial_id TEXT PRIMARY KEY, run_id TEXT NOT NULL REFERENCES runs(run_id), model_id TEXT NOT NULL,
    variant TEXT NOT NULL, item_id TEXT NOT NULL REFERENCES conformity_items(item_id),
    condition_id TEXT NOT NULL REFERENCES conformity_conditions(condition_id),
    seed INTEGER NOT NULL, temperature REAL NOT NULL, created_at REAL NOT NULL);
CREATE TABLE conformity_outputs (
    output_id TEXT PRIMARY KEY, trial_id TEXT NOT NULL REFERENCES conformity_trials(trial_id),
    raw_text TEXT NOT NULL, parsed_answer_text TEXT, parsed_answer_json TEXT, is_correct INTEGER,
    refusal_flag INTEGER NOT NULL, latency_ms REAL, token_usage_json TEXT, created_at REAL NOT NULL);
"""


def _run(row: Row) -> tuple[Any, ...]:
    return (row["run_id"], 0, CREATED_AT, "{}")


def _dataset(row: Row) -> tuple[Any, ...]:
    name = row["dataset"]
    return (name, name, "1", f"data/{name}.jsonl", "0" * 64, CREATED_AT)


def _item(row: Row) -> tuple[Any, ...]:
    item = row["item"]
    question = row.get("question") or f"What is known about {item}?"
    domain = "opinion" if row["ground_truth"] is None else "factual"
    return (item, row["dataset"], domain, question, row["ground_truth"], None, '{"wrong_answer":null}', CREATED_AT)


def _condition(row: Row) -> tuple[Any, ...]:
    return (row["condition"], row["condition"], json.dumps({"type": row["condition"]}), CREATED_AT)


def _trial(row: Row) -> tuple[Any, ...]:
    ids = (row["trial"], row["run_id"], f"models/{row['variant']}", row["variant"], row["item"], row["condition"])
    return (*ids, 0, row.get("temperature", 0.0), CREATED_AT)


def _output(row: Row, number: int) -> tuple[Any, ...]:
    values = (f"{row['trial']}-{number}", row["trial"], row["raw_text"], row["parsed_answer_text"])
    return (*values, None, row["is_correct"], 0, None, None, CREATED_AT)


PARENTS: dict[str, Callable[[Row], tuple[Any, ...]]] = {
    "INSERT INTO runs VALUES (?,?,?,?) ON CONFLICT DO NOTHING": _run,
    "INSERT INTO conformity_datasets VALUES (?,?,?,?,?,?) ON CONFLICT DO NOTHING": _dataset,
    "INSERT INTO conformity_items VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING": _item,
    "INSERT INTO conformity_conditions VALUES (?,?,?,?) ON CONFLICT DO NOTHING": _condition,
    "INSERT INTO conformity_trials VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING": _trial,
}
OUTPUT = "INSERT INTO conformity_outputs VALUES (?,?,?,?,?,?,?,?,?,?)"


def write_run(folder: Path, rows: Iterable[Row], run_id: str) -> Path:
    """Writes `folder/simulation.db` and returns its path.

    A row is one output: `trial, run_id, variant, condition, dataset, item, ground_truth, raw_text,
    parsed_answer_text, is_correct`, and optionally `temperature` and `question`. Names are also ids; rows may
    share a trial, an item, a dataset. `run_id` gets its row in `runs` even if no output belongs to it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / DATABASE
    path.unlink(missing_ok=True)
    stream = iter(rows)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(f"PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; {SCHEMA}")
        db.execute("INSERT INTO runs VALUES (?,?,?,?)", _run({"run_id": run_id}))
        written = 0
        while batch := list(islice(stream, BATCH)):
            for statement, values in PARENTS.items():
                db.executemany(statement, dict.fromkeys(map(values, batch)))
            db.executemany(OUTPUT, (_output(row, written + n) for n, row in enumerate(batch)))
            written += len(batch)
        db.commit()
    return path


def write_metadata(path: Path, experiments: Mapping[str, Mapping[str, Any]]) -> Path:
    """Writes the metadata file that lists the runs by temperature."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"experiments": experiments}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
    return path
