"""A batch with its labels: its rows, its counts, and a few of its trials computed again by the definitions."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.audits.parsing.engine.kernels import Kernel, Scores
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, PROBLEMS_KEPT, TIMEOUT, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import again, foreign_parts, trial_of, unsteady
from auditfw.audits.parsing.probe.draw import ProbeRows
from auditfw.core.document import Snippet
from auditfw.core.notes import Places
from auditfw.core.records import Batch
from auditfw.core.sampling import ranked
from auditfw.core.tables import NO_CODE, TextColumn
from auditfw.samples import shown

from .counts import STATUS, ParsingCounts
from .table import STORED, WRITTEN, BatchLabels
from .trials import ITEM, MODELS, PLACE, REASONING, UNKNOWN, Labels, Trial, TrialBatch, as_text
from .unmapped import BUCKET

NO_RULE = "no_rule"
LABELS = tuple({FALSE: False, TRUE: True, BLANK: False}.get(code) for code in range(UNKNOWN + 1))

Parsers = tuple[tuple[str, int], ...]  # names, and numbers among the parsers of all that share a batch
Shown = dict[int, tuple[list[Snippet], list[tuple[str, ...]]]]


class Ranks(dict[int, bytes]):
    """The places of a batch's trials, by number, in the seeded draw of a section.

    A place depends on the seed and the trial's id, not on where the trial is.
    """

    def __init__(self, seed: int, section: str, names: list[str]) -> None:
        self._draw, self._names = (seed, section), names

    def __missing__(self, number: int) -> bytes:
        return self.of([number])[0][0]

    def of(self, numbers: Sequence[int]) -> list[tuple[bytes, int]]:
        """These trials' places with their numbers, in their order."""
        new = [number for number in numbers if number not in self]
        self.update((number, rank) for rank, number in ranked(self._draw, self._names, new, None))
        return [(self[number], number) for number in numbers]


@dataclass
class BatchMemo:
    """What the scorers of one batch share: each is made once, by the first that needs it.

    - `trials` by the columns of the cells, the texts of stored labels and the columns that parsers need;
    - `probes`, the rows that may be drawn for a probe, by these and the sound rows;
    - `ranks` by seed and section; `snippets` and `shown`, what is shown of a trial by its number, by the parsers.
    """

    trials: dict[tuple[tuple[str, ...], Labels, tuple[str, ...]], TrialBatch] = field(default_factory=dict)
    probes: dict[Any, ProbeRows] = field(default_factory=dict)
    ranks: dict[tuple[int, str], Ranks] = field(default_factory=dict)
    snippets: dict[tuple[int, int, Parsers], dict[int, list[Snippet]]] = field(default_factory=dict)
    shown: dict[Parsers, Shown] = field(default_factory=dict)

    def trials_of(
        self, batch: Batch, truth: Any, by: tuple[str, ...], labels: Labels, needs: tuple[str, ...] = ()
    ) -> TrialBatch:
        """The batch as scorers of these settings read it."""
        known = self.trials.get((by, labels, needs))
        if known is None:
            known = self.trials[by, labels, needs] = TrialBatch(batch, truth, by, labels, needs)
        return known

    def snippets_by(self, raw: int, parsed: int, parsers: Parsers) -> dict[int, list[Snippet]]:
        """The snippets of so many characters that are made already, by the number of their trial."""
        return self.snippets.setdefault((raw, parsed, parsers), {})

    def shown_by(self, parsers: Parsers) -> Shown:
        """What a page shows of trials, as far as it is made already, by their numbers."""
        return self.shown.setdefault(parsers, {})


@dataclass(frozen=True)
class ScoredBatch:
    """A batch, its trials, and their label codes under every reading; `sound` says on which no component failed.

    `reference` is the number of the reading that the others are compared with, STORED the stored label.
    """

    plan: ReadingPlan
    kernel: Kernel
    batch: Batch
    trials: TrialBatch
    scores: Scores
    sound: bytearray
    memo: BatchMemo
    reference: int = STORED

    @property
    def labels(self) -> list[bytearray]:
        return self.scores.labels

    @property
    def compared(self) -> bytearray:
        """The label codes that those of the readings are compared with."""
        return self.trials.stored if self.reference == STORED else self.labels[self.reference]

    @property
    def parsers(self) -> Parsers:
        names = (named.name for named in self.plan.parsers)
        return tuple(zip(names, self.kernel.parsers, strict=True))

    def ranks(self, seed: int, section: str) -> Ranks:
        """The places of the trials in the seeded draw of a section."""
        known = self.memo.ranks.get((seed, section))
        if known is None:
            known = self.memo.ranks[seed, section] = Ranks(seed, section, self.trials.names)
        return known

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
            stored=trials.stored[i],
            codes=[codes[i] for codes in self.labels],
            raw=trials.raw[i] if trials.raw is not None else None,
            parsed=trials.parsed[i] if trials.parsed is not None else None,
            answers=self.scores.answers(i),
            item=(trials.items[i] or "") if trials.items is not None else "",
        )


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


def count(scored: ScoredBatch, done: ParsingCounts, status: Sequence[str]) -> None:
    """Counts the buckets of the rows, and the truths that matchers cannot read."""
    done.counts.update(status)
    for reading, reasons in enumerate(scored.scores.unread):
        refusals = Counter(refusal for row, refusal in reasons.items() if scored.sound[row])
        done.unread.update({(reading, refusal): n for refusal, n in refusals.items()})
    done.ruleless = scored.trials.ruleless_values()


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


def facts_of(scored: ScoredBatch, seed: int, baseline: int | None) -> dict[str, Any]:
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
    ids = [str(one) for one in columns["id"]]
    ranks = ranked((seed, "trial"), ids, list(range(len(ids))), None)
    rows["row.rank"] = array("Q", b"".join(rank for rank, _ in ranks))
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


def verify(scored: ScoredBatch, i: int, done: ParsingCounts) -> None:
    """Computes a trial again by the definitions under every reading, and notes what differs or changes.

    One on which a definition reaches its deadline has no label, whatever a quicker way gives: so it is under every
    kernel.
    """
    trials = scored.trials
    plan = scored.plan.under(trials.values[i] if trials.values else None)
    for name, reading, codes in zip(plan.names(), plan.readings, scored.labels, strict=True):
        column = trials.raw if plan.parsers[reading[0]].part.column == "raw_text" else trials.parsed
        if codes[i] == MISSING or column is None:
            continue
        text, truth = column[i] or "", trials.truths[i]
        try:
            changing = unsteady(text, truth, plan, reading)
            differs = changing is None and again(text, truth, plan, reading) != LABELS[codes[i]]
        except TimeoutError as error:
            codes[i], scored.sound[i] = TIMEOUT, False
            done.problems = [*done.problems, f"{plan.parsers[reading[0]].name}: TimeoutError: {error}"][:PROBLEMS_KEPT]
            continue
        if differs:
            changing = next(foreign_parts(plan, reading), None)
            if changing is None:
                done.differing.append(f"{trials.ids[i]}: {name}")
        if changing is not None:
            done.unsteady.append(trial_of(changing, trials.ids[i]))
