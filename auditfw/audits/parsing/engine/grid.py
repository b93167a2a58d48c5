"""The grid of a run's readings: every parser with every normalizer and, where several are chosen, every matcher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

from auditfw.core.errors import UsageError
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.text import Matcher, Normalizer, Parser, Scorer

from .plan import ReadingPlan, RowRules


@dataclass(frozen=True)
class BaselineRule:
    """A parser, a normalizer and a matcher (None: that of the run, of several the first); `scorer` names all three."""

    parser: Named[Parser]
    normalizer: Named[Normalizer]
    matcher: Named[Matcher] | None = None
    scorer: str | None = None

    @property
    def name(self) -> str:
        if self.scorer is not None:
            return self.scorer
        matcher = "" if self.matcher is None else f"+{self.matcher.name}"
        return f"{self.parser.name}+{self.normalizer.name}{matcher}"

    @property
    def alone(self) -> Baseline:
        """The baseline that this rule is: where it is no scorer under the matcher of a run."""
        if self.scorer is None or self.matcher is None:
            return Baseline(self.parser, self.normalizer)
        return Baseline(scorer=Named(self.scorer, ScorerOf(self.parser.part, self.normalizer.part, self.matcher.part)))


class ScorerOf(NamedTuple):
    """A scorer of these parts."""

    parser: Parser
    normalizer: Normalizer
    matcher: Matcher


def rule_of_scorer(scorer: Named[Scorer]) -> BaselineRule:
    """The rule that a scorer is; its parts bear its name."""
    name, part = scorer.name, scorer.part
    return BaselineRule(Named(name, part.parser), Named(name, part.normalizer), Named(name, part.matcher), name)


@dataclass(frozen=True)
class Baseline:
    """What should give the stored labels: with the run's matcher (of several the first) a parser and a normalizer.

    Or a `scorer`; or `rules`, each a scorer or its parts, one for each value of the column `by`: where they are set, a
    rule beside them does not count. One with nothing set is no baseline.
    """

    parser: Named[Parser] | None = None
    normalizer: Named[Normalizer] | None = None
    by: str | None = None
    rules: dict[str, Named[Scorer] | BaselineRule] | None = None
    scorer: Named[Scorer] | None = None

    def __post_init__(self) -> None:
        if not self:
            return
        if self.by is None and self.rules is None and self.scorer is None:
            for name in ("parser", "normalizer"):
                if getattr(self, name) is None:
                    raise UsageError(name, "not set", None, f"set audit.baseline.{name}=...")
        elif self.rules is not None and not self.by:
            raise UsageError("by", "not set", None, "name the column whose values have rules: audit.baseline.by=COLUMN")
        elif self.by is not None and not self.rules:
            raise UsageError(
                "rules",
                "has no rule",
                None,
                "write audit.baseline.rules={VALUE: SCORER}",
            )

    def __bool__(self) -> bool:
        return any(one is not None for one in (self.parser, self.normalizer, self.by, self.rules, self.scorer))

    @property
    def by_value(self) -> dict[str, BaselineRule]:
        """The rule of each value; none where there is one rule."""
        rules = self.rules or {}
        return {key: rule_of_scorer(one) if isinstance(one, Named) else one for key, one in rules.items()}

    @property
    def single(self) -> BaselineRule | None:
        """The one rule; None where each value has its own."""
        if self.rules is None and self.scorer is not None:
            return rule_of_scorer(self.scorer)
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
        return [single] if single is not None else list(self.by_value.values())

    @property
    def listed(self) -> str:
        """The column and its values that have rules, in words."""
        return f"a rule for each {self.by}: {', '.join(self.rules or {})}"


NO_BASELINE = Baseline()  # its keys are there, so that any of them may be set


@dataclass(frozen=True)
class ReadingGrid:
    """What readings are made of, and their names: `parser+normalizer`, under several matchers `+matcher` too.

    Beside the grid each scorer is a reading of its own name.
    """

    parsers: Mapping[str, Parser]
    normalizers: Mapping[str, Normalizer]
    matchers: Mapping[str, Matcher]
    scorers: Mapping[str, Scorer] = field(default_factory=dict)

    @property
    def ends(self) -> list[str]:
        """What the name of a reading ends in: one of several matchers, or nothing."""
        return [f"+{name}" for name in self.matchers] if len(self.matchers) > 1 else [""]

    @property
    def _several(self) -> list[Named[Matcher] | None]:
        """The matchers by name where there are several."""
        return [Named(name, part) for name, part in self.matchers.items()] if len(self.matchers) > 1 else []

    def names(self) -> list[str]:
        """All readings: the scorers, then the grid, matcher by matcher."""
        return [*self.scorers, *self._parsers()]

    def parser_of(self, name: str) -> Parser:
        """The parser of a reading."""
        return self.scorers[name].parser if name in self.scorers else self.parsers[self._parsers()[name]]

    def _parsers(self) -> dict[str, str]:
        return {f"{p}+{n}{end}": p for end, n, p in product(self.ends, self.normalizers, self.parsers)}

    def by_default(self, usual: Sequence[str]) -> list[str]:
        """The scorers, and the readings that are usual where their parsers and normalizers are those chosen.

        They are under each matcher; the whole grid where others are chosen.
        """
        pairs = [name.split("+", 1) for name in usual if "+" in name]
        names = self.names()
        if {p for p, _ in pairs} != set(self.parsers) or {n for _, n in pairs} != set(self.normalizers):
            return names
        usual = [full for end in self.ends for name in dict.fromkeys(usual) if (full := f"{name}{end}") in names]
        return [*self.scorers, *usual]

    def plan(self, wanted: Sequence[str], matcher: Matcher, extra: BaselineRule | None = None) -> ReadingPlan:
        """The plan for the readings wanted; `extra` is a rule that they may need besides, under the first matcher."""
        parsers = [Named(name, part) for name, part in self.parsers.items()]
        several = self._several or [None]
        ends = [(Named(n, part), m) for m in several for n, part in self.normalizers.items()]
        if extra is not None and extra.scorer is None:
            parsers += [extra.parser] if extra.parser.name not in self.parsers else []
            ends += [(extra.normalizer, several[0])] if extra.normalizer.name not in self.normalizers else []
        pairs = list(product(range(len(parsers)), range(len(ends))))
        rules = {name: rule_of_scorer(Named(name, part)) for name, part in self.scorers.items()}
        rules |= {extra.scorer: extra} if extra is not None and extra.scorer is not None else {}
        own: dict[int, Named[Matcher]] = {}
        scorers: dict[tuple[int, int], str] = {}
        for name, rule in rules.items():
            if rule.matcher is not None:
                own[len(ends)] = rule.matcher
            scorers[_number(rule.parser, parsers, name), len(ends)] = name
            ends.append((rule.normalizer, several[0]))
        plan = ReadingPlan(
            tuple(parsers),
            tuple(normalizer for normalizer, _ in ends),
            matcher,
            (*pairs, *scorers),
            tuple(named for _, named in ends if named is not None),
            own=own,
            scorers=scorers,
        )
        places = dict(zip(plan.names(), plan.readings, strict=True))
        return replace(plan, readings=tuple(places[name] for name in wanted))


def _number(parser: Named[Parser], parsers: list[Named[Parser]], of: str) -> int:
    """The number of a parser among others; one that is not there is put last, under a name that is free."""
    parts = [one.part for one in parsers]
    if parser.part not in parts:
        taken = any(one.name == parser.name for one in parsers)
        parsers.append(Named(f"{parser.name} of {of}" if taken else parser.name, parser.part))
        parts.append(parser.part)
    return parts.index(parser.part)


def with_rules(plan: ReadingPlan, name: str, column: str, rules: Mapping[str, BaselineRule]) -> ReadingPlan:
    """The plan with one more reading, last: each row is labelled by the rule of its value in a column.

    Parsers and normalizers that rules share with each other or with readings of the plan are in it once. A reading
    whose matcher stands for that of the row's rule keeps its parser and its normalizer.
    """
    parsers, normalizers, several = list(plan.parsers), list(plan.normalizers), list(plan.matchers)
    ends: list[tuple[Any, Any]] = [(one.part, plan.matcher_of(n)) for n, one in enumerate(normalizers)]
    own = dict(plan.own)
    places: dict[str, tuple[int, int]] = {}
    for value, rule in rules.items():
        parser = _number(rule.parser, parsers, value)
        matcher = plan.matcher if rule.matcher is None else rule.matcher.part
        end = rule.normalizer.part, matcher
        if end not in ends:
            if rule.matcher is not None and matcher != plan.matcher:
                own[len(ends)] = rule.matcher
            ends.append(end)
            normalizers.append(rule.normalizer)
            several += several[:1]
        places[value] = parser, ends.index(end)
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
    ruled = RowRules(name, column, places, rivals)
    return replace(
        plan,
        parsers=tuple(parsers),
        normalizers=tuple(normalizers),
        readings=readings,
        matchers=tuple(several),
        ruled=ruled,
        own=own,
    )
