"""The same answer to one question with two grades: what is known of each rater, and that in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.core.digits import fixed
from auditfw.core.document import Block, Note, Section, Table, some, verb
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.formulas.multiple import holm
from auditfw.formulas.people.same_answers import GradedTwice, Grades, noise_floor, preferences, same_pairs
from auditfw.formulas.sign_flips import SignFlips, sign_flips, smallest_p
from auditfw.kinds.capabilities import capability
from auditfw.kinds.metrics import Gate

from .answers import enumerated, interval
from .same_keys import SameAnswers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW, MANY = 2, 50  # values of a column by which it is asked who was preferred
TITLE = "Two Grades"
WIDTH = 200  # characters of a text that is shown
KIND = FindingKind("two_grades", "The same answer to one question with two grades.")
NOISE = FindingKind(
    "inside_noise", "Gates, claims and pairs that are decided by less than two gradings of the same answers differ."
)
HEAD = ("rater", "answers twice", "two grades", "pairs", "differ %", "wrong at least %", "byte-equal", "floor (pp)")


# What is known of one rater


@dataclass(frozen=True)
class Favoured:
    """One column of values in same answers with two grades: who was preferred in how many of how many pairs.

    `tests` and the adjusted p-values are those of each value.
    """

    column: str
    values: Sequence[str]
    won: Sequence[int]
    met: Sequence[int]
    tests: Sequence[SignFlips]
    p: Sequence[float]

    @property
    def sizes(self) -> int:
        return len(self.values)

    def named(self, alpha: float) -> list[int]:
        """The values that were preferred, or the contrary, beyond chance."""
        return [i for i, p in enumerate(self.p) if p <= alpha]

    def sentence(self, alpha: float) -> str:
        """Who was preferred; where nobody was, when it could have been seen at the earliest."""
        named = self.named(alpha)
        if named:
            each = [f"{self.values[i]} was preferred in {self.won[i]:,} of {self.met[i]:,}" for i in named]
            return f"By {self.column}: {enumerated(each, len(each))}."
        earliest = next(k for k in count(1) if smallest_p(k) * self.sizes <= alpha)
        seen = f"at the earliest {earliest} questions, all one way, would show one"
        return f"By {self.column} no preference beyond chance; {seen}."


@dataclass(frozen=True)
class SameFacts:
    """How one rater, `who` in words, graded the same answers: `twice` are its pairs, of so many `graded` trials.

    `left_out` were abstentions or had no grade; `groups` are the rows of those with two grades; `byte_equal` says that
    pairs are those of identical texts alone; of the columns `crowded` too many values to compare were known.
    """

    rater: str
    who: str
    twice: GradedTwice
    graded: int
    left_out: int
    groups: Sequence[NDArray[np.intp]]
    favoured: Sequence[Favoured] = ()
    crowded: Sequence[str] = ()

    @property
    def differing(self) -> int:
        return int(self.twice.pairs.differing.sum())

    @property
    def share(self) -> float | None:
        """D; None without a rate."""
        rate = self.twice.rate
        return None if rate is None else rate.share

    def floor(self, *trials: int) -> float:
        """The noise floor in percentage points of a rate of so many trials, or the difference of two; 0 unknown."""
        return 100 * noise_floor(self.share or 0.0, *trials) if all(trials) else 0.0

    @property
    def rate_words(self) -> str:
        """D in percent with its interval; "" without a rate."""
        rate = self.twice.rate
        return "" if rate is None else f"{fixed(100 * rate.share, 1)} % {interval(100 * rate.low, 100 * rate.high, 1)}"

    @property
    def times(self) -> str:
        return f"{self.twice.pairs.two_grades:,} of {some(self.twice.pairs.groups, 'case')}"

    @property
    def sentence(self) -> str:
        """It in one sentence."""
        text = f"{self.who} graded the same answer two ways in {self.times}"
        rate, error = self.twice.rate, self.twice.error
        if rate is None or error is None:
            return f"{text}; under {self.twice.least:,} pairs there is no rate."
        ends = interval(100 * rate.low, 100 * rate.high, 1)
        text += f": {fixed(100 * rate.share, 1)} % of pairs {ends}"
        return (
            f"{text}, at least {fixed(100 * error[0], 1)} % of its labels are wrong."
            if error[0] is not None
            else f"{text}."
        )

    @property
    def row(self) -> list[str]:
        """Its row of the table."""
        pairs, error = self.twice.pairs, (self.twice.error or (None,))[0]
        equal, unequal = pairs.identical
        rate = self.rate_words.replace(" %", "")
        floor = fixed(self.floor(self.graded, self.graded), 1) if rate else "–"
        wrong = "–" if error is None else fixed(100 * error, 1)
        counts = [f"{pairs.groups:,}", f"{pairs.two_grades:,}", f"{int(pairs.pairs.sum()):,}"]
        return [self.who, *counts, rate or "–", wrong, f"{unequal:,} of {equal:,}", floor]


@dataclass(frozen=True)
class GradedRows:
    """Graded trials of one rater as they are compared, with the numbers of their rows in the table."""

    grades: Grades
    rows: NDArray[np.intp]


def crowded(sizes: Mapping[str, int]) -> list[str]:
    """The columns with too many values to ask who was preferred."""
    return [column for column, size in sizes.items() if size > MANY]


def favoured(graded: GradedRows, column: str, values: Sequence[str], numbers: NDArray[Any]) -> Favoured | None:
    """Who was preferred among the values of a column (a number each row of the table); None for too few or too many."""
    if not FEW <= len(values) <= MANY:
        return None
    own = numbers[graded.rows]
    there = own >= 0
    known = graded.grades
    kept = Grades(known.items[there], known.keys[there], known.texts[there], known.grades[there])
    met = preferences(kept, own[there], len(values))
    tests = [sign_flips(one.by_item) for one in met]
    p = holm([test.p for test in tests])
    return Favoured(column, values, [one.won for one in met], [one.met for one in met], tests, p)


def twice_of(grades: Grades, settings: SameAnswers, columns: Sequence[Favoured], alpha: float) -> GradedTwice:
    """What the metrics read."""
    named = sum(len(one.named(alpha)) for one in columns) if columns else None
    return GradedTwice(same_pairs(grades), settings.least, named)


# Findings and report


def two_grades(facts: Sequence[SameFacts], shown: bool = True) -> Iterator[Finding]:
    """That raters gave two grades to the same answers: the one that did so most first, the others after it.

    `shown` says whether a first screen has room for it.
    """
    own = sorted((one for one in facts if one.differing), key=lambda one: -(one.share or 0.0))
    if not own:
        return
    first = own[0]
    others = [one for one in facts if one is not first and one.twice.pairs.groups]
    does = [f"{one.who} in {one.times}{f' ({one.rate_words})' if one.rate_words else ''}" for one in others]
    text = first.sentence + (f" So did {'; '.join(does)}." if does else "")
    rate = first.twice.rate
    yield KIND(
        first.twice.pairs.two_grades,
        first.twice.pairs.groups,
        text,
        low=None if rate is None else 100 * rate.low,
        high=None if rate is None else 100 * rate.high,
        detail={one.rater: [one.differing, int(one.twice.pairs.pairs.sum())] for one in facts},
        shown=shown,
        brief=f"{first.who} graded {first.times} of the same answer two ways",
        next=AGAIN,
    )


AGAIN = f"Grade the answers with two grades again, or repeat the judge on all: report.html, {TITLE}"


class GatedRate(NamedTuple):
    """A rate as its metric gives it, of so many trials; times `scale` it is in percent."""

    value: float
    trials: int
    scale: float


@dataclass(frozen=True)
class Decided:
    """Something that a number decides: in words, by how many percentage points, and how far that could move."""

    what: str
    by: float
    floor: float

    @property
    def inside(self) -> bool:
        return self.by < self.floor


def decided_by_gates(gates: Mapping[str, Gate], facts: SameFacts, rates: Mapping[str, GatedRate]) -> Iterator[Decided]:
    """The gates that pass by the value of a rate of a rater, each with how far it lies from its bound."""
    for name, gate in gates.items():
        span = capability(gate, "span")
        what, reading, low, high = ("", None, 0.0, 0.0) if span is None else span()
        rate = rates.get(what)
        if rate is None or reading not in (None, facts.rater) or not low <= rate.value <= high or not facts.share:
            continue
        bound, side = (low, ">=") if rate.value - low < high - rate.value else (high, "<=")
        by = rate.scale * abs(rate.value - bound)
        yield Decided(f"The gate {name} {side} {bound:g} holds", by, facts.floor(rate.trials))


def inside_noise(decided: Sequence[Decided]) -> Iterator[Finding]:
    """What is decided by less than two gradings of the same answers differ; the closest first."""
    inside = sorted((one for one in decided if one.inside), key=lambda one: one.by)
    if not inside:
        return
    first, more = inside[0], len(inside) - 1
    differ = f"two gradings of the same answers differ by up to {fixed(first.floor, 1)}"
    text = f"{first.what} by {fixed(first.by, 1)} points; {differ}."
    further = f" So it is with {some(more, 'more number')}." if more else ""
    yield NOISE(
        len(inside),
        len(decided),
        text + further,
        effect="fragile",
        headline=text,
        brief=f"{some(len(inside), 'number')} inside the noise of grading",
        next=AGAIN,
    )


def same_section(facts: Sequence[SameFacts], alpha: float, groups: Sequence[Block]) -> list[Section]:
    """What each rater graded twice, who was preferred, and the groups with two grades; none without any."""
    facts = [one for one in facts if one.twice.pairs.groups]
    if not facts:
        return []
    blocks: list[Block] = [Table(HEAD, [one.row for one in facts], "<>>>>>>>")]
    for one in facts:
        trials, left = one.twice.pairs.trials, some(one.left_out, "trial")
        share = fixed(100 * trials / one.graded, 0)
        scope = f"{one.who}: on the {share} % of the answers that occur twice"
        out = f"; {left} without a grade {verb(one.left_out, 'is', 'are')} left out" if one.left_out else ""
        asked = [of.sentence(alpha) for of in one.favoured]
        asked += [f"By {column} nobody is compared: it has more than {MANY} values." for column in one.crowded]
        blocks.append(Note(" ".join([f"{scope}{out}.", *asked])))
    return [Section(TITLE, [*blocks, *groups])]


def group_rows(columns: Sequence[str], groups: Sequence[Sequence[Sequence[object]]], most: int) -> list[Block]:
    """The groups with two grades, an answer a row, those of a group one below the other."""
    rows = [[shortened(cell) for cell in row] for group in groups for row in group]
    caption = "Answers that are the same and have two grades"
    return [Table(columns, rows[:most], "<" * len(columns), caption, max(0, len(rows) - most))] if rows else []


def shortened(text: object) -> str:
    """A text in one line, as far as it is shown."""
    line = " ".join(str(text).split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 2]} …"
