"""One pair of sides: its numbers, the rules that were tried, and the answer in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from auditfw.core.digits import LEAST_P, chance, end_text, fixed, rounded_up
from auditfw.core.document import capital, some, verb
from auditfw.core.imports import np
from auditfw.core.records import titled_answer
from auditfw.formulas.clusters import ClusteredRate, rate
from auditfw.formulas.gaps.intervals import Gap, GapPart, gap_of
from auditfw.formulas.gaps.paired import PairedLogs
from auditfw.formulas.gaps.verdict import (
    Conditions,
    GapBounds,
    GapRule,
    GapStatus,
    by_size,
    gap_rules,
    parts_cancel,
    status_of,
)
from auditfw.formulas.repeats.planning import items_for_difference

from .conditions import ConditionRow, compared, side_conditions
from .corners import ComparedTrials, compared_trials
from .ends import ends_recorded
from .items import clash_note, numberings
from .pairing import PairedSides, paired_sides
from .rules import SideRule
from .settings import CompareSettings
from .shaping import of_one_model, shaping, shaping_line
from .sides import ComparedSide

PART_NAMES = {
    "items": "items",
    "repeats": "repeats",
    "truths": "truths",
    "scoring": "scoring",
    "ended": "cut off, loops",
    "rest": "model, prompt",
}
IN_SENTENCES = {**PART_NAMES, "ended": "cut off", "rest": "model and prompt"}
WORDS: dict[GapStatus, str] = {
    "stable": "THE GAP IS THE MODEL'S",
    "fragile": "THE GAP IS PARTLY NOT THE MODEL'S",
    "unknown": "CANNOT TELL",
}
OF_CONDITIONS, OF_BOTH = "THE GAP IS THE CONDITIONS'", "THE GAP IS MODEL AND CONDITIONS"
WORTH = 0.0005  # a part in a sentence
LONGEST = 140  # characters of a headline


@dataclass(frozen=True)
class ComparedPair:
    """Two sides compared; numbers are shares, A less B."""

    sides: tuple[ComparedSide, ComparedSide]
    both: PairedSides
    trials: ComparedTrials
    gap: Gap
    paired: PairedLogs
    rules: Sequence[GapRule]
    settings: CompareSettings
    conditions: Sequence[ConditionRow]

    @property
    def status(self) -> GapStatus:
        return status_of(self.rules)

    @cached_property
    def sets(self) -> dict[str, int]:
        return self.both.sets()

    @cached_property
    def other_truths(self) -> ClusteredRate | None:
        """How many of the common items have another truth; None where truths are not stored."""
        return _other_truths(self.both)

    @property
    def right(self) -> tuple[ClusteredRate, ClusteredRate]:
        """The share right of all trials of each side, by item."""
        trials_a, right_a, trials_b, right_b = self.both.sums
        sides = (trials_a, right_a), (trials_b, right_b)
        one, other = (rate(trials[trials > 0], right[trials > 0]) for trials, right in sides)
        return one, other

    @property
    def words(self) -> str:
        """The status for people."""
        fired = next((rule.name for rule in self.rules if rule.fired), "")
        if self.status == "broken":
            return "NOT ONE EXAM" if fired == "truths_differ" else "NOT ONE SCORING"
        if self.status == "stable" and not self.gap.gap.direction:
            return "THERE IS HARDLY A GAP"
        if self.status == "stable" and shaping(self.conditions):
            return OF_CONDITIONS if of_one_model(self.conditions) else OF_BOTH
        return WORDS[self.status]

    @property
    def title(self) -> str:
        return titled_answer(self.words, self.status)

    @property
    def items_needed(self) -> int | None:
        """How many common items show `compare.difference` four times in five; None where all items agree."""
        if not self.paired.square:
            return None
        return items_for_difference(self.paired.square, self.settings.difference / 100)


def compared_pair(one: ComparedSide, other: ComparedSide, settings: CompareSettings) -> ComparedPair:
    """Compares two sides. Raises AuditError."""
    both = paired_sides(one.labels, other.labels, settings.on)
    trials = compared_trials(both, (one, other))
    gap = gap_of(trials.logs)
    rows = conditions_of([(one, other)], [both], [trials])
    prompts = trials.texts_same or _condition(rows, "prompts").status != "not_recorded"
    recorded = prompts and all(rule is not None for rule in trials.rules)
    precision = one.audit.precision if one.audit is not None else 100 * GapBounds().precision
    bounds = GapBounds(*(part / 100 for part in (settings.truths, settings.scoring, settings.difference, precision)))
    conditions = Conditions(_other_truths(both), trials.logs.rules_differ(), recorded)
    rules = gap_rules(gap, conditions, bounds)
    return ComparedPair((one, other), both, trials, gap, both.paired(), rules, settings, rows)


def conditions_of(
    sides: Sequence[tuple[ComparedSide, ComparedSide]], both: Sequence[PairedSides], trials: Sequence[ComparedTrials]
) -> list[ConditionRow]:
    """What the sides were made under: the first of all pairs, and the second of each."""
    every = [sides[0][0], *(other for _, other in sides)]
    rules = [trials[0].rules[0], *(one.rules[1] for one in trials)]
    known = [None if rule is None else _identity(rule, rules) for rule in rules]
    made = [side_conditions(side.run, side.labels.frame, rule) for side, rule in zip(every, known, strict=True)]
    differ = [one.logs.rules_differ() for one in trials]
    return compared(made, both, all(one is not None and not one.share for one in differ))


def _identity(rule: SideRule, rules: Sequence[SideRule | None]) -> str:
    """A rule by the name that the first equal one has; with its matcher where another rule has that name, too."""
    name = next(one.name for one in rules if one is not None and one.parts == rule.parts)
    twice = any(one is not None and one.name == name and one.parts != rule.parts for one in rules)
    return f"{name} ({rule.matcher})" if twice else name


def _condition(rows: Sequence[ConditionRow], name: str) -> ConditionRow:
    return next(row for row in rows if row.name == name)


def _other_truths(both: PairedSides) -> ClusteredRate | None:
    if not both.matched.truths_known:
        return None
    changed = both.matched.other_truth[both.common]
    return rate(np.ones(len(changed), np.int64), changed.astype(np.int64))


# The answer in words: all numbers in percentage points, of a lead seen from the side that leads.


def points(value: float) -> str:
    return fixed(100 * value, 1)


def ends(low: float | None, high: float | None) -> str:
    """An interval in points, ` [low, high]`; nothing where there is none."""
    if low is None or high is None or low == high:  # without any spread an interval would be a pretence
        return ""
    return f" [{end_text(100 * low, 1)}, {end_text(100 * high, 1)}]"


def headline(pair: ComparedPair) -> str:
    """The answer in one sentence of at most 140 characters."""
    first = next((rule for rule in pair.rules if rule.fired), None)
    alone = _one_run(pair)
    if first is not None and first.name == "truths_differ":
        text = f"{_exam(pair)} {capital(lead(pair))}."
        return text if len(text) <= LONGEST else _exam(pair)
    if alone:
        return alone
    if first is not None and first.name == "rules_differ":
        share = f"{fixed(100 * (first.value or 0), 1)} % of the trials"
        text = f"Two rules: they label {share} differently. {capital(lead(pair))}."
    else:
        text = f"{capital(lead(pair))}{_of_it(pair)}."
    return text if len(text) <= LONGEST else f"{capital(lead(pair))}."


def _exam(pair: ComparedPair) -> str:
    sets, shares = pair.sets, pair.other_truths
    alone = [
        f"{some(sets[name], 'question')} only in {side.letter}"
        for side, name in zip(pair.sides, ("only_a", "only_b"), strict=True)
        if sets[name]
    ]
    share = f" ({fixed(100 * shares.share, 1)} %)" if shares is not None else ""
    truths = f"{sets['other_truth']:,} of {some(sets['common'], 'common item')} have another truth{share}"
    return f"Not one exam: {', '.join([*alone[:1], truths])}."


def _one_run(pair: ComparedPair) -> str:
    """That the texts are the same and all of the gap is the rule; "" where it is not so."""
    parts, scoring = pair.gap.parts, pair.gap.parts["scoring"].value
    others = [part.value for name, part in parts.items() if name != "scoring"]
    if not pair.trials.texts_same or pair.trials.same_rule or not scoring or any(others):
        return ""
    return f"One run, two scorings: all of the {points(abs(scoring))} points is the rule."


def lead(pair: ComparedPair) -> str:
    """Who leads by how much, with the interval."""
    gap, letters = pair.gap.gap, [side.letter for side in pair.sides]
    value = gap.value or 0.0
    low, high = (gap.low, gap.high) if value >= 0 else (_minus(gap.high), _minus(gap.low))
    leader, number = letters[0 if value > 0 else 1], points(abs(value))
    if not value:
        return f"{letters[0]} and {letters[1]} are level{ends(low, high)}"
    if gap.low is None:
        return f"{leader} is ahead by {number} points, on too few items for an interval"
    if gap.direction:
        return f"{leader} leads by {number} points{ends(low, high)}"
    return f"{leader} is ahead by {number} points{ends(low, high)}, not beyond chance"


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _of_it(pair: ComparedPair) -> str:
    """What the lead is made of, the largest parts first and the rest last."""
    value = pair.gap.gap.value or 0.0
    sign = 1 if value >= 0 else -1
    parts = [part for part in by_size(pair.gap) if part.name != "rest" and abs(part.value or 0.0) >= WORTH][:2]
    rest = pair.gap.parts["rest"]
    if not parts:
        return f" on {some(pair.gap.common, 'common item')}"
    shown = [_part(part, sign) for part in (*parts, *([rest] if rest.value else []))]
    return f"; of it {', '.join(shown)}"


def _part(part: GapPart, sign: int) -> str:
    low, high = (part.low, part.high) if sign > 0 else (_minus(part.high), _minus(part.low))
    return f"{fixed(100 * sign * (part.value or 0.0), 1)}{ends(low, high)} {IN_SENTENCES[part.name]}"


def because(pair: ComparedPair) -> list[str]:
    """The reasons, the strongest first."""
    lead_line = f"{capital(lead(pair))}{_of_it(pair)}."
    lines = [] if lead_line == headline(pair) or _one_run(pair) else [lead_line]
    if parts_cancel(pair.gap) and not _one_run(pair):
        shown = [
            f"{IN_SENTENCES[part.name]} {fixed(100 * (part.value or 0), 1, signed=True)}"
            for part in by_size(pair.gap)
            if part.name != "rest" and abs(part.value or 0) >= WORTH
        ]
        if len(shown) > 1:
            gap = points(abs(pair.gap.gap.value or 0))
            lines.append(f"The parts cancel: {', '.join(shown[:3])}; the gap of {gap} tells little.")
    lines += [capital(line)] if (line := shaping_line(pair.conditions)) else []
    if "limit" in shaping(pair.conditions) and not all(ends_recorded(side.labels) for side in pair.sides):
        lines.append("How answers ended is not recorded: what the shorter limit cut off may be in the rest.")
    prompts = _condition(pair.conditions, "prompts")
    if prompts.status == "differs":
        lines.append(f"Prompts: {prompts.values[-1]}.")
    shares = {right.share for right in pair.right}
    if len(shares) == 1 and shares <= {0.0, 1.0}:
        every = "Every answer" if shares == {1.0} else "No answer"
        lines.append(f"{every} of either side is right: look at the rule first, by auditfw {pair.sides[0].called}.")
    lines += _fired(pair)
    apart = [name for name, part in pair.gap.parts.items() if part.why == "not separable"]
    lines += [f"Not separated from the rest: {IN_SENTENCES[name]} ({pair.trials.why.get(name, '')})." for name in apart]
    matched = pair.both.matched
    for note in (numberings(matched.refused), clash_note(matched)):
        if note:
            end = f"; matched by {plain_key(matched.key)}" if note == numberings(matched.refused) else ""
            lines.append(f"{capital(note)}{end}.".replace("Row.", ""))
    if pair.paired.tests_apart and max(pair.paired.rates.p or 0, pair.paired.sign_flips_p) >= LEAST_P:
        lines.append(
            f"Two tests differ on the common items: {chance(pair.paired.rates.p or 0)} by the interval, "
            f"{chance(pair.paired.sign_flips_p)} by sign flips."
        )
    return lines


def _fired(pair: ComparedPair) -> list[str]:
    lines = []
    for rule in pair.rules:
        if not rule.fired:
            continue
        number = f"{fixed(100 * (rule.value or 0), 1, signed=True)}{ends(rule.low, rule.high)}"
        if rule.name == "rules_differ":
            lines.append(
                f"The two rules label {fixed(100 * (rule.value or 0), 1)} %{ends(rule.low, rule.high)} of the trials "
                "differently: two things were measured."
            )
        elif rule.name in ("gap_turned", "gap_moved") and not any("not the model" in line for line in lines):
            lines.append(f"{number} points of the gap are not the model's: items, truths, rules or ends.")
        elif rule.name == "not_recorded":
            if not pair.trials.texts_same and _condition(pair.conditions, "prompts").status == "not_recorded":
                lines.append("The prompts are not stored on both sides: they may differ.")
        elif rule.name == "few_items":
            lines.append(f"Only {some(pair.gap.common, 'item')} {verb(pair.gap.common, 'is', 'are')} common.")
        elif rule.name == "rest_open" and rule.value is not None:
            lines.append(f"What is left for model and prompt, {number}, may be nothing or more than it seems.")
    return lines


def plain_key(key: str) -> str:
    """The key of items for people."""
    return {"id": "the ids of trials"}.get(key, key.removeprefix("row."))


def advice(pair: ComparedPair) -> str:
    """What to do next."""
    fired = next((rule.name for rule in pair.rules if rule.fired), "")
    largest = next((part.name for part in by_size(pair.gap) if part.name not in ("rest", "repeats")), "")
    if fired == "truths_differ":
        return "see which truths are right (gap.parquet: other_truth), and score both sides by them"
    if fired == "rules_differ" or (fired.startswith("gap_") and largest == "scoring"):
        return "score both sides by one rule, then compare again"
    if fired.startswith("gap_"):
        return {
            "items": "compare on the common items: leave out the others with source.where",
            "truths": "see which truths are right (gap.parquet: other_truth), and score both sides by them",
            "ended": "run the side that was cut off again with a larger limit",
        }.get(largest, "see what differs above")
    if fired == "not_recorded":
        return "store prompts and rules with the logs; until then the rest may be any of them"
    needed = pair.items_needed
    if fired == "few_items":
        return "compare more items: fewer than 20 common ones say nothing of what a gap is made of"
    if fired and needed is not None:
        about = f"about {rounded_up(needed):,} common items"
        return f"{about} show a difference of {pair.settings.difference:g} points four times in five"
    if shaping(pair.conditions):
        return f"make both under the same conditions ({', '.join(shaping(pair.conditions))}), and compare again"
    return "report the difference with its interval and with what it is made of"
