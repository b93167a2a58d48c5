"""Scenarios of a Latin hypercube."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .designs import Sampled


@register("scenarios", "lhs")
@dataclass(frozen=True)
class LatinHypercube(Sampled):
    """Draws a Latin hypercube (McKay, Beckman and Conover 1979) by SciPy: one point in each stratum of every parameter.

    - `bounds`: {parameter: [low, high]}; empty: the simulator's bounds of all that are not `fixed`;
    - `n`: how many scenarios; `seed`: the run's own, unless given;
    - `intended`, `fixed`, `group`: as for `linspace`.
    """

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        return self.drawn("LatinHypercube")
