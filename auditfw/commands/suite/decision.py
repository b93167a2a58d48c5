"""The decision over all entries in sentences, and the table of the entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from auditfw.components.report.wording import NONE, number
from auditfw.core.digits import end_text, fixed, interval_digits, rounded_up, short
from auditfw.core.document import Table, some, verb, with_ends
from auditfw.core.escaping import typed
from auditfw.core.records import GateResult, MetricStyle
from auditfw.formulas.repeats.release import ALWAYS, Release, exit_code, release
from auditfw.kinds.metric_styles import style_of

from .entries import EntryLimit, JudgedEntry, suite_measurements

DOUBTFUL = ("fragile", "broken")  # answers
MOST_REASONS = 2  # in the headline
ORDER = ("breach", "missing", "not comparable")
NO_DECISION = "no number of items decides a bound of 0: only a candidate that is better beyond chance holds it"


@dataclass(frozen=True)
class SuiteDecision:
    """What follows for the whole: the decision, its exit code, the headline, a line for each entry that did not hold.

    `notes` say how to read the table; `gates` are those of the whole suite.
    """

    entries: Sequence[JudgedEntry]
    decision: Release
    exit_code: int
    headline: str
    because: Sequence[str]
    notes: Sequence[str]
    gates: Sequence[GateResult] = ()

    @property
    def brief(self) -> dict[str, Any]:
        """It as data without the entries, for the file of a sweep."""
        counts = suite_measurements(self.entries)
        return {
            "decision": self.decision,
            "exit_code": self.exit_code,
            "headline": self.headline,
            "measurements": counts,
        }


def decided(entries: Sequence[JudgedEntry], gates: Sequence[GateResult] = ()) -> SuiteDecision:
    """The decision; a gate of the whole suite that fails makes it NO-GO, an inconclusive one no GO."""
    rules = [entry.rule for entry in entries]
    decision, code = release(rules), exit_code(rules)
    statuses = {gate.status for gate in gates}
    if "fail" in statuses:
        decision, code = "NO-GO", max(code, 1)
    elif "inconclusive" in statuses and decision == "GO":
        decision, code = "INCONCLUSIVE", 1
    headline = f"{decision}: {_headline(decision, entries, gates)}"
    because = [line for entry in entries for line in lines_of(entry)]
    return SuiteDecision(entries, decision, code, headline, because, list(_notes(entries)), gates)


def _headline(decision: Release, entries: Sequence[JudgedEntry], gates: Sequence[GateResult]) -> str:
    if decision == "NO-GO":
        failed = [f"gate {one.name} failed: {one.rule}, it is {one.value:g}" for one in gates if one.status == "fail"]
        reasons = [*_stops(entries), *failed]
        more = len(reasons) - MOST_REASONS
        return "; ".join(reasons[:MOST_REASONS]) + (f"; {some(more, 'more reason')}" if more > 0 else "") + "."
    aside = [entry for entry in entries if entry.rule.tier == "advisory" and entry.rule.status != "held"]
    asks = [entry for entry in entries if entry.rule.asks]
    if decision == "INCONCLUSIVE":
        firmly = "only advisory entries" if any(one.rule.status == "breach" for one in aside) else "nothing"
        open_gates = [f"gate {one.name} is inconclusive" for one in gates if one.status == "inconclusive"]
        first, more = [*map(_open, asks), *open_gates], len(asks) + len(open_gates) - 1
        return f"{firmly} breached; {first[0]}{f'; {more} more undecided' if more else ''}."
    held = [entry for entry in entries if entry.rule.status == "held"]
    parts = [f"all {len(entries)} held" if len(held) == len(entries) > 1 else f"{len(held)} of {len(entries)} held"]
    passed = [entry for entry in entries if entry.rule.status == "undecided" and entry not in aside]
    parts += [f"{entry.name} is undecided and passes {_passes(entry)}" for entry in passed]
    parts += [f"{entry.name}: {entry.rule.status}, advisory" for entry in aside]
    more = len(parts) - 1 - MOST_REASONS
    return "; ".join(parts[: MOST_REASONS + 1]) + (f"; {more} more not held" if more > 0 else "") + "."


def _passes(entry: JudgedEntry) -> str:
    return "as the file says" if entry.settings.undecided == "pass" else "by its value"


def _names(entries: Sequence[JudgedEntry]) -> str:
    return ", ".join(entry.name for entry in entries[:3]) + (
        f" and {len(entries) - 3} more" if len(entries) > 3 else ""
    )


def _stops(entries: Sequence[JudgedEntry]) -> Iterator[str]:
    """The reasons against, breaches first; entries of which the same is missing together."""
    stops = [entry for entry in entries if entry.rule.stops]
    for entry in sorted(stops, key=lambda one: (ORDER.index(one.rule.status), one.rule.tier)):
        if entry.rule.status == "breach":
            yield f"{_breach(entry)} ({entry.rule.tier})"
    for absence in dict.fromkeys(one.absence for one in stops if one.rule.status == "missing"):
        same = [one for one in stops if one.absence == absence]
        words = absence.replace("was", "were") if len(same) > 1 else absence
        words = words.replace("has", "have") if len(same) > 1 else words
        yield f"{len(same)} of {len(entries)} {words} ({_names(same)})"
    for entry in stops:
        if entry.rule.status == "not comparable":
            yield f"{entry.name} cannot be compared: {entry.why}"


def lines_of(entry: JudgedEntry) -> Iterator[str]:
    """An entry that did not hold in a sentence, with what these items can hold where they do not decide."""
    status, tier = entry.rule.status, entry.rule.tier
    if status == "breach":
        yield f"{_breach(entry)} ({tier})."
    elif status == "missing":
        yield f"{entry.name} {entry.absence} ({tier}): {entry.why}."
    elif status == "not comparable":
        yield f"{entry.name} cannot be compared ({tier}): {entry.why}."
    elif status == "undecided":
        settled = "" if entry.rule.asks else f"; it passes {_settled(entry)}"
        yield f"{_open(entry)} ({tier}{settled})."
        if entry.drop is not None and entry.holds is not None:
            yield _can_hold(entry)


def _settled(entry: JudgedEntry) -> str:
    return "as all advisory ones do" if entry.rule.tier == "advisory" else _passes(entry)


def _breach(entry: JudgedEntry) -> str:
    """The first bound that is exceeded, or the gate that failed."""
    limit = next(entry.breached(), None)
    if limit is None:
        gate = next(one for one in entry.gates if one.status == "fail")
        return f"{entry.name}: gate {gate.name} failed: {gate.rule}"
    by_value = " by its value alone" if entry.rule.by_value and limit.limited.low <= limit.bound else ""
    value, text, unit = limit.ends[0], interval(*limit.ends), unit_of(entry)
    bound = short(limit.bound)
    if limit.kind == "drop":
        return f"{entry.name} dropped by {with_unit(text, unit)}, more than {bound}{by_value}"
    if limit.kind == "relative":
        if not isfinite(value):
            return f"{entry.name} dropped from a baseline of 0, more than {bound} %{by_value}"
        return f"{entry.name} dropped by {with_unit(text, '% of the baseline')}, more than {bound} %{by_value}"
    return f"{entry.name} is at {text}, {'below' if limit.kind == 'min' else 'above'} {bound}{by_value}"


def _open(entry: JudgedEntry) -> str:
    """The first bound that the interval does not decide, and how many items would."""
    limit = next(entry.open(), None)
    if limit is None:
        gate = next(one for one in entry.gates if one.status == "inconclusive")
        return f"{entry.name}: gate {gate.name} is inconclusive: {(gate.why or gate.rule).rstrip('.')}"
    worst = limit.ends[1] if limit.kind == "min" else limit.ends[2]
    if not isfinite(worst):
        return f"{entry.name} has no interval, so nothing decides its bound of {short(limit.bound)}"
    text, bound = fixed(worst, 1), short(limit.bound)
    if limit.kind in ("min", "max"):
        return f"{entry.name} may be at {text} ({limit.kind} {bound}): {_decide(limit)}"
    unit = " % of the baseline" if limit.kind == "relative" else ""
    return f"{entry.name} may have dropped by up to {text}{unit} (bound {bound}): {_decide(limit)}"


def _decide(limit: EntryLimit) -> str:
    if limit.needed is None:
        if limit.kind in ("drop", "relative") and limit.bound <= 0:
            return NO_DECISION
        return "no number of items decides it while its value is at the bound"
    stays = f" if it stays {fixed(limit.ends[0], 1)}" if limit.stays else ""
    return f"about {rounded_up(limit.needed):,} items decide{stays}"


def _can_hold(entry: JudgedEntry) -> str:
    """`1,319 items can hold 2.4 points at the 10 % discordant seen; 1 point needs about 7,900.`"""
    drop, holds = entry.drop, entry.holds
    if drop is None or holds is None:
        return ""
    items = drop.items or drop.n
    seen = f" at the {short(100 * drop.paired.square, 2)} % discordant seen" if drop.paired is not None else ""
    limit = next((one for one in entry.open() if one.kind == "drop" and not one.stays), None)
    needs = ""
    if limit is not None and limit.needed is not None:
        need = verb(int(limit.bound == 1), "needs", "need")
        needs = f"; {points(limit.bound, entry)} {need} about {rounded_up(limit.needed):,}"
    return f"{entry.name}: {some(items, 'item')} can hold {fixed(holds, 1)} {unit_of(entry)}{seen}{needs}."


def unit_of(entry: JudgedEntry) -> str:
    """What follows a difference of an entry's metric: points of percent, else nothing."""
    return "points" if _style(entry).unit in ("%", "pp") else ""


