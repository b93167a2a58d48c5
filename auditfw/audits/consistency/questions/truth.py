"""The rates of judges beside people's labels of a part of the items: asked of the table where `audit.truth` is set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.audits.answers import Argument, named
from auditfw.audits.consistency.conclusions.corrected import corrected_argument, corrected_sections
from auditfw.audits.consistency.conclusions.truth import Truth
from auditfw.audits.consistency.decisions import FINAL
from auditfw.audits.consistency.rules import Pattern, is_unknown
from auditfw.audits.consistency.table import ITEM, PATTERN, WEIGHT, CellKey
from auditfw.audits.table_rows import place
from auditfw.core.digits import fixed, p_text
from auditfw.core.document import Note, Section
from auditfw.core.errors import DataError
from auditfw.core.imports import NDArray, np
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.formulas.people.shares import not_at_random
from auditfw.kinds.context import Sample
from auditfw.kinds.registry import declare

from .rater_rows import RaterRows
from .same_grades import same_grades

if TYPE_CHECKING:
    from auditfw.formulas.people.judge_rates import CorrectedRates, JudgedItems

HAND_PICKED = 0.001  # the p-value of a part that is not random, over all that are compared
NO_LABEL = -1


@dataclass(frozen=True)
class JudgesRates:
    """The rates of every judge, by its reading: of all items, and of each cell. One that labelled no item is left out.

    `called` are the readings in words.
    """

    truth: Truth
    whole: Mapping[str, CorrectedRates]
    cells: Mapping[CellKey, Mapping[str, CorrectedRates]]
    called: Mapping[str, str]

    def named(self, by: Sequence[str]) -> Iterator[tuple[str, Mapping[str, CorrectedRates]]]:
        """The cells in words, with their rates."""
        for cell, rates in self.cells.items():
            yield named(dict(zip(by, cell, strict=True))), rates


@declare("question", "truth")
class TruthLabels:
    """Whether the rates of judges are what people say, as far as a part of the items tells."""

    finds: ClassVar[tuple[FindingKind, ...]] = ()

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """None: a rule of the answer says it."""
        return iter(())

    def argument(self, rows: RaterRows) -> Argument | None:
        """The rule on how far judges are off."""
        rates = rows.of(judges_rates)
        return None if rates is None else corrected_argument(rates.truth, rates.whole, rates.called, rows.settings.off)

    def sections(self, rows: RaterRows) -> list[Section]:
        """The table of corrected rates, whole and by cell."""
        rates = rows.of(judges_rates)
        if rates is None:
            return []
        cells, most = list(rates.named(rows.context.by)), rows.context.limits.max_rows
        first, *others = corrected_sections(rates.truth, [("", rates.whole), *cells], rates.called, most)
        return [replace(first, blocks=[*first.blocks, *map(Note, _ceilings(rows, rates))]), *others]

    def measured(self, rows: RaterRows, sample: Sample) -> dict[str, Any]:
        """The rates of a reading in a cell."""
        rates = rows.of(judges_rates)
        if rates is None:
            return {}
        own = rates.cells.get(sample.data.cell, {}) if sample.cell else rates.whole
        return {"corrected": own.get(sample.reading.name)}


def _ceilings(rows: RaterRows, rates: JudgesRates) -> Iterator[str]:
    """On how much anybody can agree with a judge that gives the same answer two labels."""
    for one in rows.of(same_grades).facts:
        error = one.twice.error[0] if one.twice.error else None
        if error and one.rater in rates.whole:
            most = fixed(100 * (1 - error), 1)
            yield f"{one.who} gives the same answers two labels: nobody can agree with it on more than about {most} %."


def judges_rates(rows: RaterRows) -> JudgesRates | None:
    """The rates of every judge and policy; None where no rater is the truth. Raises DataError."""
    truth = rows.settings.truth
    if truth is None:
        return None
    from auditfw.formulas.people.judge_rates import JudgedItems, corrected_rates

    patterns = rows.judgements.column(PATTERN)
    people = _people(rows, truth, patterns.values)[patterns.numbers]
    chances = _probabilities(rows, truth, people) if truth.weight else None
    columns = _columns(rows, truth, patterns.values)
    judges: dict[str, tuple[JudgedItems, NDArray[np.intp], list[str]]] = {}
    for name, labels in columns.items():
        known = list(dict.fromkeys(label for label in labels if label is not None))
        codes = np.array([NO_LABEL if label is None else known.index(label) for label in labels])[patterns.numbers]
        seen = np.flatnonzero(codes != NO_LABEL)
        positive = np.array([label in truth.labels for label in known], bool)
        groups = None if rows.items is None else rows.items.astype(np.int64)
        judges[name] = JudgedItems(codes, positive, people, groups, chances).at(seen), seen, known
    _check(rows, truth, judges)
    whole: dict[str, CorrectedRates] = {}
    cells: dict[CellKey, dict[str, CorrectedRates]] = {}
    for name, (judged, seen, _) in judges.items():
        parts = [(None, judged), *((key, judged.at(own)) for key, own in _by_cell(rows, seen))]
        for key, part in parts:
            rates = corrected_rates(part, truth.how)
            if rates is not None:
                (whole if key is None else cells.setdefault(key, {}))[name] = rates
    settings = rows.results.settings
    return JudgesRates(truth, whole, cells, {name: settings.called(name) for name in columns})


def _people(rows: RaterRows, truth: Truth, patterns: Sequence[Pattern]) -> NDArray[np.int64]:
    """What people say in each pattern; where they abstain they are undecided."""
    from auditfw.formulas.people.judge_rates import UNDECIDED, UNLABELLED

    at, abstain = rows.readings.index(truth.rater), {*rows.settings.abstain}.difference(truth.labels)
    states = []
    for pattern in patterns:
        label = pattern.labels[at]
        missing = label is None or is_unknown(label)
        states.append(UNLABELLED if missing else UNDECIDED if label in abstain else int(label in truth.labels))
    return np.array(states, np.int64)


def _columns(rows: RaterRows, truth: Truth, patterns: Sequence[Pattern]) -> dict[str, list[str | None]]:
    """The label of every other rater in each pattern, and the final one of every policy, as without people's."""
    at = rows.readings.index(truth.rater)
    columns = {rater: [_label(pattern, j) for pattern in patterns] for j, rater in enumerate(rows.readings) if j != at}
    decider = rows.judgements.decider
    alone = [replace(one, labels=(*one.labels[:at], None, *one.labels[at + 1 :])) for one in patterns]
    for j, name in enumerate(decider.policies):
        finals = [decider.decide(pattern)[j][0] for pattern in alone]
        columns |= {f"{FINAL}.{name}": finals} if any(finals) else {}
    return columns


