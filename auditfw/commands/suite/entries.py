"""Each entry of a suite judged: its numbers against its bounds, the gates of its candidate, how many items decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, isfinite
from pathlib import Path
from typing import Any, Literal, cast

from auditfw.audits.spine import judge
from auditfw.commands.comparison.sides import ComparedSide
from auditfw.commands.stored_run import StoredRun, read_measurements, read_reference
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.records import Answer, Estimate, GateResult, Measurement, Reading
from auditfw.core.shapes import shaped
from auditfw.core.statistics import further_items
from auditfw.formulas.repeats.planning import PSEUDO, items_for_difference, least_difference
from auditfw.formulas.repeats.release import (
    Limited,
    SuiteEntry,
    limited_drop,
    limited_relative,
    limited_value,
)
from auditfw.kinds.component_index import QUESTIONS
from auditfw.kinds.context import Outcome
from auditfw.kinds.metrics import Gate
from auditfw.kinds.registry import component

from .numbers import EntryDrop, MissingNumberError, Numbers, UncomparableError, drop_of, own_number
from .settings import EntrySettings, SuiteFile
from .sides import SuiteSide, SweepJobs, sides

LimitKind = Literal["drop", "relative", "min", "max"]
NO_NUMBER = "has no number"


@dataclass(frozen=True)
class EntryLimit:
    """A bound of an entry and the number it is on, in the worse direction; `needed` items decide it, None: not known.

    `bound` is as it was written. With `stays` so many items decide if the number stays as it is; else they hold the
    bound four times in five where nothing was lost.
    """

    kind: LimitKind
    bound: float
    limited: Limited
    needed: int | None = None
    stays: bool = False

    @property
    def ends(self) -> tuple[float, float, float]:
        """The number with its interval, as people read it."""
        one = self.limited
        if self.kind == "min":
            return -one.value, -one.high, -one.low
        return one.value, one.low, one.high


@dataclass(frozen=True)
class JudgedEntry:
    """An entry with what it came to.

    `own` is the candidate's own number, where it is bounded; `holds` the least drop that so many items can hold, in the
    metric's unit; `absence` and `why` say what is missing, or not comparable; `gates` are those of the candidate.
    """

    name: str
    settings: EntrySettings
    candidate: SuiteSide
    baseline: SuiteSide | None
    rule: SuiteEntry
    limits: Sequence[EntryLimit] = ()
    drop: EntryDrop | None = None
    own: Numbers | None = None
    holds: float | None = None
    absence: str = ""
    why: str = ""
    gates: Sequence[GateResult] = field(default_factory=tuple)

    @property
    def answer(self) -> Mapping[str, str] | None:
        """The answer of the candidate's run, None where there is none."""
        run = self.candidate.run
        return None if run is None else run.result["answer"]

    def breached(self) -> Iterator[EntryLimit]:
        """The bounds that are exceeded."""
        yield from (one for one in self.limits if one.limited.status(self.rule.by_value) == "breach")

    def open(self) -> Iterator[EntryLimit]:
        """The bounds that the intervals do not decide."""
        yield from (one for one in self.limits if one.limited.status(self.rule.by_value) == "undecided")


def judged_entries(suite: SuiteFile, sweep: Path | None) -> list[JudgedEntry]:
    """The entries in the order of the file. Raises UsageError for what the file asks in vain."""
    place = sweep if sweep is not None else None if suite.sweep is None else Path(suite.sweep)
    jobs = None if place is None else SweepJobs(place)
    entries = [(name, one, f"{suite.path}: entries.{name}") for name, one in suite.entries.items()]
    asked = [(name, one, where, sides(one, where, jobs)) for name, one, where in entries]  # before anything is judged
    return [_judged(name, one, where, of, suite.gates) for name, one, where, of in asked]


def _judged(
    name: str,
    entry: EntrySettings,
    where: str,
    both: tuple[SuiteSide, SuiteSide | None],
    gates: Mapping[str, Gate],
) -> JudgedEntry:
    for side, role in zip(both, ("", "the baseline: "), strict=True):
        if side is not None and side.run is None:
            rule = SuiteEntry(entry.tier, missing=True, exit_code=side.exit_code)
            return JudgedEntry(name, entry, *both, rule, absence=side.absence, why=f"{role}{side.why}")
    run, before = both[0].run, None if both[1] is None or not entry.compares else both[1].run
    assert run is not None
    try:
        results = _asked(gates, run)
        candidate = ComparedSide("B", str(run.folder), run)
        old = None if before is None else ComparedSide("A", str(before.folder), before)
        drop = None if old is None else drop_of(entry.metric, old, candidate, where)
        own = None if entry.min is None and entry.max is None else own_number(entry.metric, candidate)
    except MissingNumberError as error:
        rule = SuiteEntry(entry.tier, missing=True)
        return JudgedEntry(name, entry, *both, rule, absence=NO_NUMBER, why=str(error))
    except UncomparableError as error:
        return JudgedEntry(name, entry, *both, SuiteEntry(entry.tier, comparable=False), why=str(error))
    limits = [*_limits_of_drop(entry, drop), *_limits_of_own(entry, own, run)]
    rule = SuiteEntry(
        entry.tier,
        [one.limited for one in limits],
        gates_failed=any(one.status == "fail" for one in results),
        undecided=entry.undecided,
        by_value=entry.decide == "value",
        gates_open=any(one.status == "inconclusive" for one in results),
    )
    holds = None if drop is None else _holds(drop)
    return JudgedEntry(name, entry, *both, rule, limits, drop, own, holds, gates=results)


