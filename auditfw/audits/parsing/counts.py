"""What batches come to: what is counted of their rows, and of each run's readings; exact, however they are merged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from auditfw.audits.parsing.engine.plan import PROBLEMS_KEPT
from auditfw.audits.parsing.kept.row_facts import FactCounts
from auditfw.core.records import Refusal

from .trials import BUCKETS, Trial, TrialBatch

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
