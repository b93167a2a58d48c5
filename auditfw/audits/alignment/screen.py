"""The first screen of an alignment audit: which outcome is not what was intended, by how much, where, an example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isnan, nan

from auditfw.audits.alignment.actual import NONFINITE, SCORED
from auditfw.audits.alignment.cell_counts import BOUNDED, MUST, NO_MISS, KeyTally, LargestMiss
from auditfw.audits.alignment.charts import WAYS, came_for, scenario_name
from auditfw.audits.alignment.conclusions.arguments import assumed_text, band_text
from auditfw.audits.alignment.conclusions.missed import parameter_columns
from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.explain import THIRDS, Cause
from auditfw.audits.alignment.findings import AlignmentFindings
from auditfw.audits.alignment.intended import Flags, Floats, KeyScores
from auditfw.audits.alignment.scenario_sample import Drawn
from auditfw.core.digits import NOISE, fixed, short, short_apart
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.errors import brief
from auditfw.core.imports import np
from auditfw.core.records import Estimate
from auditfw.formulas.outcomes.ranges import MissRange, Places

ROWS = 8  # lines below the head of the table
NAME, DIGITS = 30, 3
LARGE, WHOLE = 1_000, 1e9  # an error of so many percent is said as a multiple; numbers between are whole
NONE = "–"


@dataclass(frozen=True)
class OutcomeRow:
    """One outcome: in how many of `n` scenarios it is met, how many had to be met (`must`) and are `missed`.

    `error` is the median relative error, `zeros` are the scenarios that have none for 0 is intended; `came` are those
    that gave a number.
    """

    name: str
    met: int
    n: int
    must: int
    missed: int
    came: int
    error: Estimate
    zeros: int
    largest: LargestMiss

    @property
    def order(self) -> tuple[bool, float, float]:
        """What must be met and is not comes first, then what is met least often, by the larger errors."""
        return not self.missed, self.met / self.n if self.n else 1.0, -(self.error.value or 0.0)


def what_misses(results: AlignmentResults, findings: AlignmentFindings, where: str) -> Section:
    """How often each outcome is what was intended, the worst first, and where scenarios miss."""
    total = results.total()
    every = sorted((_row(results, findings, *named) for named in total.keys.items()), key=lambda one: one.order)
    title = f"Does it do what was intended? {some(total.scenarios, 'scenario')}, {some(len(every), 'outcome')}"
    section = Section(title, screen="who")
    if not every:
        return section
    room = ROWS - bool(where)
    rows = every if len(every) <= room else every[: room - 1]
    section.blocks.append(_table(rows, results))
    if len(every) > len(rows):
        section.blocks.append(Note(f"({some(len(every) - len(rows), 'more outcome')})"))
    section.blocks += [Note(where)] if where else []
    return section


def assumed(results: AlignmentResults, findings: AlignmentFindings) -> Section:
    """What stands behind these figures: the tolerance that was assumed, and of which scenarios the medians are."""
    text, floor = assumed_text(results), results.work.rule.floor
    if any(one.levels["small"] for one in results.total().keys.values()):
        text += f"; ±{short(results.work.tolerance * floor)} below {short(floor)} (audit.floor)"
    drawn = len(findings.drawn)
    sample = f"Median errors are of a random sample of {some(drawn, 'scenario')} (audit.draw)"
    notes = [text, sample if 0 < drawn < results.total().scenarios else ""]
    return Section("Data", [Note(note) for note in notes if note], screen="data")


def _row(results: AlignmentResults, findings: AlignmentFindings, key: str, tally: KeyTally) -> OutcomeRow:
    levels, required = tally.levels, results.requirements
    level = MUST if required.named else BOUNDED
    came = tally.counts[SCORED] + tally.counts[NONFINITE]
    error = findings.first.median_error(None, key)
    return OutcomeRow(
        f"{brief(key, NAME)} ({tally.unit})" if tally.unit else brief(key, NAME),
        tally.met,
        tally.ran,
        levels[level],
        levels[level] - levels[f"{level} met"],
        came,
        error,
        sum(int((one.codes == SCORED).sum()) for one in findings.drawn.keys if one.key == key) - error.counted,
        tally.largest,
    )


def _table(rows: Sequence[OutcomeRow], results: AlignmentResults) -> Table:
    """The rows under what met means; medians only where some are known."""
    keys = results.total().keys.values()
    own = any(one.levels["assumed"] < one.counts.total() for one in keys)
    met = "met" if own else f"within ±{short(100 * results.work.tolerance)} %"
    part = any(one.must for one in rows) and not all(one.must == one.n for one in rows)
    columns = {
        "outcome": [f"{one.name}, must" if part and one.must else one.name for one in rows],
        met: [f"{one.met:,} of {one.n:,}" if one.n else NONE for one in rows],
        "median error": [_error(one) for one in rows],
        "largest miss: got for intended": [_largest(one) for one in rows],
    }
    if all(one.error.value is None for one in rows):
        del columns["median error"]
    cells = list(map(list, zip(*columns.values(), strict=True)))
    return Table(list(columns), cells, "<>>"[: len(columns) - 1] + "<")


def _error(one: OutcomeRow) -> str:
    """The median in percent of what was intended, and of how many scenarios where others intend 0."""
    if one.error.value is None:
        return NONE
    percent, of = 100 * one.error.value, f" (of {one.error.counted:,} not 0)" if one.zeros else ""
    if percent >= LARGE:
        return f"{short(one.error.value, DIGITS)} times{of}"
    return f"{fixed(percent, 0 if percent >= 2 else 1 if percent >= 0.2 else 2)} %{of}" if percent else f"0 %{of}"


def _largest(one: OutcomeRow) -> str:
    """What came for what was meant where they are farthest apart, and how often nothing came."""
    if one.n and not one.came:
        return "not returned"
    missing = f"; {one.n - one.came:,} missing" if one.came < one.n else ""
    if one.largest == NO_MISS or not one.largest.apart:
        return f"{NONE}{missing}"
    actual, low, high = _numbers(*one.largest[1:])
    return f"{actual} for {band_text(one.largest.low, one.largest.high, low, high)}{missing}"


def _numbers(actual: float, *ends: float) -> list[str]:
    """Numbers in three digits, whole from a thousand to a milliard; in more where the first looks like another."""
    texts = [fixed(one, 0) if LARGE <= abs(one) < WHOLE else short(one, DIGITS) for one in (actual, *ends)]
    return short_apart(actual, *ends) if texts[0] in texts[1:] else texts


# The scenario of the lowest score, with what came for what was meant where it is farthest off.

SHOWN = 2  # outcomes of one scenario
LABEL, KEY = 60, 30


def worst_scenario(results: AlignmentResults) -> Section:
    """The scenario of the lowest score, if any is below 1: its outcomes of the lowest scores."""
    drawn, order = results.lowest.drawn()
    worst = next((i for i in order if drawn.overall[i] < 1 - NOISE), None)
    if worst is None or not results.context.limits.max_examples:
        return Section("", screen="example")
    name = brief(scenario_name(drawn, worst), LABEL)
    title = f"Lowest-scoring scenario: {name} (score {fixed(float(drawn.overall[worst]), 2)})"
    return Section(title, [Note("; ".join(_outcomes(drawn, worst)))], screen="example")


def _outcomes(drawn: Drawn, i: int) -> list[str]:
    own = [one for one in drawn.keys if one.codes[i] <= NONFINITE and one.combined[i] < 1 - NOISE]
    lowest = sorted(own, key=lambda one: float(one.combined[i]))[:SHOWN]
    return [f"{brief(one.key, KEY)} {came_and_meant(one, i)}" for one in lowest]


def came_and_meant(one: KeyScores, i: int) -> str:
    """What came for what was meant: a number, a band, or a way from the baseline."""
    of = one.compared
    way = "" if of.change is None else WAYS.get(int(of.change[i]), "")
    low, high = (nan, nan) if way else (float(of.low[i]), float(of.high[i]))
    return came_for(float(of.actual[i]), low, high, word="for") + way.replace("vs", " for")


# Where scenarios miss: the values of one parameter that divide them, else the third with the lowest score.

NAME_WHERE, DIGITS_WHERE, EXACT, OWN = 30, 3, 15, 5
WHOLE_WHERE = 1e9
FEW = 3  # values that are named
NO_VALUES: Floats = np.zeros(0)


def where_text(results: AlignmentResults, findings: AlignmentFindings) -> str:
    """The values of a parameter at which scenarios miss, else where the score is lowest; "" where neither is clear."""
    drawn, of = findings.drawn, findings.missed
    if findings.rule is not None:
        return rule_text(findings.rule, of.what, "sampled " if len(drawn) < results.total().scenarios else "")
    worst = None if findings.causes is None else findings.causes.worst
    if worst is None or all(key.met == key.ran for key in results.total().keys.values()):
        return ""
    return _third_text(worst, parameter_columns(results, drawn, of).get(worst.name, NO_VALUES), of.missed[of.every])


def rule_text(rule: MissRange, what: str, sampled: str = "") -> str:
    """`16 of 16 scenarios with valve ≤ 0.15 miss a requirement; 0 of 24 with ≥ 0.3`."""
    here, elsewhere = (f"{missed:,} of {n:,}" for missed, n in (rule.here, rule.elsewhere))
    others = _values_of(rule, rule.others)
    return f"{here} {sampled}scenarios with {values_missing(rule)} miss {what}; {elsewhere} with {others}"


def divided_text(rule: MissRange) -> str:
    """`all 16 with valve ≤ 0.15, none of 24 with valve ≥ 0.3 (nothing between was tried)`."""
    (missed, n), (more, others) = rule.here, rule.elsewhere
    here = f"all {n:,}" if missed == n else f"{missed:,} of {n:,}"
    elsewhere = f"{more:,}" if more else "none"
    values = f"{brief(rule.name, NAME_WHERE)} {_values_of(rule, rule.others)}"
    edges = {edge for run in rule.missing for edge in run} - {0, len(rule.values)}
    ends = [(rule.values[edge - 1], rule.values[edge]) for edge in edges]
    near = all(float(low).is_integer() and high == low + 1 for low, high in ends)
    tried = "" if near else " (nothing between was tried)"
    return f"{here} with {values_missing(rule)}, {elsewhere} of {others:,} with {values}{tried}"


def values_missing(rule: MissRange) -> str:
    """Where scenarios miss: `valve ≤ 0.15`."""
    return f"{brief(rule.name, NAME_WHERE)} {_values_of(rule, rule.missing)}"


def _values_of(rule: MissRange, runs: Sequence[Places]) -> str:
    return " or ".join(_run_text(rule.values, first, last) for first, last in runs)


def _run_text(values: Sequence[float], first: int, last: int) -> str:
    """The values from the first place up to the last, open at the ends of all: `≤ 0.15`, `0.3 to 0.6`, `= 0.3`."""
    low = _end(values[first], values[first - 1]) if first else ""
    high = _end(values[last - 1], values[last]) if last < len(values) else ""
    if not low or not high:
        return f"≤ {high}" if high else f"≥ {low}"
    return f"= {short(values[first], EXACT)}" if last - first == 1 else f"{low} to {high}"


def _end(value: float, beyond: float) -> str:
    """The end of a range in few digits, rounded towards the next value `beyond` it by less than half the way."""
    number = Decimal(f"{value:.{EXACT}g}")
    if len(number.normalize().as_tuple().digits) > OWN:
        rounding = ROUND_CEILING if beyond > value else ROUND_FLOOR
        tried = (Context(digits, rounding).create_decimal(number) for digits in range(DIGITS_WHERE, EXACT))
        near = (rounded for rounded in tried if abs(float(rounded) - value) < abs(beyond - value) / 2)
        number = next(near, number)
    return short(float(number), EXACT)


def _third_text(worst: Cause, column: Floats, missed: Flags) -> str:
    """How many scenarios miss in each third of a parameter's values; the mean scores where all of them do or none."""
    values = {third: inside for third, inside in zip(THIRDS, worst.values, strict=True) if inside}
    if column.size and missed.any() and not missed.all():
        there = [(third, v, missed[(column >= v[0]) & (column <= v[-1])]) for third, v in values.items()]
        counts = [f"{third} ({values_text(v)}) {miss.sum():,} of {miss.size:,}" for third, v, miss in there]
        return f"scenarios that miss: {brief(worst.name, NAME_WHERE)} {'; '.join(counts)}"
    means = {third: mean for third, mean in zip(THIRDS, worst.thirds, strict=True) if not isnan(mean)}
    low = min(means, key=lambda third: means[third])
    others = ", ".join(f"{third} {fixed(mean, 2)}" for third, mean in means.items() if third != low)
    where = f"score lowest where {brief(worst.name, NAME_WHERE)} is {low} ({values_text(values[low])})"
    return f"{where}: {fixed(means[low], 2)}; {others}"


def values_text(values: Sequence[float]) -> str:
    """The distinct values of a parameter, ascending: each of a few, else `0 to 0.3`."""
    if not values:
        return ""
    shown = values if len(values) <= FEW else (values[0], values[-1])
    return (", " if shown is values else " to ").join(_apart(shown))


def _apart(values: Sequence[float]) -> list[str]:
    """Different numbers in three digits, or as many more as tell them apart; whole ones in all of theirs."""
    texts: list[str] = []
    for digits in range(DIGITS_WHERE, 18):
        whole = (value.is_integer() and abs(value) < WHOLE_WHERE for value in values)
        texts = [short(value, 18 if exact else digits) for value, exact in zip(values, whole, strict=True)]
        if len(set(texts)) == len(values):
            break
    return texts
