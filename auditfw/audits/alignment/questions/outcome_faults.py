"""The faults of single outcomes, or of two that are exchanged, each in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from auditfw.audits.alignment.actual import OddType
from auditfw.core.digits import short, short_apart
from auditfw.core.document import some, verb
from auditfw.core.errors import brief, near
from auditfw.core.imports import np
from auditfw.core.results.findings import Effect
from auditfw.formulas.outcomes.factors import (
    LEAST,
    MOSTLY,
    OutcomeFactor,
    OutcomeFault,
    outcome_constant,
    outcome_factor,
    outcome_sign,
    outcomes_exchanged,
)

from .outcome_rows import AskedOutcome, OutcomeRows

PAIRED, MISSES, OFF = 100, 0.4, 0.05  # outcomes tried in pairs, and how those are off


@dataclass(frozen=True)
class FaultyOutcome:
    """A fault of an outcome, or of several exchanged: in `n` of `of` scenarios, `concerned` of `intended` outcomes."""

    keys: tuple[str, ...]
    n: int
    of: int
    effect: Effect
    text: str
    do: str
    concerned: int
    intended: int
    detail: Mapping[str, Any] = field(default_factory=dict)


def _effect(outcome: AskedOutcome, share: float) -> Effect:
    return "broken" if outcome.must or share >= MOSTLY else "fragile"


def _drawn(table: OutcomeRows) -> int:
    """How many outcomes are intended of the scenarios drawn."""
    return sum(one.intended for one in table.outcomes)


def _in(table: OutcomeRows, n: int, of: int) -> str:
    return f"in {n:,} of {some(of, table.sampled)}"


def _example(table: OutcomeRows, outcome: AskedOutcome) -> str:
    """The first scenario in which it misses: `4 is intended of 'l1', -4 came`."""
    pairs = outcome.pairs
    place = int(np.argmax(pairs.error > pairs.room))
    came, meant = short_apart(float(pairs.actual[place]), float(pairs.intended[place]))
    return f"{brief(table.name(place), 60)} gives {came} for {meant}"


def _of_one(
    table: OutcomeRows,
    outcome: AskedOutcome,
    fault: OutcomeFault | OutcomeFactor,
    words: tuple[str, str],
    **detail: Any,
) -> FaultyOutcome:
    """A fault of one outcome: what is so of it, and what to do."""
    what, do = words
    text = f"{brief(outcome.key, 60)} {what} {_in(table, fault.n, fault.of)}: {_example(table, outcome)}"
    effect = _effect(outcome, fault.share)
    return FaultyOutcome((outcome.key,), fault.n, fault.of, effect, text, do, fault.n, _drawn(table), detail)


def _factors(table: OutcomeRows) -> Iterator[FaultyOutcome]:
    for outcome in table.outcomes:
        fault = outcome_factor(outcome.pairs)
        if fault is None:
            continue
        key, factor = brief(outcome.key, 60), short(fault.factor)
        units = f" (in {fault.units[0]}, not {fault.units[1]}?)" if fault.units else ""
        detail = {"factor": fault.factor, "units": fault.units}
        if fault.offset:
            what = f"is {fault.units[0]} where {fault.units[1]} is intended," if fault.units else ""
            do = f"Convert {key} in the simulator, or write the intended numbers in the unit that it gives."
            yield _of_one(table, outcome, fault, (what, do), **detail, offset=fault.offset)
            continue
        size = f"{fault.factor:,.10g}" if abs(fault.factor - round(fault.factor)) < 1e-9 else factor
        do = f"Divide {key} by {size} in the simulator, or write the intended numbers in the unit that it gives."
        yield _of_one(table, outcome, fault, (f"is {size} × what is intended{units}", do), **detail)


def _signs(table: OutcomeRows) -> Iterator[FaultyOutcome]:
    for outcome in table.outcomes:
        fault = outcome_sign(outcome.pairs)
        if fault is not None:
            sized = "" if 1 / 1.5 < fault.size < 1.5 else f" and {short(fault.size)} × the size"
            do = f"Change the sign of {brief(outcome.key, 60)} in the simulator, or of what is intended."
            yield _of_one(table, outcome, fault, (f"has the other sign{sized}", do), size=fault.size)


def _constants(table: OutcomeRows) -> Iterator[FaultyOutcome]:
    for outcome in table.outcomes:
        fault = outcome_constant(outcome.pairs)
        if fault is not None:
            numbers = outcome.pairs.complete.intended
            least, largest = short(float(numbers.min())), short(float(numbers.max()))
            what = f"is {short(fault.size)}, where {least} to {largest} are intended,"
            do = f"Look at how the simulator computes {brief(outcome.key, 60)}: does it use its parameters at all?"
            yield _of_one(table, outcome, fault, (what, do), value=fault.size)


def _exchanges(table: OutcomeRows) -> Iterator[FaultyOutcome]:
    """Of outcomes that are off in many scenarios: those alone can be exchanged."""
    off = [one for one in table.outcomes if _is_off(one)][:PAIRED]
    for first, second in combinations(off, 2):
        fault = outcomes_exchanged(first.pairs, second.pairs)
        if fault is not None:
            names = f"{brief(first.key, 60)} and {brief(second.key, 60)}"
            text = f"{names} are exchanged {_in(table, fault.n, fault.of)}: {_example(table, first)}"
            do = f"Exchange {names} in what the simulator returns, or in what is intended."
            keys = (first.key, second.key)
            yield FaultyOutcome(keys, fault.n, fault.of, "broken", text, do, 2 * fault.n, _drawn(table))


def _is_off(outcome: AskedOutcome) -> bool:
    pairs = outcome.pairs.complete
    return len(pairs) >= LEAST and (pairs.error > OFF * np.abs(pairs.intended)).mean() >= MISSES


def _missing(table: OutcomeRows) -> Iterator[FaultyOutcome]:
    """Of all scenarios: what none returned as a number, though some did not fail."""
    results, outcomes = table.results, table.outcomes
    types = {one.key: one.type for one in results.notes if isinstance(one, OddType)}
    returned, intended = list(results.returned), sum(one.tally.counts.total() for one in outcomes)
    for outcome in outcomes:
        n, key = outcome.missing, outcome.key
        if not n or outcome.scored or key in results.numbers:
            continue
        name, type = brief(key, 60), types.get(key)
        close = near(key, [other for other in returned if other != key])
        if type is not None:
            text = f"No scenario returned a number for {name}: it came as {brief(type, 40)} in all of {n:,}"
            do = f"Return one number for {name}, for example its last or its mean value."
        else:
            gives = ", ".join(brief(other, 40) for other in returned[:8]) or "nothing"
            more = f" and {len(returned) - 8:,} more" if len(returned) > 8 else ""
            intend = f"{n:,} {verb(n, 'scenario intends', 'scenarios intend')}"
            text = f"No scenario returned {name}, which {intend}: the simulator returns {gives}{more}"
            text += f" ({close})" if close else ""
            do = f"Give the outcome one name in the scenarios and in the simulator: {close or 'is one of these meant?'}"
        detail = {"type": type, "nearest": close}
        yield FaultyOutcome((key,), n, n, "broken", text, do, n, intended, detail)


def _never(table: OutcomeRows) -> Iterator[FaultyOutcome]:
    """Of all scenarios: outcomes that came and were never met."""
    intended = sum(one.tally.counts.total() for one in table.outcomes)
    for outcome in table.outcomes:
        n = outcome.scored
        if n < LEAST or outcome.met:
            continue
        effect: Effect = "broken" if outcome.must else "fragile" if outcome.declared else "reported"
        room = "" if outcome.declared else f" (±{short(100 * table.settings.tolerance)} % is assumed)"
        shown = f": {_example(table, outcome)}" if len(outcome.pairs.complete) else ""
        name = brief(outcome.key, 60)
        text = f"{name} is met in none of {some(n, 'scenario')}{room}{shown}"
        do = f"Look at {name} in the worst scenarios of report.html: is it what was intended, and in that unit?"
        yield FaultyOutcome((outcome.key,), n, n, effect, text, do, n, intended)


ASKED = (_missing, _constants, _exchanges, _signs, _factors, _never)  # in the order of `outcomes.CAUSES`


def faults_of(table: OutcomeRows) -> list[Sequence[FaultyOutcome]]:
    """The faults of each kind, what explains before what is explained."""
    with np.errstate(all="ignore"):
        return [list(ask(table)) for ask in ASKED]
