"""A batch with its labels: its rows, its counts, and a few of its trials computed again by the definitions."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from auditfw.audits.parsing.engine.kernels import Kernel, Scores
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, TRUE, ReadingPlan
from auditfw.audits.parsing.probe.draw import ProbeRows
from auditfw.core.notes import Places
from auditfw.core.records import Batch
from auditfw.core.sampling import ranked
from auditfw.core.tables import NO_CODE, TextColumn
from auditfw.samples import shown

from .labels import Undefined, label_of
from .table import STORED, WRITTEN, BatchLabels
from .trials import BUCKET, ITEM, MODELS, PLACE, REASONING, UNKNOWN, Labels, Trial, TrialBatch, as_text

STATUS = "status"
NO_RULE = "no_rule"
SAYS_RIGHT = bytes(code == TRUE for code in range(256))
LABELS = tuple({FALSE: False, TRUE: True, BLANK: False}.get(code) for code in range(UNKNOWN + 1))


@dataclass
class BatchMemo:
    """What the scorers of one batch share: each is made once, by the first that needs it.

    - `trials` by the columns of the cells, the texts of stored labels and the columns that parsers need;
    - `probes`, the rows that may be drawn for a probe, by these and the sound rows.
    """

    trials: dict[tuple[tuple[str, ...], Labels, tuple[str, ...]], TrialBatch] = field(default_factory=dict)
    probes: dict[Any, ProbeRows] = field(default_factory=dict)

    def trials_of(
        self, batch: Batch, truth: Any, by: tuple[str, ...], labels: Labels, needs: tuple[str, ...] = ()
    ) -> TrialBatch:
        """The batch as scorers of these settings read it."""
        known = self.trials.get((by, labels, needs))
        if known is None:
            known = self.trials[by, labels, needs] = TrialBatch(batch, truth, by, labels, needs)
        return known


@dataclass(frozen=True)
class ScoredBatch:
    """A batch, its trials, and their label codes under every reading; `sound` says on which no component failed.

    `reference` is the number of the reading that the others are compared with, STORED the stored label; `seed` is that
    of the draws.
    """

    plan: ReadingPlan
    kernel: Kernel
    batch: Batch
    trials: TrialBatch
    scores: Scores
    sound: bytearray
    memo: BatchMemo
    reference: int = STORED
    seed: int = 0

    @property
    def labels(self) -> list[bytearray]:
        return self.scores.labels

    @property
    def compared(self) -> bytearray:
        """The label codes that those of the readings are compared with."""
        return self.trials.stored if self.reference == STORED else self.labels[self.reference]

    @cached_property
    def row_ranks(self) -> list[bytes]:
        """The place of every row of the batch in seeded draws of trials: made of the seed and the row's id."""
        ids = list(map(str, self.batch.columns["id"]))
        return [rank for rank, _ in ranked((self.seed, "trial"), ids, list(range(len(ids))), None)]

    @cached_property
    def ranks(self) -> list[bytes]:
        """The same of the trials that are kept."""
        return [self.row_ranks[row] for row in self.trials.kept]

    def written(self, codes: bytearray) -> bytes:
        """The label codes of a reading as trials.parquet has them, of all rows."""
        written = bytearray(codes.translate(WRITTEN))
        for row in () if all(self.sound) else [row for row, whole in enumerate(self.sound) if not whole]:
            written[row] = NO_CODE
        if len(written) == self.trials.rows:
            return bytes(written)
        rows = bytearray([NO_CODE]) * self.trials.rows
        for row, code in zip(self.trials.kept, written, strict=True):
            rows[row] = code
        return bytes(rows)

    @cached_property
    def answers(self) -> list[list[str | None]]:
        """What each parser kept of every trial, computed once for those with the same texts."""
        none: list[str | None] = [None] * len(self.trials.ids)
        known: dict[tuple[str | None, str | None], list[str | None]] = {}
        answers = []
        for i, texts in enumerate(zip(self.trials.raw or none, self.trials.parsed or none, strict=True)):
            if texts not in known:
                known[texts] = self.scores.answers(i)
            answers.append(known[texts])
        return answers

    @property
    def own_answers(self) -> list[str | None]:
        """What the parser of each row's own rule kept; nothing where all rows have one rule."""
        last, plan = len(self.plan.readings) - 1, self.plan
        return [each[plan.place(last, value)[0]] for value, each in zip(self.trials.values, self.answers, strict=False)]

    def trial(self, i: int) -> Trial:
        """One of the trials, by its number among those that are kept."""
        trials = self.trials
        return Trial(
            id=str(trials.ids[i]),
            truth=trials.truths[i],
            cell=trials.cells[i],
            codes=bytes(codes[i] for codes in (trials.stored, *self.labels)),
            raw=trials.raw[i] if trials.raw is not None else None,
            parsed=trials.parsed[i] if trials.parsed is not None else None,
            item=(trials.items[i] or "") if trials.items is not None else "",
            value=trials.values[i] if trials.values else None,
            rank=self.ranks[i],
        )

    def mismatches(self, baseline: int, undefined: Undefined, most: int) -> list[Trial]:
        """The first trials whose stored label the baseline does not reproduce, at most so many."""
        stored, codes = self.trials.stored, self.labels[baseline]
        if stored.translate(SAYS_RIGHT) == codes.translate(SAYS_RIGHT):
            return []
        labels = ((label_of(s, undefined), label_of(c, undefined)) for s, c in zip(stored, codes, strict=True))
        rows = (i for i, pair in enumerate(labels) if self.sound[i] and set(pair) == {True, False})
        return [self.trial(i) for i in islice(rows, most)]


