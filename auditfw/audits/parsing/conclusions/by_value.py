"""A baseline with a rule for each value of a column: which values it reproduces, and what follows for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.audits.answers import Argument, Reason, Statement, enumerated, interval
from auditfw.audits.parsing.counts import ParsingCounts
from auditfw.audits.parsing.engine.grid import BaselineRule
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE, UNDEFINED
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.core.document import Block, Note, Table, some
from auditfw.core.records import AnswerRule, AnswerStatus
from auditfw.formulas.label_counts import Reproduction
from auditfw.formulas.label_items import wrong_rate
from auditfw.kinds.context import Context, Sample
from auditfw.kinds.evidence import Evidence

from .baseline import NO_RULE, Baseline
from .origin import RIGHT, WRONG, search_blocks, search_labels
from .search import RuleSearch

MOST_SEARCHED = 4  # values whose rule is searched: those with most labels that theirs does not give
VALUES_SHOWN = 10
HEADLINE = 140


@dataclass(frozen=True)
class ValueOutcome:
    """What the rule of a value came to: the trials with a stored label, and those of them that it labels otherwise.

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

    @property
    def left(self) -> int | None:
        """How many stored labels the best rule known does not give; None where that is unknown."""
        if not self.missed:
            return 0
        return None if self.search is None else self.search.missed


@dataclass(frozen=True)
class RuledOutcome:
    """What the rules of all values came to, in the order in which they are written; `column` has the values."""

    column: str
    values: Sequence[ValueOutcome]

    @property
    def missing(self) -> list[ValueOutcome]:
        """The values whose rule does not give all their stored labels."""
        return [one for one in self.values if one.missed]

    @property
    def searched(self) -> bool:
        """Whether a search says which rule is the best of some value."""
        return any(one.search is not None and one.search.best for one in self.values)

    @property
    def replacements(self) -> dict[str, BaselineRule] | None:
        """Rules that give the labels of the values whose own do not; None where one of them is not known."""
        rules = {one.value: one.search.rule for one in self.missing if one.search is not None}
        better = {value: rule.baseline for value, rule in rules.items() if rule is not None}
        return better if len(better) == len(self.missing) else None

    def reproduction(self) -> Reproduction | None:
        """How many stored labels the best rules do not give."""
        labelled = sum(one.labelled for one in self.values)
        if not labelled:
            return None
        for one in self.missing:
            if one.left is None:
                why = "nothing was searched" if one.search is None else one.search.sentence
                return Reproduction(None, labelled, f"{self.column} = {one.value}: {why}")
        return Reproduction(sum(one.left or 0 for one in self.values), labelled)


def ask(results: ParsingResults) -> RuledOutcome | None:
    """What the rules of all values came to; None where there is one rule."""
    if results.numbers[1] is None or results.whole.over:
        return None
    return ruled_outcome(results.settings, results.context, results.evidence, results.whole)


def ruled_outcome(
    settings: ParsingSettings, context: Context, evidence: Evidence, counts: ParsingCounts
) -> RuledOutcome | None:
    """What the rules came to, and for those that do not give their labels a search; None where there is one rule."""
    baseline = settings.configured
    if baseline is None or baseline.column is None or not settings.has_baseline(evidence.columns):
        return None
    rules = baseline.rules or {}
    by_value = counts.table.by_value()
    values = [_counted(value, rule, by_value) for value, rule in rules.items()]
    if settings.labels != "judge":
        worst = sorted((one for one in values if one.missed), key=lambda one: -one.missed)[:MOST_SEARCHED]
        searches = {one.value: _searched(settings, context, evidence, rules[one.value], one) for one in worst}
        values = [replace(one, search=searches.get(one.value)) for one in values]
    return RuledOutcome(baseline.column, values)


def measured(results: ParsingResults, sample: Sample) -> dict[str, Any]:
    """How many labels the best rules give, for the metrics of the baseline."""
    ruled = results.of(ask) if sample.reading.role == "baseline" else None
    return {} if ruled is None else {"reproduction": ruled.reproduction()}


def _counted(value: str, rule: BaselineRule, counts: Mapping[tuple[str, int, int], int]) -> ValueOutcome:
    """Counts a value's trials; a truth that normalises to nothing makes a wrong answer, as in the search."""
    trials = missed = 0
    sides = {TRUE: 0, FALSE: 0}
    for (own, stored, code), n in counts.items():
        if own == value:
            trials += n
            sides[stored] = sides.get(stored, 0) + n
            same = code == TRUE if stored == TRUE else code in (FALSE, BLANK, UNDEFINED)
            missed += n * (stored in (TRUE, FALSE) and not same)
    return ValueOutcome(value, rule.name, trials, sides[TRUE], sides[FALSE], missed)


def _searched(
    settings: ParsingSettings, context: Context, evidence: Evidence, rule: BaselineRule, one: ValueOutcome
) -> RuleSearch:
    """The search for the rule of one value's labels."""
    if not (one.right and one.wrong):
        side = RIGHT if one.right else WRONG
        return RuleSearch(False, one.labelled, why=f"every stored label is {side}, so any rule may fit")
    own = settings.matcher if rule.matcher is None else rule.matcher.part
    matchers = settings.matchers if rule.matcher is None else {}
    reference = None if settings.reference == "baseline" else settings.reference
    baseline = Baseline(rule.parser, rule.normalizer)
    alone = replace(settings, baseline=baseline, matcher=own, matchers=matchers, reference=reference, decides=None)
    column = str(settings.ruled_by)
    search = RuleSearch(False, one.labelled, right=one.right)
    return search_labels(alone, context, evidence, search, (column, frozenset({one.value})))


