"""Claims read against every reading of a run: estimate, interval, verdict, and how few labels would change that.

An audit hands in the rates of its cells (`CellRates`); nothing here knows what they are rates of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from auditfw.core.records import Cell, Value
from auditfw.formulas.claims import (
    ClaimVerdict,
    claim_verdict,
    labels_to_reverse,
    labels_to_unsettle,
    turned,
)
from auditfw.formulas.clusters import ItemSums, rate_of
from auditfw.formulas.two_rates import PairSums
from auditfw.kinds.context import BoundStatement, Claim, OrderStatement, SideStatement

from .claims import Sides, check_sides, conditions_of, contradictions, scale_of, select, side_of

NOT_READ: ClaimVerdict = "cannot tell"


@dataclass(frozen=True)
class GroupedRates:
    """The rates of groups of cells under one reading: of each by itself, and of all pairs."""

    items: Sequence[ItemSums]
    pairs: PairSums


class CellRates(Protocol):
    """What an audit knows of the rates of its cells, which are numbered as in `cells`."""

    @property
    def by(self) -> Sequence[str]: ...

    @property
    def cells(self) -> Sequence[Cell]:
        """The values of `by` of each cell, as they were read."""
        ...

    @property
    def named(self) -> Sequence[Mapping[str, Value]]:
        """The cells as they are shown."""
        ...

    def grouped(
        self, reading: str, metric: str, groups: Sequence[int], number: int, among: str | None = None
    ) -> GroupedRates | None:
        """The rates of so many groups; `groups` numbers that of each cell, -1 for none.

        With `among` of those trials alone that this other reading has a label for, too; None where these are all, and
        where the reading has no such metric.
        """
        ...

    def trials(self) -> Sequence[int]:
        """How many audited trials each cell has."""
        ...

    def changed(self, reading: str, cells: Sequence[int]) -> int | None:
        """How many labels of these cells a reading changes against the reference; None for the reference."""
        ...


class ClaimEnds(NamedTuple):
    """An estimate with its interval in the metric's unit; None where there is none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ClaimResult:
    """What one reading says of a claim.

    `shown` is the difference in favour of the claim, or the rate that is bounded. `d` counts towards the claim as a
    share, `end` is the end of its interval on the side of `by`, which it must exceed; None where there is no rate.
    `trials` are those of the side with fewer, `changed` the labels that the reading changes in the claim's cells.
    """

    verdict: ClaimVerdict
    shown: ClaimEnds = field(default_factory=ClaimEnds)
    d: float | None = None
    end: float | None = None
    by: float = 0.0
    trials: int = 0
    changed: int | None = None

    @property
    def to_reverse(self) -> int | None:
        """How many labels of the side with fewer trials would put the estimate on the other side; None if unknown."""
        return None if self.d is None else labels_to_reverse(self.d, self.trials, self.by)

    @property
    def to_unsettle(self) -> int | None:
        """How many labels would make the interval reach `by`; None where it does already."""
        if self.d is None or self.end is None or self.verdict not in ("holds", "fails"):
            return None
        return labels_to_unsettle(self.d, self.end, self.trials, self.by)


@dataclass(frozen=True)
class ReadClaim:
    """A claim with what each reading says of it, the reference first; `turned` names those that turn it."""

    name: str
    statement: SideStatement | BoundStatement
    results: Mapping[str, ClaimResult]
    turned: Sequence[str]

    @property
    def reference(self) -> ClaimResult:
        return next(iter(self.results.values()))


def read_claims(claims: Mapping[str, Claim], rates: CellRates, readings: Sequence[str]) -> list[ReadClaim]:
    """All claims but those of an order, read against the readings, the reference first. Raises UsageError."""
    stated = {name: claim() for name, claim in claims.items()}
    chosen: dict[str, list[list[int]]] = {}
    sides: dict[str, tuple[SideStatement | BoundStatement, Sides]] = {}
    for name, one in stated.items():
        if isinstance(one, OrderStatement):
            continue
        settings = conditions_of(one).items()
        cells = [select(sql, f"claims.{name}.{key}", rates.cells, rates.by) for key, sql in settings]
        if isinstance(one, SideStatement):
            check_sides(name, cells, rates.named)
        chosen[name], sides[name] = cells, (one, tuple(map(tuple, cells)))
    for error in contradictions(sides):
        raise error
    return [_read(name, one, chosen[name], rates, readings) for name, (one, _) in sides.items()]


def _read(
    name: str,
    statement: SideStatement | BoundStatement,
    sides: Sequence[Sequence[int]],
    rates: CellRates,
    readings: Sequence[str],
) -> ReadClaim:
    groups = [-1] * len(rates.cells)
    for number, cells in enumerate(sides):
        for cell in cells:
            groups[cell] = number

    def result(reading: str, among: str | None = None) -> ClaimResult:
        grouped = rates.grouped(reading, statement.metric, groups, len(sides), among)
        changed = rates.changed(reading, [cell for cells in sides for cell in cells])
        return claim_result(statement, grouped, changed)

    results = {reading: result(reading) for reading in readings}
    reference = readings[0]
    turning = [
        reading
        for reading in readings[1:]
        if turned(results[reference].verdict, results[reading].verdict)
        and not _same_side(result(reference, among=reading), results[reading])
    ]
    return ReadClaim(name, statement, results, turning)


def _same_side(reference: ClaimResult, reading: ClaimResult) -> bool:
    """Whether the reference says the same of the reading's trials: then they differ in their trials, not in labels."""
    if reference.d is None or reading.d is None:
        return False
    return (reference.d - reference.by) * (reading.d - reading.by) > 0


def claim_result(
    statement: SideStatement | BoundStatement, grouped: GroupedRates | None, changed: int | None = None
) -> ClaimResult:
    """What rates say of a claim: those of its two sides, or of the trials that it bounds."""
    if grouped is None or not all(one.trials for one in grouped.items):
        return ClaimResult(NOT_READ, changed=changed)
    if isinstance(statement, SideStatement):
        return _side_result(statement, grouped, changed)
    return _bound_result(statement, grouped, changed)


def _side_result(statement: SideStatement, grouped: GroupedRates, changed: int | None) -> ClaimResult:
    scale, higher = scale_of(statement.metric), side_of(statement.metric) == "higher"
    apart = grouped.pairs.difference(0, 1) if higher else grouped.pairs.difference(1, 0)
    by = statement.by / scale
    d, low, high = apart.difference, apart.low, apart.high
    verdict = claim_verdict(d, low, high, by, apart.items)
    ends = ClaimEnds(scale * d, None if low is None else scale * low, None if high is None else scale * high)
    return ClaimResult(verdict, ends, d, low if d > by else high, by, apart.trials, changed)


def _bound_result(statement: BoundStatement, grouped: GroupedRates, changed: int | None) -> ClaimResult:
    scale, rate = scale_of(statement.metric), rate_of(grouped.items[0])
    sign, bound = (-1.0 if statement.at_most else 1.0), statement.value / scale
    d, *ends = (sign * (share - bound) for share in (rate.share, rate.low, rate.high))
    low, high = sorted(ends)
    verdict = claim_verdict(d, low, high, 0.0, rate.items)
    shown = ClaimEnds(scale * rate.share, scale * rate.low, scale * rate.high)
    return ClaimResult(verdict, shown, d, low if d > 0 else high, 0.0, rate.trials, changed)
