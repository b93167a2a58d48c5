"""Who is better than whom: the values of a column compared in pairs under every reading, and which pairs turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditfw.core.digits import fixed
from auditfw.core.errors import UsageError
from auditfw.core.records import Value
from auditfw.formulas.claims import RankedRates, turned_pairs
from auditfw.formulas.clusters import ClusteredRate, rate_of
from auditfw.kinds.context import Claim, OrderStatement

from .claims import side_of
from .read_claims import CellRates, ReadClaim

FEW, MANY = 2, 50  # values of a column whose order is tried unasked
MOST = 300  # values of a column whose order may be claimed
UNEVEN = 0.05  # a share of trials that may differ between values before it is reported


@dataclass(frozen=True)
class RankedValues:
    """The values of a column under one reading: the rate of each, and which are better than which."""

    rates: Sequence[ClusteredRate | None]
    ranked: RankedRates


@dataclass(frozen=True)
class TurnedPair:
    """A pair of values, by number: `better` is resolved as better under the reference, worse under the reading."""

    reading: str
    better: int
    than: int


@dataclass(frozen=True)
class ReadOrder:
    """The order of a column's values under each reading, the reference first; what is uneven of their trials."""

    name: str
    statement: OrderStatement
    values: Sequence[Value]
    readings: Mapping[str, RankedValues]
    turned: Sequence[TurnedPair]
    uneven: str = ""

    @property
    def reference(self) -> RankedValues:
        return next(iter(self.readings.values()))

    def chance(self, pair: TurnedPair) -> float | None:
        """The p-value of a pair under the reference, adjusted over all pairs."""
        return self.reference.ranked.chances[min(pair.better, pair.than), max(pair.better, pair.than)]

    @property
    def best_first(self) -> list[int]:
        """The places of the values, the best under the reference first, those without a trial last."""
        higher, rates = side_of(self.statement.metric) == "higher", self.reference.rates
        shares = [2.0 if rate is None else -rate.share if higher else rate.share for rate in rates]
        return sorted(range(len(shares)), key=shares.__getitem__)

    @property
    def turned_readings(self) -> list[str]:
        """The readings that turn a pair."""
        return list(dict.fromkeys(pair.reading for pair in self.turned))

    def turned_under(self, reading: str) -> list[TurnedPair]:
        return [pair for pair in self.turned if pair.reading == reading]

    def lost_under(self, reading: str) -> int:
        """How many pairs that the reference resolves the reading leaves open, or resolves the other way round."""
        before, after = self.reference.ranked.better, self.readings[reading].ranked.better
        return sum(
            a and not b for one, other in zip(before, after, strict=True) for a, b in zip(one, other, strict=True)
        )


@dataclass(frozen=True)
class ReadOrders:
    """All orders of a run, and for each column of too many values to try how many it has."""

    orders: Sequence[ReadOrder] = ()
    untried: Mapping[str, str] = field(default_factory=dict)

    def turned_under(self, reading: str) -> int | None:
        """The turned pairs of all orders under a reading; None where there is no order it takes part in."""
        own = [len(order.turned_under(reading)) for order in self.orders if reading in order.readings]
        return sum(own) if own else None


@dataclass(frozen=True)
class ReadStatements:
    """All that a run read against its readings: the claims, and the orders."""

    claims: Sequence[ReadClaim] = ()
    orders: ReadOrders = field(default_factory=ReadOrders)


def read_orders(claims: Mapping[str, Claim], reader: OrderReader, metric: str) -> ReadOrders:
    """The orders that are claimed, and by `metric` those of the other columns of `by` with 2 to 50 values.

    Raises UsageError for a claimed one whose column has one value, or too many.
    """
    stated = {name: one for name, claim in claims.items() if isinstance(one := claim(), OrderStatement)}
    values = {column: list(dict.fromkeys(cell[column] for cell in reader.rates.named)) for column in reader.rates.by}
    for name, one in stated.items():
        _check_values(name, one.of, len(values[one.of]))
    untried = {}
    for column, known in values.items():
        if any(one.of == column for one in stated.values()):
            continue
        if FEW <= len(known) <= MANY:
            stated[f"order of {column}"] = OrderStatement(metric, column)
        elif len(known) > MANY:
            untried[column] = f"has {len(known):,} values"
    orders = (reader.read(name, one, values[one.of]) for name, one in stated.items())
    return ReadOrders([order for order in orders if order is not None], untried)


def _check_values(name: str, column: str, count: int) -> None:
    if count < FEW:
        raise UsageError(f"claims.{name}.of", "an order needs two values", f"{column} has {count}", "leave it out")
    if count > MOST:
        do = f"leave some out: source.where=\"{column} IN ('a', 'b')\""
        raise UsageError(f"claims.{name}.of", f"has more than {MOST} values", f"{column} has {count:,}", do)


