"""Two raters: who gives which label, how well they agree, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from auditfw.audits.consistency.counts import ShownRow
from auditfw.audits.consistency.exhibits import QUESTIONS
from auditfw.audits.consistency.scoring import DIFFERING, RED_FLAGS
from auditfw.core.digits import chance, fixed
from auditfw.core.document import Block, Note, Section, Table, some
from auditfw.core.records import Estimate
from auditfw.formulas.agreement import Judged, Pair, diagnosis
from auditfw.kinds.judgements import ANSWER, ITEM, REASON

from .facts import ScreenFacts, kappa_text, label_text, more_text, shown_part

if TYPE_CHECKING:
    from auditfw.formulas.agreement.with_others import Shift


LISTED = 3  # disagreements
CAPTION = "The labels that stand against each other most often."
COSTED = 30  # of the most frequent disagreements it is asked which costs most kappa


class Cell(NamedTuple):
    """A disagreement: so many items that the candidate and the reference give the labels at these places."""

    own: int
    other: int
    n: int


@dataclass(frozen=True)
class TwoRaters:
    """Both raters of a run, one as the candidate and the other as the reference."""

    facts: ScreenFacts

    @cached_property
    def judged(self) -> Judged:
        """Their labels, seen as the run measures them where it holds the one against the other."""
        one, other = self.facts.raters
        overall = self.facts.results.overall
        for rater, against in ((one, other), (other, one)):
            if rater in overall and overall[rater].reference == against:
                return overall[rater]
        return replace(overall["all"], group=None, candidate=one, reference=other)

    @cached_property
    def pair(self) -> Pair:
        """Their table: rows the candidate, columns the reference."""
        pair = self.judged.pair(self.facts.coefficient.abstain)
        assert pair is not None
        return pair

    @cached_property
    def names(self) -> tuple[str, str]:
        """The candidate and the reference in words."""
        return self.facts.called(self.judged.candidate or ""), self.facts.called(self.judged.reference or "")

    @cached_property
    def cells(self) -> list[Cell]:
        """Every disagreement, the most frequent first."""
        cells = [Cell(i, j, n) for i, row in enumerate(self.pair.table) for j, n in enumerate(row) if n and i != j]
        return sorted(cells, key=lambda cell: (-cell.n, cell))

    @cached_property
    def kappa(self) -> Estimate:
        kappa = self.facts.coefficient(self.judged)
        assert kappa is not None
        return kappa

    def sections(self) -> list[Section]:
        """Who agrees with whom, and where they differ, if they do."""
        if not self.pair.n:
            return []
        return [self._who(), *([self._where()] if self.cells else [])]

    # Who

    def _who(self) -> Section:
        facts, kappa = self.facts, kappa_text(self.kappa.value, self.kappa.low, self.kappa.high)
        equal = fixed(100 * self.pair.agreed / self.pair.n, 0)
        with_other = [kappa, f"{shown_part(kappa)} ({equal} % equal)"]
        titles = ["rater", "with the other", *self._titles(), "no label"]
        rows = [
            [facts.called(rater), with_other[at], *self._labels(at), f"{facts.unlabelled(rater):,}"]
            for at, rater in enumerate(facts.raters)
        ]
        title = f"Who agrees with whom: {some(self.pair.n, facts.noun)}, {facts.coefficient.title} (share equal)"
        blocks: list[Block] = [Table(titles, rows, "<" * len(titles))]
        if self.kappa.value is None:
            blocks.append(Note(f"Kappa is undefined: {self.kappa.undefined}."))
        return Section(title, blocks, screen="who")

    def _titles(self) -> list[str]:
        facts = self.facts
        if facts.coefficient.ordered:
            return [facts.typical_title, "gives more by"]
        return [f"says {label_text(facts.ratings.labels[i])}" for i in facts.shared]

    def _labels(self, at: int) -> list[str]:
        facts, own = self.facts, self.facts.counted[at]
        if not facts.coefficient.ordered:
            return [facts.share(own, i) for i in facts.shared]
        shift = self.shifts[at]
        return [facts.typical(shift.mean, own), more_text(shift.more, shift.half)]

    @cached_property
    def shifts(self) -> list[Shift]:
        """The mean label of each, and by how much it is above the other's."""
        from auditfw.formulas.agreement.with_others import shift

        return [shift(self.facts.ratings, self.facts.places, at) for at in range(2)]

    # Where they differ

    def _where(self) -> Section:
        n = self.pair.n - self.pair.agreed
        title = f"Where they differ: {some(n, self.facts.noun)}"
        if self.facts.coefficient.many:
            return Section(title, [Note(f"{self._distance()}; {self._lean()}.")], 3, screen="who")
        labels, (own, other) = self.pair.labels, self.names
        remarks = self._remarks()
        rows = [
            [
                f"{own} {label_text(labels[cell.own])}, {other} {label_text(labels[cell.other])}",
                f"{cell.n:,}",
                "; ".join(remarks.get(cell, ())),
            ]
            for cell in self.cells[:LISTED]
        ]
        left = len(self.cells) - len(rows)
        further = sum(cell.n for cell in self.cells[LISTED:])
        note = [Note(f"({further:,} more, {some(left, 'further pair')} of labels)")] if left else []
        return Section(title, [Table(["", "", ""], rows, "<><", CAPTION), *note], 3, screen="who")

    def _remarks(self) -> dict[Cell, list[str]]:
        """Which disagreement costs most kappa, and whether one direction of the most frequent pair is more frequent."""
        remarks: dict[Cell, list[str]] = {}
        weights = self.facts.coefficient.weighing(self.pair)
        asked = self.cells[:COSTED]
        gains = diagnosis.gains(self.pair, [(cell.own, cell.other) for cell in asked], weights)
        known = [(gain, cell) for gain, cell in zip(gains, asked, strict=True) if gain is not None and gain > 0]
        if known:
            gain, cell = max(known, key=itemgetter(0))
            remarks[cell] = [f"costs most kappa: {fixed(gain, 2)}"]
        for cell in self._leaning():
            remarks.setdefault(cell, []).append(self._lean())
        return remarks

    def _leaning(self) -> Iterator[Cell]:
        """The row that says if there is a lean: the rarer direction of the two labels that are confused most."""
        yield from [cell for cell in self.cells[:LISTED] if {cell.own, cell.other} == {*self.confused}][-1:]

    @cached_property
    def confused(self) -> tuple[int, int]:
        """The two labels that stand against each other most often, whichever way."""
        table = self.pair.table
        pairs = {(min(cell[:2]), max(cell[:2])): 0 for cell in self.cells}
        return max(pairs, key=lambda pair: table[pair[0]][pair[1]] + table[pair[1]][pair[0]])

    def _lean(self) -> str:
        """Whether one of the raters gives more, by the mean difference; of names by the two labels confused most.

        The latter is the exact test of McNemar, or of sign flips by item. Which two labels are confused most hangs on
        both directions together, so that the choice says nothing of the lean.
        """
        from auditfw.formulas.agreement.estimates import bowker

        if self.facts.coefficient.ordered:
            p = self.shifts[0].p
        else:
            labels = [self.pair.labels[place] for place in self.confused]
            two = self.judged.everyone.within(labels)
            p = bowker(two.pair(*self.facts.raters)).value
        if p is None:
            return "too few to tell a lean"
        return f"{'a clear' if p <= self.facts.results.alpha else 'no clear'} lean ({chance(p)})"

    def _distance(self) -> str:
        """How far the numbers of both are apart."""
        places = self.facts.places
        gaps = [(abs(places[cell.own] - places[cell.other]), cell.n) for cell in self.cells]
        mean = fsum(gap * n for gap, n in gaps) / self.pair.n
        return f"{fixed(mean, 1)} apart on average, {max(gaps)[0]:g} at most"


