"""An accepted run: `baseline.json` with its numbers, and beside it the labels of its trials."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditfw.commands.run_folder import ANSWER, FIRST_SHAPE, TEXT, digest_of, read_document, stored_gates
from auditfw.commands.stored_run import StoredRun, stored
from auditfw.components.gate.change import BASELINE
from auditfw.core.errors import DataError
from auditfw.core.files import present
from auditfw.core.result_json import gate_document

LABELS = ".labels.parquet"
NUMBERS = ("audit", "verdict", "counts", "measurements", "inputs", "config_hash", "seed", "versions")
ANSWERED = {"status": str, "headline": str, "because": [str], "next": str}
AGAIN = "store it again with auditfw accept RUN"
SHAPE: Mapping[str, Any] = {
    **{name: FIRST_SHAPE[name] for name in (*NUMBERS, "exit_code", "gates")},
    "answer": ANSWER,
    "labels": TEXT,
}


def labels_file(file: Path) -> Path:
    """Where the labels of an accepted run are, by the file of its numbers."""
    return file.with_suffix(LABELS)


def accepted_document(result: Mapping[str, Any], labels: str | None) -> dict[str, Any]:
    """What is kept of a run that is accepted: its numbers, its answer, its gates, and the SHA-256 of its labels."""
    answer = result["answer"]
    return {
        "schema": BASELINE,
        **{name: result[name] for name in (*NUMBERS, "exit_code")},
        "gates": [gate_document(gate) for gate in result["gates"]],
        "answer": None if answer is None else {name: answer[name] for name in ANSWERED},
        "labels": labels,
    }


def read_accepted(file: Path) -> StoredRun:
    """An accepted run, as if it were a finished one. Raises DataError."""
    document = read_document(file, BASELINE, SHAPE, f"name the folder of a finished run, or {AGAIN}")
    if document["answer"] is not None:
        document["answer"] = read_document(file, BASELINE, {"answer": ANSWERED}, AGAIN)["answer"]
    labels = labels_file(file)
    if document["labels"] is None and present(labels):
        raise DataError(str(labels), f"is a table that {file.name} does not list", "it may be another run's", AGAIN)
    if document["labels"] is not None and digest_of(labels) != document["labels"]:
        raise DataError(str(labels), f"does not match its SHA-256 in {file.name}", None, AGAIN)
    return StoredRun(file, {**document, "gates": stored_gates(file, document)}, {})


def run_or_accepted(place: Path) -> StoredRun:
    """A finished run by its folder, or an accepted one by its file. Raises DataError."""
    return read_accepted(place) if place.is_file() else stored(place)