def _label(pattern: Pattern, rater: int) -> str | None:
    label = pattern.labels[rater]
    return None if is_unknown(label) else label


def _by_cell(rows: RaterRows, seen: NDArray[np.intp]) -> Iterator[tuple[CellKey, NDArray[np.intp]]]:
    """The cells, each with the places of its rows among some of the table's."""
    if rows.cells is None or not len(seen):
        return
    keys, numbers = rows.cells[0], rows.cells[1][seen]
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(numbers[order]) != 0))
    for own in np.split(order, starts[1:]):
        yield keys[int(numbers[own[0]])], own


def _probabilities(rows: RaterRows, truth: Truth, people: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability by which each row was chosen. Raises DataError for a row with a label and none."""
    texts = rows.judgements.column(WEIGHT)
    numbers: NDArray[np.float64] = np.array([_number(text) for text in texts.values])[texts.numbers]
    wrong = np.flatnonzero((people != NO_LABEL) & ~((numbers > 0) & (numbers <= 1)))
    if len(wrong):
        row = int(wrong[0])
        text = texts.values[int(texts.numbers[row])]
        what = "a label without the probability by which the item was chosen" if text is None else "no probability"
        do = f"write one above 0 and at most 1 in the column '{truth.weight}'"
        raise DataError(place(rows, row), what, text, do)
    return numbers


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")


Judges = Mapping[str, "tuple[JudgedItems, NDArray[np.intp], list[str]]"]


def _check(rows: RaterRows, truth: Truth, judges: Judges) -> None:
    """Refuses labels of people of which no rate follows. Raises DataError."""
    called = rows.results.settings.called
    if not any((judged.people != NO_LABEL).any() for judged, *_ in judges.values()):
        others = " or ".join(map(called, judges))
        do = "check the ids, or name another rater: audit.truth.rater"
        raise DataError("audit.truth", f"{truth.rater} labelled no item that {others} did", None, do)
    for name, (judged, seen, labels) in judges.items():
        labelled = judged.people != NO_LABEL
        if truth.sampling == "all" and not labelled.all():
            of = f"{labelled.sum():,} of {len(labelled):,} items of {called(name)} have a label of {truth.rater}"
            raise DataError("audit.truth.sampling", of, "all", "say how they were chosen: random, items or probability")
        if truth.sampling == "items" and judged.groups is not None:
            _check_items(rows, truth, judged.groups, labelled)
        if truth.sampling == "random":
            _check_random(rows, truth, (judged, seen, labels), called(name), len(judges))


def _check_items(rows: RaterRows, truth: Truth, groups: NDArray[np.int64], labelled: NDArray[np.bool_]) -> None:
    trials = np.bincount(groups)
    seen = np.bincount(groups[labelled], minlength=len(trials))
    partly = np.flatnonzero((seen > 0) & (seen < trials))
    if len(partly):
        first = int(partly[0])
        item = rows.judgements.column(ITEM).values[first]
        what = f"{seen[first]:,} of {trials[first]:,} trials have a label of {truth.rater}"
        raise DataError(f"item {item}", what, None, "of single trials chosen at random: audit.truth.sampling=random")


def _check_random(
    rows: RaterRows,
    truth: Truth,
    judge: tuple[JudgedItems, NDArray[np.intp], list[str]],
    called: str,
    times: int,
) -> None:
    """By cell and the judge's label; the p-value is that of one of several judges."""
    judged, seen, labels = judge
    cells, numbers = rows.cells or ([()], np.zeros(rows.n, np.uint32))
    codes, k = numbers[seen].astype(np.int64) * len(labels) + judged.labels, len(cells) * len(labels)
    trials, own = np.bincount(codes, minlength=k), np.bincount(codes[judged.people != NO_LABEL], minlength=k)
    p = min(1.0, times * not_at_random(list(zip(trials.tolist(), own.tolist(), strict=True))))
    if p >= HAND_PICKED:
        return
    expected = trials * own.sum() / trials.sum()
    worst = int(np.argmax(np.maximum(own - expected, 0.0) / np.sqrt(np.maximum(expected, 1.0))))
    cell = named(dict(zip(rows.context.by, cells[worst // len(labels)], strict=True)))
    where = f"{called} says {labels[worst % len(labels)]}{f' and {cell}' if cell else ''}"
    shares = [f"{fixed(100 * part[worst] / part.sum(), 0)} %" for part in (own, trials)]
    what = f"the items with a label of {truth.rater} are not random: {shares[0]} where {where}, {shares[1]} of all"
    do = "give the probabilities by which they were chosen: sampling: probability, weight: COLUMN"
    raise DataError("audit.truth", what, f"p {p_text(p)}", do)