def points(value: float, entry: JudgedEntry) -> str:
    """`1 point`, `1.5 points`."""
    unit = unit_of(entry)
    return f"{short(value)} {unit[:-1] if value == 1 else unit}".rstrip()


def _style(entry: JudgedEntry) -> MetricStyle:
    styles = entry.candidate.run.styles if entry.candidate.run is not None else {}
    return style_of(entry.settings.metric.partition("@")[0], styles)


def with_unit(text: str, unit: str) -> str:
    """A number with its unit before the interval: `3.2 points [1.4, 5.0]`."""
    value, bracket, ends = text.partition(" [")
    return f"{value} {unit}".rstrip() + (f"{bracket}{ends}" if bracket else "")


def interval(value: float, low: float, high: float) -> str:
    """A number with its interval, one decimal place more than a level has where the interval bears it."""
    if not isfinite(value):
        return NONE
    digits = max(1, interval_digits(low, high))
    if not (isfinite(low) and isfinite(high)):
        return fixed(value, digits)
    return with_ends(fixed(value, digits), value, low, high, lambda end: end_text(end, digits))


def _notes(entries: Sequence[JudgedEntry]) -> Iterator[str]:
    """How numbers came about where that is not the same for all, and what a reader could take for something else."""
    for entry in entries:
        drop = entry.drop
        if drop is None:
            continue
        if drop.square is None:
            how = "the interval of the drop is made of the two intervals, as if independent"
            yield f"{entry.name}: not paired by item; {how}."
        elif any(drop.only):
            old, new = drop.only
            apart = f"{old:,} more {verb(old, 'is', 'are')} only in the baseline, {new:,} only in the candidate"
            yield f"{entry.name}: on the {some(drop.items, 'common item')}; {apart}."
        if drop.fragile and entry.baseline is not None:
            command = f"auditfw compare {typed(entry.baseline.place)} {typed(entry.candidate.place)}"
            yield f"{entry.name}: part of the drop is not the model's (items, truths, rules or ends): {command}"
        if entry.settings.max_relative is not None and all(one.kind != "relative" for one in entry.limits):
            below = entry.settings.relative_below
            yield f"{entry.name}: no relative bound, since the baseline is not below {below:g}."
    unasked = [
        f"{entry.name} {entry.answer['status']}"
        for entry in entries
        if entry.answer is not None
        and entry.answer["status"] in DOUBTFUL
        and all(one.answer is None for one in entry.gates)
    ]
    if unasked:
        more = f" and {len(unasked) - 3} more" if len(unasked) > 3 else ""
        asks = "gates: {answer: {use: answer}} asks"
        yield f"Answers that depend on scoring, which no gate asks: {', '.join(unasked[:3])}{more} ({asks})."
    if any(entry.drop is not None and entry.drop.lost[0] < 0 for entry in entries):
        yield "A drop below 0 is a gain."
    for entry in entries:
        run = entry.candidate.run
        if run is not None and run.result["verdict"] == "fail":
            names = ", ".join(gate.name for gate in run.result["gates"] if gate.status == "fail")
            yield f"{entry.name}: a gate of the candidate's own run failed ({names}); the suite does not ask it."


