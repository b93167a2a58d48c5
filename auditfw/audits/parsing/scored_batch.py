"""A batch with its labels: its rows, its counts, and a few of its trials computed again by the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

from auditfw.audits.parsing.conclusions.items import REPRODUCED, STORED, Numbered
from auditfw.audits.parsing.engine.cell_counts import Cell, Met, met, numbered
from auditfw.audits.parsing.engine.kernels import Kernel, Scores
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, PROBLEMS_KEPT, TIMEOUT, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import again, foreign_parts, trial_of, unsteady
from auditfw.audits.parsing.probe.draw import ProbeRows
from auditfw.core.document import Snippet
from auditfw.core.records import Batch
from auditfw.core.sampling import ranked

from .counts import STATUS, ParsingCounts
from .trials import REASONING, UNKNOWN, Labels, Trial, TrialBatch, as_text
from .unmapped import BUCKET

NO_RULE = "no_rule"
LABELS = tuple({FALSE: False, TRUE: True, BLANK: False}.get(code) for code in range(UNKNOWN + 1))

Parsers = tuple[tuple[str, int], ...]  # names, and numbers among the parsers of all that share a batch
Shown = dict[int, tuple[list[Snippet], list[tuple[str, ...]]]]
MetKey = tuple[tuple[str, ...], bytes, bytes, bytes]


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
    - `pairs`, the cell and stored label of each row, by the cells' columns and the stored labels;
    - `met`, how often which two labels met in which cell, by these, a reading's labels and the sound rows;
    - `items`, the numbers of items and cells, and `probes`, the rows that may be drawn for a probe, by the same;
    - `ranks` by seed and section; `snippets` and `shown`, what is shown of a trial by its number, by the parsers.
    """

    trials: dict[tuple[tuple[str, ...], Labels, tuple[str, ...]], TrialBatch] = field(default_factory=dict)
    pairs: dict[tuple[tuple[str, ...], bytes], tuple[list[Cell], list[int]]] = field(default_factory=dict)
    met: dict[MetKey, Met] = field(default_factory=dict)
    items: dict[Any, Numbered] = field(default_factory=dict)
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


def count(scored: ScoredBatch, done: ParsingCounts, status: Sequence[str], baseline: int | None) -> None:
    """Counts, for each reading and cell, how often which label code met which of the reference.

    Where the reference is not the stored label, the baseline is also crossed with that: as reading number -2.
    """
    done.counts.update(status)
    for reading, reasons in enumerate(scored.scores.unread):
        refusals = Counter(refusal for row, refusal in reasons.items() if scored.sound[row])
        done.unread.update({(reading, refusal): n for refusal, n in refusals.items()})
    readings = (scored.trials.stored, *scored.labels)
    crossed = list(enumerate(_met(scored, scored.compared, readings), STORED))
    if scored.reference != STORED and baseline is not None:
        crossed += [(REPRODUCED, one) for one in _met(scored, scored.trials.stored, [scored.labels[baseline]])]
    for reading, counted in crossed:
        for cell, counts in counted.items():
            done.joint[reading, cell] = dict(counts)


def count_values(scored: ScoredBatch, done: ParsingCounts) -> None:
    """Counts, where rows have rules of their own, by value how often which stored label met which of the rule."""
    trials = scored.trials
    done.ruleless = trials.ruleless_values()
    if trials.values:
        rows = zip(trials.values, trials.stored, scored.labels[-1], strict=True)
        done.ruled = Counter(rows if all(scored.sound) else compress(rows, scored.sound))


def _met(scored: ScoredBatch, reference: bytearray, readings: Sequence[bytearray]) -> list[Met]:
    """For each reading how often in each cell which label met which of the reference; each is counted once for all."""
    memo, trials = scored.memo, scored.trials
    by, compared, sound = tuple(trials.by), bytes(reference), bytes(scored.sound)
    if (by, compared) not in memo.pairs:
        memo.pairs[by, compared] = numbered(trials.cells, reference)
    cells, pairs = memo.pairs[by, compared]
    keys: list[MetKey] = [(by, compared, bytes(codes), sound) for codes in readings]
    new = {key: codes for key, codes in zip(keys, readings, strict=True) if key not in memo.met}
    memo.met |= zip(new, met(cells, pairs, list(new.values()), scored.sound), strict=True)
    return [memo.met[key] for key in keys]


def rows_of(scored: ScoredBatch, status: list[str], keep_text: bool) -> dict[str, list[Any]]:
    """The batch's rows of trials.parquet."""
    columns, trials = scored.batch.columns, scored.trials
    rows: dict[str, list[Any]] = {"id": list(columns["id"]), **trials.by, STATUS: status}
    names = ("stored", *scored.plan.names())
    for name, codes in zip(names, (trials.stored, *scored.labels), strict=True):
        rows[name] = scored.kernel.spread(codes, LABELS, trials.kept, len(status))
    return rows | _texts_of(scored) if keep_text else rows


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