# One row on which raters differ as they do most often, or most, verbatim: what was asked, and how each labels it.

LINE = 76  # characters
LONG_TEXT, LONG_ID, LONG_NAME = 300, 40, 28
FEW_RATERS = 8
LEAST = 18  # characters of a reason


def example(facts: ScreenFacts, two: TwoRaters | None) -> Section | None:
    """A row of the largest disagreement of two raters; of several the one on which they are farthest apart."""
    limits = facts.results.limits
    if not limits.max_examples:
        return None
    drawn = facts.results.whole.drawn((RED_FLAGS, DIFFERING), max(limits.max_examples, limits.max_exhibits))
    two = None if facts.coefficient.many else two  # of so many values hardly two rows are alike
    most = _farthest(facts, drawn) if two is None else _of_two(two, drawn)
    if not most:
        return None
    fitting = [row for row in most if _length(row) <= LONG_TEXT]
    short = [row for row in fitting if len(_asked(row, 2)) <= LINE] or fitting
    shown = max(short, key=_length, default=most[0])
    many = sum(n for p, n in facts.results.audited.items() if p.labels == shown.pattern.labels)
    whose = f"One of the {many:,}" if two is not None and many > 1 else "Where they differ most"
    texts = [_asked(shown, 2 if len(facts.raters) == 2 else 1), *_said(facts, shown)]
    notes = [Note(text) for text in texts if text]
    return Section(f"{whose}: {_cut(shown.id, LONG_ID)}", list(notes), 3, screen="example")


