"""Which sample of which log a trial is, for scores that go back into the log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from auditfw.core.errors import DataError
from auditfw.kinds.evidence import Evidence

SCORES = "scores"  # what a report asks for by its `keeps`
SAMPLE, EPOCH, LOG = "sample_id", "epoch", "log"
COLUMNS = (SAMPLE, EPOCH, LOG)
SOURCE = "source=inspect has both"


def further_columns(keeps: Collection[str]) -> tuple[str, ...]:
    """The columns that are read for what reports need."""
    return COLUMNS if SCORES in keeps else ()


def check_samples(evidence: Evidence) -> None:
    """Refuses evidence whose trials are no samples of a log. Raises DataError."""
    lacking = [name for name in (SAMPLE, EPOCH) if name not in evidence.columns]
    if lacking:
        what = f"scores for a log need the column '{lacking[0]}' of each trial"
        settings = ", ".join(f"source.columns.{name}=THEIRS" for name in lacking)
        do = f"{SOURCE}; for another source write {settings}"
        columns = ", ".join(name for name in evidence.columns if not name.startswith("#"))
        raise DataError("report=[inspect_scores]", what, f"the columns {columns}", do)


def sample_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The columns of trials.parquet that say which sample each row is. Raises DataError for a row that says none."""
    ids = columns["id"]
    samples = [_sample(value, row) for value, row in zip(columns[SAMPLE], ids, strict=True)]
    epochs = [_epoch(value, row) for value, row in zip(columns[EPOCH], ids, strict=True)]
    logs = columns.get(LOG)
    named = [None] * len(ids) if logs is None else [None if log is None else str(log) for log in logs]
    return {SAMPLE: samples, EPOCH: epochs, LOG: named}


def _sample(value: Any, row: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise _unfit(SAMPLE, "a text or a whole number", value, row)
    return str(value)


def _epoch(value: Any, row: Any) -> int:
    whole = isinstance(value, float) and value.is_integer()
    if type(value) is int or whole or (isinstance(value, str) and value.isascii() and value.isdigit()):
        return int(value)
    raise _unfit(EPOCH, "a whole number", value, row)


def _unfit(name: str, kind: str, value: Any, row: Any) -> DataError:
    do = f"correct it, or name another column: source.columns.{name}=THEIRS"
    return DataError("report=[inspect_scores]", f"the {name} of the trial '{row}' is not {kind}", value, do)
