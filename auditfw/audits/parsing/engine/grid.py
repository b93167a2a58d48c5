"""The grid of a run's readings: every parser with every normalizer and, where several are chosen, every matcher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.text import Matcher, Normalizer, Parser

from .plan import ReadingPlan, RowRules


@dataclass(frozen=True)
class BaselineRule:
    """A parser, a normalizer and a matcher (None: that of the run, of several the first)."""

    parser: Named[Parser]
    normalizer: Named[Normalizer]
    matcher: Named[Matcher] | None = None

    @property
    def name(self) -> str:
        matcher = "" if self.matcher is None else f"+{self.matcher.name}"
        return f"{self.parser.name}+{self.normalizer.name}{matcher}"


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
            raise UsageError(
                "rules",
                "has no rule",
                None,
                "write audit.baseline.rules={VALUE: {parser: NAME, normalizer: NAME}}",
            )

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


NO_BASELINE = Baseline()


@dataclass(frozen=True)
class ReadingGrid:
    """What readings are made of, and their names: `parser+normalizer`, under several matchers `+matcher` too."""

    parsers: Mapping[str, Parser]
    normalizers: Mapping[str, Normalizer]
    matchers: Mapping[str, Matcher]

    @property
    def ends(self) -> list[str]:
        """What the name of a reading ends in: one of several matchers, or nothing."""
        return [f"+{name}" for name in self.matchers] if len(self.matchers) > 1 else [""]

    @property
    def _several(self) -> list[Named[Matcher] | None]:
        """The matchers by name where there are several."""
        return [Named(name, part) for name, part in self.matchers.items()] if len(self.matchers) > 1 else []

    def names(self) -> list[str]:
        """All readings, matcher by matcher."""
        return list(self._parsers())

    def parser_of(self, name: str) -> Parser:
        """The parser of a reading."""
        return self.parsers[self._parsers()[name]]

    def _parsers(self) -> dict[str, str]:
        return {f"{p}+{n}{end}": p for end, n, p in product(self.ends, self.normalizers, self.parsers)}

    def by_default(self, usual: Sequence[str]) -> list[str]:
        """The readings that are usual where their parsers and normalizers are those chosen: under each matcher.

        The whole grid where others are chosen.
        """
        pairs = [name.split("+", 1) for name in usual if "+" in name]
        if {p for p, _ in pairs} != set(self.parsers) or {n for _, n in pairs} != set(self.normalizers):
            return self.names()
        names = self.names()
        return [full for end in self.ends for name in dict.fromkeys(usual) if (full := f"{name}{end}") in names]

    def plan(
        self, wanted: Sequence[str], matcher: Matcher, extra: tuple[Named[Parser], Named[Normalizer]] | None = None
    ) -> ReadingPlan:
        """The plan for the readings wanted; `extra` is a pair that they may need besides, under the first matcher."""
        parsers = [Named(name, part) for name, part in self.parsers.items()]
        several = self._several or [None]
        ends = [(Named(n, part), m) for m in several for n, part in self.normalizers.items()]
        if extra is not None:
            parser, normalizer = extra
            parsers += [parser] if parser.name not in self.parsers else []
            ends += [(normalizer, several[0])] if normalizer.name not in self.normalizers else []
        pairs = list(product(range(len(parsers)), range(len(ends))))
        plan = ReadingPlan(
            tuple(parsers),
            tuple(normalizer for normalizer, _ in ends),
            matcher,
            tuple(pairs),
            tuple(named for _, named in ends if named is not None),
        )
        places = dict(zip(plan.names(), pairs, strict=True))
        return replace(plan, readings=tuple(places[name] for name in wanted))


def with_rules(plan: ReadingPlan, name: str, column: str, rules: Mapping[str, BaselineRule]) -> ReadingPlan:
    """The plan with one more reading, last: each row is labelled by the rule of its value in a column.

    Parsers and normalizers that rules share with each other or with readings of the plan are in it once. A reading
    whose matcher stands for that of the row's rule keeps its parser and its normalizer.
    """
    parsers, normalizers, several = list(plan.parsers), list(plan.normalizers), list(plan.matchers)
    ends: list[tuple[Any, Any]] = [(one.part, plan.matcher_of(n)) for n, one in enumerate(normalizers)]
    own: dict[int, Named[Matcher]] = {}
    places: dict[str, tuple[int, int]] = {}
    for value, rule in rules.items():
        parts = [one.part for one in parsers]
        if rule.parser.part not in parts:
            taken = any(one.name == rule.parser.name for one in parsers)
            parsers.append(Named(f"{rule.parser.name} of {value}" if taken else rule.parser.name, rule.parser.part))
            parts.append(rule.parser.part)
        matcher = plan.matcher if rule.matcher is None else rule.matcher.part
        end = rule.normalizer.part, matcher
        if end not in ends:
            if rule.matcher is not None and matcher != plan.matcher:
                own[len(ends)] = rule.matcher
            ends.append(end)
            normalizers.append(rule.normalizer)
            several += several[:1]
        places[value] = parts.index(rule.parser.part), ends.index(end)
    rivals: dict[tuple[int, int], dict[str, tuple[int, int]]] = {}
    for p, n in plan.readings:
        if capability(plan.matcher_of(n), "by_rule", False):
            of = rivals[p, n] = {}
            for value, rule in rules.items():
                end = plan.normalizers[n].part, plan.matcher if rule.matcher is None else rule.matcher.part
                if end not in ends:
                    own |= {len(ends): rule.matcher} if rule.matcher is not None else {}
                    ends.append(end)
                    normalizers.append(plan.normalizers[n])
                    several += several[:1]
                of[value] = p, ends.index(end)
    readings = (*plan.readings, next(iter(places.values())))
    ruled = RowRules(name, column, places, own, rivals)
    return ReadingPlan(tuple(parsers), tuple(normalizers), plan.matcher, readings, tuple(several), ruled)
