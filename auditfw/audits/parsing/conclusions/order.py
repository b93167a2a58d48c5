"""Claims and orders read against the readings of a parsing audit, and the turned pairs as a number of each reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditfw.audits.orders import ReadOrders, ReadStatements, read_orders
from auditfw.audits.read_claims import read_claims
from auditfw.formulas.label_counts import TurnedCount
from auditfw.kinds.claims import Claim
from auditfw.kinds.context import Sample

from .claims import CLAIMED, LabelRates


def read_statements(claims: Mapping[str, Claim], rates: LabelRates, alpha: float) -> ReadStatements:
    """The claims, and the order of each column of `by`, read against every reading. Raises UsageError."""
    readings = list(rates.readings)
    if not rates.cells:
        return ReadStatements()
    return ReadStatements(read_claims(claims, rates, readings), read_orders(claims, rates, readings, CLAIMED[0], alpha))


def with_turned(samples: Sequence[Sample], orders: ReadOrders) -> list[Sample]:
    """The samples, those of all trials of a reading that is compared with the pairs it turns."""
    return [
        replace(sample, data=replace(sample.data, orders=_counted(sample, orders)))
        if sample.reading.role == "candidate" and not sample.cell
        else sample
        for sample in samples
    ]


def _counted(sample: Sample, orders: ReadOrders) -> TurnedCount:
    resolved = sum(order.reference.ranked.count() for order in orders.orders)
    if not sample.data.counted:
        return TurnedCount(None, resolved, sample.data.why)
    turned = orders.turned_under(sample.reading.name)
    return TurnedCount(turned, resolved, "" if turned is not None else "no column of by has 2 to 50 values")
