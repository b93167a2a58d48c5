"""The parsing audit's settings, and the readings that they choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.capabilities import Named
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.text import Matcher, Normalizer, Parser

from .facts import BLOCK_MARKERS, ROLE_MARKERS, THINK_END
from .places import PLACE
from .trials import optional_columns

STORED_TRUE = ("1", "1.0", "true", "True", "TRUE")
STORED_FALSE = ("0", "0.0", "false", "False", "FALSE")


@dataclass(frozen=True)
class Baseline:
    """The parser and normalizer that, with the same matcher, should reproduce the stored labels."""

    parser: Named[Parser]
    normalizer: Named[Normalizer]

    @property
    def name(self) -> str:
        return f"{self.parser.name}+{self.normalizer.name}"


@dataclass(frozen=True)
class ParsingSettings:
    """The settings of a parsing audit; `Parsing` says what each setting does."""

    source: Source
    matcher: Matcher
    parsers: dict[str, Parser]
    normalizers: dict[str, Normalizer]
    readings: tuple[str, ...] | None = None
    default_readings: tuple[str, ...] = ()
    baseline: Baseline | None = None
    truth: Named[Parser] | None = None
    undefined: Literal["zero", "drop"] = "zero"
    markers: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"role": ROLE_MARKERS, "block": BLOCK_MARKERS})
    delimiter: str = THINK_END
    stored_true: tuple[str, ...] = STORED_TRUE
    stored_false: tuple[str, ...] = STORED_FALSE
    unknown_stored: Literal["error", "count"] = "error"
    keep_text: bool = False
    max_error_rate: float = 0.0
    verify: float = 0.0

    def __post_init__(self) -> None:
        for name, chosen in (("parsers", self.parsers), ("normalizers", self.normalizers)):
            if not chosen:
                word = name[:-1]
                raise UsageError(name, f"no {word} is chosen", None, f"choose some: {word}=[...] (auditfw list {word})")
        for name in ("max_error_rate", "verify"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(name, "must be between 0 and 1", getattr(self, name))
        self.chosen()

    def chosen(self) -> list[str]:
        """The names of the readings wanted: picked, by default, or the whole grid. Raises UsageError."""
        grid = [f"{p}+{n}" for n in self.normalizers for p in self.parsers]
        if self.readings is not None:
            if not self.readings:
                raise UsageError("readings", "is empty", None, f"write null for all, or some of {', '.join(grid)}")
            for i, name in enumerate(self.readings):
                if name not in grid:
                    what = f"no reading '{name}' among those chosen"
                    raise UsageError(f"readings[{i}]", what, None, nearest(name, grid))
            return list(dict.fromkeys(self.readings))
        usual = [name.split("+", 1) for name in self.default_readings if "+" in name]
        if {p for p, _ in usual} == set(self.parsers) and {n for _, n in usual} == set(self.normalizers):
            return [name for name in dict.fromkeys(self.default_readings) if name in grid]
        return grid

    def plan(self, columns: Sequence[str]) -> tuple[ReadingPlan, list[str]]:
        """The plan for the columns at hand, and the names of its readings; the baseline comes last if it is extra."""
        names = self.chosen()
        have = "parsed_text" in columns
        parsers = [Named(name, part) for name, part in self.parsers.items()]
        normalizers = [Named(name, part) for name, part in self.normalizers.items()]
        wanted = names[:]
        if self.baseline is not None and (have or self.baseline.parser.part.column != "parsed_text"):
            wanted += [self.baseline.name] if self.baseline.name not in wanted else []
            parsers += [self.baseline.parser] if self.baseline.parser.name not in self.parsers else []
            normalizers += [self.baseline.normalizer] if self.baseline.normalizer.name not in self.normalizers else []
        places = {f"{p.name}+{n.name}": (i, j) for i, p in enumerate(parsers) for j, n in enumerate(normalizers)}
        return ReadingPlan(
            tuple(parsers), tuple(normalizers), self.matcher, tuple(places[name] for name in wanted)
        ), names

    def open(self, by: Sequence[str], placed: bool = False) -> Evidence:
        """Opens the source for the columns this audit reads, with FILE:LINE if wanted. Raises DataError."""
        raw = any(part.column == "raw_text" for part in self.parsers.values())
        required = ["ground_truth", *(["raw_text"] if raw else [])]
        optional = [*optional_columns(self.keep_text), *([PLACE] if placed else [])]
        return self.source.open(list(dict.fromkeys([*required, *by])), optional)

    def baseline_in(self, plan: ReadingPlan, columns: Sequence[str]) -> int | None:
        """The number of the baseline among a plan's readings; None where there is none, or no stored label."""
        if self.baseline is None or self.baseline.name not in plan.names():
            return None
        return plan.names().index(self.baseline.name) if "stored" in columns else None

    def absent(self, columns: Sequence[str], baseline: int | None) -> dict[str, str]:
        """For each metric that the columns at hand cannot give the reason why."""
        reason = ""
        if "stored" not in columns:
            reason = "the source has no column 'stored'"
        elif self.baseline is not None and baseline is None:
            reason = "the source has no column 'parsed_text'"
        elif self.baseline is None:
            reason = "audit.baseline is null"
        return {"mismatches": reason} if reason else {}
