"""The probe: whether each reading's scorer tells right from wrong, on trials drawn with their texts.

Every drawn answer is held against the truth of another item of its cell (luck), those accepted for their own truth
against a different one (either way), and answers that know nothing are held against every truth (constants).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from auditfw.audits.parsing.engine.kernels import Column, Kernel, Scores, Signs, by_row, kernel, without_stored
from auditfw.audits.parsing.engine.plan import MISSING, ReadingPlan
from auditfw.audits.parsing.engine.reference import Truth, alternatives
from auditfw.audits.parsing.table import Undefined, label_of
from auditfw.core.native import kernel_name
from auditfw.formulas.answer_signs import SIGNS, answer_signs
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.markers import THINK_END
from auditfw.formulas.probe_rates import ProbeRates, rate_by_item, shift_by_item
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.text import Matcher

from .draw import Key, ProbeDraw, ProbedTrial
from .partners import (
    TRUTHS,
    Cell,
    CellItems,
    by_cell,
    constants,
    forms,
    most_frequent,
    offered,
    unlike,
)

ALONE = "no cell has two items among the sampled trials"
ONE_TRUTH = "no cell has two different truths among the sampled trials"
NONE_RIGHT = "no sampled answer is accepted for its own truth"
NO_LABEL = "no sampled trial has a label"
NEGATIVE = "the rule is negative (it accepts whatever lacks its text), so the probe does not apply"

FEW, SLOWER = 20, 16  # a slow matcher's trials: so many, or one of so many audited, that it costs a quarter more
SHOWN = 10  # accepted answers with the same sign

Labels = Sequence[bool | None]


@dataclass(frozen=True)
class SuspectAnswer:
    """An accepted answer with a sign that it is none, and the readings that accept it."""

    trial: ProbedTrial
    sign: str
    parser: str
    answer: str
    readings: tuple[str, ...]


@dataclass(frozen=True)
class ProbeResults:
    """What the probe came to, by the names of the readings.

    `constants` are for each reading the shares of trials by the name of the constant answer; `signs` count the accepted
    answers with a sign, `suspects` are those of them to be shown. `answers` are what each parser kept of each trial.
    `further` names those that are no readings: the rule that a search came to.
    `negative` counts for each reading the trials whose rule is negative: they are left out of its shares.
    """

    trials: Sequence[ProbedTrial] = ()
    audited: int = 0
    rates: Mapping[str, ProbeRates] = field(default_factory=dict)
    constants: Mapping[str, Mapping[str, ClusteredRate]] = field(default_factory=dict)
    signs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    suspects: Sequence[SuspectAnswer] = ()
    answers: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    further: frozenset[str] = frozenset()
    negative: Mapping[str, int] = field(default_factory=dict)

    def beside(self, other: ProbeResults) -> ProbeResults:
        """The results with those of a rule that is no reading of the run, on the same trials."""
        shown = {(one.trial.id, one.sign) for one in self.suspects}
        return replace(
            self,
            rates={**self.rates, **other.rates},
            constants={**self.constants, **other.constants},
            signs={**self.signs, **other.signs},
            suspects=[*self.suspects, *(one for one in other.suspects if (one.trial.id, one.sign) not in shown)],
            further=frozenset(other.rates),
            negative={**self.negative, **other.negative},
        )

    @property
    def whole(self) -> bool:
        """Whether all audited trials were drawn."""
        return len(self.trials) == self.audited

    @property
    def items(self) -> int:
        """How many items were drawn."""
        return len({trial.key for trial in self.trials})


def probed(
    plans: Sequence[ReadingPlan], draw: ProbeDraw, columns: Sequence[str], undefined: Undefined, audited: int
) -> ProbeResults:
    """What the probe of a plan's readings comes to, on the trials drawn; nothing where none were.

    A second plan is that of a rule which is probed beside them.
    """
    trials = draw.trials()
    if any(is_slow(one.matcher_of(n)) for one in plans for n in range(len(one.normalizers))):
        trials = first_items(trials, max(FEW, audited // SLOWER))
    if not trials:
        return ProbeResults(audited=audited)
    kernels = [(kernel(kernel_name(), one.scored, Signs({}, THINK_END)), one) for one in plans]
    first, *others = [Probe(*pair, trials, columns, undefined).results(audited) for pair in kernels]
    return first.beside(others[0]) if others else first


def is_slow(matcher: Matcher) -> bool:
    """Whether a matcher takes long: it says so, or it is a user's own and does not say the contrary."""
    return bool(capability(matcher, "slow", not shipped(type(matcher).__module__)))


def first_items(trials: Sequence[ProbedTrial], most: int) -> list[ProbedTrial]:
    """The first whole items of a draw, up to so many trials; always one."""
    if len(trials) <= most:
        return list(trials)
    kept: list[ProbedTrial] = []
    for _, group in groupby(trials, lambda trial: trial.key):
        item = list(group)
        if kept and len(kept) + len(item) > most:
            break
        kept += item
    return kept


