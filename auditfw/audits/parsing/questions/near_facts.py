"""Which wrong answers are right in another form, and which right ones are wrong numbers: what the draw comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any, NamedTuple

from auditfw.audits.parsing.conclusions.compared import Compared
from auditfw.audits.parsing.conclusions.items import crossed_items, items_of
from auditfw.audits.parsing.engine.plan import MISSING, TRUE
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.kept.near import IS_RIGHT, IS_WRONG, NEAR, NearTrial
from auditfw.audits.parsing.probe.lossy import deciding
from auditfw.audits.parsing.probe.partners import CellItems, by_cell
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.samples import ComparedReading, LabelRules, samples
from auditfw.audits.parsing.table import STORED
from auditfw.core.imports import np
from auditfw.core.records import Reading
from auditfw.core.statistics import benjamini_hochberg
from auditfw.core.tables import NO_CODE
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.forms.texts import (
    COUNTED,
    FORMS,
    READ,
    SPAN,
    elsewhere,
    first_form,
    holds_other_number,
    near_form,
    same_under,
    shortest_first,
)  # fmt: skip
from auditfw.formulas.forms.words import choice_form
from auditfw.formulas.label_counts import flip_rates
from auditfw.formulas.multiple import adjusted, holm
from auditfw.formulas.probe_rates import rate_by_item
from auditfw.formulas.texts.truth_kinds import common_kind, kind_of
from auditfw.kinds.context import Sample
from auditfw.kinds.text import Form

from .label_rows import ParsingRows

BY_CHANCE = 2_000  # trials that are held against the truths of others
FAILED = "error"  # in place of a form: one of a plugin failed


class NearMiss(NamedTuple):
    """A trial whose answer is the truth in another form: the answer and the truth that are."""

    trial: NearTrial
    form: str
    answer: str
    truth: str


@dataclass(frozen=True)
class NearFacts:
    """The drawn trials that are right in another form, of `examined` of `wrong` ones; `whole` where these are all.

    `expected` says of each form how many were to be expected by chance, `counted` which forms count. `why` is the
    reason where nothing could be looked at.
    """

    fitting: Sequence[NearMiss] = ()
    examined: int = 0
    wrong: int = 0
    whole: bool = True
    expected: Mapping[str, float] = field(default_factory=dict)
    counted: frozenset[str] = frozenset()
    why: str | None = None

    @property
    def misses(self) -> list[NearMiss]:
        """Those of the forms that count."""
        return [one for one in self.fitting if one.form in self.counted]

    @property
    def by_chance(self) -> float:
        """How many of them were to be expected by chance."""
        return fsum(self.expected.get(form, 0.0) for form in self.counted)

    @property
    def times(self) -> Counter[str]:
        """How many trials have which form."""
        return Counter(one.form for one in self.fitting)


def near_facts(rows: ParsingRows) -> NearFacts:
    """What the wrong trials come to that were drawn."""
    results = rows.results
    settings, draw = results.settings.near, results.whole.near
    if settings is None or not settings.trials:
        return NearFacts(why="audit.near is null" if settings is None else "audit.near.trials is 0")
    if not results.counts["audited"]:
        return NearFacts(why="no truth")
    places = [results.names.index(name) for name in deciding(results) if name in results.names]
    drawn = draw.wrong()
    trials = [trial for trial in drawn if all(trial.codes[place] != TRUE for place in places)]
    wrong = _wrong_trials(results, places)
    forms = _Forms(results)
    fitting, expected = forms.tried(trials, wrong / max(1, results.table.trials))
    times = Counter(one.form for one in fitting)
    counted = [
        form
        for form, n in times.items()
        if form in forms.counted and n >= settings.least and expected.get(form, 0.0) <= settings.luck * n
    ]
    whole = len(drawn) == draw.n
    return NearFacts(
        fitting, len(trials), len(trials) if whole else wrong, whole, expected, frozenset(counted)
    )  # fmt: skip


def _wrong_trials(results: ParsingResults, places: Sequence[int]) -> int:
    """How many trials neither the reference nor a reading that decides calls right."""
    wrong = np.frombuffer(IS_WRONG, bool)[results.table.codes(results.numbers[0])]
    for place in places:
        wrong = wrong & (results.table.codes(place) != TRUE)
    return int(wrong.sum())


class _Forms:
    """The forms of a run: those that are shipped and those of others that it chose."""

    def __init__(self, results: ParsingResults) -> None:
        chosen: Mapping[str, Form] = results.settings.forms
        self.counted = frozenset(chosen or COUNTED)
        self._further = {name: form for name, form in chosen.items() if name not in FORMS}

    def of(self, trial: NearTrial) -> NearMiss | None:
        """The first form of a trial; of several truths one that counts comes first."""
        fitting = [one for truth in alternatives(trial.truth) if (one := self._near(trial, truth)) is not None]
        return min(fitting, key=lambda one: one.form not in self.counted, default=None)

    def _near(self, trial: NearTrial, truth: str) -> NearMiss | None:
        texts = shortest_first(trial.texts)
        form = first_form(texts, truth[:READ])
        if form not in self.counted:
            form = self._of_others(texts, truth) or form
        if form is None and isinstance(trial.options, list | tuple):
            options = list(map(str, trial.options))
            form = next((f for text in texts if (f := choice_form(text, truth, options)) is not None), None)
        if form is None and trial.line and elsewhere(trial.line, truth):
            return NearMiss(trial, "elsewhere", trial.line, truth)
        if form is None:
            return None
        return NearMiss(trial, form, next((t for t in texts if near_form([t], truth) == form), texts[0]), truth)

    def _of_others(self, texts: Sequence[str], truth: str) -> str | None:
        for name, form in self._further.items():
            if kind_of(truth) not in form.kinds:
                continue
            try:
                if any(same_under(form, text, truth) for text in texts):
                    return name
            except Exception:
                return FAILED
        return None

    def tried(self, trials: Sequence[NearTrial], share: float) -> tuple[list[NearMiss], dict[str, float]]:
        """The forms of trials, and how many trials each form would fit by chance.

        By chance: texts against the next other truth of their cell, weighted by the share of wrong trials; of many
        trials the first of the draw are held against others. One trial after the other, for what is read is kept a
        while.
        """
        cells, times = by_cell(trials), Counter[str]()  # type: ignore[arg-type]
        fitting = []
        for place, trial in enumerate(trials):
            one = self.of(trial)
            fitting += [] if one is None else [one]
            other = self._by_chance(trial, cells[trial.cell]) if place < BY_CHANCE else None
            times[other.form if other else ""] += 1
        share *= max(1.0, len(trials) / BY_CHANCE)
        return fitting, {form: n * share for form, n in times.items() if form}

    def _by_chance(self, trial: NearTrial, cell: CellItems) -> NearMiss | None:
        """The form under which an answer is another truth, which it is not as it stands."""
        truth = cell.different(trial.item, trial.truth)
        if truth is None:
            return None
        others = alternatives(truth)
        if any(text.strip() == one.strip() for text in trial.texts if text for one in others):
            return None
        return self.of(trial._replace(truth=truth, line=""))


@dataclass(frozen=True)
class NearMoves:
    """The reading `near`: the reference with the near misses right, of all trials and by cell, with adjusted p."""

    whole: tuple[Compared, float | None]
    cells: Sequence[tuple[Compared, float | None]]


def near_moves(rows: ParsingRows) -> NearMoves | None:
    """What the reading `near` comes to beside the reference; None where there is none."""
    results = rows.results
    facts = rows.of(near_facts)
    if not facts.misses:
        return None
    whole, *cells = [Compared(sample) for sample in rows.of(near_samples) if sample.data.paired]
    others = [Compared(results.overall[name]) for name in deciding(results)]
    their_cells = [Compared(sample) for one in others for sample in results.paired(one.name)]
    alpha = results.settings.alpha

    def chances(method: Any, before: Sequence[Compared], own: Sequence[Compared]) -> list[float | None]:
        family = [*before, *own]
        p = adjusted([one.p for one in family], [one.shift.changed for one in family], method, alpha)
        return p[len(before) :]

    [p] = chances(holm, others, [whole])
    return NearMoves((whole, p), list(zip(cells, chances(benjamini_hochberg, their_cells, cells), strict=True)))


def near_samples(rows: ParsingRows) -> list[Sample]:
    """The labels of the reading `near` beside the reference's; that of all trials comes first."""
    results, facts = rows.results, rows.of(near_facts)
    reference, undefined = results.numbers[0], results.settings.undefined
    table = results.table.beside(reference, _codes(rows, facts))
    compared = ComparedReading(Reading(NEAR, "candidate"), 0, STORED)
    items = items_of(crossed_items(table, undefined), None)
    return samples(table, [compared], results.context.by, LabelRules(undefined), items)


