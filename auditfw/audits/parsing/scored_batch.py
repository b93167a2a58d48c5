"""A batch with its labels as one run reads them, and a few of its trials computed again by the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from auditfw.audits.parsing.engine.kernels import Scores
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, PROBLEMS_KEPT, TIMEOUT, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import again, foreign_parts, trial_of, unsteady
from auditfw.audits.parsing.kept.row_facts import FactCounts
from auditfw.core.records import Batch, Refusal

from .table import STORED, Undefined, label_of
from .trials import BUCKETS, FAILED, LATE, UNKNOWN, Trial, TrialBatch

# What batches come to: what is counted of their rows, and of each run's readings; exact, however they are merged.

MISMATCHES_SHOWN = 10


@dataclass
class RowCounts:
    """What is counted of rows, whatever the readings: their buckets, and what is odd.

    `kinds` counts the truths by what they are: numbers, letters …; `suspects` those that look like null. `unmapped` are
    stored labels that say nothing, with id and label of the first such row. Where trials lack an item the run ends.
    Where rows have rules of their own, `ruleless` counts those whose value has none.
    """

    buckets: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    suspects: Counter[str] = field(default_factory=Counter)
    ruleless: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)
    first_unmapped: tuple[str, str] = ("", "")
    facts: FactCounts = field(default_factory=FactCounts)
    without_item: int = 0
    first_without_item: str = ""  # the id of the first such trial

    @classmethod
    def of(cls, trials: TrialBatch) -> RowCounts:
        """Those of a batch, without what the source says of it."""
        counts = cls(
            buckets=Counter({BUCKETS[number]: n for number, n in Counter(trials.buckets).items()}),
            kinds=trials.kinds,
            suspects=trials.suspects,
            ruleless=trials.ruleless_values(),
            unmapped=trials.unmapped,
            first_unmapped=trials.first_unmapped,
        )
        if trials.items is not None and None in trials.items:
            counts.without_item = trials.items.count(None)
            counts.first_without_item = str(trials.ids[trials.items.index(None)])
        return counts

    def merge(self, other: RowCounts) -> None:
        """Adds those of a later batch."""
        for name in ("buckets", "notes", "kinds", "suspects", "ruleless", "unmapped"):
            getattr(self, name).update(getattr(other, name))
        self.facts.merge(other.facts)
        self.first_unmapped = self.first_unmapped if self.first_unmapped[0] else other.first_unmapped
        self.first_without_item = self.first_without_item if self.without_item else other.first_without_item
        self.without_item += other.without_item


@dataclass
class ReadingCounts:
    """What is counted of one run's readings, and what went wrong.

    `failed` counts the trials on which a component failed, by bucket; `facts` the signs in the texts; `unread`, for
    each reading, the trials whose truth its matcher cannot read, by reason; `signed`, for each reading, the answers
    that are wrong by their $ alone; `alone` the trials where only the stored answer or only a parser's is there, by
    parser, which of the two, item and stored label; `paths` how labels were computed. `mismatches` are the first trials
    that the baseline labels otherwise than stored.
    """

    failed: Counter[str] = field(default_factory=Counter)
    facts: Counter[str] = field(default_factory=Counter)
    unread: Counter[tuple[int, Refusal]] = field(default_factory=Counter)
    signed: Counter[int] = field(default_factory=Counter)
    alone: Counter[tuple[str, str, str | None, int]] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    mismatches: list[Trial] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)

    def merge(self, other: ReadingCounts) -> None:
        """Adds those of a later batch."""
        for name in ("failed", "facts", "unread", "signed", "alone", "paths"):
            getattr(self, name).update(getattr(other, name))
        self.problems = (self.problems + other.problems)[:PROBLEMS_KEPT]
        for name in ("mismatches", "differing", "unsteady"):
            setattr(self, name, (getattr(self, name) + getattr(other, name))[:MISMATCHES_SHOWN])


SAYS_RIGHT = bytes(code == TRUE for code in range(256))
LABELS = tuple({FALSE: False, TRUE: True, BLANK: False}.get(code) for code in range(UNKNOWN + 1))


@dataclass(frozen=True)
class ScoredBatch:
    """A batch, its trials, and their label codes under every reading; `sound` says on which no component failed.

    `reference` is the number of the reading that the others are compared with, STORED the stored label; `seed` is that
    of the draws.
    """

    plan: ReadingPlan
    batch: Batch
    trials: TrialBatch
    scores: Scores
    sound: bytearray
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
    def ranks(self) -> list[bytes]:
        """The place of every trial in seeded draws."""
        ranks = self.trials.ranks(self.seed)
        return [ranks[row] for row in self.trials.kept]

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

    @property
    def failed(self) -> Counter[str]:
        """The trials on which a component failed: those of an error, and those that were late alone."""
        rows = () if all(self.sound) else [row for row, whole in enumerate(self.sound) if not whole]
        return Counter(FAILED if any(codes[row] == ERROR for codes in self.labels) else LATE for row in rows)

    @property
    def unread(self) -> Counter[tuple[int, Refusal]]:
        """For each reading the trials whose truth its matcher cannot read, by reason."""
        return Counter(
            (reading, refusal)
            for reading, reasons in enumerate(self.scores.unread)
            for row, refusal in reasons.items()
            if self.sound[row]
        )

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

    def verify(self, rows: Sequence[int], counts: ReadingCounts) -> None:
        """Computes trials again by the definitions under every reading, and notes what differs or changes.

        One on which a definition reaches its deadline has no label, whatever a quicker way gives: so it is under every
        kernel.
        """
        for i in rows:
            self._verify(i, counts)
        if rows:
            counts.paths["reference"] += len(rows)

    def _verify(self, i: int, counts: ReadingCounts) -> None:
        trials = self.trials
        plan = self.plan.under(trials.values[i] if trials.values else None)
        for name, reading, codes in zip(plan.names(), plan.readings, self.labels, strict=True):
            column = trials.raw if plan.parsers[reading[0]].part.column == "raw_text" else trials.parsed
            if codes[i] == MISSING or column is None:
                continue
            text, truth = column[i] or "", trials.truths[i]
            try:
                changing = unsteady(text, truth, plan, reading)
                differs = changing is None and again(text, truth, plan, reading) != LABELS[codes[i]]
            except TimeoutError as error:
                codes[i], self.sound[i] = TIMEOUT, False
                late = f"{plan.parsers[reading[0]].name}: TimeoutError: {error}"
                counts.problems = [*counts.problems, late][:PROBLEMS_KEPT]
                continue
            if differs:
                changing = next(foreign_parts(plan, reading), None)
                if changing is None:
                    counts.differing.append(f"{trials.ids[i]}: {name}")
            if changing is not None:
                counts.unsteady.append(trial_of(changing, trials.ids[i]))
