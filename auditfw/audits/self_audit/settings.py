"""The self-audit's settings, and the readings that they choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from auditfw.audits.findings import check_known
from auditfw.core.errors import UsageError
from auditfw.core.records import Reading
from auditfw.core.results.findings import Known
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Source
from auditfw.kinds.ledger import Stop, StopRule
from auditfw.kinds.solving import Clock, Executor, Scoring, Solver

from .evaluate import NO_EXECUTOR
from .readings import LIVE, RUN_ALL, STORED


@dataclass(frozen=True)
class WrongBounds:
    """What shares of wrong tests among the answers that solve training mean, and how many such answers there must be.

    The answer is broken or fragile where the lower end of the interval is above that share, unknown where the upper end
    is above `unknown` or there are fewer than `least`.
    """

    broken: float = 0.5
    fragile: float = 0.05
    unknown: float = 0.25
    least: int = 10

    def __post_init__(self) -> None:
        for name in ("broken", "fragile", "unknown"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(name, "expected a number from 0 to 1", getattr(self, name))
        if self.least < 1:
            raise UsageError("least", "expected a whole number of 1 or more", self.least)


@dataclass(frozen=True)
class SelfAuditSettings:
    """The settings of a self-audit; `SelfAudit` says what each setting does."""

    source: Source
    solver: Solver
    stop: Stop
    scoring: Scoring
    executor: Executor | None = None
    stop_rules: dict[str, StopRule] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    empty_training: Literal["refuse", "success"] = "refuse"
    retry_unfinished: bool = False
    max_error_rate: float = 0.0
    wrong: WrongBounds = WrongBounds()
    known: dict[str, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 <= self.max_error_rate <= 1.0:
            raise UsageError("max_error_rate", "expected a number from 0 to 1", self.max_error_rate)
        check_known(self.known)

    @property
    def clock(self) -> Clock:
        """The clock of the run: that of the stop rule, else the solver's own."""
        return self.stop.clock or self.solver.clock

    @property
    def light(self) -> bool:
        """Whether a problem costs next to nothing, as recorded attempts do."""
        return bool(capability(self.solver, "light", False)) and self.executor is None

    @property
    def tier(self) -> str | None:
        """How far candidate programs are kept apart; None where none run."""
        return None if self.executor is None else self.executor.tier

    @property
    def dollars(self) -> bool:
        """Whether recorded costs are in dollars, by the name of their column."""
        column = str(capability(self.solver, "columns", {}).get("cost")).lower()
        return "usd" in column or "dollar" in column

    def check_parts(self) -> None:
        """Finds out what is missing before the first request. Raises AuditError."""
        self.solver.check()
        if self.executor is not None:
            self.executor.check()
        elif capability(self.solver, "programs", False):
            raise UsageError("executor", "the solver returns programs, and nothing runs them", None, NO_EXECUTOR)

    def readings(self, labelled: bool) -> list[Reading]:
        """The loop as it ran, with every iteration, under each rule; and the recorded label where there is one."""
        readings = [Reading(RUN_ALL, "reference"), Reading(LIVE, "candidate")]
        readings += [Reading(name, "candidate") for name in self.stop_rules]
        return [*readings, Reading(STORED, "baseline")] if labelled else readings
