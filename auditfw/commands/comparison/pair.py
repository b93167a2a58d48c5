"""One pair of sides: its numbers, the rules that were tried, and the status in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from auditfw.core.errors import NothingAudited
from auditfw.core.imports import np
from auditfw.core.records import titled_answer
from auditfw.formulas.clusters import ClusteredRate, rate
from auditfw.formulas.gaps.intervals import Gap, GapPart, gap_of
from auditfw.formulas.gaps.paired import PairedLogs
from auditfw.formulas.gaps.two_logs import FINISHED
from auditfw.formulas.gaps.verdict import (
    Conditions,
    GapBounds,
    GapRule,
    GapStatus,
    gap_rules,
    status_of,
)
from auditfw.formulas.repeats.planning import items_for_difference

from .condition_values import text_of
from .conditions import ConditionRow, compared, one_run
from .corners import ComparedTrials, compared_trials
from .ends import ends_recorded
from .pairing import PairedSides, paired_sides
from .rules import SideRule
from .settings import CompareSettings
from .sides import ComparedSide

SHAPING = (
    "chat template",
    "system text",
    "shots",
    "temperature",
    "top_p",
    "seed",
    "limit",
    "stop texts",
)  # beside prompts
PART_NAMES = {
    "items": "items",
    "repeats": "repeats",
    "truths": "truths",
    "scoring": "scoring",
    "ended": "cut off, loops",
}
PROMPTING = ("chat template", "system text", "shots")
SAMPLING = ("temperature", "top_p", "seed")
WORDS: dict[GapStatus, str] = {
    "stable": "THE GAP IS THE MODEL'S",
    "fragile": "THE GAP IS PARTLY NOT THE MODEL'S",
    "unknown": "CANNOT TELL",
}
OF_NO_MODEL = "THE GAP IS NOT THE MODEL'S"  # there is one alone
OF_CONDITIONS, OF_BOTH = "THE GAP IS THE CONDITIONS'", "THE GAP IS MODEL AND CONDITIONS"


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
    def of_answered(self) -> tuple[float | None, float | None]:
        """The share right of the trials of each side that finished; None where ends are not known, or none did."""
        logs = self.trials.logs
        if logs.ends is None:
            return None, None
        one, other = ((logs.sides == side) & (logs.ends == FINISHED) for side in (0, 1))
        return _share(logs.right[one, 0, 0]), _share(logs.right[other, 1, 1])

    @property
    def by_first_rule(self) -> tuple[float | None, float | None]:
        """The share right of all trials of each side by the rule of the first; None where that was not computed."""
        logs, same = self.trials.logs, self.trials.same_rule
        theirs = logs.right[logs.sides == 1]
        known = same or logs.known is None or bool(logs.known[0, 1, 1])
        other = _share(theirs[:, 1 if same else 0, 1]) if known else None
        return _share(logs.right[logs.sides == 0, 0, 0]), other

    @cached_property
    def lead(self) -> GapPart:
        """The whole gap; of sides with the same trials of the same items with the interval of the paired comparison."""
        if any(self.gap.parts[name].why != "same" for name in ("items", "repeats")):
            return self.gap.gap
        return replace(self.gap.gap, low=self.paired.rates.low, high=self.paired.rates.high)

    @property
    def words(self) -> str:
        """The status for people."""
        fired = next((rule.name for rule in self.rules if rule.fired), "")
        if self.status == "broken":
            return "NOT ONE EXAM" if fired == "truths_differ" else "NOT ONE SCORING"
        if fired == "not_recorded" and (leads := self.lead.direction):
            return f"{self.sides[0 if leads > 0 else 1].letter} LEADS, WHY IS NOT RECORDED"
        if self.status == "stable" and not self.lead.direction:
            return "THERE IS HARDLY A GAP"
        if self.status == "stable" and shaping(self.conditions):
            return OF_CONDITIONS if of_one_model(self.conditions) else OF_BOTH
        if self.status == "fragile" and of_one_model(self.conditions):
            return OF_NO_MODEL
        return WORDS[self.status]

    @property
    def rest(self) -> tuple[str, ...]:
        """What the rest may be."""
        return of_the_rest(self.conditions, self.gap.parts["ended"].value is not None)

    def part_name(self, part: str) -> str:
        """What a part of the gap is called in a table."""
        return PART_NAMES.get(part) or ", ".join(self.rest)

    def part_in_words(self, part: str) -> str:
        """The same within a sentence."""
        return "cut off" if part == "ended" else PART_NAMES.get(part) or " and ".join(self.rest)

    @property
    def title(self) -> str:
        return titled_answer(self.words, self.status)

    def items_needed(self, difference: float) -> int | None:
        """How many common items show a difference (a share) four times in five; None where all items agree."""
        return needed_for(self.paired, difference)


def _share(right: Any) -> float | None:
    return float(right.mean()) if len(right) else None


def every_side(pairs: Sequence[ComparedPair]) -> list[tuple[ComparedPair, int]]:
    """The sides of pairs with one first side: that one, then the second of each, as a pair and its place there."""
    return [(pairs[0], 0), *((pair, 1) for pair in pairs)]


def needed_for(paired: PairedLogs, difference: float) -> int | None:
    """How many items show a difference (a share) four times in five; None where all items agree."""
    if not paired.square or not 0 < difference <= 1:
        return None
    return items_for_difference(paired.square, difference)


def compared_pair(one: ComparedSide, other: ComparedSide, settings: CompareSettings) -> ComparedPair:
    """Compares two sides. Raises AuditError."""
    try:
        both = paired_sides(one.labels, other.labels, settings.on)
    except NothingAudited:
        tasks = [side.conditions.values.get("task") for side in (one, other)]
        if None in tasks or tasks[0] == tasks[1]:
            raise
        named = ", ".join(f"{side.letter} is {text_of(task)}" for side, task in zip((one, other), tasks, strict=True))
        raise NothingAudited("compare", f"other task: {named}: 0 items are common", None, "compare.on=COLUMN") from None
    trials = compared_trials(both, (one, other))
    rows = conditions_of([(one, other)], [both], [trials])
    separable = ends_separable(rows, (one, other))
    trials = trials if separable else trials.without_ends("limits differ, and not all logs say how answers ended")
    gap = gap_of(trials.logs)
    prompts = trials.texts_same or condition(rows, "prompts").status != "not_recorded"
    recorded = prompts and separable and all(rule is not None for rule in trials.rules)
    rules = gap_rules(gap, measured(both, trials, recorded), bounds_of(one, settings))
    return ComparedPair((one, other), both, trials, gap, both.paired(), rules, settings, rows)


def measured(both: PairedSides, trials: ComparedTrials, recorded: bool = True) -> Conditions:
    """What is known of a pair beside its gap; only rules of the status unknown ask what is `recorded`."""
    return Conditions(_other_truths(both), trials.logs.rules_differ(), recorded)


def bounds_of(one: ComparedSide, settings: CompareSettings) -> GapBounds:
    """Where the rules of a pair fire, whose first side is this."""
    precision = one.audit.precision if one.audit is not None else 100 * GapBounds().precision
    return GapBounds(*(part / 100 for part in (settings.truths, settings.scoring, settings.difference, precision)))


def ends_separable(rows: Sequence[ConditionRow], sides: tuple[ComparedSide, ComparedSide]) -> bool:
    """Whether what a limit cut off can be separated: limits do not differ, or logs record how answers ended."""
    return "limit" not in shaping(rows) or all(ends_recorded(side.labels) for side in sides)


def conditions_of(
    sides: Sequence[tuple[ComparedSide, ComparedSide]], both: Sequence[PairedSides], trials: Sequence[ComparedTrials]
) -> list[ConditionRow]:
    """What the sides were made under: the first of all pairs, and the second of each."""
    every = [sides[0][0], *(other for _, other in sides)]
    rules = [trials[0].rules[0], *(one.rules[1] for one in trials)]
    known = [None if rule is None else _identity(rule, rules) for rule in rules]
    made = [replace(side.conditions, rule=rule) for side, rule in zip(every, known, strict=True)]
    differ = [one.logs.rules_differ() for one in trials]
    return compared(made, both, all(one is not None and not one.share for one in differ))


def _identity(rule: SideRule, rules: Sequence[SideRule | None]) -> str:
    """A rule by the name that the first equal one has; with its matcher where another rule has that name, too."""
    name = next(one.name for one in rules if one is not None and one.parts == rule.parts)
    twice = any(one is not None and one.name == name and one.parts != rule.parts for one in rules)
    return f"{name} ({rule.matcher})" if twice else name


def condition(rows: Sequence[ConditionRow], name: str) -> ConditionRow:
    return next(row for row in rows if row.name == name)


def _other_truths(both: PairedSides) -> ClusteredRate | None:
    if not both.matched.truths_known:
        return None
    changed = both.matched.other_truth[both.common]
    return rate(np.ones(len(changed), np.int64), changed.astype(np.int64))


def shaping(rows: Sequence[ConditionRow]) -> list[str]:
    """The conditions that shape what a model writes and differ, as prompts do, by name; none of one run."""
    return (
        []
        if one_run(rows)
        else [row.name for row in rows if row.name in ("prompts", *SHAPING) and row.status == "differs"]
    )


def of_one_model(rows: Sequence[ConditionRow]) -> bool:
    """Whether all sides are recorded to be of one model."""
    return next(row.status for row in rows if row.name == "model") == "same"


def of_the_rest(rows: Sequence[ConditionRow], ends_known: bool) -> tuple[str, ...]:
    """What may make the rest of a gap: what is recorded to be the same does not; limits where ends are unknown."""
    differ = {row.name for row in rows if row.status == "differs"}
    model = condition(rows, "model").status != "same"
    prompt = condition(rows, "prompts").status != "same" or not differ.isdisjoint(PROMPTING)
    limit = "limit" in differ and not ends_known
    sampling = not differ.isdisjoint(SAMPLING) or not (model or prompt or limit)
    parts = {"model": model, "prompt": prompt, "token limit": limit, "sampling": sampling}
    return tuple(name for name, may_differ in parts.items() if may_differ)
