"""Claims and orders read against the readings of a parsing audit, and the turned pairs as a number of each reading."""

from __future__ import annotations

from typing import Any

from auditfw.audits.orders import ReadStatements, read_orders
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.read_claims import read_claims
from auditfw.formulas.label_counts import TurnedCount
from auditfw.kinds.context import Sample

from .claims import CLAIMED, LabelRates

NO_ORDER = "no column of by has 2 to 50 values"


def ask(results: ParsingResults) -> ReadStatements:
    """The claims, and the order of each column of `by`, read against every reading. Raises UsageError."""
    claims = results.context.claims
    if not results.table.trials or not (claims or results.by):
        return ReadStatements()
    readings = {one.reading.name: one.number for one in results.readings if one.reading.role != "baseline"}
    rates = LabelRates(results.by, results.table, results.samples, readings, results.crossed)
    read = read_claims(claims, rates, list(readings))
    return ReadStatements(read, read_orders(claims, rates, list(readings), CLAIMED[0], results.settings.alpha))


def measured(results: ParsingResults, sample: Sample) -> dict[str, Any]:
    """The turned pairs of a reading that is compared, for the metrics."""
    if sample.reading.role != "candidate":
        return {}
    orders = results.of(ask).orders
    resolved = sum(order.reference.ranked.count() for order in orders.orders)
    turned = orders.turned_under(sample.reading.name) if sample.data.counted else None
    why = sample.data.why if not sample.data.counted else NO_ORDER
    return {"orders": TurnedCount(turned, resolved, "" if turned is not None else why)}
