"""Ratings: distinct patterns of labels with their counts, whatever the number of items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from auditfw.core.errors import UsageError
from auditfw.core.records import Value

from .items import Clusters, Preferences, single, together
from .items import changed as changed_items
from .settings import Interval, RandomStream, Sampling

if TYPE_CHECKING:
    from auditfw.formulas.people.judge_rates import CorrectedRates
    from auditfw.formulas.people.same_answers import GradedTwice

MISSING = -1
SCALE = "scale"  # the word in `Judged.unfit` for labels that are in no order
ITEMS, LABELLED, JOINED, JOINED_DIFFER = "#items", "#labelled.", "#joined", "#joined_differ"  # facts of a sample

Abstain = Literal["label", "missing", "exclude"]
Group = Literal["all", "either"]
Spacing = Literal["order", "numbers"]
T = TypeVar("T")
Pattern = tuple[int, ...]
Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Ratings:
    """How often each pattern of labels occurred: `patterns` is p × m codes, `counts` p whole numbers.

    A code is the place of a label in `labels`, MISSING (-1) where a rater has none; column j is `raters[j]`. Patterns
    are distinct and sorted, so that equal ratings are equal objects. `values` are the labels as numbers, for weights
    and levels that need distances; without them the order of `labels` counts. `clusters` are the patterns item by item,
    () where no item has two trials.
    """

    labels: tuple[str, ...]
    raters: tuple[str, ...]
    patterns: tuple[Pattern, ...] = ()
    counts: tuple[int, ...] = ()
    values: tuple[float, ...] | None = None
    clusters: Clusters[Pattern] = ()
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # what was computed

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        raters: Sequence[str],
        counted: Mapping[Pattern, int],
        values: Sequence[float] | None = None,
        clusters: Clusters[Pattern] = (),
    ) -> Ratings:
        """Ratings from counted patterns, in any order."""
        kept = sorted((pattern, n) for pattern, n in counted.items() if n)
        patterns, counts = tuple(p for p, _ in kept), tuple(n for _, n in kept)
        return cls(tuple(labels), tuple(raters), patterns, counts, None if values is None else tuple(values), clusters)

    @classmethod
    def merged(cls, parts: Iterable[Ratings]) -> Ratings:
        """The ratings of several parts together; the parts have the same labels and raters, and no item in common."""
        whole: Counter[Pattern] = Counter()
        every = list(parts)
        for part in every:
            whole.update(dict(zip(part.patterns, part.counts, strict=True)))
        if not every:
            raise ValueError("no ratings to merge")
        first, clusters = every[0], together(part.clusters or single(part.items()) for part in every)
        return cls.of(first.labels, first.raters, whole, first.values, clusters)

    def once(self, made: Callable[..., T], *how: Any) -> T:
        """What is made of these ratings, made once for each way to make it."""
        key = (made, *how)
        if key not in self._known:
            self._known[key] = made(self, *how)
        return cast(T, self._known[key])

    @property
    def n(self) -> int:
        """All items, with or without labels."""
        return sum(self.counts)

    def places(self, spacing: Spacing) -> tuple[float, ...]:
        """Where the labels are on a line: one step apart in their order, or at their numbers.

        Raises UsageError where they are no numbers.
        """
        return _places(self.labels, self.values, spacing)

    def items(self) -> zip[tuple[Pattern, int]]:
        """Each pattern with its count."""
        return zip(self.patterns, self.counts, strict=True)

    def column(self, rater: str) -> int:
        """The place of a rater in a pattern."""
        return self.raters.index(rater)

    def only(self, raters: Sequence[str]) -> Ratings:
        """The ratings of some raters, in the order given."""
        places = [self.column(rater) for rater in raters]
        if places == list(range(len(self.raters))):
            return self
        pick = itemgetter(*places) if len(places) > 1 else None
        change = pick or (lambda pattern: (pattern[places[0]],))
        return self.changed(self.labels, raters, change)

    def within(self, labels: Sequence[str]) -> Ratings:
        """The ratings in fewer labels: what bears another label is missing."""
        codes = {self.labels.index(label): place for place, label in enumerate(labels)}
        values = None if self.values is None else tuple(self.values[code] for code in codes)
        whole = replace(self, values=values)
        return whole.changed(labels, self.raters, lambda pattern: tuple(codes.get(code, MISSING) for code in pattern))

    def changed(
        self, labels: Sequence[str], raters: Sequence[str], change: Callable[[Pattern], Pattern | None]
    ) -> Ratings:
        """The ratings with every pattern changed, in these labels of these raters; what becomes None is left out."""
        kept: dict[Pattern, int] = {}
        for new, n in zip(map(change, self.patterns), self.counts, strict=True):
            if new is not None:
                kept[new] = kept.get(new, 0) + n
        return Ratings.of(labels, raters, kept, self.values, changed_items(self.clusters, change))

    def in_use(self) -> Ratings:
        """The ratings, with only the labels that are used."""
        used = {code for pattern in self.patterns for code in pattern}
        return self.within([label for code, label in enumerate(self.labels) if code in used])

    def abstaining(self, labels: Sequence[str], how: Abstain) -> Ratings:
        """The ratings with abstentions kept as a label, turned into missing ones, or their items left out."""
        if how == "label" or not any(label in self.labels for label in labels):
            return self
        if how == "exclude":
            return self.once(Ratings._excluding, tuple(labels))
        return self.within([label for label in self.labels if label not in labels])

    def _excluding(self, labels: tuple[str, ...]) -> Ratings:
        codes = {self.labels.index(label) for label in labels if label in self.labels}
        rest = self.changed(self.labels, self.raters, lambda p: p if codes.isdisjoint(p) else None)
        return rest.abstaining(labels, "missing")

    @staticmethod
    def numeric(labels: Sequence[str]) -> tuple[float, ...] | None:
        """The labels as numbers where each is a different one, else None."""
        try:
            values = tuple(float(label) for label in labels)
        except ValueError:
            return None
        return values if len(set(values)) == len(values) and all(map(math.isfinite, values)) else None

    def table(self, rows: str, columns: str) -> Matrix:
        """The k × k confusion counts of two raters over the items that both labelled."""
        i, j, k = self.column(rows), self.column(columns), len(self.labels)
        cells = [[0] * k for _ in range(k)]
        for pattern, n in self.items():
            if pattern[i] != MISSING and pattern[j] != MISSING:
                cells[pattern[i]][pattern[j]] += n
        return tuple(map(tuple, cells))

    def pair(self, rows: str, columns: str) -> Pair:
        """Two raters' confusion counts over the items that both labelled."""
        i, j, table = self.column(rows), self.column(columns), self.table(rows, columns)

        def place(pattern: Pattern) -> tuple[int, int] | None:
            return None if MISSING in (pattern[i], pattern[j]) else (pattern[i], pattern[j])

        return Pair(self.labels, table, self.n - sum(map(sum, table)), self.values, changed_items(self.clusters, place))


