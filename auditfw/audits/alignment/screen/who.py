"""Which outcome is not what was intended, by how much, and where: one table, the worst outcome first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from auditfw.audits.alignment.actual import NONFINITE, SCORED
from auditfw.audits.alignment.cell_counts import BOUNDED, MUST, KeyTally
from auditfw.audits.alignment.conclusions.arguments import assumed_text, band_text
from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.explain import THIRDS, Causes
from auditfw.audits.alignment.findings import AlignmentFindings
from auditfw.core.digits import fixed, short, short_apart
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.errors import brief

from .largest import NO_MISS, LargestMiss

ROWS = 8  # lines below the head of the table
NAME, DIGITS, EXACT = 30, 3, 18
LARGE, WHOLE = 1_000, 1e9  # an error of so many percent is said as a multiple; numbers between are whole
FEW = 3  # values that are named
NONE = "–"


@dataclass(frozen=True)
class OutcomeRow:
    """One outcome: in how many of `n` scenarios it is met, how many had to be met (`must`) and are `missed`.

    `error` is the median relative error, None where it is not known; `came` are the scenarios that gave a number.
    """

    name: str
    met: int
    n: int
    must: int
    missed: int
    came: int
    error: float | None
    largest: LargestMiss

    @property
    def order(self) -> tuple[bool, float, float]:
        """What must be met and is not comes first, then what is met least often, by the larger errors."""
        return not self.missed, self.met / self.n if self.n else 1.0, -(self.error or 0.0)


def what_misses(results: AlignmentResults, findings: AlignmentFindings) -> Section:
    """How often each outcome is what was intended, the worst first, and the parameter and third where it is worst."""
    total = results.total()
    every = sorted((_row(results, findings, *named) for named in total.keys.items()), key=lambda one: one.order)
    title = f"Does it do what was intended? {some(total.scenarios, 'scenario')}, {some(len(every), 'outcome')}"
    section = Section(title, screen="who")
    if not every:
        return section
    where = _where(findings.causes)
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
    sample = f"Middle errors are of a random sample of {some(drawn, 'scenario')} (audit.draw)"
    notes = [text, sample if 0 < drawn < results.total().scenarios else ""]
    return Section("Data", [Note(note) for note in notes if note], screen="data")


def _row(results: AlignmentResults, findings: AlignmentFindings, key: str, tally: KeyTally) -> OutcomeRow:
    levels, required = tally.levels, results.requirements
    level = MUST if required.named else BOUNDED
    came = tally.counts[SCORED] + tally.counts[NONFINITE]
    return OutcomeRow(
        f"{brief(key, NAME)} ({tally.unit})" if tally.unit else brief(key, NAME),
        tally.met,
        tally.ran,
        levels[level],
        levels[level] - levels[f"{level} met"],
        came,
        findings.first.median_error(None, key).value,
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
        "middle error": [_error(one.error) for one in rows],
        "largest: got for intended": [_largest(one) for one in rows],
    }
    if all(one.error is None for one in rows):
        del columns["middle error"]
    cells = list(map(list, zip(*columns.values(), strict=True)))
    return Table(list(columns), cells, "<>>"[: len(columns) - 1] + "<")


def _error(error: float | None) -> str:
    if error is None:
        return NONE
    percent = 100 * error
    if percent >= LARGE:
        return f"{short(error, DIGITS)} times"
    return f"{fixed(percent, 0 if percent >= 2 else 1 if percent >= 0.2 else 2)} %" if percent else "0 %"


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


def _where(causes: Causes | None) -> str:
    """The parameter and third with the lowest mean score, where the thirds differ by more than chance; else ""."""
    worst = None if causes is None else causes.worst
    if worst is None:
        return ""
    means = {name: mean for name, mean in zip(THIRDS, worst.thirds, strict=True) if not isnan(mean)}
    low = min(means, key=lambda name: means[name])
    others = ", ".join(f"{name} {fixed(mean, 2)}" for name, mean in means.items() if name != low)
    values = values_text(worst.values[THIRDS.index(low)])
    return f"worst where {brief(worst.name, NAME)} is {low} ({values}): score {fixed(means[low], 2)}; {others}"


def values_text(values: Sequence[float]) -> str:
    """The distinct values of a parameter, ascending: each of a few, else `0 to 0.3`."""
    if not values:
        return ""
    shown = values if len(values) <= FEW else (values[0], values[-1])
    return (", " if shown is values else " to ").join(_apart(shown))


def _apart(values: Sequence[float]) -> list[str]:
    """Different numbers in three digits, or as many more as tell them apart; whole ones in all of theirs."""
    texts: list[str] = []
    for digits in range(DIGITS, EXACT):
        whole = (one.is_integer() and abs(one) < WHOLE for one in values)
        texts = [short(one, EXACT if own else digits) for one, own in zip(values, whole, strict=True)]
        if len(set(texts)) == len(values):
            break
    return texts
