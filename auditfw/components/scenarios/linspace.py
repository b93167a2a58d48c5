"""Scenarios that sweep one parameter."""

from __future__ import annotations

from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

from .designs import PLACE, Aim, check_size


@declare("scenarios", "linspace")
class Linspace(Aim):
    """Sweeps one parameter in even steps from `start` to `stop`, both included.

    - `name`: the parameter; null: the simulator's first one;
    - `start`, `stop`: null: the simulator's bounds; `steps`: how many values;
    - `intended`: {key: number}, the same for all scenarios; empty: the simulator's own intended outcomes;
    - `fixed`: {parameter: number} of the others; `group`.
    """

    name: str | None = None
    start: float | None = None
    stop: float | None = None
    steps: int = 21

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        import numpy as np

        low, high = self.start, self.stop
        name = self.name
        if name is None or low is None or high is None:
            known = self.ranges({})
            name = next(iter(known)) if name is None else name
            if name not in known:
                raise UsageError(
                    f"{PLACE}.name", f"the simulator gives no bounds for '{name}'", None, nearest(name, list(known))
                )
            low, high = (known[name][0] if low is None else low), (known[name][1] if high is None else high)
        check_size(self.steps, "steps")
        return self.evidence({name: np.linspace(low, high, self.steps)}, [name])
