"""The setting `truth`: the rater whose labels of a part of the items correct the rates of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, cast

from auditfw.core.errors import UsageError, near, nearest

if TYPE_CHECKING:
    from auditfw.formulas.people.judge_rates import Sampling

SAMPLINGS = ("random", "items", "probability", "all")


@dataclass(frozen=True)
class Truth:
    """A rater that labelled a part of the items, how that part was chosen, and which labels the rate is of.

    `weight` is the column of the probability with which an item was chosen, for that sampling.
    """

    rater: str
    sampling: str = ""
    positive: str | int | tuple[str | int, ...] | None = None
    weight: str = ""

    def __post_init__(self) -> None:
        if self.sampling not in SAMPLINGS:
            how = f"say how the items with a label of {self.rater} were chosen"
            meant = near(self.sampling, SAMPLINGS)
            do = meant or f"{', '.join(SAMPLINGS[:-1])} or {SAMPLINGS[-1]}"
            raise UsageError("sampling", how, self.sampling or None, do)
        if self.weight and self.sampling != "probability":
            raise UsageError("weight", "goes with sampling: probability only", self.weight, "leave it out")
        if self.sampling == "probability" and not self.weight:
            raise UsageError("weight", "not set", None, "write weight: COLUMN, that of the probabilities")

    def counted(self, labels: Sequence[str], valid: str) -> Self:
        """With the positive labels as texts, those that were named or `valid`. Raises UsageError."""
        named = self.positive if isinstance(self.positive, tuple) else (self.positive,)
        positive = [str(label) for label in named if label is not None] or [valid]
        for label in positive:
            if label not in labels:
                known = f"audit.labels: {', '.join(labels)}"
                if self.positive in (None, ()):
                    raise UsageError("truth.positive", "say which label the rate is of", known, "write positive: LABEL")
                raise UsageError("truth.positive", f"no label '{label}'", known, nearest(label, labels))
        return replace(self, positive=tuple(positive))

    @property
    def how(self) -> Sampling:
        """How the items were chosen."""
        return cast("Sampling", self.sampling)

    @property
    def labels(self) -> tuple[str, ...]:
        """The positive labels."""
        return cast(tuple[str, ...], self.positive)
