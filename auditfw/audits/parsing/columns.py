"""The columns of trials.parquet: what a process sends of each row, and what a run writes of that.

Rows are sent once for all runs of a pass: label codes a byte each, ranks a column a seed. What a run writes are
expressions over these columns.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.audits.parsing.engine.plan import BLANK, ERROR, MISSING, TIMEOUT, TRUE, UNREAD
from auditfw.audits.parsing.kept.keys import key_columns, key_expressions
from auditfw.audits.parsing.kept.row_facts import written_facts
from auditfw.audits.parsing.kept.samples import COLUMNS, SCORES, sample_columns
from auditfw.core.notes import Places
from auditfw.core.tables import NO_CODE, TextColumn, cell_names
from auditfw.formulas.texts.text_facts import TextFacts, text_facts
from auditfw.samples import shown

from .run_work import RunWork
from .scored_batch import ScoredBatch
from .trials import AUDITED, BUCKETS, FAILED, ITEM, LATE, MODELS, PLACE, REASONING, TrialBatch, as_text, as_texts

if TYPE_CHECKING:
    import polars as pl

STATUS = "status"
BUCKET, STORED = "bucket", "label.stored"
NONE = bytes([NO_CODE])
TEXT = frozenset({str, type(None)})
TEXT_FACTS = [f"row.{name}" for name in TextFacts._fields]
LAST = ("row.mask", "row.mask_chars", "row.sourced", "row.score")


class RunColumns(NamedTuple):
    """Which of the columns that are sent a run writes: of its readings and of its parsers, by their numbers."""

    run: int
    work: RunWork
    labels: Sequence[int]
    parsers: Sequence[int]


def sent(
    runs: Sequence[RunColumns],
    trials: TrialBatch,
    scored: Sequence[ScoredBatch],
    labels: Sequence[bytes],
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """What a process sends of the rows of a batch, its `facts` too; `labels` are the codes of the stored label and of
    each column."""
    columns = scored[0].batch.columns
    rows: dict[str, Any] = {"id": list(columns["id"]), BUCKET: trials.buckets}
    rows |= {f"by.{name}": values for name, values in trials.by.items()}
    names = [STORED, *(f"label.{number}" for number in range(len(labels) - 1))]
    rows |= {name: _of_all(codes, trials) for name, codes in zip(names, labels, strict=True)}
    model = next((name for name in MODELS if name in columns), None)
    for name, theirs in (("row.item", ITEM), ("row.model", model), ("row.place", PLACE)):
        values = [None] * trials.rows if theirs is None or theirs not in columns else columns[theirs]
        rows[name] = _texts(values, theirs == PLACE)
    for seed in dict.fromkeys(run.work.seed for run in runs):
        rows[f"rank.{seed}"] = array("Q", b"".join(trials.ranks(seed)))
        if sys.byteorder == "little":
            rows[f"rank.{seed}"].byteswap()
    rows |= zip(TEXT_FACTS, _text_facts(columns, trials), strict=True)
    for run, batch in zip(runs, scored, strict=True):
        if run.work.keep_text:
            _add_texts(rows, run, batch)
    rows |= key_columns(trials, columns)
    if any(SCORES in run.work.keeps for run in runs):
        rows |= sample_columns(columns)
    return rows | dict(facts)


def _text_facts(columns: Mapping[str, Sequence[Any]], trials: TrialBatch) -> TextFacts:
    """What is to be seen in the text of every row, audited or not."""
    texts, answers = (as_texts(columns.get(name), trials.rows) for name in ("raw_text", "parsed_text"))
    return text_facts(list(texts), trials.every_truth, answers)


def _of_all(codes: bytes, trials: TrialBatch) -> bytes:
    """The codes of all rows, where some are not audited."""
    return codes if len(codes) == trials.rows else bytes(map((codes + NONE).__getitem__, trials.places))


def _texts(values: Sequence[Any], places: bool) -> Places | TextColumn:
    """A column of texts; places of files are as they are shown."""
    if isinstance(values, Places):
        return Places(shown(values.start), values.numbers)
    if not TEXT.issuperset(map(type, values)):
        values = [value if value is None else as_text(value) for value in values]
    return TextColumn(text and shown(text) for text in values) if places else TextColumn(values)


def _add_texts(rows: dict[str, Any], run: RunColumns, scored: ScoredBatch) -> None:
    """Adds what each parser kept of every row, and the reasoning where the source has it; none is made twice."""
    columns, places = scored.batch.columns, scored.trials.places

    def of_all(texts: Sequence[str | None]) -> TextColumn:
        return TextColumn(map([*texts, None].__getitem__, places))

    for p, number in enumerate(run.parsers):
        if f"text.{number}" not in rows:
            rows[f"text.{number}"] = of_all([each[p] for each in scored.answers])
    if scored.plan.ruled is not None:
        rows[f"text.of.{run.run}"] = of_all(scored.own_answers)
    if REASONING in columns and REASONING not in rows:
        rows[REASONING] = TextColumn(None if text is None else as_text(text) for text in columns[REASONING])


def written(columns: RunColumns, by: Sequence[str], sent: Sequence[str], failed: bool) -> list[pl.Expr]:
    """What a run writes of the rows that were sent, with these names; `failed`: on some a component failed."""
    import polars as pl

    run, work, numbers, parsers = columns
    plan = work.plan
    names, codes = plan.names(), [pl.col(f"label.{number}") for number in numbers]
    labels = {"stored": pl.col(STORED), **dict(zip(names, codes, strict=True))}
    status = pl.lit(AUDITED)
    for number, bucket in enumerate(BUCKETS[1:], 1):
        status = pl.when(pl.col(BUCKET) == number).then(pl.lit(bucket)).otherwise(status)
    sound = pl.lit(True)
    if failed:
        wrong, late = (pl.any_horizontal(code.eq_missing(of) for code in codes) for of in (ERROR, TIMEOUT))
        sound = ~(wrong | late)
        failure = pl.when(wrong).then(pl.lit(FAILED)).otherwise(pl.lit(LATE))
        status = pl.when(sound | (pl.col(BUCKET) != BUCKETS.index(AUDITED))).then(status).otherwise(failure)
    rows: dict[str, pl.Expr] = {STATUS: status}
    rows |= {name: pl.when(code <= BLANK).then(code == TRUE) for name, code in labels.items()}
    if work.keep_text:
        texts = zip(plan.parsers, parsers, strict=True)
        rows |= {f"text.{named.name}": pl.col(f"text.{number}") for named, number in texts}
        rows |= {f"text.{name}": pl.col(f"text.{parsers[p]}") for (p, _), name in plan.scorers.items()}
        if plan.ruled is not None:
            rows[f"text.{plan.ruled.name}"] = pl.col(f"text.of.{run}")
        rows |= {REASONING: pl.col(REASONING)} if REASONING in sent else {}
    if SCORES in work.keeps:
        rows |= {name: pl.col(name) for name in COLUMNS}
    if work.baseline is not None:
        labels["baseline"] = codes[work.baseline]
    rows |= {f"code.{name}": _code(code, sound) for name, code in labels.items()}
    rows |= {name: pl.col(name) for name in ("row.item", "row.model", "row.place")}
    rows["row.rank"] = pl.col(f"rank.{work.seed}")
    rows |= written_facts()
    has_text = pl.col("row.signs").is_not_null()
    rows |= {name: pl.when(has_text).then(pl.col(name)) for name in TEXT_FACTS}
    rows |= key_expressions()
    rows |= {name: rows.pop(name) for name in LAST}
    cells = {called: pl.col(f"by.{name}") for name, called in cell_names(by, ("id", *rows)).items()}
    return [column.alias(name) for name, column in ({"id": pl.col("id")} | cells | rows).items()]


def _code(code: pl.Expr, sound: pl.Expr) -> pl.Expr:
    """A label code as trials.parquet has it: a truth that cannot be read makes no label."""
    import polars as pl

    return pl.when(sound).then(pl.when(code == UNREAD).then(pl.lit(MISSING, pl.UInt8)).otherwise(code))