def _codes(rows: ParsingRows, facts: NearFacts) -> Any:
    """The label codes of the reading `near` of the audited trials: none outside of the drawn items."""
    results = rows.results
    codes = results.table.codes(results.numbers[0]).copy()
    audited = np.flatnonzero(rows.numbers("code.stored") != NO_CODE)
    if not facts.whole:
        draw = results.whole.near
        names, numbers = rows.numbered("id" if draw.by_id else "row.item")
        drawn = np.array(draw.drawn(names, results.context.seed), bool)[numbers[audited]]
        looked = rows.among("id", {trial.id for trial in draw.wrong()})[audited]
        wrong = np.frombuffer(IS_WRONG, bool)[codes]
        codes[~drawn | (wrong & ~looked)] = MISSING
    codes[rows.among("id", {one.trial.id for one in facts.misses})[audited]] = TRUE
    return codes


def near_rates(rows: ParsingRows) -> Mapping[tuple[Any, ...], ClusteredRate | str]:
    """The share of near misses of each cell, () of all trials: of those that were drawn."""
    facts = rows.of(near_facts)
    if facts.why is not None:
        return {(): facts.why}
    none = "no trial was drawn"
    return {
        tuple(one.cell.values()): flip_rates(one.data)[0] if one.data.paired else none for one in rows.of(near_samples)
    }


