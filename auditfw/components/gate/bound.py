"""The gate that bounds one metric."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from auditfw.core.digits import fixed, short
from auditfw.core.document import some
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import STATUSES, CellResult, GateCells, GateResult, Measurement, Status
from auditfw.core.results.views import sided
from auditfw.core.statistics import further_items
from auditfw.kinds.metrics import Span, Undefined
from auditfw.kinds.registry import declare


@declare("gate", "bound")
class BoundGate:
    """Checks that a metric is between a minimum and a maximum; without a reading, every candidate must pass.

    `on` bounds the value or one end of its interval; `cell: worst` takes the worst cell (subgroup) instead of the
    overall number; `undefined` says what an undefined number means. `optional: true` leaves the gate out, with a
    warning, if the input has no columns for its metric. `decide: interval` passes if the whole interval is within the
    bounds, fails if none of it is, and is inconclusive in between, with the number of items that would be enough to
    decide. `strict: true` does not accept the bound itself. A value that lies between two ends, whatever is not known
    of its trials, is inconclusive where the bound is between them.
    """

    metric: str
    min: float | None = None
    max: float | None = None
    reading: str | None = None
    on: Literal["value", "low", "high"] = "value"
    cell: Literal["overall", "worst"] = "overall"
    undefined: Undefined = "inconclusive"
    optional: bool = False
    decide: Literal["value", "interval"] = "value"
    strict: bool = False

    def __post_init__(self) -> None:
        if self.min is None and self.max is None:
            raise UsageError("", "has neither min nor max", None, f"for example {{metric: {self.metric}, max: 0}}")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise UsageError("min", "is above max: no number can pass", f"{self.min} > {self.max}")
        if self.decide == "interval" and self.on != "value":
            raise UsageError("on", "decide: interval looks at both ends", self.on, "set only one of the two")

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return [(self.metric, self.reading)]

    def span(self) -> Span:
        low, high = -math.inf if self.min is None else self.min, math.inf if self.max is None else self.max
        return self._what(), self.reading, low, high

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        worst = min(self._chosen(measurements, reference), key=self._badness)
        value, status, why = self._judged(worst)
        if self.cell == "worst" and status != "pass":
            place = "where " + ", ".join(f"{column} = {cell}" for column, cell in worst.cell.items())
            why = f"{place}: {why}" if why else place
        bound, side = sided(self.min, self.max)
        low, high = worst.estimate.low, worst.estimate.high
        on = self.on if self.decide == "value" else self.decide
        numbers = (self.metric, bound, side, low, high, on, self.strict, dict(worst.cell))
        return GateResult(name, self._rule(), worst.reading, value, status, why, *numbers)

    def cells(self, name: str, measurements: Sequence[Measurement], reference: str, most: int) -> GateCells | None:
        """Every cell judged by itself, the `most` worst of them listed; None for a gate on overall numbers."""
        if self.cell == "overall":
            return None
        ordered = sorted(self._chosen(measurements, reference), key=self._badness)
        listed = [CellResult(m.reading, dict(m.cell), *self._judged(m)) for m in ordered[:most]]
        left = Counter(self._status(m) for m in ordered[most:])
        return GateCells(name, listed, dict(sorted(left.items())))

    def _badness(self, m: Measurement) -> tuple[int, float, str]:
        """The lower, the worse."""
        return STATUSES.index(self._status(m)), self._margin(m), m.reading

    def _judged(self, m: Measurement) -> tuple[float | None, Status, str]:
        value, status = self._number(m), self._status(m)
        why = (m.estimate.undefined or f"{self.on} is undefined") if value is None else self._why(m, status)
        return value, status, why

    def _chosen(self, measurements: Sequence[Measurement], reference: str) -> list[Measurement]:
        mine = [m for m in measurements if m.metric == self.metric and m.overall == (self.cell == "overall")]
        readings = {m.reading for m in mine}
        if self.reading is not None:
            if self.reading not in readings:
                raise UsageError(
                    "reading", f"no reading '{self.reading}' of {self.metric}", None, nearest(self.reading, [*readings])
                )
            return [m for m in mine if m.reading == self.reading]
        candidates = [m for m in mine if m.reading != reference] or mine
        if not candidates:
            raise UsageError("metric", f"{self.metric} was not measured on any {self.cell} sample")
        return candidates

    def _number(self, m: Measurement) -> float | None:
        number: float | None = getattr(m.estimate, self.on)
        return number if number is not None and math.isfinite(number) else None

    def _status(self, m: Measurement) -> Status:
        number = self._number(m)
        if number is None:
            return self.undefined
        if self.decide == "interval":
            return self._settled(m.estimate.low, m.estimate.high)
        if self.on == "value" and m.estimate.between is not None:
            return self._settled(*m.estimate.between)
        return "pass" if self._above(number) and self._below(number) else "fail"

    def _above(self, number: float) -> bool:
        return self.min is None or (number > self.min if self.strict else number >= self.min)

    def _below(self, number: float) -> bool:
        return self.max is None or (number < self.max if self.strict else number <= self.max)

    def _settled(self, low: float | None, high: float | None) -> Status:
        if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
            return "inconclusive"
        if not self._above(high) or not self._below(low):
            return "fail"
        return "pass" if self._above(low) and self._below(high) else "inconclusive"

    def _why(self, m: Measurement, status: Status) -> str:
        if status != "inconclusive":
            return ""
        if self.decide == "value":
            return (
                ""
                if m.estimate.between is None
                else "between {} and {}".format(*(fixed(end, 1) for end in m.estimate.between))
            )
        value, low, high = m.estimate.value, m.estimate.low, m.estimate.high
        if value is None or low is None or high is None:
            return "it has no interval"
        bound = self.max if self.min is None or not low <= self.min <= high else self.min
        if bound is None:
            return "it has no interval"
        more = further_items(value, low if value > bound else high, bound, m.estimate.counted)
        text = f"its interval, {short(low, 3)} to {short(high, 3)}, contains {bound:g}"
        return (
            text
            if more is None
            else f"{text}: about {some(more, 'further item')} would decide it if the value stays {short(value, 3)}"
        )

    def _margin(self, m: Measurement) -> float:
        number = self._number(m)
        if number is None:
            return -math.inf
        room = [number - self.min] if self.min is not None else []
        return min([*room, self.max - number] if self.max is not None else room)

    def _what(self) -> str:
        what = self.metric if self.on == "value" else f"{self.on} of {self.metric}"
        what = what if self.decide == "value" else f"interval of {what}"
        return what if self.cell == "overall" else f"{what} in every cell"

    def _rule(self) -> str:
        what = self._what()
        equal = "" if self.strict else "="
        bounds = [f"{what} >{equal} {self.min:g}"] if self.min is not None else []
        return " and ".join([*bounds, f"{what} <{equal} {self.max:g}"] if self.max is not None else bounds)