class Probe:
    """The trials drawn, and the kernel that scores them."""

    def __init__(
        self,
        kernel: Kernel,
        plan: ReadingPlan,
        trials: Sequence[ProbedTrial],
        columns: Sequence[str],
        undefined: Undefined,
    ) -> None:
        if plan.ruled is not None:  # an answer is held against truths of its own rule
            trials = [trial._replace(cell=(*trial.cell, trial.value)) for trial in trials]
        self.kernel, self.plan, self.trials, self.undefined = kernel, plan, trials, undefined
        matchers = [plan.matcher_of(n) for n in range(len(plan.normalizers))]
        self.negative = [bool(capability(matcher, "negative", False)) for matcher in matchers]
        self._raw, self._parsed = "raw_text" in columns, "parsed_text" in columns
        self.cells: dict[Cell, CellItems] = by_cell(trials)
        numbers = {key: n for n, key in enumerate(dict.fromkeys(trial.key for trial in trials))}
        self.items = [numbers[trial.key] for trial in trials]
        partners = {cell: items.partners() for cell, items in self.cells.items()}
        self.partners = [self._partner(trial, *partners[trial.cell][trial.item]) for trial in trials]
        cells = {cell: n for n, cell in enumerate(self.cells)}
        self.cell_of = [cells[trial.cell] for trial in trials]
        self.partner_forms = [None if truth is None else forms(truth) for truth, _ in self.partners]

    def _partner(
        self, trial: ProbedTrial, following: Truth | None, other: Truth | None
    ) -> tuple[Truth | None, Truth | None]:
        """The truths that a trial's answers are held against: those of its item's partners, unless its own differs."""
        if other is None or unlike(trial.truth, other):
            return following, other
        return following, self.cells[trial.cell].different(trial.item, trial.truth)

    def results(self, audited: int, shown: int = SHOWN) -> ProbeResults:
        """What the probe comes to; `shown` accepted answers with a sign are kept for each sign."""
        names, trials = self.plan.names(), self.trials
        own, answers = self._own()
        next_truths = [following for following, _ in self.partners]
        luck = self._against(range(len(trials)), next_truths)
        right = [i for i in range(len(trials)) if any(labels[i] for labels in own)]
        either = self._against(right, [other for _, other in self.partners])
        shares = self._constants(own)
        rates = {name: self._rates(own[r], luck[r], either[r], shares[name]) for r, name in enumerate(names)}
        negative = {name: sum(self._is_negative(r, t.value) for t in trials) for r, name in enumerate(names)}
        for name in (name for name, n in negative.items() if n == len(trials)):
            rates[name] = replace(rates[name], why=NEGATIVE, why_luck=NEGATIVE, why_either_way=NEGATIVE)
        counts, suspects = self._signs(own, answers, shown)
        return ProbeResults(trials, audited, rates, shares, counts, suspects, answers, negative=negative)

    # Scoring

    def _score(self, raw: Column, parsed: Column, truths: list[Truth], values: Sequence[str | None]) -> Scores:
        """The scores of texts; `values` say by which rule, where rows have rules of their own."""
        scores = self.kernel.score(raw if self._raw else None, parsed if self._parsed else None, truths)
        scores = by_row(scores, self.plan, [value or "" for value in values])
        return self._without_negative(scores, values) if any(self.negative) else scores

    def _without_negative(self, scores: Scores, values: Sequence[str | None]) -> Scores:
        """The scores without the labels of negative rules, which no other truth tests."""
        labels = [
            bytearray(
                MISSING if self._is_negative(r, value) else code for code, value in zip(codes, values, strict=True)
            )
            for r, codes in enumerate(scores.labels)
        ]
        return replace(scores, labels=labels)

    def _is_negative(self, reading: int, value: str | None) -> bool:
        return self.negative[self.plan.place(reading, value)[1]]

    def _score_trials(self, trials: Sequence[ProbedTrial], truths: list[Truth]) -> Scores:
        """The scores of the texts of trials with these truths."""
        values, raw, parsed = [t.value for t in trials], [t.raw for t in trials], [t.parsed for t in trials]
        unstored = [i for i, trial in enumerate(trials) if trial.unstored]
        scores = self._score(raw, parsed, truths, values)
        return without_stored(scores, self.plan, unstored, values)

    def _labels(self, scores: Scores) -> list[Labels]:
        return [[label_of(code, self.undefined) for code in codes] for codes in scores.labels]

    def _own(self) -> tuple[list[Labels], dict[str, list[str | None]]]:
        """Each reading's labels of the trials, and what each parser kept."""
        trials = self.trials
        scores = self._score_trials(trials, [t.truth for t in trials])
        kept = [self._answers(scores, i) for i in range(len(trials))]
        answers = {named.name: [row[p] for row in kept] for p, named in enumerate(self.plan.parsers)}
        return self._labels(scores), answers

    def _answers(self, scores: Scores, i: int) -> list[str | None]:
        """What each parser kept of a trial; nothing where one of them fails, which the labels say already."""
        try:
            return scores.answers(i)
        except Exception:
            return [None] * len(self.plan.parsers)

    def _against(self, rows: Sequence[int], truths: Sequence[Truth | None]) -> list[Labels]:
        """Each reading's labels of some trials under other truths; None for the rest."""
        chosen = [i for i in rows if truths[i] is not None]
        held: list[Truth] = [truth for i in chosen if (truth := truths[i]) is not None]
        texts = [self.trials[i] for i in chosen]
        scores = self._score_trials(texts, held)
        every: list[Labels] = []
        for labels in self._labels(scores):
            of = dict(zip(chosen, labels, strict=True))
            every.append([of.get(i) for i in range(len(self.trials))])
        return every

    def _constants(self, own: Sequence[Labels]) -> dict[str, dict[str, ClusteredRate]]:
        """For each reading and constant answer the share of trials with a label on which it is accepted."""
        columns = constants(self.trials, self.cells)
        pairs: dict[tuple[str, Truth, str | None], int] = {}
        places: dict[str, list[tuple[int, int]]] = {}  # of each constant its trials, and their pairs
        for name, column in columns.items():
            texts = zip(column, self.trials, strict=True)
            places[name] = [
                (i, pairs.setdefault((text, trial.truth, trial.value), len(pairs)))
                for i, (text, trial) in enumerate(texts)
                if text is not None
            ]
        answers: list[str | None] = [text for text, *_ in pairs]
        truths, values = [truth for _, truth, _ in pairs], [value for *_, value in pairs]
        scored = self._labels(self._score(answers, answers, truths, values))
        shares: dict[str, dict[str, ClusteredRate]] = {}
        for reading, labels, mine in zip(self.plan.names(), scored, own, strict=True):
            of = shares[reading] = {}
            for name, rows in places.items():
                labelled = [(i, pair) for i, pair in rows if mine[i] is not None]
                wins = [labels[pair] is True for _, pair in labelled]
                rate = rate_by_item([self.items[i] for i, _ in labelled], wins)
                if rate is not None:
                    of[name] = rate
        return shares

    # Shares

    def _rates(self, own: Labels, luck: Labels, either: Labels, shares: Mapping[str, ClusteredRate]) -> ProbeRates:
        rows = [i for i, label in enumerate(luck) if label is not None and own[i] is not None]
        items = [self.items[i] for i in rows]
        both = [i for i, label in enumerate(either) if label is not None and own[i]]
        counted = {name: rate for name, rate in shares.items() if name != TRUTHS}
        best = max(counted.values(), key=lambda rate: rate.share, default=None)
        labelled = any(label is not None for label in own)
        return ProbeRates(
            own=rate_by_item(items, [bool(own[i]) for i in rows]),
            luck=rate_by_item(items, [bool(luck[i]) for i in rows]),
            skill=shift_by_item(items, [bool(own[i]) - bool(luck[i]) for i in rows]),
            most_frequent=most_frequent([self.cell_of[i] for i in rows], [self.partner_forms[i] for i in rows]),
            either_way=rate_by_item([self.items[i] for i in both], [bool(either[i]) for i in both]),
            constant=best,
            why=NO_LABEL,
            why_luck=ALONE if labelled else NO_LABEL,
            why_either_way=(ONE_TRUTH if any(own) else NONE_RIGHT) if labelled else NO_LABEL,
        )

    # Signs

    def _signs(
        self, own: Sequence[Labels], answers: Mapping[str, Sequence[str | None]], shown: int
    ) -> tuple[dict[str, dict[str, int]], list[SuspectAnswer]]:
        """How many accepted answers of each reading have which sign, and some of them."""
        counts = {name: dict.fromkeys(SIGNS, 0) for name in self.plan.names()}
        known: dict[tuple[str, Truth, Key], tuple[str, ...]] = {}
        suspects: dict[str, list[SuspectAnswer]] = {sign: [] for sign in SIGNS}
        for i, trial in enumerate(self.trials):
            first: dict[str, SuspectAnswer] = {}
            for parser, answer, readings in self._accepted(i, own, answers):
                key = answer, trial.truth, trial.key
                if key not in known:
                    known[key] = answer_signs(answer, alternatives(trial.truth), offered(trial, self.cells))
                for sign in known[key]:
                    for name in readings:
                        counts[name][sign] += 1
                    one = first.get(sign, SuspectAnswer(trial, sign, parser, answer, ()))
                    first[sign] = replace(one, readings=(*one.readings, *readings))
            for sign, one in first.items():
                suspects[sign] += [one] if len(suspects[sign]) < shown else []
        return counts, [one for sign in SIGNS for one in suspects[sign]]

    def _accepted(
        self, i: int, own: Sequence[Labels], answers: Mapping[str, Sequence[str | None]]
    ) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """The parsers whose answer to a trial is accepted, with that answer and the readings that accept it."""
        names, value = self.plan.names(), self.trials[i].value
        for p, (parser, kept) in enumerate(answers.items()):
            of = (r for r in range(len(names)) if self.plan.place(r, value)[0] == p)
            readings = tuple(names[r] for r in of if own[r][i])
            answer = kept[i]
            if readings and answer:
                yield parser, answer, readings
