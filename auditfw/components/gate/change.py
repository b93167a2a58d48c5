"""The gate that bounds how far a metric may move from an accepted run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict

from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.files import read_text
from auditfw.core.records import STATUSES, GateResult, Measurement, Status
from auditfw.core.results.views import sided
from auditfw.core.shapes import declared, json_value
from auditfw.kinds.metrics import Undefined
from auditfw.kinds.registry import declare

BASELINE = "auditfw.baseline/1"


class AcceptedNumber(TypedDict):
    """A measurement of an accepted run, as far as it is read."""

    metric: str
    reading: str
    cell: dict[str, object]
    value: float | None


class AcceptedRun(TypedDict):
    """The file of an accepted run, as far as it is read."""

    schema: Literal["auditfw.baseline/1"]
    measurements: list[AcceptedNumber]


def accepted_measurements(file: Path) -> list[AcceptedNumber]:
    """The measurements of an accepted run. Raises DataError for a file that is no baseline, or FileNotFoundError."""
    try:
        document = json_value(read_text(file, links=True))
    except ValueError as error:
        raise DataError(str(file), f"is not an accepted run: {error}") from None
    return declared(AcceptedRun, document, str(file))["measurements"]


@declare("gate", "change")
class ChangeGate:
    """Limits how far a metric may move from an accepted run; without a reading, every candidate must pass.

    `baseline` is the file that `auditfw accept RUN` wrote. `max_increase` and `max_decrease` are in the metric's unit;
    without one of them that side is not bounded. If the accepted run lacks the number, the gate is undefined.
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
                "has neither max_increase nor max_decrease",
                None,
                f"for example {{metric: {self.metric}, max_increase: 0}}",
            )
        for name in ("max_increase", "max_decrease"):
            if (getattr(self, name) or 0.0) < 0:
                raise UsageError(name, "expected a number of 0 or more", getattr(self, name))
        self._accepted()

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return [(self.metric, self.reading)]

    def _accepted(self) -> dict[str, float | None]:
        """The metric's accepted numbers by reading. Raises UsageError for a file that is no baseline."""
        try:
            rows = accepted_measurements(Path(self.baseline))
        except FileNotFoundError:
            do = "store one with auditfw accept RUN"
            raise UsageError("baseline", "no such file", self.baseline, do) from None
        except DataError as error:
            raise UsageError("baseline", error.what, self.baseline) from None
        return {row["reading"]: row["value"] for row in rows if row["metric"] == self.metric and not row["cell"]}

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
        before = self._accepted()
        changes = [(self._judged(m.estimate.value, before.get(m.reading)), m.reading) for m in chosen]
        (status, moved, why), reading = min(changes, key=lambda c: (STATUSES.index(c[0][0]), -abs(c[0][1] or 0), c[1]))
        least = None if self.max_decrease is None else 0.0 - self.max_decrease
        bound, side = sided(least, self.max_increase)
        return GateResult(name, self._rule(), reading, moved, status, why, self.metric, bound, side, on="change")

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
