"""What the sections of the first screen share: the ratings, and how things are called and written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from auditfw.audits.consistency.conclusions.renaming import distinct
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.core.digits import fixed, interval_digits
from auditfw.core.document import NumberText, estimated
from auditfw.formulas.agreement import Ratings
from auditfw.formulas.agreement.ratings import ITEMS, LABELLED, MISSING

from .coefficient import Coefficient, numbers_of, places_of

MOST_LABELS = 3  # whose shares are shown
LONG_LABEL = 24  # characters
NONE = "–"


@dataclass(frozen=True)
class ScreenFacts:
    """The results of a run, by which coefficient raters are compared, which of them are off, and what an item is."""

    results: ConsistencyResults
    coefficient: Coefficient
    off: Collection[str] = ()
    noun: str = "item"

    @property
    def raters(self) -> Sequence[str]:
        return self.results.settings.raters

    def called(self, rater: str) -> str:
        """A rater in words."""
        return self.results.settings.called(rater)

    @cached_property
    def ratings(self) -> Ratings:
        """The labels of all raters; of labels in order without abstentions, which are nowhere on the scale."""
        return self.results.overall["all"].together(self.coefficient.abstain)

    @cached_property
    def numbers(self) -> Sequence[float] | None:
        """The labels as numbers, None where they are names."""
        return numbers_of(self.ratings.labels, self.ratings.values)

    @cached_property
    def places(self) -> Sequence[float]:
        """Where the labels are on a line."""
        return places_of(self.ratings.labels, self.numbers)

    @cached_property
    def counted(self) -> list[list[int]]:
        """How often each rater gives each label, raters × labels."""
        counts = [[0] * len(self.ratings.labels) for _ in self.raters]
        for pattern, n in self.ratings.items():
            for own, code in zip(counts, pattern, strict=True):
                if code != MISSING:
                    own[code] += n
        return counts

    @cached_property
    def shared(self) -> list[int]:
        """The places of the labels whose shares are shown: the most frequent ones, without those that are very rare."""
        totals = [sum(own[i] for own in self.counted) for i in range(len(self.ratings.labels))]
        used = [i for i, n in enumerate(totals) if n and any(self.share(own, i) != "0 %" for own in self.counted)]
        return sorted(sorted(used, key=lambda i: (-totals[i], i))[:MOST_LABELS])

    def share(self, own: Sequence[int], place: int) -> str:
        """The share of a label of all that a rater gives."""
        return f"{fixed(100 * own[place] / sum(own), 0)} %" if sum(own) else NONE

    def commonest(self, own: Sequence[int]) -> str:
        """The label that a rater gives most often, and on which share."""
        if not sum(own):
            return NONE
        place = max(range(len(own)), key=own.__getitem__)
        return f"{label_text(self.ratings.labels[place])} on {self.share(own, place)}"

    def typical(self, mean: float, own: Sequence[int]) -> str:
        """The mean of a rater's labels; of names the one in the middle."""
        if not sum(own):
            return NONE
        if self.numbers is not None:
            return fixed(mean, 1)
        seen, middle = 0, sum(own) / 2
        for label, n in zip(self.ratings.labels, own, strict=True):
            seen += n
            if seen >= middle:
                return label_text(label)
        return NONE

    @property
    def typical_title(self) -> str:
        return "mean" if self.numbers is not None else "middle"

    def unlabelled(self, rater: str) -> int:
        """How many of all items that were read have no declared label of a rater."""
        counted = self.results.overall["all"].facts
        return counted.get(ITEMS, 0) - counted.get(f"{LABELLED}{rater}", 0)


def label_text(label: str) -> str:
    """A label as text, a long one cut."""
    return distinct(label if len(label) <= LONG_LABEL else f"{label[: LONG_LABEL - 1]}…")


def more_text(more: float | None, half: float | None) -> str:
    """By how much a rater gives more than others: ± the half-width of the interval."""
    if more is None:
        return NONE
    if half is None:
        return fixed(more, 1, signed=True)
    digits = min(2, interval_digits(more - half, more + half))
    return f"{fixed(more, digits, signed=True)} ± {fixed(half, digits)}"


def kappa_text(value: float | None, low: float | None, high: float | None) -> str:
    """A kappa with its interval."""
    return NONE if value is None else estimated(value, low, high, share=True)


def shown_part(text: str) -> str:
    """A number without its interval."""
    return text.shown if isinstance(text, NumberText) else text
