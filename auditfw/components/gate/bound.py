"""Gates: bounds on measurements, and rules in SQL over them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from auditfw.core.document import some
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.files import read_text
from auditfw.core.records import STATUSES, CellResult, GateCells, GateResult, Measurement, Status
from auditfw.core.statistics import further_items
from auditfw.kinds.metrics import Span
from auditfw.kinds.registry import register

Undefined = Literal["inconclusive", "fail", "pass"]
BASELINE = "auditfw.baseline/1"


@register("gate", "bound")
@dataclass(frozen=True)
class BoundGate:
    """Holds one metric between a minimum and a maximum; without a reading every candidate must hold.

    `on` bounds the value or an end of its interval; `cell: worst` takes the worst cell instead of the overall
    number; `undefined` says what an undefined number means. `optional: true` leaves the gate out, with a warning,
    where the input has no columns for its metric. `decide: interval` passes where the whole interval holds, fails
    where none of it does, and is inconclusive in between, with the number of items that would settle it.
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

    def __post_init__(self) -> None:
        if self.min is None and self.max is None:
            raise UsageError("", "a bound needs min or max", None, f"for example {{metric: {self.metric}, max: 0}}")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise UsageError("min", "above max: no number can pass", f"{self.min} > {self.max}")
        if self.decide == "interval" and self.on != "value":
            raise UsageError("on", "decide: interval looks at both ends", self.on, "leave one of the two out")

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return [(self.metric, self.reading)]

    def span(self) -> Span:
        low, high = -math.inf if self.min is None else self.min, math.inf if self.max is None else self.max
        return self._what(), self.reading, low, high

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        worst = min(self._chosen(measurements, reference), key=self._badness)
        value, status, why = self._judged(worst)
        return GateResult(name, self._rule(), worst.reading, value, status, why)

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
        above = self.min is None or number >= self.min
        return "pass" if above and (self.max is None or number <= self.max) else "fail"

    def _settled(self, low: float | None, high: float | None) -> Status:
        if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
            return "inconclusive"
        least, most = (-math.inf if self.min is None else self.min), (math.inf if self.max is None else self.max)
        if high < least or low > most:
            return "fail"
        return "pass" if low >= least and high <= most else "inconclusive"

    def _why(self, m: Measurement, status: Status) -> str:
        if self.decide == "value" or status != "inconclusive":
            return ""
        value, low, high = m.estimate.value, m.estimate.low, m.estimate.high
        if value is None or low is None or high is None:
            return "it has no interval"
        bound = self.max if self.min is None or not low <= self.min <= high else self.min
        if bound is None:
            return "it has no interval"
        more = further_items(value, low if value > bound else high, bound, m.estimate.counted)
        text = f"its interval, {low + 0.0:.3g} to {high + 0.0:.3g}, holds {bound:g}"
        return (
            text
            if more is None
            else f"{text}: about {some(more, 'further item')} would settle it, should {value + 0.0:.3g} stay"
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
        bounds = [f"{what} >= {self.min:g}"] if self.min is not None else []
        return " and ".join([*bounds, f"{what} <= {self.max:g}"] if self.max is not None else bounds)


@register("gate", "rule")
@dataclass(frozen=True)
class RuleGate:
    """Holds a SQL condition over overall measurements, named as columns "metric@reading"."""

    where: str
    undefined: Undefined = "inconclusive"
    optional: bool = False

    def __post_init__(self) -> None:
        if not self.metrics():
            raise UsageError(
                "where", "names no measurement", self.where, 'write for example "flips@answer_v2+v2" <= 30'
            )

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return re.findall(r'"([^"@]+)@([^"]+)"', self.where)

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        import polars as pl

        numbers = {m.name: m.estimate.value for m in measurements if m.overall}
        for metric, reading in self.metrics():
            if f"{metric}@{reading}" not in numbers:
                raise UsageError(
                    "where", f'no measurement "{metric}@{reading}"', None, nearest(f"{metric}@{reading}", [*numbers])
                )
        unfit = [f"{a}@{b}" for a, b in self.metrics() if not _finite(numbers[f"{a}@{b}"])]
        if unfit:
            return GateResult(name, self.where, None, None, self.undefined, f"{unfit[0]} is undefined")
        row = pl.DataFrame({n: [float(v)] for n, v in numbers.items() if v is not None})
        try:
            held = row.select(pl.sql_expr(self.where).alias("held"))["held"][0]
        except Exception as error:
            raise UsageError("where", "not a SQL condition", self.where, str(error).splitlines()[0]) from None
        if not isinstance(held, bool):
            raise UsageError("where", "must be true or false", held)
        return GateResult(name, self.where, None, None, "pass" if held else "fail")


@register("gate", "change")
@dataclass(frozen=True)
class ChangeGate:
    """Bounds how far a metric may move from an accepted run; without a reading every candidate must hold.

    `baseline` is the file that `auditfw accept RUN` wrote. `max_increase` and `max_decrease` are in the metric's own
    unit; one left out is no bound. A number that the accepted run did not have is undefined.
    """

    metric: str
    max_increase: float | None = None
    max_decrease: float | None = None
    reading: str | None = None
    baseline: str = "baseline.json"
    undefined: Undefined = "inconclusive"

    def __post_init__(self) -> None:
        if self.max_increase is None and self.max_decrease is None:
            raise UsageError(
                "",
                "needs max_increase or max_decrease",
                None,
                f"for example {{metric: {self.metric}, max_increase: 0}}",
            )
        for name in ("max_increase", "max_decrease"):
            if (getattr(self, name) or 0.0) < 0:
                raise UsageError(name, "must not be negative", getattr(self, name))
        self.accepted()

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return [(self.metric, self.reading)]

    def accepted(self) -> dict[str, float | None]:
        """The metric's accepted numbers by reading. Raises UsageError for a file that is no baseline."""
        try:
            told = json.loads(read_text(Path(self.baseline), links=True))
            if told.get("schema") != BASELINE:
                raise ValueError(f"schema {told.get('schema')}")
            rows = told["measurements"]
            return {row["reading"]: row["value"] for row in rows if row["metric"] == self.metric and not row["cell"]}
        except FileNotFoundError:
            do = "store one with auditfw accept RUN"
            raise UsageError("baseline", "no such file", self.baseline, do) from None
        except DataError as error:
            raise UsageError("baseline", error.what, self.baseline) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                "baseline", "is not an accepted run", self.baseline, f"{type(error).__name__}: {error}"
            ) from None

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        mine = [m for m in measurements if m.metric == self.metric and m.overall]
        if self.reading is not None:
            known = [m.reading for m in mine]
            mine = [m for m in mine if m.reading == self.reading]
            if not mine:
                raise UsageError(
                    "reading", f"no reading '{self.reading}' of {self.metric}", None, nearest(self.reading, known)
                )
        chosen = [m for m in mine if m.reading != reference] or mine
        if not chosen:
            raise UsageError("metric", f"{self.metric} was not measured overall")
        before = self.accepted()
        told = [(self._judged(m.estimate.value, before.get(m.reading)), m.reading) for m in chosen]
        (status, moved, why), reading = min(told, key=lambda t: (STATUSES.index(t[0][0]), -abs(t[0][1] or 0.0), t[1]))
        return GateResult(name, self._rule(), reading, moved, status, why)

    def _judged(self, now: float | None, before: float | None) -> tuple[Status, float | None, str]:
        if now is None or before is None or not (math.isfinite(now) and math.isfinite(before)):
            return self.undefined, None, "the accepted run has no such number" if before is None else "is undefined now"
        moved = now - before
        over = self.max_increase is not None and moved > self.max_increase
        under = self.max_decrease is not None and -moved > self.max_decrease
        return "fail" if over or under else "pass", moved, f"{before:g} accepted, {now:g} now" if over or under else ""

    def _rule(self) -> str:
        bounds = [] if self.max_decrease is None else [f">= {0.0 - self.max_decrease:g}"]
        bounds += [] if self.max_increase is None else [f"<= {self.max_increase:g}"]
        return f"change of {self.metric} {' and '.join(bounds)}"


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
