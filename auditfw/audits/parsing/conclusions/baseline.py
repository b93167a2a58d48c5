"""The rule that should give the stored labels, or one for each value of a column."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.audits.answers import RuleKind
from auditfw.audits.parsing.engine.grid import BaselineRule
from auditfw.core.errors import UsageError
from auditfw.kinds.capabilities import Named
from auditfw.kinds.text import Normalizer, Parser

RULE = "{parser: NAME, normalizer: NAME}"
NO_RULE = RuleKind(
    "no_rule",
    "Does any rule reproduce the stored labels?",
    "the share of stored labels that the best rule does not reproduce",
    "low_above",
    "broken",
    "audit.mismatch",
    " %",
)


@dataclass(frozen=True)
class Baseline:
    """What should give the stored labels: with the run's matcher (of several the first) a parser and a normalizer.

    Or `rules`, one for each value of the column `by`; where they are set, a rule beside them does not count. One with
    nothing set is no baseline.
    """

    parser: Named[Parser] | None = None
    normalizer: Named[Normalizer] | None = None
    by: str | None = None
    rules: dict[str, BaselineRule] | None = None

    def __post_init__(self) -> None:
        if not self:
            return
        if self.by is None and self.rules is None:
            for name in ("parser", "normalizer"):
                if getattr(self, name) is None:
                    raise UsageError(name, "not set", None, f"set audit.baseline.{name}=...")
        elif not self.by:
            raise UsageError("by", "not set", None, "name the column whose values have rules: audit.baseline.by=COLUMN")
        elif not self.rules:
            raise UsageError("rules", "has no rule", None, f"write audit.baseline.rules={{VALUE: {RULE}}}")

    def __bool__(self) -> bool:
        return any(one is not None for one in (self.parser, self.normalizer, self.by, self.rules))

    @property
    def single(self) -> BaselineRule | None:
        """The one rule; None where each value has its own."""
        if self.rules is not None or self.parser is None or self.normalizer is None:
            return None
        return BaselineRule(self.parser, self.normalizer)

    @property
    def column(self) -> str | None:
        """The column whose values have rules; None where there is one rule."""
        return self.by if self.rules is not None else None

    @property
    def every(self) -> list[BaselineRule]:
        """All its rules."""
        single = self.single
        return [single] if single is not None else list((self.rules or {}).values())

    @property
    def listed(self) -> str:
        """The column and its values that have rules, in words."""
        return f"a rule for each {self.by}: {', '.join(self.rules or {})}"


NONE = Baseline()
