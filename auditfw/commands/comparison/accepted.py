"""`auditfw accept`: a finished run as `baseline.json` with its numbers, and beside it the labels of its trials."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditfw.commands.error_output import warn
from auditfw.commands.run_folder import ANSWER, FIRST_SHAPE, TEXT, digest_of, read_document, stored_gates
from auditfw.commands.stored_run import StoredRun, stored
from auditfw.components.gate.change import BASELINE, accepted_measurements
from auditfw.config.quoting import is_path
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import guarded, present, restored
from auditfw.core.result_json import dumps, gate_document, write_whole
from auditfw.core.tables import write_table

from .label_changes import accepted_labels, labels_file

DEFAULT = "baseline.json"
NUMBERS = ("audit", "verdict", "counts", "measurements", "inputs", "config_hash", "seed", "versions")
ANSWERED = {"status": str, "headline": str, "because": [str], "next": str}
AGAIN = "store it again with auditfw accept RUN"
SHAPE: Mapping[str, Any] = {
    **{name: FIRST_SHAPE[name] for name in (*NUMBERS, "exit_code", "gates")},
    "answer": ANSWER,
    "labels": TEXT,
}


def accept(argv: list[str]) -> int:
    """`auditfw accept RUN [baseline=FILE]`: stores a finished run as a baseline: gates limit the change from it."""
    folders = [word for word in argv if not word.startswith("baseline=") or is_path(word)]
    named = [word.partition("=")[2] for word in argv if word not in folders]
    if len(folders) != 1 or len(named) > 1:
        raise UsageError(
            "accept", "needs one run folder", " ".join(argv) or None, "write auditfw accept RUN [baseline=FILE]"
        )
    run, file = stored(Path(folders[0])), Path(named[0] if named else DEFAULT)
    if run.result["exit_code"] not in (0, 1):
        code = f"exit code {run.result['exit_code']}"
        raise DataError(folders[0], "an incomplete run cannot be a baseline", code, "correct its cause and run again")
    before = _accepted_before(file)
    with guarded(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        with restored(file, labels_file(file)):
            labels = _write_labels(run, file, replaces=before is not None)
            write_whole(str(file.parent), file.name, dumps(accepted_document(run.result, labels)))
    message = f"accepted {len(run.numbers)} measurements of {folders[0]} as the baseline {file}"
    if labels is not None:
        message += f", the labels of its trials as {labels_file(file).name}"
    if before is not None:
        moved = sum(before.get(name) != value for name, value in run.numbers.items())
        message += f"; {moved} differ from the baseline that it replaces"
    print(message)
    if run.result["verdict"] == "fail":
        warn("a gate of this run failed; it was accepted as the baseline anyway")
    return 0


def _accepted_before(file: Path) -> dict[str, float | None] | None:
    try:
        rows = accepted_measurements(file)
    except FileNotFoundError:
        return None
    except DataError as error:
        raise UsageError(
            str(file), "exists and is not a baseline", error.what, "name another with baseline=FILE"
        ) from None
    return {f"{row['metric']}@{row['reading']}": row["value"] for row in rows if not row["cell"]}


def _write_labels(run: StoredRun, file: Path, replaces: bool) -> str | None:
    """Writes the labels of the trials beside the baseline; gives their SHA-256, None where there are none."""
    target = labels_file(file)
    if present(target) and not replaces:
        what = "exists and belongs to no baseline"
        raise UsageError(str(target), what, None, "move it, or name another with baseline=FILE")
    labels = accepted_labels(run.folder, run.result)
    if labels is None:
        target.unlink(missing_ok=True)
        return None
    with guarded(target):
        write_table(target, "labels", labels.to_dict(as_series=True))
    return digest_of(target)


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