# The answer


def by_value_argument(settings: ParsingSettings, ruled: RuledOutcome | None) -> Argument:
    """Which values' labels are not those of their rule: broken where no rule gives them."""
    if ruled is None:
        return Argument()
    missing = ruled.missing
    scope = [f"Rule behind the stored labels: {_summary(ruled)}"]
    judged = settings.labels == "judge"
    tried = [None if judged else _rule(ruled.column, one, settings.mismatch) for one in missing]
    of_each = [[rule] if rule is not None else [] for rule in tried]
    rules = [rule for each in of_each for rule in each]
    shown = list(zip(missing, of_each, strict=True))[:VALUES_SHOWN]
    notices = [Reason(_notice(ruled.column, one), each) for one, each in shown]
    if len(missing) > VALUES_SHOWN:
        more = f"The same is true of {len(missing) - VALUES_SHOWN:,} more values."
        notices.append(Reason(more, [rule for each in of_each[VALUES_SHOWN:] for rule in each]))
    worst = [(one, rule) for one, rule in zip(missing, tried, strict=True) if rule is not None and rule.fired]
    words: dict[AnswerStatus, Statement] = {"broken": _broken(ruled.column, worst)} if worst else {}
    return Argument(rules, words, scope, notices)


def _summary(ruled: RuledOutcome) -> str:
    labelled = [one for one in ruled.values if one.labelled]
    n = len(labelled) - len(ruled.missing)
    return f"that of its {ruled.column} reproduces all labels of {n:,} of {some(len(labelled), 'value')}"


def _notice(column: str, one: ValueOutcome) -> str:
    """What a value's rule misses; where another gives all labels, which."""
    text = f"Where {column} is {one.value}, its rule {one.rule} differs from the stored label on {one.missed:,}"
    text += f" of {some(one.labelled, 'trial')}"
    rule = None if one.search is None else one.search.rule
    if rule is None:
        return f"{text}."
    parts = f"parser: {rule.parser.name}, normalizer: {rule.normalizer.name}, matcher: {rule.matcher.name}"
    return f"{text}; {rule.name} reproduces all: in audit.baseline.rules, {one.value}: {{{parts}}}."


def _rule(column: str, one: ValueOutcome, bound: float) -> AnswerRule | None:
    if one.search is None or not one.search.best or one.search.counts is None:
        return None
    counts = one.search.counts
    rate = wrong_rate(counts)
    share, low, high = (100 * x for x in (counts.wrong / counts.counted, rate.low, rate.high))
    best = one.search.best[0].rule.name
    return NO_RULE(best, share, low, high, bound=bound, cell={column: one.value}, fired=low > bound)


def _broken(column: str, worst: Sequence[tuple[ValueOutcome, AnswerRule]]) -> Statement:
    one, because = worst[0][0], []
    for other, rule in worst:
        search = other.search
        if search is not None and search.counts is not None:
            rate = wrong_rate(search.counts)
            best = f"Where {column} is {other.value}, the best rule, {search.best[0].rule.name},"
            because.append(Reason(search.missed_by(best, interval(100 * rate.low, 100 * rate.high, 1)), [rule]))
    missed = 0 if one.search is None or one.search.missed is None else one.search.missed
    tried = 0 if one.search is None else one.search.tried
    headline = f"No rule reproduces the stored labels where {column} is {one.value}: the best of {tried:,} misses "
    headline += f"{missed:,} of {one.labelled:,}."
    if one.search is not None and one.search.lopsided:
        where = f"Where {column} is {one.value}, {one.search.few}; no rule tried explains more."
        headline = where if len(where) <= HEADLINE else f"{one.search.few}; no rule tried explains more."
    if len(headline) > HEADLINE:
        headline = (
            f"No rule reproduces the stored labels of one {column}: the best misses {missed:,} of {one.labelled:,}."
        )
    return Statement(headline, because, f"Set the rule that produced them in audit.baseline.rules, for {one.value}")


# The report


def by_value_blocks(ruled: RuledOutcome) -> list[Block]:
    """A table of the values with their rules; for each whose rule was searched what came of it."""
    rows = [[one.value, one.rule, f"{one.trials:,}", f"{one.labelled:,}", f"{one.missed:,}"] for one in ruled.values]
    columns = [ruled.column, "rule", "trials", "stored labels", "different label"]
    blocks: list[Block] = [Table(columns, rows, "<<>>>", f"The baseline: a rule for each {ruled.column}")]
    for one in ruled.missing:
        if one.search is not None:
            blocks.append(Note(f"Where {ruled.column} is {one.value}:"))
            blocks += search_blocks(one.search, one.rule, [])
    return blocks


# What is warned of


def rule_warnings(settings: ParsingSettings, counts: ParsingCounts) -> list[str]:
    """Rows whose value has no rule, and rules whose value no row has."""
    rules = settings.row_rules
    if rules is None or settings.configured is None:
        return []
    column, _ = rules
    warnings = []
    if counts.ruleless:
        ranked = sorted(counts.ruleless.items(), key=lambda pair: (-pair[1], pair[0]))
        listed = enumerated([f"'{value}' × {n:,}" for value, n in ranked], VALUES_SHOWN)
        rows = some(counts.ruleless.total(), "row")
        warnings.append(f"{rows} not audited: no rule in audit.baseline.rules for their {column}: {listed}")
    there = counts.table.values
    idle = [value for value in (settings.configured.rules or {}) if value not in there]
    if idle and there:
        warnings.append(f"audit.baseline.rules: no audited row has the {column} {', '.join(idle)}")
    return warnings