COLUMNS = (
    "entry",
    "tier",
    "metric",
    "baseline",
    "candidate",
    "drop",
    "relative %",
    "bound",
    "n",
    "status",
    "can hold",
    "own answer",  # the candidate's, of its own scoring
)


def table_of(entries: Sequence[JudgedEntry]) -> Table:
    """A row an entry: whatever was not computed is empty, never 0."""
    return Table(COLUMNS, [_row(entry) for entry in entries], "<<<>>>>>><><".replace(" ", ""))


def _row(entry: JudgedEntry) -> list[str]:
    drop, metric = entry.drop, entry.settings.metric.partition("@")[0]
    styles: Mapping[str, MetricStyle] = {} if entry.candidate.run is None else entry.candidate.run.styles

    def level(value: float) -> str:
        return fixed(value, 1) if _style(entry).unit == "%" else number(value, metric, styles)

    own = "" if entry.own is None else interval(*(_known(end) for end in entry.own))
    by_kind = {one.kind: one for one in entry.limits}
    lost = "" if drop is None else interval(*drop.lost)
    relative = interval(*by_kind["relative"].ends) if "relative" in by_kind else ""
    answer = entry.answer
    return [
        entry.name,
        entry.rule.tier,
        entry.settings.metric,
        "" if drop is None else level(drop.baseline),
        own if drop is None else level(drop.candidate),
        lost,
        relative,
        bounds_text(entry),
        _number_text(entry),
        entry.rule.status,
        "" if entry.holds is None else fixed(entry.holds, 1),
        "" if answer is None else answer["status"],
    ]


def _number_text(entry: JudgedEntry) -> str:
    """The common items of a pair, else the trials of the candidate."""
    if entry.drop is not None:
        return f"{entry.drop.items or entry.drop.n:,}"
    run = entry.candidate.run
    return "" if entry.own is None or run is None else f"{run.result['counts'].get('audited', 0):,}"


def _known(end: float | None) -> float:
    return float("inf") if end is None else end


def bounds_text(entry: JudgedEntry) -> str:
    """All that an entry is held to: `1`, `3 %`, `min 98`, `gates`."""
    own = entry.settings
    parts = [short(own.max_drop)] if own.max_drop is not None else []
    if own.max_relative is not None:
        parts.append(
            f"{short(own.max_relative)} %" + (f" below {own.relative_below:g}" if own.relative_below < ALWAYS else "")
        )
    parts += [f"min {short(own.min)}"] if own.min is not None else []
    parts += [f"max {short(own.max)}"] if own.max is not None else []
    return ", ".join(parts) or "gates"
