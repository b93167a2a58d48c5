"""A batch with its labels as one run reads them, and a few of its trials computed again by the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from auditfw.audits.parsing.engine.kernels import Scores
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, PROBLEMS_KEPT, TIMEOUT, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import again, foreign_parts, trial_of, unsteady
from auditfw.core.records import Batch, Refusal

from .counts import ReadingCounts
from .labels import Undefined, label_of
from .table import STORED
from .trials import FAILED, LATE, UNKNOWN, Trial, TrialBatch

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
