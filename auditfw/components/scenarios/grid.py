"""Scenarios that combine the values of parameters."""

from __future__ import annotations

import math
from dataclasses import field

from auditfw.core.errors import UsageError
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

from .designs import PLACE, Aim, check_size


@declare("scenarios", "grid")
class GridScenarios(Aim):
    """Combines every value of each parameter with every value of the others; the last one varies fastest.

    - `axes`: {parameter: [values]}; empty: `levels` even steps over the simulator's bounds of each parameter;
    - `intended`, `fixed`, `group`: as for `linspace`.
    """

    axes: dict[str, tuple[float, ...]] = field(default_factory=dict)
    levels: int = 4

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        import numpy as np

        axes = {name: np.array(values) for name, values in self.axes.items()}
        for name, values in axes.items():
            if not len(values) or len(set(values.tolist())) < len(values):
                raise UsageError(f"{PLACE}.axes.{name}", "expected different values", self.axes[name])
        if not axes:
            axes = {name: np.linspace(*pair, self.levels) for name, pair in self.ranges({}).items()}
        check_size(math.prod(map(len, axes.values())), "axes")
        columns = np.meshgrid(*axes.values(), indexing="ij")
        return self.evidence({n: c.ravel() for n, c in zip(axes, columns, strict=True)}, list(axes))
