"""Do the raters agree as well as they must, on the whole and in every cell, or is it not known?"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from operator import itemgetter

from auditfw.audits.answers import RULES, Argument, Reason, RuleKind, Statement, enumerated, interval, named
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.digits import chance, fixed
from auditfw.core.document import capital, estimated, some, verb
from auditfw.core.records import REASONS, AnswerRule, Estimate
from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.agreement import Pair
from auditfw.formulas.agreement.settings import FEWEST_TO_TELL
from auditfw.kinds.context import Sample

from .bounds import MISSED, MISSED_IN_CELL, OPEN, RATES, Bound, BoundedNumber, bounded, bounds_of
from .coefficient import KAPPA
from .renaming import by_chance, distinct, over_raters, untold

NO_SHARED_LABEL = RULES["no_shared_label"]
BY_CHANCE = RULES["chance_agreement"]
UNDEFINED = RULES["undefined"]
ABSTAINED = "Look at the items on which raters abstained: trials.parquet has every rater's labels"
LOOK_AT_NUMBERS = "Read the items on which the numbers are farthest apart in report.html"
LOOK = "Read the disagreements in report.html, agree on what each label means, and label again"


class Agreement:
    """The bounds on agreement, what the data say of them, and what follows in words."""

    def __init__(self, settings: ConsistencySettings, results: ConsistencyResults) -> None:
        self.settings, self.results = settings, results
        self.reference, self.called = results.settings.reference, results.settings.called
        self.against = self.called(self.reference)
        self.bounds = bounds_of(settings)
        overall = [sample for sample in results.samples if not sample.cell]
        self.coefficient = kappa = results.coefficient
        self.many = kappa.many
        self.own = own = Bound.of(kappa, settings.chance)
        self.pairs = [(s, pair) for s in bounded(own, overall, self.reference) if (pair := s.data.pair()) is not None]
        self.kappas = {s.reading.name: kappa(s.data) for s, _ in self.pairs}
        enough = [one for one in self.pairs if one[1].n >= FEWEST_TO_TELL]  # pairs of fewer items decide nothing
        self.deciding = enough or self.pairs
        tested = len(enough) > 1 and not self.many
        self.chances = by_chance(enough, own, settings.alpha) if tested else {}
        self.whole = [n for bound in self.bounds for n in self._numbers(bound, overall)]
        self.missed = sorted((n for n in self.whole if n.missed), key=_strength)
        self.open = sorted((n for n in self.whole if n.open), key=_strength)
        self.tested, self.undecided = self._cells()
        self.missed_cells = sorted(
            ((n, p) for n, p in self.tested if p <= settings.alpha), key=lambda tried: (tried[1], *_strength(tried[0]))
        )
        self.rules = self._rules()

    # What is tried

    def _numbers(self, bound: Bound, overall: list[Sample]) -> list[BoundedNumber]:
        measured = [(sample, bound.on(sample)) for sample in bounded(bound, overall, self.reference)]
        numbers = [
            BoundedNumber(bound, sample, estimate)
            for sample, estimate in measured
            if estimate is not None and estimate.value is not None
        ]
        return over_raters(numbers, self.settings.alpha)

    def _cells(self) -> tuple[list[tuple[BoundedNumber, float]], int]:
        """The numbers of cells that may miss a bound, each with its adjusted p, and how many are undecided."""
        cells = [sample for sample in self.results.samples if sample.cell]
        tried = [
            (BoundedNumber(bound, sample, tested.estimate), min(1.0, 2 * tested.missed), min(1.0, 2 * tested.met))
            for bound in self.bounds
            for sample in bounded(bound, cells, self.reference)
            if (tested := bound.chances(sample)) is not None
        ]
        adjusted = benjamini_hochberg([p for _, p, _ in tried])
        alpha = self.settings.alpha
        undecided = {
            tuple(number.sample.cell.items())
            for (number, _, above), p in zip(tried, adjusted, strict=True)
            if p > alpha and above > alpha and not number.unseen
        }
        return [(number, p) for (number, _, _), p in zip(tried, adjusted, strict=True)], len(undecided)

    def _rules(self) -> list[AnswerRule]:
        rules = [rule for sample, pair in self.deciding for rule in self._rules_of(sample, pair)]
        rules += [n.rule(MISSED, n.missed, n.p) for n in self.whole]
        rules += [n.rule(OPEN, n.open) for n in self.whole]
        return rules + [n.rule(MISSED_IN_CELL, p <= self.settings.alpha, p) for n, p in self.tested]

    def _rules_of(self, sample: Sample, pair: Pair) -> list[AnswerRule]:
        """What is tried on a pair whatever the bounds."""
        name, kappa = sample.reading.name, self.kappas[sample.reading.name]
        shared = sum(1 for r, c in zip(pair.rows, pair.columns, strict=True) if r and c)
        strange = pair.n >= FEWEST_TO_TELL and not shared and not self.many
        rules = [NO_SHARED_LABEL(name, float(shared), bound=1.0, fired=strange)]
        if kappa is None or kappa.value is None:
            return [*rules, UNDEFINED(name, fired=True)]
        numbers, lost = (kappa.value, kappa.low, kappa.high), self._by_chance(sample, pair)
        by_chance = replace(BY_CHANCE, number=self.own.number)
        return [*rules, by_chance(name, *numbers, bound=self.settings.chance, p=self.chances.get(name), fired=lost)]

    def _by_chance(self, sample: Sample, pair: Pair) -> bool:
        """Whether kappa is low with its whole interval though both raters give two labels or more often enough.

        Of several raters the same must be so of them all, whatever their number.
        """
        kappa = self.kappas[sample.reading.name]
        if self.chances and ((p := self.chances.get(sample.reading.name)) is None or p > self.settings.alpha):
            return False
        rare = self.settings.rare * pair.n
        several = self.many or all(sum(1 for n in side if n >= rare and n) > 1 for side in (pair.rows, pair.columns))
        return kappa is not None and kappa.high is not None and several and kappa.high < self.settings.chance

    # The words

    def argument(self) -> Argument:
        """The rules with the words for what they decide."""
        argument = Argument(self.rules)
        words = {"broken": self._broken, "fragile": self._fragile, "unknown": self._unknown}
        return replace(argument, words={status: words[status]() for status in sorted(argument.fired())})

    def _fired(self, kind: RuleKind) -> list[AnswerRule]:
        return [rule for rule in self.rules if rule.rule == kind.name and rule.fired]

    def _of(self, text: str, number: BoundedNumber) -> Reason:
        """A sentence on a number, and the rules that were tried on it."""
        names = {f"{number.bound.name}_{kind.name}" for kind in (MISSED, OPEN, MISSED_IN_CELL)}
        place = (number.sample.reading.name, number.sample.cell)
        return Reason(text, [rule for rule in self.rules if rule.rule in names and (rule.reading, rule.cell) == place])

    def _of_pair(self, text: str, reading: str) -> Reason:
        """A sentence on the agreement of a pair, and the rules that were tried on that."""
        names = (NO_SHARED_LABEL.name, BY_CHANCE.name, UNDEFINED.name)
        return Reason(text, [rule for rule in self.rules if rule.rule in names and rule.reading == reading])

    def stable(self) -> Statement:
        """The statement where no rule of any argument decides otherwise."""
        numbers = sorted(self.whole, key=lambda n: (n.bound.kind in RATES, *_strength(n)))
        do = "Report the agreement with its interval."
        if not numbers:
            return Statement("No bound on the agreement was set.", self._kappa_texts(), do)
        first, *others = numbers
        sign = "at least" if first.bound.side == "below" else "at most"
        headline = f"{self.text(first)}: the whole interval is {sign} {first.limit}."
        because = [self._of(f"{self.text(n)}, bound {n.limit}.", n) for n in others[:REASONS]]
        return Statement(headline, because, do)

    def _broken(self) -> Statement:
        strangers = self._fired(NO_SHARED_LABEL)
        if strangers:
            name = strangers[0].reading
            headline = (
                f"{self.called(name)} and {self.against} use no label in common: their labels cannot be compared."
            )
            do = "Map the labels of one rater to those of the other: audit.aliases"
            return Statement(headline, self._kappa_texts(), do)
        rule = min(self._fired(BY_CHANCE), key=lambda rule: (rule.value or 0.0, rule.reading))
        kappa = f"{self.coefficient.words} {fixed(rule.value or 0.0, 2)} {interval(rule.low or 0.0, rule.high or 0.0)}"
        how = "no better" if (rule.low or 0.0) <= 0.0 else "hardly better"
        pair = next(pair for sample, pair in self.pairs if sample.reading.name == rule.reading)
        on = f" on {some(pair.n, 'item')}"
        headline = f"{self.called(rule.reading)} and {self.against} agree {how} than chance: {kappa}{on}."
        return Statement(headline, self._kappa_texts(), self._joined() or self.look)

    def _joined(self) -> str:
        """What to do first where the raters' records differ throughout in a column called as content is."""
        for column in self.results.whole.apart:
            return f"Look whether both judge the same {column}, which never is: audit.common=[{column}] compares it"
        return ""

    def _kappa_texts(self) -> list[Reason]:
        ordered = sorted(self.pairs, key=lambda one: (_value(self.kappas[one[0].reading.name]), one[0].reading.name))
        return [self._own_reason(sample, pair) for sample, pair in ordered[:3]]

    def _own_texts(self, number: BoundedNumber) -> list[Reason]:
        """Agreement and kappa of the pair that a number is of."""
        return [
            self._own_reason(sample, pair) for sample, pair in self.pairs if sample.reading == number.sample.reading
        ]

    def _own_reason(self, sample: Sample, pair: Pair) -> Reason:
        return self._of_pair(f"{self._own_text(sample, pair)}.", sample.reading.name)

    @property
    def look(self) -> str:
        """What to read where raters differ."""
        return LOOK_AT_NUMBERS if self.many else LOOK

    def _own_text(self, sample: Sample, pair: Pair) -> str:
        kappa = self.kappas[sample.reading.name]
        if self.many:
            return self._distance_text(sample)
        agreed = f"{fixed(100 * pair.agreed / pair.n, 0)} % of {some(pair.n, 'item')}" if pair.n else "no item"
        text = f"{self.called(sample.reading.name)} and {self.against} agree on {agreed}"
        if kappa is None or kappa.value is None:
            return f"{text}{_differ(pair)}"
        text = f"{text}, {self.coefficient.words} {estimated(kappa.value, kappa.low, kappa.high, share=True)}"
        why = self._by_construction(sample, pair)
        return f"{text}{f' ({why})' if why else ''}{_differ(pair)}"

    def _distance_text(self, sample: Sample) -> str:
        """How far the numbers of a pair are apart, which is what many values are about."""
        kappa, pair = self.kappas[sample.reading.name], sample.data.pair("missing")
        text = f"{self.called(sample.reading.name)} and {self.against}"
        places = self.coefficient.places(pair.labels, pair.values)
        apart = [(abs(places[i] - places[j]), n) for i, row in enumerate(pair.table) for j, n in enumerate(row) if n]
        total = sum(n for _, n in apart)
        if total:
            mean = sum(gap * n for gap, n in apart) / total
            text += f" are {fixed(mean, 2)} apart on average on {some(total, 'item')}"
        if kappa is None or kappa.value is None:
            return text
        return f"{text}, {self.coefficient.words} {estimated(kappa.value, kappa.low, kappa.high, share=True)}"

    def _by_construction(self, sample: Sample, pair: Pair | None) -> str:
        """Why kappa is 0 whatever the other rater says, if one of a pair gave a single label."""
        sides = zip((sample.reading.name, self.reference), pair.constant if pair is not None else (), strict=False)
        labels = [f"{self.called(rater)} gave every item the label {label}" for rater, label in sides if label]
        return f"by construction: {labels[0]}" if len(labels) == 1 else ""

    def _fragile(self) -> Statement:
        because = [
            self._of(f"{self.text(n)}: the whole interval is {n.bound.side} {n.limit}.", n)
            for n in self.missed[1 : 1 + REASONS]
        ]
        if self.missed_cells:
            cells = [rule for rule in self.rules if rule.test == MISSED_IN_CELL.test and rule.fired]
            because.append(Reason(self._cell_text(), cells))
        if self.missed:
            first = self.missed[0]
            because = [*self._own_texts(first), *because]
            headline = f"{self.text(first)}, {first.bound.side} {first.limit}."
            return Statement(headline, because, ABSTAINED if first.bound.kind == "abstain_rate" else self.look)
        number = self.missed_cells[0][0]
        place, value = named(number.sample.cell), fixed(number.estimate.value or 0.0, 2)
        headline = f"{self._what(number)} is {value} where {place}, {number.bound.side} {number.bound.nearest:g}."
        return Statement(headline, because, f"{self.look}; begin where {place}")

    def _cell_text(self) -> str:
        number, p = self.missed_cells[0]
        cells = len({tuple(n.sample.cell.items()) for n, _ in self.missed_cells})
        of = len({tuple(n.sample.cell.items()) for n, _ in self.tested})
        return (
            f"{cells:,} of {some(of, 'cell')} {verb(cells, 'misses', 'miss')} a bound significantly "
            f"(Benjamini-Hochberg); first where "
            f"{named(number.sample.cell)}: {self.text(number)}, {chance(p)}."
        )

    def _unknown(self) -> Statement:
        because = [self._of(f"{self.text(n)}: {_unsettled(n)}.", n) for n in self.open[1 : 1 + REASONS]]
        undefined = [rule.reading for rule in self._fired(UNDEFINED)]
        if undefined:
            why = [
                self._of_pair(f"{self.coefficient.words} of {self.called(name)}: {estimate.undefined}.", name)
                for name in undefined
                if (estimate := self.kappas[name]) is not None and estimate.undefined
            ]
            pair = f"{self.called(undefined[0])} and {self.against}"
            headline = f"{capital(self.coefficient.words)} of {pair} is undefined: agreement beyond chance is unknown."
            return Statement(headline, [*why, *because], "Add items with more varied labels")
        first = self.open[0]
        because = [*self._own_texts(first), *because]
        reason = self._by_construction(first.sample, first.sample.data.pair())
        if reason and first.bound.kind == self.coefficient.name:
            return Statement(f"{self.text(first)} {reason}.", because, "Add items with more varied labels")
        headline = f"{self.text(first)}: too few to tell if it is {first.wanted}."
        return Statement(headline, because, "Add items")

    def text(self, number: BoundedNumber) -> str:
        """A number in words: `kappa of scholar and auditor is 0.71 [0.65, 0.77] on 200 items`."""
        n = some(number.estimate.counted, "item")
        if number.agreed:
            return f"{self.called(number.sample.reading.name)} and {self.against} agree on {number.shown} of {n}"
        return f"{self._what(number)} is {number.shown} on {n}"

    def _what(self, number: BoundedNumber) -> str:
        reading = number.sample.reading
        with_whom = f" and {self.against}" if reading.role == "candidate" and number.sample.data.pair() else ""
        return f"{number.bound.title} of {self.called(reading.name)}{with_whom}"

    def scope(self) -> list[str]:
        """What was looked at, and in how many cells nothing can be concluded."""
        items = sum(self.results.audited.values())
        raters = enumerated([self.results.settings.introduced(rater) for rater in self.results.settings.raters])
        parts = [f"{some(items, 'item')} labelled by {raters}; reference: {self.against}"]
        cells = {tuple(sample.cell.items()) for sample in self.results.samples if sample.cell}
        if cells:
            parts.append(f"{some(len(cells), 'cell')}, {self.undecided:,} of them with too few items to tell")
        else:
            parts.append("Not split into cells (by=[COLUMN] compares subgroups)")
        kappa = next((bound for bound in self.bounds if bound.kind == KAPPA), None)
        text = untold([pair for _, pair in self.deciding], kappa, self.settings.alpha) if kappa is not None else ""
        return [*parts, text] if text else parts


def _differ(pair: Pair) -> str:
    """On how many items a pair differs, and with which labels most often, as the end of a sentence."""
    cells = [
        (n, own, theirs)
        for own, row in zip(pair.labels, pair.table, strict=True)
        for theirs, n in zip(pair.labels, row, strict=True)
        if own != theirs
    ]
    most, own, theirs = max(cells, key=itemgetter(0), default=(0, "", ""))
    n = pair.n - pair.agreed
    count = f"{some(n, 'item')} {verb(n, 'differs', 'differ')}"
    return f"; {count}, most often {distinct(own)} against {distinct(theirs)} ({most:,})" if most else ""


def _strength(number: BoundedNumber) -> tuple[float, str, str]:
    """The farthest from its bound first."""
    return -number.shortfall, number.bound.name, number.sample.reading.name


def _value(estimate: Estimate | None) -> float:
    return -inf if estimate is None or estimate.value is None else estimate.value


def _unsettled(number: BoundedNumber) -> str:
    if number.few or number.estimate.low is None:
        return f"too few items to tell if it is {number.wanted}"
    if number.beyond:
        return f"its own interval is {number.bound.side} {number.limit}, yet of so many raters one may be"
    return f"the interval contains the bound {number.limit}"
