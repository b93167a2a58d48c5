"""Kinds of component that measure and judge: metrics and gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Protocol

from auditfw.core.records import Estimate, GateResult, Measurement, Role

Span = tuple[str, str | None, float, float]
Undefined = Literal["inconclusive", "fail", "pass"]  # what an undefined number means to a gate


class Metric(Protocol):
    """A number made from the sample of one reading and one cell; None where it does not apply to that sample.

    `roles` says of which readings it is taken, an optional `takes` of which sort of sample (or sorts, a tuple): a run
    with another is refused; an optional `range` of two numbers that it is always between: a gate with a bound outside
    of it is refused. An optional `cells_only = True` leaves the overall sample out; an optional
    `across(estimates)` sees all estimates of a reading at once (to adjust p-values, say) and returns as many.
    """

    roles: ClassVar[frozenset[Role]]

    def __call__(self, sample: Any) -> Estimate | None: ...


class Gate(Protocol):
    """A bound on measurements. Raises UsageError for a metric or reading that does not exist.

    An optional `span()` says what it bounds, of which reading (None: every candidate), and between which numbers, so
    that gates nothing can meet are reported. An optional `cells(name, measurements, reference, most)` says of each cell
    what it comes to, for a gate that judges cells.
    """

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult: ...

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        """The (metric, reading or None) pairs it needs."""
        ...
