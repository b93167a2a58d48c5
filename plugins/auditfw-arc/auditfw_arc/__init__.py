"""A solver that searches programs for ARC's grids: a plugin that is shipped with auditfw, in the same wheel.

Plugins are imported at every start, so only the settings are here; what searches is imported by the first request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from auditfw import Ask, Reply, UsageError, register


@register("solver", "search")
@dataclass(frozen=True)
class SearchSolver:
    """Searches programs made of grid transforms and learnt tables, best first; each attempt continues the search.

    Each request is worth `seconds` of work, counted from what was evaluated and not from a clock, so that it is the
    same on every machine; it ends early when a program gives every training output and is simple enough. Steps,
    features, classes of cells, classes seen in one example only and test cells of unseen classes make a program
    expensive: one that fits but costs more than `caution` has memorised the examples, and is not returned. Nothing is
    tried twice, and programs that extend the attempt with the best score are tried first. Problems that are not grids
    of the numbers 0 to 9 get no program.
    """

    seconds: float = 0.15
    caution: float = 4.0

    clock: ClassVar[Literal["work", "wall"]] = "work"

    def __post_init__(self) -> None:
        for name in ("seconds", "caution"):
            if getattr(self, name) <= 0:
                raise UsageError(name, "expected a number above 0", getattr(self, name))

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, ask: Ask) -> Reply:
        from .search import reply_to

        return reply_to(ask, self)
