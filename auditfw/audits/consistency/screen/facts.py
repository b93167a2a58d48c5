"""What the sections of the first screen share: the ratings, and how things are called and written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

from auditfw.audits.consistency.conclusions.coefficient import Coefficient
from auditfw.audits.consistency.conclusions.renaming import distinct
from auditfw.audits.consistency.conclusions.scale import is_number
from auditfw.audits.consistency.conclusions.stand_in import StandIns
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.core.digits import fixed, interval_digits
from auditfw.core.document import NumberText, estimated
from auditfw.core.records import Estimate
from auditfw.formulas.agreement import Ratings
from auditfw.formulas.agreement.ratings import ITEMS, LABELLED, MISSING

if TYPE_CHECKING:
    from auditfw.formulas.agreement.with_others import WithOthers

MOST_LABELS = 3  # whose shares are shown
LONG_LABEL = 24  # characters
NONE = "–"


@dataclass(frozen=True)
class ScreenFacts:
    """The results of a run, which raters are off, and what an item is."""

    results: ConsistencyResults
    off: Collection[str] = ()
    noun: str = "item"
    stand_ins: StandIns | None = None

    @property
    def coefficient(self) -> Coefficient:
        return self.results.coefficient

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
        labels, values = self.ratings.labels, self.ratings.values
        return values or ([float(label) for label in labels] if all(map(is_number, labels)) else None)

    @cached_property
    def places(self) -> Sequence[float]:
        """Where the labels are on a line."""
        return self.numbers or range(len(self.ratings.labels))

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

    @cached_property
    def sound(self) -> list[int]:
        """The places of the raters that others are compared with: those not off, none where that are too few.

        A rater that is off moves what is a mean over the others, and with it every rater that is not: people seem to
        agree less, and to give too little beside one that gives much. A reader who sees that a rater is off takes it
        out in thought, and cannot do so with a number. So it is taken out, and the title of the table says so.
        """
        sound = [at for at, rater in enumerate(self.raters) if rater not in self.off]
        return sound if self.off and len(sound) > 1 else []

    @cached_property
    def with_others(self) -> WithOthers:
        """Kappa of every rater with the others."""
        from auditfw.formulas.agreement.with_others import WithOthers

        ratings = self.ratings
        return WithOthers(ratings, self.coefficient.matrix(ratings.labels, self.numbers), self.sound)

    @property
    def off_means(self) -> tuple[str, str]:
        """The mean kappas of the raters that are off, and those of the others, in words; "" where none is known."""
        means = dict(zip(self.raters, self.with_others.means.tolist(), strict=True))
        own, theirs = (
            [mean for rater, mean in means.items() if (rater in self.off) is is_off] for is_off in (True, False)
        )
        return span(own), span(theirs)

    def alpha(self, raters: Sequence[str]) -> Estimate:
        """Krippendorff's alpha of some raters with its interval, at the level of their labels."""
        from auditfw.formulas.agreement import groups
        from auditfw.formulas.agreement.estimates import of_group

        level, ratings = self.coefficient.level, self.ratings.only(raters)
        at = self.places if level == "interval" or ratings.values else range(len(ratings.labels))
        sampling = self.results.overall["all"].sampling(self.coefficient.interval)
        return of_group(ratings, lambda w, v: groups.krippendorff(w, v, level, at), sampling)

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


def span(numbers: Iterable[float]) -> str:
    """The least and the largest of some numbers, each once; "" where none is finite."""
    known = sorted(filter(isfinite, numbers))
    return " to ".join(dict.fromkeys(fixed(number, 2) for number in known[:1] + known[-1:]))


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
