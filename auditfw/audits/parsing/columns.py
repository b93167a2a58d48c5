"""The columns of trials.parquet: what a process sends of each row, and what a run writes of that.

Rows are sent once for all runs of a pass: label codes a byte each, ranks a column a seed. What a run writes are
expressions over these columns.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditfw.audits.parsing.conclusions.tracing import CauseTracer, RowTracer
from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, MISSING, TIMEOUT, TRUE, UNREAD, ReadingPlan
from auditfw.audits.parsing.engine.shared_results import SharedResults
from auditfw.audits.parsing.kept.flips import FlipDraw, FlipSettings, Tracer
from auditfw.audits.parsing.kept.keys import key_columns, key_expressions
from auditfw.audits.parsing.kept.near import NearDraw
from auditfw.audits.parsing.kept.row_facts import written_facts
from auditfw.audits.parsing.kept.same import same_columns, same_expressions
from auditfw.audits.parsing.kept.texts import COLUMNS, SCORES, sample_columns
from auditfw.audits.parsing.probe.draw import ProbeDraw
from auditfw.audits.same_keys import NORMALIZER, AnswerKeys
from auditfw.core.imports import pl
from auditfw.core.notes import Places
from auditfw.core.remote.places import shown
from auditfw.core.tables import NO_CODE, TextColumn, cell_names
from auditfw.formulas.texts.endings import TextFacts, text_facts
from auditfw.kinds.context import Context, ReportLimits

from .scored_batch import ReadingCounts, RowCounts, ScoredBatch
from .settings import ParsingSettings
from .table import LabelTable
from .trials import AUDITED, BUCKETS, FAILED, ITEM, LATE, MODELS, PLACE, REASONING, TrialBatch, as_text, as_texts

# What one run wants of every batch of trials.


@dataclass(frozen=True)
class RunWork:
    """What one run wants of every batch: its readings, and which trials are kept with their texts.

    `baseline` is the number of a reading, `verify` the share of trials that are computed again, `probe` how many are
    drawn for the probe, `near` how many for other forms of their truths; `keeps` is what reports need of each trial.
    `same` makes the keys of answers, where those of a judge are compared, beside the columns `same_beside`.
    """

    plan: ReadingPlan
    seed: int
    baseline: int | None
    flips: FlipSettings
    keep_text: bool = False
    verify: float = 0.0
    probe: int = 0
    keeps: frozenset[str] = frozenset()
    near: int = 0
    same: AnswerKeys | None = None
    same_beside: tuple[str, ...] = ()

    def tracer(self, signs: Signs) -> Tracer | None:
        """What says why labels changed; None where that is not wanted."""
        flips = self.flips
        if not flips.causes:
            return None
        own = flips.reference, self.baseline, flips.candidates, flips.undefined, signs
        if self.plan.ruled is None:
            return CauseTracer(self.plan, *own)
        return RowTracer(lambda value: CauseTracer(self.plan.under(value), *own))


def work_of(audit: ParsingSettings, columns: Sequence[str], context: Context) -> RunWork:
    """What an audit's run wants of every batch, for the columns at hand."""
    plan, names = audit.plan(columns)
    reference = audit.reference_in(plan, columns)
    same = audit.same_judged
    return RunWork(
        plan=plan,
        seed=context.seed,
        baseline=audit.baseline_in(plan, columns),
        flips=FlipSettings(len(names), shown_of(context.limits, len(names)), audit.causes, audit.undefined, reference),
        keep_text=audit.keep_text or SCORES in context.keeps,
        verify=audit.verify,
        probe=audit.probe or 0,
        keeps=context.keeps,
        near=0 if audit.near is None else audit.near.trials,
        same=None if same is None else AnswerKeys(context.variants()["normalizer"][NORMALIZER], same.longest),
        same_beside=() if same is None else same.columns,
    )


def shown_of(limits: ReportLimits, candidates: int) -> int:
    """How many flips of each reading and direction may be shown: those of a page, or of a section."""
    page = max(1, limits.max_exhibits // candidates) if limits.max_exhibits and candidates else 0
    return max(page, limits.max_examples)


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
    work = runs[0].work  # runs over the same trials compare answers alike
    if work.same is not None:
        rows |= same_columns(trials, columns, work.same, work.same_beside)
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
    rows |= {} if work.same is None else same_expressions()
    rows |= {name: rows.pop(name) for name in LAST}
    cells = {called: pl.col(f"by.{name}") for name, called in cell_names(by, ("id", *rows)).items()}
    return [column.alias(name) for name, column in ({"id": pl.col("id")} | cells | rows).items()]


def _code(code: pl.Expr, sound: pl.Expr) -> pl.Expr:
    """A label code as trials.parquet has it: a truth that cannot be read makes no label."""
    return pl.when(sound).then(pl.when(code == UNREAD).then(pl.lit(MISSING, pl.UInt8)).otherwise(code))


# What a pass over all trials came to, for one run: what its questions are asked of.


@dataclass
class ScoredTrials:
    """What all batches came to for one run; `over`: it ended before its last row, for it could only be incomplete."""

    work: RunWork
    rows: RowCounts
    readings: ReadingCounts
    table: LabelTable
    flips: FlipDraw
    probe: ProbeDraw
    near: NearDraw = field(default_factory=NearDraw)
    over: bool = False
    tables: dict[str, Any] = field(default_factory=dict)  # further ones, closed
    shared: SharedResults = field(default_factory=SharedResults)  # with other runs over the same trials

    @property
    def counts(self) -> Counter[str]:
        """The buckets of all rows that were read."""
        counts = self.rows.buckets + self.readings.failed
        counts["audited"] -= self.failed
        return counts

    @property
    def failed(self) -> int:
        """How many trials a component failed on."""
        return self.readings.failed.total()
