"""Whether the simulator gives the same when a scenario runs again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditfw.audits.alignment.actual import Outcomes
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


@dataclass(frozen=True)
class FirstRun:
    """What some scenarios gave when they ran first: outcomes by key, and the scores of those that are intended."""

    names: Sequence[str]
    outcomes: Mapping[str, Floats]
    scores: Mapping[str, KeyScores]
    tolerance: float

    def taken(self, place: int) -> FirstRun:
        """One of the scenarios alone."""
        rows = [place]
        outcomes = {key: column[rows] for key, column in self.outcomes.items()}
        scores = {key: one.taken(rows) for key, one in self.scores.items()}
        return FirstRun([self.names[place]], outcomes, scores, self.tolerance)

    def differing(self, again: Outcomes, apart: bool = False) -> list[RepeatDifference]:
        """The outcomes that came otherwise when the same scenarios ran again."""
        differences = []
        for key, first in self.outcomes.items():
            second, one = again.column(key)[0], self.scores.get(key)
            far = np.zeros(len(first), bool) if one is None else far_apart(one, second, self.tolerance)
            for i in np.flatnonzero(moved(first, second)).tolist():
                numbers = float(first[i]), float(second[i])
                differences.append(RepeatDifference(self.names[i], key, *numbers, bool(far[i]), apart))
        return differences


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
