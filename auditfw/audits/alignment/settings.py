"""The alignment audit's settings, and the formulas that they choose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from auditfw.audits.findings import check_known
from auditfw.core.errors import UsageError
from auditfw.core.results.findings import Known
from auditfw.formulas.alignment import FLOOR, ZERO_SLOPE, AlignmentRule, checked_weight
from auditfw.formulas.parameter_search import OutOfBounds
from auditfw.kinds.capabilities import capability
from auditfw.kinds.metrics import Metric
from auditfw.kinds.scenarios import ScenarioSet, Weights
from auditfw.kinds.simulation import Simulator

PARAM = "param."  # before the name of a parameter, where it stands among columns


@dataclass(frozen=True)
class Unintended:
    """When an output that nobody intended counts as moved from the baseline.

    By more than `units` noise units (the standard error of a difference between replicates; 0 without replicates) and
    by more than `share` of the baseline's size (at least `audit.floor`).
    """

    units: float = 3.0
    share: float = 0.05

    def __post_init__(self) -> None:
        for name in ("units", "share"):
            if getattr(self, name) < 0:
                raise UsageError(name, "expected a number of 0 or more", getattr(self, name))


@dataclass(frozen=True)
class AlignmentSettings:
    """The settings of an alignment audit; `Alignment` says what each setting does."""

    scenarios: ScenarioSet
    simulator: Simulator
    metrics: dict[str, Metric] = field(default_factory=dict)
    weights: Weights = field(default_factory=Weights)
    other_weights: dict[str, Weights] = field(default_factory=dict)
    key_weights: dict[str, float] = field(default_factory=dict)
    floor: float = FLOOR
    zero_slope: float = ZERO_SLOPE
    no_data: Literal["undefined", "zero"] = "undefined"
    tolerance: float = 0.05
    bool_as_number: bool = True
    out_of_bounds: OutOfBounds = "error"
    baseline: str | None = None
    replicates: int = 1
    unintended: Unintended = field(default_factory=Unintended)
    try_again: bool = True
    draw: int = 2_000
    aligned: float = 0.5
    most_missed: float = 0.5
    least_scenarios: int = 6
    sensitivity: bool = False
    max_error_rate: float = 0.0
    known: dict[str, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, weight in self.key_weights.items():
            checked_weight(key, weight)
        if self.key_weights and not any(self.key_weights.values()):
            raise UsageError("key_weights", "the weights add up to zero", None, "give some key a weight above 0")
        check_known(self.known)
        self.rule()
        if not 0.0 <= self.max_error_rate <= 1.0:
            raise UsageError("max_error_rate", "expected a number from 0 to 1", self.max_error_rate)
        if self.tolerance < 0:
            raise UsageError("tolerance", "expected a number of 0 or more", self.tolerance)
        for name in ("aligned", "most_missed"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(name, "expected a number from 0 to 1", getattr(self, name))
        for name in self.other_weights:
            if not re.fullmatch(r"[^\s@.]+", name):
                raise UsageError(
                    "other_weights", "a name must not contain white space, @ or a dot", name, "give it another name"
                )
        for name, least in (("replicates", 1), ("draw", 0), ("least_scenarios", 2)):
            if getattr(self, name) < least:
                raise UsageError(name, f"expected a whole number of {least} or more", getattr(self, name))

    def rule(self) -> AlignmentRule:
        """The formulas with their constants."""
        return AlignmentRule(self.weights, self.floor, self.zero_slope)

    @property
    def recorded(self) -> bool:
        """Whether the simulator runs nothing: what is wrong with the scenarios then shows as they are read."""
        return bool(capability(self.simulator, "recorded", False))