def _of_two(two: TwoRaters, drawn: Sequence[ShownRow]) -> list[ShownRow]:
    """The rows of the most frequent disagreement of two raters."""
    if not two.cells:
        return []
    labels, cell = two.pair.labels, two.cells[0]
    labels_by = {two.judged.candidate: labels[cell.own], two.judged.reference: labels[cell.other]}
    wanted = tuple(labels_by[rater] for rater in two.facts.raters)
    return [row for row in drawn if row.pattern.labels == wanted]


def _farthest(facts: ScreenFacts, drawn: Sequence[ShownRow]) -> list[ShownRow]:
    """The rows on which raters are farthest apart: labels in order by their ends, names by how many differ."""
    at = dict(zip(facts.ratings.labels, facts.places, strict=True))

    def apart(row: ShownRow) -> tuple[float, float]:
        labels = [label for label in row.pattern.labels if label is not None]
        alike = sum(n * n for n in Counter(labels).values()) / max(1, len(labels)) ** 2
        places = [at[label] for label in labels if label in at] if facts.coefficient.ordered else []
        return (max(places) - min(places) if places else 0.0), -alike

    most = max(map(apart, drawn), default=None)
    return [row for row in drawn if row.pattern.differs and apart(row) == most]


def _texts(row: ShownRow) -> dict[str, str]:
    """The texts of a row by their names, cut ones with an ellipsis."""
    return {one.label: _line(one.head) + "…" * bool(one.omitted) for one in row.exhibit.snippets}


def _length(row: ShownRow) -> int:
    return sum(len(one.head) + one.omitted for one in row.exhibit.snippets)


def _asked(row: ShownRow, lines: int) -> str:
    """The question and the answer that were judged, in so many lines at most."""
    texts = _texts(row)
    question = next((texts[name] for name in (*QUESTIONS, ITEM) if name in texts), "")
    claim, room = texts.get(f"{ANSWER}.claim", ""), LINE * lines - 4
    answer = f'"{_cut(claim, max(room // 2, room - len(question)))}"' if claim else ""
    question = _cut(question, room - len(answer))
    return f"{question}: {answer}" if question and answer else question or answer


def _said(facts: ScreenFacts, row: ShownRow) -> list[str]:
    """The label of each rater with its reason: a line each of two, of more all labels and the reasons of two."""
    labels, texts = dict(zip(facts.raters, row.pattern.labels, strict=True)), _texts(row)
    reasons = {rater: texts.get(f"{rater}.{REASON}", "") for rater in labels}
    if len(labels) == 2:
        if not any(reasons.values()):
            return ["; ".join(_one(facts, rater, label, "") for rater, label in labels.items())]
        return [_one(facts, rater, label, reasons[rater]) for rater, label in labels.items()]
    saying = {label: rater for rater, label in reversed(labels.items()) if label is not None and reasons[rater]}
    ordered = sorted(
        saying, key=lambda label: facts.ratings.labels.index(label) if label in facts.ratings.labels else -1
    )
    ends = [saying[label] for label in dict.fromkeys((*ordered[:1], *ordered[-1:]))]
    return [_labels(facts, row), *(_one(facts, rater, labels[rater], reasons[rater]) for rater in ends)]


def _labels(facts: ScreenFacts, row: ShownRow) -> str:
    known = [(rater, label) for rater, label in zip(facts.raters, row.pattern.labels, strict=True) if label is not None]
    if len(known) <= FEW_RATERS:
        return _cut(", ".join(f"{facts.called(rater)} {label_text(label)}" for rater, label in known), LINE)
    counted = Counter(label for _, label in known).most_common(FEW_RATERS)
    return _cut(", ".join(f"{n:,} say {label_text(label)}" for label, n in counted), LINE)


def _one(facts: ScreenFacts, rater: str, label: str | None, reason: str) -> str:
    text = f"{_cut(facts.called(rater), LONG_NAME)}: {label_text(label) if label is not None else 'no label'}"
    return f'{text}, "{_end(reason, max(LEAST, LINE - len(text) - 4))}"' if reason else text


def _line(text: str) -> str:
    """A text in one line, its line breaks visible."""
    return "⏎".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _end(text: str, most: int) -> str:
    """The end of a text, where a reason comes to what it says, from the beginning of a word on."""
    if len(text) <= most:
        return text
    kept = text[len(text) - most + 2 :]
    _, blank, rest = kept.partition(" ")
    return f"… {rest if blank and len(rest) >= most // 2 else kept}"