@dataclass(frozen=True)
class Pair:
    """Two raters' confusion counts: rows the candidate, columns the reference; `missing` items lack a label.

    `clusters` are the places of the table item by item, () where no item has two trials.
    """

    labels: tuple[str, ...]
    table: Matrix
    missing: int = 0
    values: tuple[float, ...] | None = None
    clusters: Clusters[tuple[int, int]] = ()
    estimated: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # by what and how

    def places(self, spacing: Spacing) -> tuple[float, ...]:
        """Where the labels are on a line: one step apart in their order, or at their numbers.

        Raises UsageError where they are no numbers.
        """
        return _places(self.labels, self.values, spacing)

    @cached_property
    def n(self) -> int:
        return sum(map(sum, self.table))

    @cached_property
    def agreed(self) -> int:
        return sum(self.table[i][i] for i in range(len(self.table)))

    @cached_property
    def rows(self) -> tuple[int, ...]:
        return tuple(map(sum, self.table))

    @cached_property
    def columns(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.table, strict=True)))

    @property
    def chance(self) -> float:
        """How often both agree by chance, each giving its labels as often as it does."""
        return sum(r * c for r, c in zip(self.rows, self.columns, strict=True)) / self.n**2

    @property
    def constant(self) -> tuple[str | None, str | None]:
        """The one label that the candidate, and that the reference, gave throughout; None where there are several."""
        used = [[label for label, n in zip(self.labels, s, strict=True) if n] for s in (self.rows, self.columns)]
        rows, columns = (labels[0] if len(labels) == 1 else None for labels in used)
        return rows, columns


