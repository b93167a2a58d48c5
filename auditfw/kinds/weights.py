"""What direction and magnitude weigh in the score of an outcome: a kind of values, not of components."""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditfw.core.errors import UsageError


@dataclass(frozen=True)
class Weights:
    """What direction and magnitude weigh in the combined score; only their ratio matters."""

    direction: float = 0.5
    magnitude: float = 0.5

    def __post_init__(self) -> None:
        for name in ("direction", "magnitude"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(name, "expected a weight of 0 or more", getattr(self, name))
        if self.direction + self.magnitude <= 0:
            raise UsageError("", "the weights add up to zero", None, "give direction or magnitude some weight")

    @property
    def words(self) -> str:
        """The weights in words: `balanced`, `magnitude alone`, `direction 1 : magnitude 3`."""
        if self.direction == self.magnitude:
            return "balanced"
        if 0 in (self.direction, self.magnitude):
            return "magnitude alone" if self.magnitude else "direction alone"
        return f"direction {self.direction:g} : magnitude {self.magnitude:g}"
