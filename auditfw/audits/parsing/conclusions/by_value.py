"""A baseline with a rule for each value of a column: which values it reproduces, and what follows for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.audits.answers import Argument, Reason, Statement, enumerated, interval
from auditfw.audits.parsing.engine.grid import Baseline, BaselineRule
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE, UNDEFINED
from auditfw.audits.parsing.results import ParsingResults
from auditfw.core.document import Block, Note, Table, some
from auditfw.core.records import AnswerRule
from auditfw.formulas.label_counts import Reproduction
from auditfw.kinds.context import Sample

from .origin import RIGHT, WRONG, RulePasses, rule_of_search, search_blocks
from .search import RuleSearch

MOST_SEARCHED = 4  # values whose rule is searched: those with most labels that theirs does not give
VALUES_SHOWN = 10
HEADLINE = 140


@dataclass(frozen=True)
class ValueRule:
    """A value with its rule: its trials, those whose stored label is right or wrong, those that the rule misses.

    `search` is the search for another rule, None where none was made.
    """

    value: str
    rule: str
    trials: int
    right: int
    wrong: int
    missed: int
    search: RuleSearch | None = None

    @property
    def labelled(self) -> int:
        return self.right + self.wrong


@dataclass(frozen=True)
class ValueRules:
    """The rules of all values of `column`, in the order in which they are written."""

    column: str
    values: Sequence[ValueRule]

    @property
    def missing(self) -> list[ValueRule]:
        """The values whose rule does not give all their stored labels."""
        return [value for value in self.values if value.missed]

    @property
    def searched(self) -> bool:
        """Whether a search says which rule is the best of some value."""
        return any(value.search is not None and value.search.best for value in self.values)

    @property
    def replacements(self) -> dict[str, BaselineRule] | None:
        """Rules that give the labels of the values whose own do not; None where one of them is not known."""
        rules = {value.value: value.search.rule for value in self.missing if value.search is not None}
        better = {value: rule.baseline for value, rule in rules.items() if rule is not None}
        return better if len(better) == len(self.missing) else None


def ask(results: ParsingResults) -> ValueRules | None:
    """The rules of all values, with a search for those that do not give their labels; None where there is one rule."""
    baseline = results.settings.configured
    if baseline is None or baseline.column is None or results.numbers[1] is None or results.whole.over:
        return None
    rules, labels = baseline.by_value, results.table.by_value()
    values = [_counted(value, rule.name, labels) for value, rule in rules.items()]
    worst = sorted((value for value in values if value.missed), key=lambda value: -value.missed)[:MOST_SEARCHED]
    if results.settings.labels != "judge":
        values = [
            replace(one, search=_searched(results, rules[one.value], one)) if one in worst else one for one in values
        ]
    return ValueRules(baseline.column, values)


def _counted(value: str, rule: str, labels: Mapping[tuple[str, int, int], int]) -> ValueRule:
    """Counts a value's trials; a truth that normalises to nothing makes a wrong answer, as in the search."""
    own = {(stored, code): n for (of, stored, code), n in labels.items() if of == value}
    right, wrong = (sum(n for (stored, _), n in own.items() if stored == side) for side in (TRUE, FALSE))
    same = {TRUE: (TRUE,), FALSE: (FALSE, BLANK, UNDEFINED)}
    missed = sum(n for (stored, code), n in own.items() if stored in same and code not in same[stored])
    return ValueRule(value, rule, sum(own.values()), right, wrong, missed)


def _searched(results: ParsingResults, rule: BaselineRule, one: ValueRule) -> RuleSearch:
    """The search for the rule of one value's labels."""
    if not (one.right and one.wrong):
        side = RIGHT if one.right else WRONG
        return RuleSearch(False, one.labelled, why=f"every stored label is {side}, so any rule may fit")
    settings = results.settings
    apart = rule.matcher if rule.scorer is None else None
    alone = replace(
        settings,
        baseline=rule.alone,
        matcher=settings.matcher if apart is None else apart.part,
        matchers=settings.matchers if apart is None else {},
        reference=None if settings.reference == "baseline" else settings.reference,
        decides=None,
    )
    among = str(settings.ruled_by), frozenset({one.value})
    search = RuleSearch(False, one.labelled, right=one.right)
    return RulePasses(alone, results.context, results.evidence, among, results.whole.shared)(search)


def measured(results: ParsingResults, sample: Sample) -> dict[str, Any]:
    """How many labels the best rules give, for the metrics of the baseline."""
    facts = results.of(ask) if sample.reading.role == "baseline" else None
    return {} if facts is None else {"reproduction": _reproduction(facts)}


