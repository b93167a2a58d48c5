"""The labels of a reading as scores for logs of Inspect AI: its scorer `precomputed_scores` reads them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.core.errors import UsageError, refuse
from auditfw.core.escaping import log_line
from auditfw.core.files import guarded, own_folder, refusals, whole
from auditfw.core.records import Result
from auditfw.core.result_json import json_line
from auditfw.core.results.table_files import slices
from auditfw.kinds.registry import register

if TYPE_CHECKING:
    import polars as pl

FOLDER = "inspect_scores"
STORED = "stored"
BASELINE = "baseline"  # the reading of a rule for each value
SAMPLE, EPOCH, LOG = "sample_id", "epoch", "log"
VALUES = {None: None, True: "C", False: "I"}
ROWS = 65_536
ONLY = "scores"  # the file's name where the trials name no log


@register("report", "inspect_scores")
@dataclass(frozen=True)
class InspectScoresReport:
    """Writes inspect_scores/LOG.jsonl, one file a log: the labels of a reading as scores for Inspect AI.

    `precomputed_scores(FILE)` reads them, `score(log, ..., action="append")` puts them beside the log's own. `reading`
    is the one whose labels these are; null: the reference, or where that is the stored label the first reading. A trial
    without a label has no line. The trials need the columns `sample_id` and `epoch`. Of the parsing audit alone.
    """

    keeps: ClassVar[tuple[str, ...]] = ("scores",)

    reading: str | None = None

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if folder is None or result.trials is None:
            return ()
        trials = result.trials.lazy()
        names = trials.collect_schema().names()
        if SAMPLE not in names or EPOCH not in names:
            do = f"run it again with this report: auditfw rerun {folder} report=[inspect_scores]"
            raise UsageError("reports.inspect_scores", "this run did not keep which sample a trial is", folder, do)
        reading = self._chosen(result, readings_of(trials))
        scored = _scored(trials, reading, names)
        twice = _twice(scored)
        if twice:
            print(f"auditfw: warning: reports.inspect_scores: {log_line(twice)}", file=sys.stderr)
            return ()
        return _write(Path(folder), result, reading, scored)

    def _chosen(self, result: Result, readings: Sequence[str]) -> str:
        """The reading whose labels are written. Raises UsageError."""
        if self.reading is not None:
            if self.reading not in (STORED, *readings):
                do = f"write one of {', '.join(readings)}"
                raise UsageError("reports.inspect_scores.reading", "no such reading in this run", self.reading, do)
            return self.reading
        return result.reference if result.reference in readings else next(iter(readings), STORED)


def readings_of(trials: pl.LazyFrame) -> list[str]:
    """The readings of a table of trials besides the stored label, in its order."""
    import polars as pl

    schema = trials.collect_schema()
    after = list(schema.names())[schema.names().index(STORED) + 1 :]
    if f"code.{STORED}" in schema:  # else an older run
        return [name for name in after if f"code.{name}" in schema]
    return [
        name for name in after if ("+" in name or name == BASELINE) and schema[name] in (pl.Boolean, pl.Null)
    ]  # older


def _scored(trials: pl.LazyFrame, reading: str, names: Sequence[str]) -> pl.LazyFrame:
    """The trials that have a label, with what a score needs."""
    import polars as pl

    answer = f"text.{reading.partition('+')[0]}"
    return trials.filter(pl.col(reading).is_not_null()).select(
        pl.col(SAMPLE, EPOCH),
        pl.col(LOG).cast(pl.String) if LOG in names else pl.lit(None, pl.String).alias(LOG),
        pl.col(reading).alias("label"),
        (pl.col(answer).cast(pl.String) if answer in names else pl.lit(None, pl.String)).alias("answer"),
        pl.col(STORED).cast(pl.Boolean).alias("before"),
        pl.col("id").cast(pl.String),
    )


def _twice(scored: pl.LazyFrame) -> str:
    """Why nothing can be written: two trials are the same sample of a log; "" where there are no such trials."""
    import polars as pl

    key = [LOG, SAMPLE, EPOCH]
    again = scored.group_by(key, maintain_order=True).agg(pl.len(), pl.col("id")).filter(pl.col("len") > 1).head(1)
    rows = again.collect().to_dicts()
    if not rows:
        return ""
    [row] = rows
    of, do = f" of {row[LOG]}", ""
    if row[LOG] is None:
        of, do = "", f"; where there are several logs, name the column of their paths: source.columns.{LOG}=THEIRS"
    same = f"the trials '{row['id'][0]}' and '{row['id'][1]}' are both sample {row[SAMPLE]}, epoch {row[EPOCH]}{of}"
    return f"no scores were written: {same}{do}"


def _write(folder: Path, result: Result, reading: str, scored: pl.LazyFrame) -> list[str]:
    """Writes a file for each log and gives their names. Raises IncompleteError for those that the disk refuses."""
    import polars as pl

    logs: list[str | None] = scored.select(pl.col(LOG).unique(maintain_order=True)).collect()[LOG].to_list()
    common = {"reading": reading, "audit": f"auditfw {result.versions.get('auditfw', '')}".strip()}
    common["config_hash"] = result.config_hash

    def write(log: str | None, file: Path) -> None:
        with guarded(file), whole(file) as stream:
            for part in slices(scored.filter(pl.col(LOG).eq_missing(pl.lit(log, pl.String))), ROWS):
                for row in part.iter_rows(named=True):
                    stream.write(score_line(row, common).encode())

    names = file_names(logs)
    with guarded(folder / FOLDER):
        own_folder(folder / FOLDER)
    refused = refusals(
        folder, [partial(write, log, folder / FOLDER / name) for log, name in zip(logs, names, strict=True)]
    )
    if all(refused):
        with suppress(OSError):
            (folder / FOLDER).rmdir()  # nothing is in it
    refuse([one for one in refused if one is not None])
    return [f"{FOLDER}/{name}" for name in names]


def score_line(row: dict[str, Any], common: dict[str, str]) -> str:
    """One score as a line of JSON; text that would command a CI runner is escaped."""
    value, before = VALUES[row["label"]], VALUES[row["before"]]
    explanation = f"auditfw: {value} under {common['reading']}; the stored label is {before or 'missing'}"
    score = {
        "id": row[SAMPLE],
        "epoch": row[EPOCH],
        "value": value,
        "answer": row["answer"],
        "explanation": explanation,
        "metadata": {**common, "stored": before, "log": row[LOG]},
    }
    return json_line(score)


def file_names(logs: Sequence[str | None]) -> list[str]:
    """A name for the file of each log: that of the log without its ending, numbered where several are called so."""
    names: list[str] = []
    for log in logs:
        stem = ONLY if log is None else _stem(log)
        name, number = stem, 1
        while name.lower() in {known.lower() for known in names}:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return [f"{name}.jsonl" for name in names]


def _stem(log: str) -> str:
    last = log.replace("\\", "/").rstrip("/").rpartition("/")[2]
    for ending in (".eval", ".json"):
        last = last.removesuffix(ending)
    kept = "".join(one if one.isascii() and (one.isalnum() or one in "._+-") else "_" for one in last)
    return kept.lstrip(".-")[:150] or ONLY
