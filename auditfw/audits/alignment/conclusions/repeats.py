"""Whether the simulator gives the same when a scenario runs again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditfw.audits.alignment.intended import Floats
from auditfw.audits.alignment.key_scores import KeyScores
from auditfw.formulas.outcome_columns import ROUNDING, ROUNDING_AT_ZERO


@dataclass(frozen=True)
class RepeatDifference:
    """An outcome that its scenario gave otherwise when it ran again; `far` says that this may change what is met.

    `apart` says that it ran in a process of its own.
    """

    scenario: str
    key: str
    first: float
    second: float
    far: bool
    apart: bool = False

    @property
    def numbers(self) -> list[float | None]:
        """Both numbers, None for one that is not finite."""
        return [number if np.isfinite(number) else None for number in (self.first, self.second)]


def moved(first: Floats, second: Floats) -> Any:
    """Where two runs differ by more than rounding."""
    return ~np.isclose(first, second, rtol=ROUNDING, atol=ROUNDING_AT_ZERO, equal_nan=True)


def far_apart(one: KeyScores, second: Floats, tolerance: float) -> Any:
    """Where two runs differ by more than half the tolerance; where there is none (a bound), one alone is met."""
    of, bounded = one.compared, False if one.bounded is None else one.bounded
    with np.errstate(all="ignore"):
        assumed = tolerance * np.maximum(np.abs(of.low), of.floor)
        room = np.where(bounded, (of.high - of.low) / 2, assumed)
        turned = of.met(tolerance, bounded) != replace(of, actual=second).met(tolerance, bounded)
        gone = np.isnan(of.actual) != np.isnan(second)
        far = np.where(np.isfinite(room), np.abs(of.actual - second) > room / 2, turned)
        return one.matched & (far | gone)