@dataclass(frozen=True)
class OrderReader:
    """What an order is read from: the rates of cells under the readings, the reference first.

    `copies` are the pairs of values of a column, as texts, of which one is a copy of the other: they are not compared.
    """

    rates: CellRates
    readings: Sequence[str]
    alpha: float
    copies: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def read(self, name: str, statement: OrderStatement, values: Sequence[Value]) -> ReadOrder | None:
        """An order under those readings that have its metric; None where the reference has not."""
        known = {reading: self._ranked(statement, values, reading) for reading in self.readings}
        ranked = {reading: one for reading, one in known.items() if one is not None}
        if self.readings[0] not in ranked:
            return None
        turned = [pair for reading in self.readings[1:] for pair in self._turned(statement, values, ranked, reading)]
        return ReadOrder(name, statement, values, ranked, turned, unevenness(statement.of, values, self.rates))

    def _ranked(
        self, statement: OrderStatement, values: Sequence[Value], reading: str, among: str | None = None
    ) -> RankedValues | None:
        numbers = {value: i for i, value in enumerate(values)}
        groups = [numbers[cell[statement.of]] for cell in self.rates.named]
        grouped = self.rates.grouped(reading, statement.metric, groups, len(values), among)
        if grouped is None:
            return None
        rates = [rate_of(sums) if sums.trials else None for sums in grouped.items]
        higher = side_of(statement.metric) == "higher"
        return RankedValues(rates, RankedRates(grouped.pairs, higher, self.alpha, self._apart(statement.of, values)))

    def _apart(self, column: str, values: Sequence[Value]) -> frozenset[tuple[int, int]]:
        """The pairs of values, by number, that are not compared."""
        numbers = {str(value): i for i, value in enumerate(values)}
        pairs = ((numbers.get(a), numbers.get(b)) for a, b in self.copies.get(column, ()))
        return frozenset((min(i, j), max(i, j)) for i, j in pairs if i is not None and j is not None)

    def _turned(
        self, statement: OrderStatement, values: Sequence[Value], ranked: Mapping[str, RankedValues], reading: str
    ) -> list[TurnedPair]:
        """The pairs that a reading turns, the largest first.

        Not those of which the reference says the same on the reading's own trials: there not the labels differ.
        """
        if reading not in ranked:
            return []
        leads, reference = ranked[reading].ranked.leads, self.readings[0]
        pairs = turned_pairs(ranked[reference].ranked.better, leads)
        same = self._ranked(statement, values, reference, among=reading) if pairs else None
        if same is not None:
            pairs = [(i, j) for i, j in pairs if same.ranked.leads[i][j] >= 0]
        return [TurnedPair(reading, i, j) for i, j in sorted(pairs, key=lambda pair: (leads[pair[0]][pair[1]], pair))]


def unevenness(column: str, values: Sequence[Value], rates: CellRates) -> str:
    """Says where the values of a column have different shares of their trials at some value of another column."""
    differences = [one for other in rates.by if other != column for one in _uneven(column, other, values, rates)]
    share, text = max(differences, key=lambda one: one[0], default=(0.0, ""))
    return text if share > UNEVEN else ""


def _uneven(column: str, other: str, values: Sequence[Value], rates: CellRates) -> Iterator[tuple[float, str]]:
    """For each value of the other column by how much the shares of trials there differ, and a sentence."""
    counts: dict[Value, Counter[Value]] = {value: Counter() for value in values}
    for cell, n in zip(rates.named, rates.trials(), strict=True):
        counts[cell[column]][cell[other]] += n
    totals = {value: of.total() for value, of in counts.items() if of.total()}
    for at in dict.fromkeys(cell[other] for cell in rates.named):
        shares = {value: counts[value][at] / n for value, n in totals.items()}
        least, most = min(shares, key=lambda value: shares[value]), max(shares, key=lambda value: shares[value])
        text = f"{column} is unevenly spread over {other}: {other} = {at} makes up {fixed(100 * shares[least], 1)} %"
        text += f" of the trials of {least}, {fixed(100 * shares[most], 1)} % of those of {most}"
        yield shares[most] - shares[least], text


def counted(orders: ReadOrders) -> str:
    """How many pairs the reference resolves: `Significantly different pairs: model 4 of 15, seed 0 of 3`."""
    ranked = ((order.statement.of, order.reference.ranked) for order in orders.orders)
    counts = ", ".join(f"{name} {one.count():,} of {len(one.pairs):,}" for name, one in ranked)
    return f"Significantly different pairs: {counts}"
