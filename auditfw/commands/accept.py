"""`auditfw accept`: a finished run as the baseline of later ones."""

from __future__ import annotations

from pathlib import Path

from auditfw.components.gate.change import accepted_measurements
from auditfw.config.quoting import is_path
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import guarded, present, restored
from auditfw.core.result_json import dumps, write_whole
from auditfw.core.tables import write_table

from .comparison.accepted import accepted_document, labels_file
from .comparison.label_changes import accepted_labels
from .error_output import warn
from .run_folder import digest_of
from .stored_run import StoredRun, stored

DEFAULT = "baseline.json"


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
        write_table(target, labels.to_dict(as_series=True))
    return digest_of(target)
