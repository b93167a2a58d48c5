"""The long table of texts: for each trial and reading the answer that was extracted, and its label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.core.records import Value
from auditfw.core.tables import TrialTable, cell_names

if TYPE_CHECKING:
    import polars as pl

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
    import polars as pl

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
