"""Does a reading move or churn the labels, of all trials or of a cell, or could nobody have seen it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from auditfw.audits.answers import RULES, Argument, Reason, RuleKind, Statement, interval, named, points, shift_interval
from auditfw.audits.paper import TITLE as PAPER
from auditfw.audits.parsing.probe import fit
from auditfw.audits.parsing.probe.lossy import barred, deciding, none_sound
from auditfw.audits.parsing.probe.pairs import sound_choices
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.core.digits import chance, fixed, interval_digits
from auditfw.core.document import capital, some
from auditfw.core.records import AnswerRule
from auditfw.core.results.latest import NextStep
from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.label_counts import LabelCounts, churn_percent, error_percent, flip_rates, shift_sums, wrong_rate
from auditfw.formulas.multiple import adjusted, holm
from auditfw.formulas.shifts import detectable, flips_needed, items_needed

from . import by_value
from .causes import main_step
from .compared import Compared, p_of

MOVES_WHOLE = RULES["moves_whole"]
MOVES_CELL = RULES["moves_cell"]
CHURNS = RULES["churns"]
PRECISION = RULES["precision"]
OTHER_LABELS = RULES["other_labels"]
NO_READING = RULES["no_reading"]
MOST_READ = 200  # changed labels
Adjustment = Callable[[Sequence[float]], list[float]]


class Movements:
    """The readings that decide, the rules that are tried on their labels, and what follows in words."""

    def __init__(self, results: ParsingResults) -> None:
        self.settings, self.results = results.settings, results
        self.whole = [Compared(results.overall[name]) for name in deciding(results)]
        self.cells = [Compared(sample) for one in self.whole for sample in results.paired(one.name)]
        self.moves = self._moves(MOVES_WHOLE, self.whole, holm) if self.whole else []
        self.cell_moves = self._moves(MOVES_CELL, self.cells, benjamini_hochberg) if self.cells else []
        self.rules = [rule for _, rule in (*self.moves, *self.cell_moves)]
        for one in self.whole:  # each direction with its lower end above half of the bound: the metric `churn`
            value, low, high = churn_percent(one.labels)
            bound = self.settings.churn
            self.rules.append(CHURNS(one.name, value, low, high, bound=bound, fired=low > bound))
        self.full = [one for one in self.whole if 2 * one.labels.paired >= self.trials]
        for one in self.full:
            (low, high), bound = one.ends(), self.settings.precision
            self.rules.append(PRECISION(one.name, one.moved, low, high, bound=bound, fired=max(high, -low) > bound))
        self.rules += self._other_labels()
        if not self.full:
            most = max((100 * one.labels.paired / self.trials for one in self.whole), default=0.0)
            self.rules.append(NO_READING(results.reference, most, bound=50.0, fired=True))

    @property
    def trials(self) -> int:
        return self.results.counts["audited"]

    # The rules

    def _moves(
        self, rule: RuleKind, family: Sequence[Compared], method: Adjustment
    ) -> list[tuple[Compared, AnswerRule]]:
        """A shift beyond chance of at least the margin; those with too few flips to tell are not tried."""
        settings = self.settings
        chances = adjusted([one.p for one in family], [one.shift.changed for one in family], method, settings.alpha)
        tried = []
        for one, p in zip(family, chances, strict=True):
            if p is not None:
                fired = p <= settings.alpha and abs(one.moved) >= settings.margin
                numbers = (one.moved, *one.ends(significant=p <= settings.alpha))
                cell = one.sample.cell
                tried.append((one, rule(one.name, *numbers, bound=settings.margin, p=p, cell=cell, fired=fired)))
        return tried

    def _other_labels(self) -> list[AnswerRule]:
        """The share of stored labels that the configured baseline does not give."""
        labels, bound = self.results.reproduced, self.settings.mismatch
        search, ruled = self.results.search, self.results.of(by_value.ask)
        searched = (search is not None and bool(search.best)) or (ruled is not None and ruled.searched)
        if labels is None or not labels.paired or self.results.baseline is None:
            return []
        if searched or self.settings.labels == "judge":
            return []
        up, down = flip_rates(labels)
        share = _flip_percent(labels)
        low, high = 100 * max(up.low, down.low), min(100.0, 100 * (up.high + down.high))
        return [OTHER_LABELS(self.results.baseline, share, low, high, bound=bound, fired=low > bound)]

    def moving(self) -> list[tuple[Compared, AnswerRule]]:
        """The readings that move the error rate, the strongest first."""
        return sorted(((one, rule) for one, rule in self.moves if rule.fired), key=_strength)

    # The words

    def argument(self) -> Argument:
        """The rules with the words for what they decide, and what could have gone unseen."""
        shifts = [abs(rule.value or 0.0) for rule in self.rules if rule.fired and rule.test == "moved"]
        argument = Argument(self.rules, scope=self._scope(), points=max(shifts, default=None))
        words = {"fragile": self._fragile, "unknown": self._unknown}
        return replace(argument, words={status: words[status]() for status in sorted(argument.fired())})

    def _fired(self, rule: RuleKind) -> list[AnswerRule]:
        return [one for one in self.rules if one.rule == rule.name and one.fired]

    def _fragile(self) -> Statement:
        whole = self.moving()
        cells = sorted(((one, rule) for one, rule in self.cell_moves if rule.fired), key=_strength)
        churns = sorted(self._fired(CHURNS), key=lambda rule: -(rule.low or 0.0))
        because = [
            Reason(
                f"{one.name} shifts the error rate by {one.tested(rule, len(self.whole))}: {one.flips}"
                f"{main_step(self.results, one.name)}.",
                [rule],
            )
            for one, rule in whole
        ]
        because += [Reason(self._cell_text(cells), [rule for _, rule in cells])] if cells else []
        because += [Reason(self._churn_text(rule), [rule]) for rule in churns]
        if whole:
            one, settings = whole[0][0], self.settings
            alone = settings.reference is not None and settings.decides is not None and len(self.whole) == 1
            turns = one.turns_alone if alone else one.turns
            headline = f"The error rate is {self._range()} % depending on scoring; {turns}."
            if 2 * one.labels.paired < self.trials:
                part = f"{one.labels.paired:,} of {self.trials:,} trials"
                headline = f"Error rate {one.points_text} on {part}; {one.turns}."
        elif cells:
            one = cells[0][0]
            place = named(one.sample.cell)
            moved, overall = one.points_text, self._whole_of(one).points_text
            headline = f"{one.name} shifts the error rate by {moved} where {place}, overall by {overall}."
        else:
            one = next(one for one in self.whole if one.name == churns[0].reading)
            headline = f"{one.name} changes {fixed(_flip_percent(one.labels), 2)} % of the labels, in both directions."
        name = (whole or cells)[0][0].name if whole or cells else churns[0].reading
        return Statement(headline, because, self._next(name))

    def _next(self, name: str) -> str:
        """What to do about a reading: take it, or where the user chose the reference leave the other one out.

        Of more changed labels than one reads people label a sample.
        Of stored labels beside a chosen reference no text is kept: who chose it has read them.
        """
        labels, own = self.results.overall[name].data, self.results.reference
        changed = labels.to_true + labels.to_false
        flips = some(changed, "changed label")
        look = NextStep(f"Read the {flips} (report.html; auditfw explain ", f" {name}); if")
        if changed > MOST_READ:
            look = NextStep(
                "Let people decide on a sample (auditfw label ", f"), or read the {flips} (report.html); if"
            )
        if self.settings.reference is None:
            look = look + f" {name} is" if changed > MOST_READ else look
            return look + NextStep(" right: auditfw rerun ", f" audit.reference={name}")
        others = ",".join(one.name for one in self.whole if one.name not in (name, STORED_LABEL))
        without = (
            NextStep("auditfw rerun ", f" 'audit.decides=[{others}]'") if others else f"report its rates ({PAPER})"
        )
        if name == STORED_LABEL:
            return NextStep(f"If {own} is right in these {flips}, go on without {name}: ") + without
        return look + f" {own} is right: " + without

    def _unknown(self) -> Statement:
        for rule in self._fired(NO_READING):
            return self._nothing_compared(rule.value or 0.0)
        wide = sorted(self._fired(PRECISION), key=lambda rule: -_reach(rule))
        differs = "differs from the stored label on"
        because = [
            Reason(f"The baseline {rule.reading} {differs} {fixed(rule.value or 0.0, 2)} % of trials.", [rule])
            for rule in self._fired(OTHER_LABELS)
        ]
        if not wide:
            ruled = self.results.of(by_value.ask)
            baseline = f"The rule {self.results.baseline}"
            if ruled is not None and ruled.missing:
                baseline = f"The rule of {ruled.column} {ruled.missing[0].value}"
            return Statement(
                f"{baseline} does not reproduce the stored labels: which rule does is unknown.",
                because,
                "Set the rule that produced the labels: audit.baseline={parser: NAME, normalizer: NAME}, matcher=NAME",
            )
        first = wide[0]
        because += [Reason(self._wide_text(rule), [rule]) for rule in wide]
        limit, most = fixed(_reach(first), 1), fixed(_reach(first), interval_digits(first.low, first.high))
        headline = f"Too few items to tell: with {first.reading} the error rate may shift by up to {most} pp."
        more = "Add items" if self.results.table.items else "Add trials"
        needed = items_needed(shift_sums(self.results.overall[first.reading].data), self.settings.precision / 100)
        do = f"{more} (about {needed:,} are needed), or accept a wider interval: audit.precision={limit}"
        return Statement(headline, because, do)

    def _nothing_compared(self, share: float) -> Statement:
        """Where no reading has a label on half of the trials; `share` is the most that one has, in percent."""
        reference = self.results.reference_words
        choices = sound_choices(self.results.whole.rows.kinds)
        choices += " audit.readings=null" * (self.settings.readings is not None)
        headline = f"No reading was compared with {reference}: whether scoring changes them is unknown."
        why = "no reading besides their own rule has a label where they have one"
        do = f"Add readings: {choices}"
        if not self.results.reference_labels.counted:
            other = next(iter(self.results.candidates), "READING")
            why, do = "no audited trial has one", f"Compare the readings with one of them: audit.reference={other}"
        elif lossy := barred(self.results):
            return none_sound(self.results, lossy, choices)
        elif unfit := self.results.of(fit.ask):
            headline = f"No reading that fits was compared with {reference}: {next(iter(unfit.values())).sentence}"
            why = "no other reading has a label where they have one"
            search = self.results.search
            if search is not None and search.rule is not None and search.rule.truth:
                do = f"Read truths as their rule does: audit.truth={search.rule.truth}"
        elif self.whole:
            headline = (
                f"No reading was compared with {reference} on at least half of the trials: nothing can be concluded."
            )
            names = ", ".join(one.name for one in self.whole)
            why = f"{names} had a label on at most {fixed(share, 1)} % of the trials"
            do = f"Add a reading of all trials: {choices}"
        return Statement(headline, [f"{capital(reference)} cannot be compared: {why}."], do)

    def stable(self) -> Statement:
        """The statement where no rule of any argument decides otherwise."""
        sample = self.results.reference_labels
        whole, n = wrong_rate(sample), some(len(self.whole), "reading")
        rate = fixed(error_percent(sample.right, sample.counted), 1)
        ends = interval(100 * whole.low, 100 * whole.high, 1)
        none = f"none shown to shift it by {self._margin} or more"
        headline = f"The error rate is {rate} % {ends}, whatever the scoring: {n} compared, {none}."
        widest = max((rule for rule in self.rules if rule.rule == PRECISION.name), key=_reach, default=None)
        alpha, beyond = self.settings.alpha, f"shifts the error rate by less than {self._margin}"
        small = sorted(
            ((one, rule) for one, rule in self.moves if not rule.fired and p_of(rule) <= alpha), key=_strength
        )
        because = [Reason(f"{one.name} {beyond}: {one.tested(rule, len(self.whole))}.", [rule]) for one, rule in small]
        because += [Reason(self._wide_text(widest), [widest])] if widest is not None else []
        return Statement(headline, because, "Report the error rate with its interval.")

    def _range(self) -> str:
        """The least and the largest error rate of the reference and of the readings of at least half of the trials.

        Those of readings are of the trials on which the reference has a label, too.
        """
        own = self.results.reference_labels
        rates = [error_percent(own.right, own.counted)]
        rates += [error_percent(one.labels.kept_right + one.labels.to_true, one.labels.paired) for one in self.full]
        return f"{fixed(min(rates), 1)} to {fixed(max(rates), 1)}"

    @property
    def _margin(self) -> str:
        return f"{self.settings.margin:g} pp"

    def _cell_text(self, cells: Sequence[tuple[Compared, AnswerRule]]) -> str:
        """In how many cells the rate shifts by the margin or more, in how many by less, and the whole."""
        one, rule = cells[0]
        pairs = len({each.name for each in self.cells}) > 1
        of = some(len(self.cells), "pair of reading and cell", "pairs of reading and cell") if pairs else ""
        count = (
            f"Beyond chance and by {self._margin} or more in {len(cells):,} of {of or some(len(self.cells), 'cell')}"
        )
        less = sum(not tried.fired and p_of(tried) <= self.settings.alpha for _, tried in self.cell_moves)
        count += f", by less in {less:,} more" if less else ""
        first = f"first {one.name} where {named(one.sample.cell)}: {one.points_text}, {chance(p_of(rule))}"
        return f"{count} (Benjamini-Hochberg); {first}; overall {self._whole_of(one).shift_text}."

    def _whole_of(self, one: Compared) -> Compared:
        """The reading of a cell, on all trials."""
        return next(each for each in self.whole if each.name == one.name)

    def _churn_text(self, rule: AnswerRule) -> str:
        labels = self.results.overall[rule.reading].data
        turned = f"{some(labels.to_true, 'label')} right and {labels.to_false:,} wrong"
        step = main_step(self.results, rule.reading)
        return f"{rule.reading} turns {turned}: the error rate hides that{step}."

    def _wide_text(self, rule: AnswerRule) -> str:
        ends = rule.low or 0.0, rule.high or 0.0
        needed = f"an interval within ± {self.settings.precision:g} is needed"
        return f"{rule.reading}: {points(rule.value or 0.0, *ends)} {shift_interval(*ends)}; {needed}."

    def _scope(self) -> list[str]:
        """What was looked at, and what could have gone unseen."""
        items = len(self.results.table.items)
        of = f" of {some(items, 'item')}" if items else ", each its own item (no column `item`)"
        compared = f"{some(len(self.whole), 'reading')} compared with {self.results.reference}"
        looked = f"{some(self.trials, 'trial')}{of}; {compared}"
        cells = {tuple(one.sample.cell.values()) for one in self.cells}
        parts = [looked + (f", {some(len(cells), 'cell')}" if cells else "")]
        parts += [self._seen()] if self.full else []
        needed = flips_needed(max(1, len(self.cells)), self.settings.alpha)
        small = sum(1 for one in self.cells if shift_sums(one.labels).items < needed)
        parts += [f"{small:,} of {len(self.cells):,} pairs of cell and reading are too small to tell"] if small else []
        return parts

    def _seen(self) -> str:
        most = max((one.shift for one in self.full), key=lambda shift: shift.least_seen)
        share = detectable(most.items, len(self.whole), self.settings.alpha, most.least_seen)
        if share is None:
            return "Even a change of every item could not be detected"
        of = "items" if self.results.table.items else "trials"
        return f"A change of {fixed(100 * share, 1)} % of the {of} in one direction would be detected with 80 % power"


def _strength(tried: tuple[Compared, AnswerRule]) -> tuple[float, float, str]:
    """The strongest first: least p, then the largest shift."""
    one, rule = tried
    return rule.p or 0.0, -abs(one.moved), one.name


def _reach(rule: AnswerRule) -> float:
    """How far from 0 an interval reaches."""
    return max(abs(rule.low or 0.0), abs(rule.high or 0.0))


def _flip_percent(labels: LabelCounts) -> float:
    """The share of labels that differ, in percent."""
    return 100 * (labels.to_true + labels.to_false) / labels.paired