def _limits_of_drop(entry: EntrySettings, drop: EntryDrop | None) -> Iterator[EntryLimit]:
    if drop is None:
        return
    if entry.max_drop is not None:
        limited = limited_drop(drop.change, entry.max_drop, drop.higher)
        yield EntryLimit("drop", entry.max_drop, limited, *_needed(drop, entry.max_drop))
    if entry.max_relative is not None:
        change = limited_drop(drop.change, 0.0, drop.higher)
        relative = limited_relative(change, drop.baseline, entry.max_relative, entry.relative_below)
        if relative is not None:
            needed = _needed(drop, entry.max_relative * abs(drop.baseline) / 100)
            yield EntryLimit("relative", entry.max_relative, relative, *needed)


def _limits_of_own(entry: EntrySettings, own: Numbers | None, run: StoredRun) -> Iterator[EntryLimit]:
    if own is None:
        return
    value, low, high = own
    counted = run.result["counts"].get("audited", 0)
    if entry.min is not None:
        more = (
            None
            if low is None or high is None
            else further_items(value, low if value > entry.min else high, entry.min, counted)
        )
        yield EntryLimit(
            "min", entry.min, limited_value(own, entry.min), None if more is None else counted + more, True
        )
    if entry.max is not None:
        more = (
            None
            if low is None or high is None
            else further_items(value, high if value < entry.max else low, entry.max, counted)
        )
        limited = limited_value(own, entry.max, least=False)
        yield EntryLimit("max", entry.max, limited, None if more is None else counted + more, True)


def _square(drop: EntryDrop) -> float:
    """The mean square of an item's difference, with what the interval counts as discordant whatever was seen."""
    return max(drop.square or 0.0, PSEUDO / (drop.items + PSEUDO))


def _holds(drop: EntryDrop) -> float | None:
    """The least drop that these items can hold, four times in five, where nothing was lost."""
    if drop.square is not None:
        least = least_difference(_square(drop), drop.items)
        return None if least is None else 100 * least
    value, _, high = drop.lost
    return high - value if isfinite(high) else None


def _needed(drop: EntryDrop, bound: float) -> tuple[int | None, bool]:
    """How many items hold a drop of that; where there are as many already, how many decide if it stays as it is.

    None of a bound of 0, which no number holds, where nothing is known of the width, and where the drop is the bound.
    """
    value, low, high = drop.lost
    items = drop.items or drop.n
    if bound <= 0 or not isfinite(high - low) or not items:
        return None, False
    if drop.square is not None:
        needed = items_for_difference(_square(drop), bound / 100)
    else:
        needed = ceil(items * ((high - value) / bound) ** 2)
    if needed > items:
        return needed, False
    more = further_items(value, low if value > bound else high, bound, items)
    return None if more is None else items + more, True


def _asked(gates: Mapping[str, Gate], run: StoredRun) -> list[GateResult]:
    """The gates asked of a stored run. Raises MissingNumberError for what the run has not."""
    if not gates:
        return []
    reference = read_reference(run.folder)
    try:
        _, measurements = read_measurements(run.folder / "measurements.parquet")
        results, left_out = judge(gates, measurements, _outcome(run, reference, measurements))
    except UsageError as error:
        raise MissingNumberError(f"{run.folder}: {error}") from None
    except AuditError as error:
        raise MissingNumberError(str(error)) from None
    if left_out:
        raise MissingNumberError(left_out[0])
    return results


def _outcome(run: StoredRun, reference: str, measurements: Sequence[Measurement]) -> Outcome:
    """What a stored run concluded, as far as gates ask."""
    names = dict.fromkeys([reference, *(one.reading for one in measurements)])
    questions = QUESTIONS.get(str(run.result["audit"]), "").split()
    answer = run.result["answer"]
    return Outcome(
        counts=dict(run.result["counts"]),
        readings=[Reading(name, "reference" if name == reference else "candidate") for name in names if name],
        samples=(),
        inputs=[],
        sections=lambda _: [],
        answer=None if answer is None else shaped(Answer, answer),
        findings=run.result["findings"],
        not_checked=run.result["not_checked"],
        asked=[kind.name for name in questions for kind in cast(Any, component("question", name).cls).finds],
    )


def suite_measurements(entries: Sequence[JudgedEntry]) -> dict[str, float]:
    """The counts that gates may bound: entries that breached, are undecided and are missing or not comparable."""
    statuses = [entry.rule.status for entry in entries]
    missing = statuses.count("missing") + statuses.count("not comparable")
    counts = (statuses.count("breach"), statuses.count("undecided"), missing)
    return dict(zip(("suite_breaches", "suite_undecided", "suite_missing"), map(float, counts), strict=True))


def whole_gates(gates: Mapping[str, Gate], counts: Mapping[str, float]) -> list[GateResult]:
    """The gates on these counts. Raises UsageError."""
    measurements = [Measurement(name, "suite", {}, Estimate(count)) for name, count in counts.items()]
    outcome = Outcome({}, [Reading("suite", "candidate")], (), [], lambda _: [])
    return judge(gates, measurements, outcome)[0]
