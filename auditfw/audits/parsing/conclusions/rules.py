"""The rules that may have made stored labels: parsers × normalizers × matchers, a run's own and the shipped ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from auditfw.audits.parsing.engine.grid import BaselineRule, rule_of_scorer
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.shared_results import PartNumbers
from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.registry import name_of, names
from auditfw.kinds.text import Matcher, Normalizer, Parser

T = TypeVar("T")

PLAIN = "none"  # the normalizer that changes nothing
OURS = frozenset({"same_answer"})  # normalizers by which no other program labels
Shipped = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class ScoringRule:
    """A way to label: a parser, a normalizer and a matcher; `own` says that the run has this matcher alone.

    `several` names the matchers of a run that has more than one; `scorer` is the name of all three; `truth` that of a
    parser of truths other than the run's.
    """

    parser: Named[Parser]
    normalizer: Named[Normalizer]
    matcher: Named[Matcher]
    own: bool
    several: tuple[str, ...] = ()
    scorer: str | None = None
    truth: str = ""

    @property
    def name(self) -> str:
        """The name of the reading, and how it reads truths where that is not the run's way."""
        return f"{self._reading} (audit.truth={self.truth})" if self.truth else self._reading

    @property
    def _reading(self) -> str:
        """The name of the reading: a scorer's; else the matcher is named where it is not the run's."""
        if self.scorer is not None:
            return self.scorer
        reading = f"{self.parser.name}+{self.normalizer.name}"
        return reading if self.own else f"{reading}+{self.matcher.name}"

    @property
    def harness(self) -> str | None:
        """The source whose harness has this rule: its parts have one name."""
        parts = {self.parser.name, self.normalizer.name, self.matcher.name}
        return _harness(self.parser.name) if len(parts) == 1 else None

    @property
    def slow(self) -> bool:
        """Whether its matcher says that it takes long: then it is tried with few normalizers."""
        return bool(capability(self.matcher.part, "slow", False))

    @property
    def baseline(self) -> BaselineRule:
        """The same as a baseline."""
        return BaselineRule(self.parser, self.normalizer, self.matcher, self.scorer)

    @property
    def parts(self) -> dict[tuple[str, str], object]:
        """Its parts by kind and name."""
        named = (("parser", self.parser), ("normalizer", self.normalizer), ("matcher", self.matcher))
        return {(kind, one.name): one.part for kind, one in named}

    def key(self, numbers: PartNumbers) -> tuple[int, int, int]:
        """What labels depend on: equal rules have equal keys, whatever their parts are called."""
        return numbers(self.parser.part), numbers(self.normalizer.part), numbers(self.matcher.part)

    def overrides(self) -> str:
        """What to type to have this rule as the baseline."""
        return f"{self._overrides()} audit.truth={self.truth}" if self.truth else self._overrides()

    def _overrides(self) -> str:
        if self.scorer is not None:
            return f"audit.baseline={self.scorer}"
        typed = f"'audit.baseline={{parser: {self.parser.name}, normalizer: {self.normalizer.name}}}'"
        name = self.matcher.name
        if self.own or self.several[:1] == (name,):
            return typed
        if not self.several:
            return f"{typed} matcher={name}"
        return f"{typed} 'matcher=[{','.join([name, *(one for one in self.several if one != name)])}]'"


def rules_of(settings: ParsingSettings, columns: Sequence[str], shipped: Shipped) -> list[ScoringRule]:
    """All rules to try: the configured one, the readings, those of the harness of a log, those of the run's own parts.

    Equal parts count once. A shipped part whose name is taken in this run could not be chosen, and is left out.
    """
    source = name_of(settings.source)
    shipped = _fitting(shipped, source)
    baseline = None if settings.configured is None else settings.configured.single
    first = (baseline.parser, baseline.normalizer) if baseline is not None and baseline.scorer is None else None
    parsers = _distinct(
        [*((first[0],) if first else ()), *_named(settings.parsers), *_general_first(shipped, "parser")]
    )
    ends = [*((first[1],) if first else ()), *_named(settings.normalizers), *_general_first(shipped, "normalizer")]
    own = Named(name_of(settings.matcher), settings.matcher)
    matchers = _distinct([*(_named(settings.matchers) or [own]), *_general_first(shipped, "matcher")])
    several = tuple(settings.matchers) if len(settings.matchers) > 1 else ()
    every = (
        ScoringRule(parser, normalizer, matcher, matcher is own and not several, several)
        for parser in parsers
        if parser.part.column in columns and not capability(parser.part, "needs", ())
        for normalizer in _distinct(ends)
        for matcher in matchers
    )
    few = {*settings.normalizers, PLAIN}
    plan, numbers = settings.plan(columns)[0], PartNumbers()
    there = (rule for rule in _scorers(settings, baseline) if rule.parser.part.column in columns)
    scorers = {rule.key(numbers): rule for rule in there}
    grid = (rule for rule in every if rule.key(numbers) not in scorers)
    tried = [*scorers.values(), *(rule for rule in grid if not rule.slow or rule.normalizer.name in few)]
    read = [rule_of(plan, i) for i in range(len(plan.readings)) if not plan.is_ruled(i)]
    readings = {rule.key(numbers): rule for rule in reversed(read)}
    theirs = {named.name for named in matchers if _harness(named.name) == source}
    named = [
        readings.get(rule.key(numbers)) or _as_scorer(_renamed(rule, theirs, settings, shipped), shipped)
        for rule in tried
    ]
    return sorted(named, key=lambda rule: (rule.key(numbers) not in readings, rule.harness != source))