def measured(rows: ParsingRows, sample: Sample) -> dict[str, Any]:
    """What metrics read of near misses and of false rights of a sample."""
    if sample.reading.role == "reference":
        if NEAR not in rows.results.context.keeps:
            return {}
        rates = rows.of(near_rates)
        return {"near": rates.get(tuple(sample.cell.values()), rates[()] if len(rates) == 1 else None)}
    if sample.reading.role != "candidate" or sample.cell:
        return {}
    if common_kind(rows.results.whole.rows.kinds) != "number":
        return {"false_rights": "the truths are no numbers"}
    rights = rows.of(false_rights).get(sample.reading.name)
    return {"false_rights": "no right trial was drawn" if rights is None else rights.rate}


@dataclass(frozen=True)
class FalseRights:
    """How many of the drawn trials that a reading calls right have another number: by item."""

    flagged: int
    of: int
    rate: ClusteredRate


def false_rights(rows: ParsingRows) -> Mapping[str, FalseRights]:
    """The readings by name, where the truths are numbers; those that call no drawn trial right are left out."""
    results = rows.results
    if not results.settings.near or common_kind(results.whole.rows.kinds) != "number":
        return {}
    forms, trials = _Forms(results), results.whole.near.right()
    wrong: dict[tuple[str, str], bool] = {}

    def flagged(text: str | None, truth: str) -> bool:
        key = (text or "")[-SPAN:], truth
        if key not in wrong:
            wrong[key] = holds_other_number(*key, forms.counted)
        return wrong[key]

    fitting: dict[str, FalseRights] = {}
    for number, (name, (p, _)) in enumerate(zip(results.names, results.plan.readings, strict=True)):
        if results.plan.is_ruled(number):
            continue
        own = [trial for trial in trials if IS_RIGHT[trial.codes[number]]]
        flags = [all(flagged(trial.texts[p], truth) for truth in alternatives(trial.truth)) for trial in own]
        rate = rate_by_item([trial.item for trial in own], flags)
        if rate is not None:
            fitting[name] = FalseRights(sum(flags), len(own), rate)
    return fitting
