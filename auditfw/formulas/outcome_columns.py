"""What metrics of alignment read: single outcomes as columns, and what was counted of them for a key or for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from auditfw.core.records import Estimate
from auditfw.core.statistics import Moments, Ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UP, DOWN, SAME = 1, 2, 3
ROUNDING, ROUNDING_AT_ZERO = 1e-9, 1e-12  # how far beyond an end rounding may leave a number: a share of it, or at 0


@dataclass(frozen=True)
class OutcomeColumn:
    """One key of a batch of scenarios: bands `low` to `high` (one number where both are equal), actual values.

    `base` is the key's value in the baseline scenario, None without one; `change` says of which rows only a change
    (UP, DOWN) against it is meant; `floor` is the audit's.
    """

    low: Floats
    high: Floats
    actual: Floats
    floor: float = 0.1
    base: float | None = None
    change: Any = None

    def taken(self, rows: Any) -> OutcomeColumn:
        """Only these rows."""
        low = self.low[rows]
        high = low if self.low is self.high else self.high[rows]
        change = None if self.change is None else self.change[rows]
        return OutcomeColumn(low, high, self.actual[rows], self.floor, self.base, change)

    @property
    def target(self) -> Floats:
        """The admissible number nearest to the actual one; NaN where no number is meant."""
        import numpy as np

        if self.low is self.high:
            return self.low
        target = np.where(np.isfinite(self.actual), np.clip(self.actual, self.low, self.high), np.nan)
        return target if self.change is None else np.where(self.moves, np.nan, target)

    @property
    def moves(self) -> Any:
        """The rows of which only a change is meant; there must be some change."""
        return (self.change == UP) | (self.change == DOWN)

    def moved_as_meant(self) -> Floats:
        """1 where the value moved from the baseline in the direction of the intended one, else 0; NaN without a way."""
        import numpy as np

        if self.base is None:
            return np.full(len(self.actual), np.nan)
        with np.errstate(all="ignore"):
            way = np.sign(self.target - self.base)
            if self.change is not None:
                way = np.where(self.change == UP, 1.0, np.where(self.change == DOWN, -1.0, way))
            held = (np.sign(self.actual - self.base) == way).astype(np.float64)
            return np.where(np.isfinite(way) & np.isfinite(self.actual), held, np.nan)

    def met(self, tolerance: float, bounded: Any = False) -> Any:
        """Which outcomes are in their band, or equal its end but for rounding.

        What is not `bounded` is a number that declares no tolerance: it is met within `tolerance` times its size (at
        least the floor).
        """
        import numpy as np

        with np.errstate(all="ignore"):
            target = self.target
            size = np.abs(target)
            room = np.where(bounded, 0.0, tolerance * np.maximum(size, self.floor))
            room += np.where(size > 0, ROUNDING * size, ROUNDING_AT_ZERO)
            met = np.abs(self.actual - target) <= room
            return met if self.change is None else np.where(self.moves, self.moved_as_meant() == 1.0, met)


@runtime_checkable
class EachMetric(Protocol):
    """A metric that is a mean over single outcomes: `each` gives a number for every row, NaN where it has none."""

    def each(self, outcomes: OutcomeColumn) -> Floats: ...


@dataclass(frozen=True)
class OutcomeCounts:
    """What was counted of one key, or of all (`key` None), in the scenarios of a cell.

    `scenarios` are all of them, `overall` the moments of those that have a score, `matched` and `missing` outcomes;
    `further` holds the moments of each EachMetric; `levels` counts "must", "must met", "should", "should met";
    `free` is the mean overall that null simulators reach at best, on a draw of the scenarios; `above` gives by how much
    the score is above theirs, `median_error` the median relative error, both on that draw. `ends` are those of the
    interval of the mean overall where scenarios come in items. `within` says how often the intended number is in the
    interval over replicates. `findings` are the values of what questions find, or why that was not looked for.
    """

    key: str | None
    scenarios: int
    matched: int
    missing: int
    direction: Moments | Ratio
    magnitude: Moments | Ratio
    overall: Moments
    further: Mapping[Any, Moments] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    variance: Moments = field(default_factory=Moments)
    loss: Moments = field(default_factory=Moments)
    within: Moments = field(default_factory=Moments)
    free: float | None = None
    ends: tuple[float | None, float | None] | None = None
    above: Callable[[], Estimate] | None = None
    median_error: Callable[[], Estimate] | None = None
    why_empty: str = "no outcome was scored"
    findings: Mapping[str, float | str] | None = None

    @property
    def counted(self) -> int:
        """How many outcomes came."""
        return self.matched
