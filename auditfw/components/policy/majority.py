"""The policy that goes with the majority of the raters."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.judgements import (
    DERIVED,
    MAJORITY,
    Decision,
    RowColumns,
    more_than_half,
)
from auditfw.kinds.registry import declare


@declare("policy", "majority")
class Majority:
    """Decides by majority: the label that more than half of the raters with a label gave, else no label.

    `raters` are those who vote (null: all); `otherwise` is the final label without a majority (null: none).
    """

    raters: tuple[str, ...] | None = None
    otherwise: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The raters it names."""
        return self.raters or ()

    @property
    def labels(self) -> tuple[str, ...]:
        """It compares with no label of its own."""
        return ()

    @property
    def finals(self) -> tuple[str, ...]:
        """The raters' labels, and what it gives where there is no majority."""
        return (f"{{{MAJORITY}}}", *([] if self.otherwise is None else [self.otherwise]))

    def check(self, raters: Sequence[str], labels: Sequence[str], reference: str) -> None:
        """Raises UsageError for a rater that is not in the run."""
        for i, name in enumerate(self.raters or ()):
            if name not in raters:
                raise UsageError(f"raters[{i}]", f"no rater '{name}'", None, nearest(name, list(raters)))

    def __call__(self, rows: RowColumns) -> list[Decision]:
        """The final label and the reason of each row: unanimous, majority or no_majority."""
        voters = self.raters or [name for name in rows if name not in DERIVED]
        return [self._decide(votes) for votes in zip(*(rows[name] for name in voters), strict=True)]

    def _decide(self, votes: Sequence[str | None]) -> Decision:
        best = more_than_half(votes)
        if best is None:
            return self.otherwise, "no_majority"
        return best, "unanimous" if len({vote for vote in votes if vote is not None}) == 1 else "majority"