def _reproduction(facts: ValueRules) -> Reproduction | None:
    labelled, missed = sum(value.labelled for value in facts.values), 0
    for one in facts.missing:
        if one.search is None or one.search.missed is None:
            why = "nothing was searched" if one.search is None else one.search.sentence
            return Reproduction(None, labelled, f"{facts.column} = {one.value}: {why}")
        missed += one.search.missed
    return Reproduction(missed, labelled) if labelled else None


def argument(results: ParsingResults) -> Argument:
    """Which values' labels are not those of their rule: broken where no rule gives them."""
    facts = results.of(ask)
    if facts is None:
        return Argument()
    column, missing, settings = facts.column, facts.missing, results.settings
    labelled = sum(1 for value in facts.values if value.labelled)
    scope = f"that of its {column} reproduces all labels of {labelled - len(missing):,} of {some(labelled, 'value')}"
    notices, tried = [], []
    for one in missing:
        search = None if settings.labels == "judge" else one.search
        rule = None if search is None else rule_of_search(search, settings.mismatch, {column: one.value})
        tried += [(one, search, rule)] if search is not None and rule is not None else []
        notices.append(Reason(_notice(column, one), [] if rule is None else [rule]))
    if len(missing) > VALUES_SHOWN:
        rest = [rule for notice in notices[VALUES_SHOWN:] for rule in notice.rules]
        more = Reason(f"The same is true of {len(missing) - VALUES_SHOWN:,} more values.", rest)
        notices = [*notices[:VALUES_SHOWN], more]
    broken = [one for one in tried if one[-1].fired]
    return Argument(
        [rule for *_, rule in tried],
        {"broken": _broken(column, broken)} if broken else {},
        [f"Rule behind the stored labels: {scope}"],
        notices,
    )


def _notice(column: str, one: ValueRule) -> str:
    """What a value's rule misses; where another gives all labels, which."""
    text = f"Where {column} is {one.value}, its rule {one.rule} differs from the stored label on {one.missed:,}"
    text += f" of {some(one.labelled, 'trial')}"
    rule = None if one.search is None else one.search.rule
    if rule is None:
        return f"{text}."
    parts = f"{{parser: {rule.parser.name}, normalizer: {rule.normalizer.name}, matcher: {rule.matcher.name}}}"
    return f"{text}; {rule.name} reproduces all: in audit.baseline.rules, {one.value}: {rule.scorer or parts}."


def _broken(column: str, tried: Sequence[tuple[ValueRule, RuleSearch, AnswerRule]]) -> Statement:
    because = []
    for value, search, rule in tried:
        best = f"Where {column} is {value.value}, the best rule, {rule.reading},"
        because.append(Reason(search.missed_by(best, interval(rule.low or 0.0, rule.high or 0.0, 1)), [rule]))
    one, search, _ = tried[0]
    misses = f"misses {search.missed or 0:,} of {one.labelled:,}."
    headlines = [
        f"No rule reproduces the stored labels where {column} is {one.value}: the best of {search.tried:,} {misses}",
        f"No rule reproduces the stored labels of one {column}: the best {misses}",
    ]
    if search.lopsided:
        few = f"{search.few}; no rule tried explains more."
        headlines = [f"Where {column} is {one.value}, {few}", few, headlines[1]]
    headline = next((text for text in headlines if len(text) <= HEADLINE), headlines[-1])
    return Statement(headline, because, f"Set the rule that produced them in audit.baseline.rules, for {one.value}")


def blocks(facts: ValueRules) -> list[Block]:
    """A table of the values with their rules; for each whose rule was searched what came of it."""
    rows = [[one.value, one.rule, *(f"{n:,}" for n in (one.trials, one.labelled, one.missed))] for one in facts.values]
    columns = [facts.column, "rule", "trials", "stored labels", "different label"]
    shown: list[Block] = [Table(columns, rows, "<<>>>", f"The baseline: a rule for each {facts.column}")]
    for one in facts.missing:
        if one.search is not None:
            shown += [Note(f"Where {facts.column} is {one.value}:"), *search_blocks(one.search, one.rule, [])]
    return shown


def warnings(results: ParsingResults, baseline: Baseline) -> list[str]:
    """Rows whose value has no rule, and rules whose value no row has."""
    column, ruleless, there = baseline.column, results.whole.rows.ruleless, results.table.values
    texts = []
    if ruleless:
        ranked = sorted(ruleless.items(), key=lambda pair: (-pair[1], pair[0]))
        listed = enumerated([f"'{value}' × {n:,}" for value, n in ranked], VALUES_SHOWN)
        rows = some(ruleless.total(), "row")
        texts.append(f"{rows} not audited: no rule in audit.baseline.rules for their {column}: {listed}")
    idle = [value for value in baseline.by_value if value not in there]
    if idle and there:
        texts.append(f"audit.baseline.rules: no audited row has the {column} {', '.join(idle)}")
    return texts
