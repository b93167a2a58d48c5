"""Alignment of actual with intended outcomes: the formulas, for one pair of mappings and for whole columns.

Source: `POSIWIDAuditor` of zimmerman-toolkit (Cramer, Zimmerman 2026, MIT), after Beer's "The purpose of a system is
what it does" (1974); its constants are settings here. Both ways give the same bits.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditfw.core.errors import UsageError
from auditfw.kinds.scenarios import Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FLOOR = 0.1
ZERO_SLOPE = 5.0
LARGEST = sys.float_info.max  # a whole number may be larger: no float is
SEQUENTIAL = 8  # numpy sums fewer numbers than these one after the other, more of them pairwise

Scores = tuple[float, float, float]


@dataclass(frozen=True)
class AlignmentRule:
    """How one intended number is held against an actual one.

    - direction: 1 where both have one sign, else 0; for an intended 0 `max(0, 1 - zero_slope * |actual|)`;
    - magnitude: `max(0, 1 - |actual - intended| / max(|intended|, floor))`;
    - combined: their mean by `weights`.
    """

    weights: Weights = field(default_factory=Weights)
    floor: float = FLOOR
    zero_slope: float = ZERO_SLOPE

    def __post_init__(self) -> None:
        if not 0 < self.floor < math.inf:
            raise UsageError("floor", "expected a number above 0", self.floor)
        if not 0 <= self.zero_slope < math.inf:
            raise UsageError("zero_slope", "expected a number of 0 or more", self.zero_slope)

    def pair(self, intended: float, actual: float) -> Scores:
        """Direction, magnitude and combined score of one pair; all zero where either is not finite."""
        if not (math.isfinite(intended) and math.isfinite(actual)):
            return 0.0, 0.0, 0.0
        if intended == 0.0:
            direction = max(0.0, 1.0 - abs(actual) * self.zero_slope)
        else:
            direction = 1.0 if intended * actual > 0 else 0.0
        magnitude = max(0.0, 1.0 - abs(actual - intended) / max(abs(intended), self.floor))
        return direction, magnitude, self.combine(direction, magnitude)

    def combine(self, direction: Any, magnitude: Any) -> Any:
        """The mean of both by weight, of numbers or of columns."""
        weights = self.weights
        total = weights.direction + weights.magnitude
        mixed = weights.direction * direction + weights.magnitude * magnitude
        return mixed if total == 1.0 else mixed / total

    def columns(self, low: Floats, high: Floats, actual: Floats) -> tuple[Floats, Floats, Floats]:
        """The scores of whole columns against bands `low <= actual <= high`; `low is high` for plain numbers.

        A band is met (all scores 1) inside, and outside it is its nearer end, held against as a plain number; a band
        whose ends are equal is that number. Ends may be infinite.
        """
        import numpy as np

        with np.errstate(all="ignore"):
            target = low if low is high else np.clip(actual, low, high)
            sound = np.isfinite(actual) & np.isfinite(target)
            direction = (target * actual > 0).astype(np.float64)
            zero = target == 0.0
            if zero.any():
                direction[zero] = np.maximum(0.0, 1.0 - np.abs(actual[zero]) * self.zero_slope)
            scale = np.abs(target)
            np.maximum(scale, self.floor, out=scale)
            magnitude = np.abs(actual - target)
            magnitude /= scale
            np.subtract(1.0, magnitude, out=magnitude)
            np.maximum(0.0, magnitude, out=magnitude)
            if low is not high:
                inside = (low < high) & (low <= actual) & (actual <= high)
                direction[inside] = magnitude[inside] = 1.0
            if not sound.all():
                direction[~sound] = magnitude[~sound] = 0.0
            return direction, magnitude, self.combine(direction, magnitude)


def score_alignment(  # noqa: PLR0913 - two mappings, and the settings of the audit by name
    intended: Mapping[str, Any],
    actual: Any,
    *,
    weights: Weights | Mapping[str, float] | None = None,
    key_weights: Mapping[str, float] | None = None,
    floor: float = FLOOR,
    zero_slope: float = ZERO_SLOPE,
) -> dict[str, Any]:
    """Holds actual outcomes against intended ones, key by key.

    Gives `per_key` {key: {direction_match, magnitude_match, combined}}, `overall` (the mean of combined, by
    `key_weights` where given; 0.0 without a scored key), `n_keys_matched` and `n_keys_missing`. A key that is absent
    from `actual` or not a number there (bool counts as one, arrays and text do not) is missing; one that is not
    finite is matched with scores of zero. Raises what `float()` raises for an intended value it cannot read.
    """
    chosen = weights if isinstance(weights, Weights) else Weights(**(weights or {}))
    rule = AlignmentRule(chosen, floor, zero_slope)
    per_key: dict[str, dict[str, float]] = {}
    missing = 0
    for key, meant in intended.items():
        if key not in actual or not is_number(actual[key]):
            missing += 1
            continue
        got = float(actual[key])
        direction, magnitude, combined = rule.pair(float(meant), got)
        per_key[key] = {"direction_match": direction, "magnitude_match": magnitude, "combined": combined}
    scores = [scores_of_key["combined"] for scores_of_key in per_key.values()]
    if key_weights is None:
        overall = mean_of(scores)
    else:
        overall = weighted_mean(scores, [checked_weight(key, key_weights.get(key, 1.0)) for key in per_key])
    return {"per_key": per_key, "overall": overall, "n_keys_matched": len(per_key), "n_keys_missing": missing}


def is_number(value: object) -> bool:
    """Whether a value counts as a number: int, float, bool, and NumPy's integers and floats (no arrays)."""
    if isinstance(value, int | float):
        return True
    if not type(value).__module__.startswith("numpy"):
        return False
    import numpy as np

    return isinstance(value, np.integer | np.floating)


def is_finite(value: Any) -> bool:
    """Whether a value is such a number, no boolean, and finite as a float: not so of an int beyond all floats."""
    return is_number(value) and not isinstance(value, bool) and bool(abs(value) <= LARGEST)


def checked_weight(key: str, weight: float) -> float:
    """A weight of a key as a float. Raises UsageError where it is negative or not finite."""
    if not 0 <= weight < math.inf:
        raise UsageError(f"key_weights.{key}", "expected a weight of 0 or more", weight)
    return float(weight)


def mean_of(values: Sequence[float]) -> float:
    """The mean in numpy's order of summation, 0.0 of none."""
    if len(values) < SEQUENTIAL:
        total = 0.0
        for value in values:
            total += value
        return total / len(values) if values else 0.0
    import numpy as np

    return float(np.mean(values))


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean by weight, 0.0 where the weights add up to nothing."""
    total = mass = 0.0
    for value, weight in zip(values, weights, strict=True):
        total += weight * value
        mass += weight
    return total / mass if mass else 0.0


def row_means(columns: Sequence[Floats]) -> Floats:
    """The mean across equally long columns, row by row: the bits of `mean_of` on each row."""
    import numpy as np

    if len(columns) >= SEQUENTIAL:
        return np.asarray(np.mean(np.ascontiguousarray(np.stack(columns, axis=1)), axis=1))
    total = columns[0].copy()
    for column in columns[1:]:
        total += column
    total /= len(columns)
    return total
