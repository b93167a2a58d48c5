"""The long table of texts: for each trial and reading the answer that was extracted, and its label."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.scored_batch import LABELS, ScoredBatch
from auditfw.core.errors import DataError
from auditfw.core.imports import pl
from auditfw.core.records import Value
from auditfw.core.tables import TrialTable, cell_names
from auditfw.kinds.evidence import Evidence

TEXTS = "texts"  # the table, and what a report asks for by its `keeps`
GROUP_ROWS = 2_048  # of one row group: whoever reads the table holds the texts of one
OWN = ("id", "item", "ground_truth", "raw_text", "reading", "answer", "label")
STORED = "stored"


@dataclass(frozen=True)
class TrialTexts:
    """The audited trials of a batch, column by column: their cells, truths and texts.

    `answers` are by parser what it extracted, `labels` by reading; `own` is what the rule of each row extracted, where
    rows have rules of their own. `stored` are the stored texts with their labels, None where the source has no stored
    label.
    """

    ids: list[str]
    items: list[str | None]
    cells: dict[str, list[Value]]
    truths: list[list[str]]
    raw: list[str | None]
    answers: list[list[str | None]] = field(default_factory=list)
    own: list[str | None] = field(default_factory=list)
    labels: list[list[bool | None]] = field(default_factory=list)
    stored: tuple[list[str | None], list[bool | None]] | None = None


@dataclass
class TextsTable:
    """The table while it is written, a batch at a time; memory is that of a few batches."""

    plan: ReadingPlan
    table: TrialTable

    def add(self, texts: TrialTexts) -> None:
        """Adds the trials of a batch, each once for every reading."""
        if texts.ids:
            self.table.take(_frame(texts, self.plan))

    def close(self) -> dict[str, Any]:
        """The finished table by its name; none where no trial was audited."""
        frame = self.table.close()
        return {} if frame is None else {TEXTS: frame}


def texts_table(plan: ReadingPlan, folder: str | None) -> TextsTable:
    """The table of a run, written into a folder if there is one."""
    return TextsTable(plan, TrialTable(folder, TEXTS, GROUP_ROWS))


def _frame(texts: TrialTexts, plan: ReadingPlan) -> pl.DataFrame:
    """The long rows of a batch: each trial's readings together. A text of several rows is held once."""
    names, answers, labels = _readings(texts, plan)
    trials, readings, cells = len(texts.ids), len(names), cell_names(list(texts.cells), OWN)
    row = pl.Series([i for i in range(trials) for _ in names], dtype=pl.UInt32)
    one = pl.Series([r * trials + i for i in range(trials) for r in range(readings)], dtype=pl.UInt32)
    first = [
        pl.Series("id", texts.ids, pl.String),
        pl.Series("item", texts.items, pl.String),
        *(pl.Series(cells[name], values, strict=False) for name, values in texts.cells.items()),
        pl.Series("ground_truth", texts.truths, pl.List(pl.String)),
        pl.Series("raw_text", texts.raw, pl.String),
    ]
    by_reading = [
        pl.Series("answer", [text for column in answers for text in column], pl.String),
        pl.Series("label", [label for column in labels for label in column], pl.Boolean),
    ]
    reading = pl.Series("reading", names, pl.String).gather(one // trials)
    return pl.DataFrame([*(column.gather(row) for column in first), reading, *(c.gather(one) for c in by_reading)])


def _readings(
    texts: TrialTexts, plan: ReadingPlan
) -> tuple[list[str], Sequence[Sequence[str | None]], Sequence[Sequence[bool | None]]]:
    """The readings' names, with what each extracted and its labels; the stored label comes first."""
    names = list(plan.names())
    answers = [texts.own if plan.is_ruled(r) else texts.answers[p] for r, (p, _) in enumerate(plan.readings)]
    if texts.stored is None:
        return names, answers, texts.labels
    return [STORED, *names], [texts.stored[0], *answers], [texts.stored[1], *texts.labels]


# The texts of a batch, for the table of texts.


def texts_of(scored: ScoredBatch) -> TrialTexts:
    """The audited trials of a batch with their texts."""
    trials, rows = scored.trials, [i for i, whole in enumerate(scored.sound) if whole]
    none: list[str | None] = [None] * len(trials.ids)
    raw, parsed, items = trials.raw or none, trials.parsed or none, trials.items or none
    answers, own, has_stored = scored.answers, scored.own_answers, STORED in scored.batch.columns
    return TrialTexts(
        ids=[str(trials.ids[i]) for i in rows],
        items=[items[i] for i in rows],
        cells={name: [trials.cells[i][at] for i in rows] for at, name in enumerate(trials.by)},
        truths=[list(alternatives(trials.truths[i])) for i in rows],
        raw=[raw[i] for i in rows],
        answers=[[answers[i][p] for i in rows] for p in range(len(scored.plan.parsers))],
        labels=[[LABELS[codes[i]] for i in rows] for codes in scored.labels],
        own=[own[i] for i in rows] if own else [],
        stored=([parsed[i] for i in rows], [LABELS[trials.stored[i]] for i in rows]) if has_stored else None,
    )


# Which sample of which log a trial is, for scores that go back into the log.

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
