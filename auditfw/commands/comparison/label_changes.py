"""The trials of two runs, or of a run and an accepted one, paired by id: which labels are not the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditfw.commands.error_output import warn
from auditfw.commands.run_folder import ANSWER, FIRST_SHAPE, TEXT, read_document, stored_gates
from auditfw.commands.stored_run import StoredRun, stored
from auditfw.commands.sweep.refusal import refuse_sweep
from auditfw.components.files.run_tables import digest_of, has_table, read_table
from auditfw.components.gate.change import BASELINE, accepted_measurements
from auditfw.config.quoting import is_path
from auditfw.core.digits import p_text
from auditfw.core.document import Table
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import guarded, present, restored
from auditfw.core.imports import pl
from auditfw.core.result_json import dumps, gate_document, write_whole
from auditfw.core.results.table_files import write_table
from auditfw.core.statistics import mcnemar_exact

SHOWN = 20
KEYS = (("id",), ("scenario", "key"))
NO_LABELS = ("status",)
FACTS = ("code.", "row.")  # what columns begin with that say the same once more, or are no labels
OTHER = "\0other"
LABELS = ".labels.parquet"


@dataclass(frozen=True)
class LabelChanges:
    """The trials of one reading in two runs: how many both have, how many changed which way, some of their ids.

    `p` is the exact McNemar p-value where the reading is right or wrong, else None; `before` and `after` are the labels
    of the trials that `ids` names, as text.
    """

    reading: str
    both: int
    to_true: int
    to_false: int
    changed: int
    p: float | None
    ids: Sequence[str]
    before: Sequence[str] = ()
    after: Sequence[str] = ()


@dataclass(frozen=True)
class PairedTrials:
    """The trials that two tables share, a row each: `keys` identify it, each of `names` is there from both tables."""

    rows: Any
    keys: Sequence[str]
    names: Sequence[str]


def labels_file(file: Path) -> Path:
    """Where the labels of an accepted run are, by the file of its numbers."""
    return file.with_suffix(LABELS)


def keys_of(columns: Sequence[str]) -> list[str] | None:
    """The columns that identify a trial of a table; None where it has none."""
    return next((list(keys) for keys in KEYS if {*keys} <= {*columns}), None)


def paired(one: Path, other: Path) -> PairedTrials | None:
    """The trials of two runs by their id; None where they cannot be paired."""
    files = [labels_file(place) if place.is_file() else place / "trials.parquet" for place in (one, other)]
    if not all(map(has_table, files)):
        return None
    left = read_table(files[0], _labels)
    right = read_table(files[1], lambda columns: [name for name in _labels(columns) if name in left.columns])
    keys = keys_of(right.columns)
    if keys is None:
        return None
    names = [name for name in left.columns if name in right.columns and name not in keys]
    after = right.select(*keys, *(pl.col(name).alias(f"{name}{OTHER}") for name in names))
    if _twice(left, keys):
        return None
    before = left.select(*keys, *names)
    if left.select(keys).equals(after.select(keys), null_equal=False):
        return PairedTrials(before.hstack(after.drop(keys)), keys, names)
    if _twice(after, keys):
        return None
    return PairedTrials(before.join(after, on=keys, how="inner"), keys, names)


def _twice(frame: Any, keys: Sequence[str]) -> bool:
    """Whether a trial stands there twice."""
    return bool(frame.select(keys).n_unique() < frame.height)


def _labels(columns: Sequence[str]) -> list[str]:
    """What tells trials apart, and their labels."""
    return [name for name in columns if name not in NO_LABELS and not name.startswith(FACTS)]


def changes_of(trials: PairedTrials) -> list[LabelChanges]:
    """The labels that changed, a row for each reading that has some."""
    return [change for name in trials.names for change in _label_changes(trials, name)]


def _label_changes(trials: PairedTrials, name: str) -> list[LabelChanges]:
    before, after = pl.col(name), pl.col(f"{name}{OTHER}")
    try:
        both = trials.rows.filter(before.is_not_null() & after.is_not_null())
        changed = both.filter(before != after)
    except pl.exceptions.PolarsError:
        return []
    if not len(changed):
        return []
    shown = changed.sort(trials.keys).head(SHOWN)
    ids = ["/".join(map(str, row)) for row in shown.select(trials.keys).rows()]
    sides = [[_label(value) for value in shown[column]] for column in (name, f"{name}{OTHER}")]
    if {trials.rows.schema[name], trials.rows.schema[f"{name}{OTHER}"]} != {pl.Boolean}:
        return [LabelChanges(name, len(both), 0, 0, len(changed), None, ids, *sides)]
    up = int(changed[f"{name}{OTHER}"].sum())
    down = len(changed) - up
    return [LabelChanges(name, len(both), up, down, len(changed), mcnemar_exact(up, down), ids, *sides)]


def _label(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def flips_table(changes: Sequence[LabelChanges]) -> Table:
    """The flips of each reading, with the paired test."""
    rows = []
    for one in changes:
        tested = ["", "", ""] if one.p is None else [f"{one.to_true:,}", f"{one.to_false:,}", p_text(one.p)]
        rows.append([one.reading, f"{one.both:,}", f"{one.changed:,}", *tested])
    return Table(["reading", "in both", "changed", "→ right", "→ wrong", "p"], rows, "<>>>>>")


def accepted_labels(folder: Path, result: Mapping[str, Any]) -> Any:
    """The labels of a finished run as a frame, a column a reading; None where their ids are not unique."""
    file = folder / "trials.parquet"
    if not has_table(file):
        return None
    trials = read_table(file)
    keys = keys_of(trials.columns)
    if keys is None or trials.select(keys).is_duplicated().any():
        return None
    readings = dict.fromkeys(["stored", *(m["reading"] for m in result["measurements"])])
    return trials.select(*keys, *(name for name in readings if name in trials.columns and name not in keys))


# `auditfw accept`: a finished run as `baseline.json` with its numbers, and beside it the labels of its trials.

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
    refuse_sweep(Path(folders[0]), "accept")
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
