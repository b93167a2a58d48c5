"""The scoring of a simulator's outcomes: how well they are aligned with what was intended."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from auditfw.core.errors import DataError, UsageError, brief
from auditfw.formulas.alignment import (
    FLOOR,
    ZERO_SLOPE,
    AlignmentRule,
    checked_weight,
    is_number,
    mean_of,
    weighted_mean,
)
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import Intention, Weights, intention

SHOWN = 12


@dataclass(frozen=True)
class _Held:
    """One intended outcome: its intention and how it scored, with its weight; no score where the outcome is missing."""

    key: str
    meant: Intention
    score: float | None
    text: str
    weight: float


@declare("scoring", "alignment")
class AlignmentScoring:
    """Gives the alignment of a simulator's outcomes with the intended ones, and 1 if it is within the tolerance.

    `weights`, `key_weights`, `floor` and `zero_slope` are those of the alignment audit, and so is the score: the mean
    of direction and magnitude over the intended outcomes, which may be numbers or bands. An alignment of
    1 - `tolerance` or more is a success and counts as exactly 1; below that it counts as it is. With equal weights and
    correct signs, the tolerance is a mean deviation of 2 * `tolerance` from what was intended. `missing` says how an
    intended outcome that the simulator did not give is scored: as 0 ("zero"), or left out ("drop", as in the alignment
    audit); it is never a success.
    """

    weights: Weights = field(default_factory=Weights)
    key_weights: dict[str, float] = field(default_factory=dict)
    floor: float = FLOOR
    zero_slope: float = ZERO_SLOPE
    tolerance: float = 0.01
    missing: Literal["zero", "drop"] = "zero"

    def __post_init__(self) -> None:
        self._rule()
        for key, weight in self.key_weights.items():
            checked_weight(key, weight)
        if self.key_weights and not any(self.key_weights.values()):
            raise UsageError("key_weights", "the weights add up to zero", None, "give some key a weight above 0")
        if not 0.0 <= self.tolerance < 1.0:
            raise UsageError("tolerance", "expected a number from 0 to 1", self.tolerance)

    def _rule(self) -> AlignmentRule:
        return AlignmentRule(self.weights, self.floor, self.zero_slope)

    def __call__(self, output: Any, expected: Any) -> float:
        held = self._held(output, expected)
        overall = self._overall(held)
        complete = bool(held) and all(one.score is not None for one in held)
        if complete and overall >= 1.0 - self.tolerance:
            return 1.0
        return min(overall, math.nextafter(1.0 - self.tolerance, 0.0))

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why no outcomes can be held against an expected output, and what to do; "" where they can."""
        if not isinstance(expected, Mapping) or not expected:
            return "is not a mapping of outcomes", "the output of an example is a mapping {key: number}"
        try:
            self._held({}, expected)
        except DataError as error:
            return f"cannot be read: {error.what}", error.do or "write a number or a band"
        return "", ""

    def remark(self, output: Any, expected: Any) -> str:
        """The alignment, and the outcomes with what was intended, those furthest from it first."""
        if not isinstance(output, Mapping):
            return f"the outcomes are not a mapping: {brief(output)}"
        held = self._held(output, expected)
        ranked = sorted(held, key=lambda one: -1.0 if one.score is None else one.score)
        more = f"; and {len(ranked) - SHOWN} more" if len(ranked) > SHOWN else ""
        return f"alignment {self._overall(held):.6g}. " + "; ".join(one.text for one in ranked[:SHOWN]) + more

    def _overall(self, held: list[_Held]) -> float:
        kept = [one for one in held if self.missing == "zero" or one.score is not None]
        scores = [one.score or 0.0 for one in kept]
        if not self.key_weights and all(one.weight == 1.0 for one in kept):
            return mean_of(scores)
        return weighted_mean(scores, [one.weight for one in kept])

    def _held(self, output: Any, expected: Any) -> list[_Held]:
        """Each intended outcome against the actual one. Raises DataError for an intention that cannot be read."""
        if not isinstance(expected, Mapping):
            do = "the output of an example is a mapping {key: number}"
            raise DataError("audit.scoring", "alignment needs intended outcomes", brief(expected), do)
        rule = self._rule()
        came = output if isinstance(output, Mapping) else {}
        return [self._one(rule, str(key), value, came.get(key)) for key, value in expected.items()]

    def _one(self, rule: AlignmentRule, key: str, value: Any, actual: Any) -> _Held:
        try:
            meant = intention(value)
        except ValueError as error:
            raise DataError("audit.scoring", f"the intended '{key}' {error}") from None
        if meant.change:
            what = f"the intended '{key}' needs a baseline, which a loop does not have"
            raise DataError(
                "audit.scoring", what, brief(value), "write a number or a band (between, at_least, at_most)"
            )
        weight = self.key_weights.get(key, 1.0) * meant.weight
        wanted = f"{meant.low:g}" if meant.low == meant.high else f"{meant.low:g} to {meant.high:g}"
        if not is_number(actual):
            return _Held(key, meant, None, f"{key} is missing, intended {wanted}", weight)
        score = _scored(rule, meant, _float(actual))
        return _Held(key, meant, score, f"{key} is {_float(actual):.6g}, intended {wanted} ({score:.4f})", weight)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _scored(rule: AlignmentRule, meant: Intention, actual: float) -> float:
    """The combined score: 1 inside a band, else that of the band's nearer end."""
    if meant.low < meant.high and meant.low <= actual <= meant.high and math.isfinite(actual):
        return 1.0
    return float(rule.pair(min(max(actual, meant.low), meant.high), actual)[2])
