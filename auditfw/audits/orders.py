"""Who is better than whom: the values of a column compared in pairs under every reading, and which pairs turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.errors import UsageError
from auditfw.core.records import Value
from auditfw.formulas.claims import turned_pairs
from auditfw.formulas.clusters import ClusteredRate, rate_of
from auditfw.formulas.orders import Pair, RankedRates
from auditfw.kinds.claims import Claim, OrderStatement

from .claims import side_of
from .read_claims import CellRates, GroupedRates

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

    def turned_under(self, reading: str) -> list[TurnedPair]:
        return [pair for pair in self.turned if pair.reading == reading]

    def lost_under(self, reading: str) -> int:
        """How many pairs that the reference resolves the reading leaves open, or resolves the other way round."""
        before, after = self.reference.ranked.better, self.readings[reading].ranked.better
        return sum(a and not b for one, other in zip(before, after, strict=True) for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class ReadOrders:
    """All orders of a run, and for each column whose order was not tried the reason why."""

    orders: Sequence[ReadOrder] = ()
    untried: Mapping[str, str] = field(default_factory=dict)

    def turned_under(self, reading: str) -> int | None:
        """The turned pairs of all orders under a reading; None where there is no order it takes part in."""
        own = [len(order.turned_under(reading)) for order in self.orders if reading in order.readings]
        return sum(own) if own else None


def read_orders(claims: Mapping[str, Claim], rates: CellRates, readings: Sequence[str], metric: str) -> ReadOrders:
    """The orders that are claimed, and by `metric` those of the other columns of `by` with 2 to 50 values.

    Raises UsageError for a claimed one whose column has one value, or too many.
    """
    stated = {name: one for name, claim in claims.items() if isinstance(one := claim(), OrderStatement)}
    values = {column: list(dict.fromkeys(cell[column] for cell in rates.named)) for column in rates.by}
    for name, one in stated.items():
        _check_values(name, one.of, len(values[one.of]))
    untried = {}
    for column, known in values.items():
        if any(one.of == column for one in stated.values()):
            continue
        if FEW <= len(known) <= MANY:
            stated[f"order of {column}"] = OrderStatement(metric, column)
        else:
            untried[column] = "has one value" if len(known) < FEW else f"has {len(known):,} values"
    orders = (_read(name, one, values[one.of], rates, readings) for name, one in stated.items())
    return ReadOrders([order for order in orders if order is not None], untried)


def _check_values(name: str, column: str, count: int) -> None:
    if count < FEW:
        raise UsageError(f"claims.{name}.of", "an order needs two values", f"{column} has {count}", "leave it out")
    if count > MOST:
        do = f"leave some out: source.where=\"{column} IN ('a', 'b')\""
        raise UsageError(f"claims.{name}.of", f"has more than {MOST} values", f"{column} has {count:,}", do)


def _read(
    name: str, statement: OrderStatement, values: Sequence[Value], rates: CellRates, readings: Sequence[str]
) -> ReadOrder | None:
    """An order under those readings that have its metric; None where the reference has not."""
    numbers = {value: i for i, value in enumerate(values)}
    groups = [numbers[cell[statement.of]] for cell in rates.named]

    def grouped(reading: str, among: str | None = None) -> GroupedRates | None:
        return rates.grouped(reading, statement.metric, groups, len(values), among)

    higher = side_of(statement.metric) == "higher"
    known = {reading: one for reading in readings if (one := grouped(reading)) is not None}
    if readings[0] not in known:
        return None
    by_reading = {
        reading: RankedValues(
            [rate_of(sums) if sums.trials else None for sums in one.items], RankedRates(one.pairs, higher)
        )
        for reading, one in known.items()
    }
    better = by_reading[readings[0]].ranked.better
    pairs = []
    for reading, one in by_reading.items():
        turning = turned_pairs(better, one.ranked.leads)
        same = grouped(readings[0], among=reading) if turning and reading != readings[0] else None
        if same is not None:  # of the reading's own trials the reference says the same: not the labels differ
            turning = [(i, j) for i, j in turning if RankedRates(same.pairs, higher).leads[i][j] >= 0]
        pairs += [TurnedPair(reading, *pair) for pair in sorted(turning, key=lambda pair: _strength(one, *pair))]
    return ReadOrder(name, statement, values, by_reading, pairs, unevenness(statement.of, values, rates))


def _strength(one: RankedValues, i: int, j: int) -> tuple[float, Pair]:
    """The pair that is turned most first."""
    return one.ranked.leads[i][j], (i, j)


def unevenness(column: str, values: Sequence[Value], rates: CellRates) -> str:
    """Says where the values of a column have different shares of their trials at some value of another column."""
    trials = rates.trials()
    worst: tuple[float, str] = (UNEVEN, "")
    for other in rates.by:
        if other == column:
            continue
        counts: dict[Value, dict[Value, int]] = {value: {} for value in values}
        for cell, n in zip(rates.named, trials, strict=True):
            of = counts[cell[column]]
            of[cell[other]] = of.get(cell[other], 0) + n
        shares = {value: {k: n / sum(of.values()) for k, n in of.items()} for value, of in counts.items() if sum(of.values())}
        for at in dict.fromkeys(cell[other] for cell in rates.named):
            ordered = sorted(shares, key=lambda value: shares[value].get(at, 0.0))
            least, most = (shares[value].get(at, 0.0) for value in (ordered[0], ordered[-1]))
            if most - least > worst[0]:
                text = (
                    f"{column} is unevenly spread over {other}: {other} = {at} makes {fixed(100 * least, 1)} % of the "
                    f"trials of {ordered[0]}, {fixed(100 * most, 1)} % of those of {ordered[-1]}"
                )
                worst = (most - least, text)
    return worst[1]


def counted(orders: ReadOrders) -> str:
    """The orders in words: `order of variant: 4 of 15 pairs resolved`."""
    return "; ".join(
        f"{order.name}: {order.reference.ranked.count():,} of {some(len(order.reference.ranked.pairs), 'pair')} resolved"
        for order in orders.orders
    )