def status_of(scored: ScoredBatch) -> list[str]:
    """The bucket of every row of the batch; a row on which a component failed is not audited."""
    trials = scored.trials
    status = ["no_ground_truth"] * trials.rows
    left_out = ((trials.failed, "sample_error"), (trials.ruleless, NO_RULE), (trials.strange, BUCKET))
    for rows, bucket in (*left_out, (trials.kept, "audited")):
        for i in rows:
            status[i] = bucket
    failed = () if all(scored.sound) else [row for row, whole in enumerate(scored.sound) if not whole]
    for row in failed:
        wrong = any(codes[row] == ERROR for codes in scored.labels)
        status[trials.kept[row]] = "error" if wrong else "timeout"
    return status


def labels_of(scored: ScoredBatch) -> BatchLabels:
    """The labels of the audited trials, for the label table."""
    trials = scored.trials
    return BatchLabels((trials.stored, *scored.labels), *trials.numbered).of(scored.sound)


def rows_of(scored: ScoredBatch, status: list[str], keep_text: bool) -> dict[str, Any]:
    """The batch's rows of trials.parquet, as scripts have read them since the first version."""
    columns, trials = scored.batch.columns, scored.trials
    rows: dict[str, Any] = {"id": list(columns["id"]), **trials.by, STATUS: status}
    names = ("stored", *scored.plan.names())
    for name, codes in zip(names, (trials.stored, *scored.labels), strict=True):
        rows[name] = scored.kernel.spread(codes, LABELS, trials.kept, len(status))
    return rows | _texts_of(scored) if keep_text else rows


def facts_of(scored: ScoredBatch, baseline: int | None) -> dict[str, Any]:
    """The further columns of those rows: label codes, and what is known of a trial beside its labels."""
    columns, trials = scored.batch.columns, scored.trials
    codes = {"stored": trials.stored, **dict(zip(scored.plan.names(), scored.labels, strict=True))}
    rows: dict[str, Any] = {f"code.{name}": scored.written(labels) for name, labels in codes.items()}
    if baseline is not None:
        rows["code.baseline"] = scored.written(scored.labels[baseline])
    model = next((name for name in MODELS if name in columns), None)
    for name, theirs in (("row.item", ITEM), ("row.model", model), ("row.place", PLACE)):
        values = [None] * trials.rows if theirs is None or theirs not in columns else columns[theirs]
        rows[name] = (
            Places(shown(values.start), values.numbers)
            if isinstance(values, Places)
            else TextColumn(shown(text) if text and theirs == PLACE else text for text in map(_text_or_none, values))
        )
    rows["row.rank"] = array("Q", b"".join(scored.row_ranks))
    if sys.byteorder == "little":
        rows["row.rank"].byteswap()
    return rows


def _text_or_none(value: Any) -> str | None:
    return value if value is None or type(value) is str else as_text(value)


def _texts_of(scored: ScoredBatch) -> dict[str, list[Any]]:
    """What each parser kept of every row, and the reasoning where the source has it."""
    columns, trials = scored.batch.columns, scored.trials
    rows: dict[str, list[Any]] = {}
    for p, named in enumerate(scored.plan.parsers):
        texts: list[Any] = [None] * trials.rows
        for i, each in zip(trials.kept, scored.answers, strict=True):
            texts[i] = each[p]
        rows[f"text.{named.name}"] = texts
    if scored.plan.ruled is not None:
        rows[f"text.{scored.plan.ruled.name}"] = texts = [None] * trials.rows
        for i, text in zip(trials.kept, scored.own_answers, strict=True):
            texts[i] = text
    if REASONING in columns:
        rows[REASONING] = [None if text is None else as_text(text) for text in columns[REASONING]]
    return rows