def _scorers(settings: ParsingSettings, baseline: BaselineRule | None) -> list[ScoringRule]:
    """The rules of the chosen scorers, and that of one that is the baseline; their parts are tried with no others."""
    rules = {name: rule_of_scorer(Named(name, scorer)) for name, scorer in settings.scorers.items()}
    rules |= {baseline.scorer: baseline} if baseline is not None and baseline.scorer is not None else {}
    return [
        ScoringRule(rule.parser, rule.normalizer, rule.matcher, own=False, scorer=name)
        for name, rule in rules.items()
        if rule.matcher is not None and not capability(rule.parser.part, "needs", ())
    ]


def _as_scorer(rule: ScoringRule, shipped: Shipped) -> ScoringRule:
    """The rule as the shipped scorer whose name all of its parts bear, where it is that."""
    name = rule.parser.name
    same = all(named == name and shipped[kind].get(name) == part for (kind, named), part in rule.parts.items())
    return replace(rule, scorer=name) if same else rule


def _named(parts: Mapping[str, T]) -> list[Named[T]]:
    return [Named(name, part) for name, part in parts.items()]


def _fitting(shipped: Shipped, source: str) -> Shipped:
    """The shipped parts that may have made the labels of a source: in the log of a harness no other harness did.

    A harness is a source whose name parts bear. One of its parts that is no rule by itself, with a parser, a normalizer
    and a matcher of its name, needs facts of its logs, and fits no other source.
    """
    kinds = Counter(name for parts in shipped.values() for name in parts)
    harnesses = {name: _harness(name) for name, n in kinds.items() if n > 1 or name in names("source")}
    logged = source in harnesses.values()

    def fits(name: str) -> bool:
        harness = harnesses.get(name)
        return harness in (None, source) or (not logged and kinds[name] == len(shipped))

    return {kind: {name: part for name, part in parts.items() if fits(name)} for kind, parts in shipped.items()}


def _renamed(rule: ScoringRule, theirs: set[str], settings: ParsingSettings, shipped: Shipped) -> ScoringRule:
    """The rule by the name of its matcher, where that is one of the source's harness and its other parts are equal."""
    name, parts = rule.matcher.name, (rule.parser.part, rule.normalizer.part)
    if name not in theirs:
        return rule
    own = settings.parsers.get(name, parts[0]), settings.normalizers.get(name, parts[1])
    if not parts == own == (shipped["parser"].get(name), shipped["normalizer"].get(name)):
        return rule
    return replace(rule, parser=Named(name, parts[0]), normalizer=Named(name, parts[1]))


def _harness(name: str) -> str | None:
    """The source whose name a part's begins with: `lm_eval` of `lm_eval_filter`."""
    return max((one for one in names("source") if f"{name}_".startswith(f"{one}_")), key=len, default=None)


def _general_first(shipped: Shipped, kind: str) -> list[Named[Any]]:
    """The shipped parts of a kind, before those of one harness: a harness' rule has one name in several kinds."""
    kinds = Counter(name for parts in shipped.values() for name in parts)
    parts = [named for named in _named(shipped.get(kind, {})) if named.name not in OURS]
    theirs = [named for named in parts if not capability(named.part, "ours", False)]
    return sorted(theirs, key=lambda named: kinds[named.name] > 1)


def _distinct(parts: Iterable[Named[T]]) -> list[Named[T]]:
    """The parts, each name and each equal part once: the first of them."""
    kept: list[Named[T]] = []
    for one in parts:
        if all(one.name != other.name and one.part != other.part for other in kept):
            kept.append(one)
    return kept


def rule_of(plan: ReadingPlan, reading: int) -> ScoringRule:
    """The rule of a reading."""
    p, n = plan.readings[reading]
    matcher = Named(plan.matcher_name(n), plan.matcher_of(n))
    several = tuple(dict.fromkeys(named.name for named in plan.matchers))
    scorer = plan.scorers.get((p, n))
    return ScoringRule(plan.parsers[p], plan.normalizers[n], matcher, not several, several, scorer)


def plan_of(rules: Sequence[ScoringRule]) -> ReadingPlan:
    """One plan with a reading for each rule, in order: its normalizers are the pairs of normalizer and matcher."""
    parsers = {rule.parser.name: rule.parser for rule in rules}
    ends = {(rule.normalizer.name, rule.matcher.name): rule for rule in rules}
    parser_numbers = {name: i for i, name in enumerate(parsers)}
    end_numbers = {name: i for i, name in enumerate(ends)}
    readings = [
        (parser_numbers[rule.parser.name], end_numbers[rule.normalizer.name, rule.matcher.name]) for rule in rules
    ]
    matchers = tuple(rule.matcher for rule in ends.values())
    normalizers = tuple(rule.normalizer for rule in ends.values())
    return ReadingPlan(tuple(parsers.values()), normalizers, rules[0].matcher.part, tuple(readings), matchers)