@dataclass(frozen=True)
class Judged:
    """What the metrics of a consistency audit read: the ratings of one cell, seen from one reading.

    - a rater: `candidate` names it and `reference` the rater it is held against (None for the reference itself);
    - a decision: `candidate` is its reading (`final.<policy>`), a further rater of `ratings`;
    - a group: both are None, and `group` says which: `all` raters together, or `either` of them.

    `raters` are the raters proper, without decisions; empty: all of `ratings`. `facts` are whole numbers that only
    the audit knows (`disagreements`, `hard_flags`, one for each validator; under names that begin with # how many items
    there are, each rater labelled, and were joined); `cell` and `seed` key the random stream.
    `lone` are the items that one rater alone labelled, which some coefficients take for chance; `unfit` says of
    `abstain`, `acceptable` and `valid` why they say nothing, where that is so. `preferences` are how often each rater
    prefers the answer that came first, where that is known. `many`: one of so many samples that intervals are those of
    the large-sample error. `ordered`: a user says that the labels are steps of a scale. `findings` are the value of
    each kind of finding, or why it was not looked for, of all
    raters as a whole alone. `truth` is the rater that labelled a part of the items, `corrected` what the rate of this
    reading comes to by its labels; `same` is how the rater grades the same answers, over all items.
    """

    ratings: Ratings
    candidate: str | None = None
    reference: str | None = None
    group: Group | None = None
    raters: tuple[str, ...] = ()
    abstain: tuple[str, ...] = ()
    acceptable: tuple[str, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict)
    lone: Ratings | None = None
    unfit: Mapping[str, str] = field(default_factory=dict)
    preferences: Mapping[str, Preferences] = field(default_factory=dict)
    cell: tuple[Value, ...] = ()
    seed: int = 0
    why: str = "no item with a label"
    many: bool = False
    ordered: bool = False
    findings: Mapping[str, float | str] | None = None
    truth: str = ""
    corrected: CorrectedRates | None = None
    same: GradedTwice | str | None = None
    _pairs: dict[tuple[str, bool], Pair | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def members(self) -> tuple[str, ...]:
        """The raters proper."""
        return self.raters or self.ratings.raters

    @property
    def own(self) -> tuple[str, ...]:
        """The raters whose labels this reading is made of."""
        return (self.candidate,) if self.candidate is not None else self.members

    @cached_property
    def everyone(self) -> Ratings:
        """The ratings of the raters proper."""
        return self.ratings.only(self.members)

    @cached_property
    def counted(self) -> int:
        """The items with a label: of this rater or decision; of a group, where any member has one."""
        places = [self.ratings.column(rater) for rater in self.own]
        return sum(n for pattern, n in self.ratings.items() if any(pattern[place] != MISSING for place in places))

    @property
    def missing(self) -> int:
        return self.ratings.n - self.counted

    def pair(self, how: Abstain = "label", used: bool = False) -> Pair | None:
        """The candidate against the reference, `used` in the labels they gave; None where this reading is no pair."""
        if (how, used) not in self._pairs:
            self._pairs[how, used] = self._pair(how, used)
        return self._pairs[how, used]

    def _pair(self, how: Abstain, used: bool) -> Pair | None:
        if self.candidate is None or self.reference is None:
            return None
        both_raters = [self.candidate, self.reference]
        if how == "label" and not used:
            ratings = self.ratings
        elif how == "exclude":  # where any rater abstains
            ratings = self.ratings.abstaining(self.abstain, how).only(both_raters)
        else:
            ratings = self.ratings.only(both_raters).abstaining(self.abstain, how)
        ratings = ratings.in_use() if used else ratings
        both = ratings.pair(*both_raters)
        return replace(both, missing=self.ratings.n - both.n)

    def together(self, how: Abstain = "label", used: bool = False, lone: bool = False) -> Ratings:
        """The ratings of the raters proper, `used` in the labels they gave; `lone`: items of one label too."""
        ratings = self.everyone
        if lone and self.lone is not None and self.lone.n:
            ratings = Ratings.merged([ratings, self.lone.only(self.members)])
        ratings = ratings.abstaining(self.abstain, how)
        return ratings.in_use() if used else ratings

    def sampling(self, interval: Interval) -> Sampling:
        """How intervals of this sample are made: its random stream is keyed by seed, reading and cell."""
        if self.many and interval.method == "bootstrap":
            interval = replace(interval, method="analytic")
        words = (self.group or "", self.candidate or "", self.reference or "", *map(repr, self.cell))
        return Sampling(interval, RandomStream(self.seed, ("consistency", *words)))


def _places(labels: Sequence[str], values: tuple[float, ...] | None, spacing: Spacing) -> tuple[float, ...]:
    if spacing == "order":
        return tuple(map(float, range(len(labels))))
    if values is None:
        raise UsageError("metrics", "distances need labels that are numbers", ", ".join(labels), "use their order")
    return values
