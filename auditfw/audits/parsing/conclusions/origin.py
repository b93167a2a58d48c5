"""Where stored labels come from: when the rule that made them is searched, and what follows for the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from auditfw.audits.answers import RULES, Argument, Reason, Statement, enumerated, interval
from auditfw.audits.batches import Batches, TakenBatch, collect
from auditfw.audits.parsing.columns import ScoredTrials
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE, UNDEFINED, ReadingPlan
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.engine.shared_results import PartNumbers, SharedResults, fitted, fitting
from auditfw.audits.parsing.probe.lossy import barred
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import SEARCH, STORED_LABEL, ParsingSettings
from auditfw.audits.parsing.table import STORED, LabelTable
from auditfw.audits.parsing.trials import Labels
from auditfw.core.digits import fixed
from auditfw.core.document import Block, Note, Section, Table, capital, some, verb
from auditfw.core.native import kernel_name
from auditfw.core.records import AnswerRule, Value
from auditfw.formulas.label_counts import Reproduction, wrong_rate
from auditfw.kinds.context import Context, Sample
from auditfw.kinds.evidence import Evidence

from .rule_passes import Agreements, CheckRules, DrawTrials, PickedAgreements, TrialDraw, TrialReader
from .rules import ScoringRule, plan_of, rule_of, rules_of
from .search import MOST_DRAWN, Finalists, KnownLabels, RuleSearch, finalists, result_of

TITLE = "Which Rule Produced the Labels"
RIGHT, WRONG = "right", "wrong"
LISTED = 12  # names of rules that give the same labels
NO_RULE = RULES["no_rule"]


def labelled_in(table: LabelTable) -> tuple[int, int]:
    """How many audited trials have the stored label right, and how many wrong."""
    codes = table.counted(STORED)
    return codes[TRUE], codes[FALSE]


def missed_by(table: LabelTable, reading: int) -> int:
    """How many stored labels a reading does not give."""
    missed = 0
    for (stored, code), n in table.total(reading, STORED).items():
        same = code == TRUE if stored == TRUE else code in (FALSE, BLANK, UNDEFINED)
        missed += n * (stored in (TRUE, FALSE) and not same)
    return missed


def search_rule(
    settings: ParsingSettings, context: Context, evidence: Evidence, scored: ScoredTrials
) -> RuleSearch | None:
    """Searches the rule of the stored labels, where that is written or the configured one does not give them all.

    None where nothing is searched.
    """
    baseline = scored.work.baseline
    written = settings.baseline == SEARCH
    right, wrong = labelled_in(scored.table)
    if not _may_search(settings) or not right + wrong:
        return None
    if not written and baseline is not None and not missed_by(scored.table, baseline):
        return None
    search = RuleSearch(written, right + wrong, right=right)
    if not (right and wrong):
        return RuleSearch(
            written, right + wrong, why=f"every stored label is {RIGHT if right else WRONG}, so any rule may fit"
        )
    passes = RulePasses(settings, context, evidence, None, scored.shared)
    searched = passes(search)
    if not searched.ties:
        searched = _with_reading(searched, settings, evidence.columns, scored.table)
    if searched.ties or settings.truth is not None:
        return searched
    truths = [text for one in scored.probe.trials() for text in alternatives(one.truth)]
    return next((other for other in passes.by_truths(search, truths) if other.ties), searched)


def _with_reading(
    search: RuleSearch, settings: ParsingSettings, columns: Sequence[str], table: LabelTable
) -> RuleSearch:
    """The search with a reading that gives all labels: one whose parser needs further columns was not tried."""
    plan, _ = settings.plan(columns)
    if settings.reference_in(plan, columns) != STORED:
        return search
    numbers = [number for number in range(len(plan.readings)) if not missed_by(table, number)]
    return search.with_rule(rule_of(plan, numbers[0])) if numbers else search


def _may_search(settings: ParsingSettings) -> bool:
    """Whether a rule may be searched: not that of a judge, unless it is asked for; by value each has its own search."""
    asked = settings.baseline == SEARCH or (settings.baseline is not None and settings.labels != "judge")
    return asked and settings.ruled_by is None


class RulePasses:
    """The passes of a search over the evidence, with what the searches of other runs have found.

    `among` is a column and the values that it is about, None: all trials.
    """

    def __init__(
        self,
        settings: ParsingSettings,
        context: Context,
        evidence: Evidence,
        among: tuple[str, frozenset[str]] | None,
        shared: SharedResults,
    ) -> None:
        self.settings, self.context, self.evidence, self.shared = settings, context, evidence, shared
        labels = Labels(frozenset(settings.stored_true), frozenset(settings.stored_false), True, among)
        self.reader = TrialReader(settings.truth, labels, kernel_name())

    def by_truths(self, search: RuleSearch, truths: Sequence[str]) -> Iterator[RuleSearch]:
        """The searches with each shipped parser of truths that may fit these; not shared with those of other runs."""
        for truth in fitting(truths, self.evidence.columns):
            settings = replace(self.settings, truth=fitted(truth, self.evidence))
            other = RulePasses(settings, self.context, self.evidence, None, SharedResults())(search)
            best = tuple(replace(one, rule=replace(one.rule, truth=truth.name)) for one in other.best)
            yield replace(other, best=best, ties=tuple(f"{name} (audit.truth={truth.name})" for name in other.ties))

    @cached_property
    def draws(self) -> DrawTrials:
        """The work of drawing trials: what is left of a batch depends on the configured rule alone."""
        own = self._configured(self.evidence.columns)
        most = (0, MOST_DRAWN[1] // 2) if own is None else MOST_DRAWN
        return DrawTrials(self.reader, own, self.context.seed, most)

    def __call__(self, search: RuleSearch) -> RuleSearch:
        rules = self._rules(self.settings)
        if not rules:
            return replace(search, why="there is no text that a rule could read")
        draw, own = self.shared.once(("draw", self.draws), self._drawn), self.draws.plan
        chosen = self._finalists(rules, draw)
        search = replace(
            search,
            tried=chosen.tried,
            drawn=draw.drawn,
            differing=None if own is None else sum(n for one, n in draw.sizes.items() if one.differs),
            more_ties=chosen.more,
            left_out=(chosen.late, chosen.slow),
        )
        if not chosen.rules:
            return search
        return result_of(self._checked(chosen.rules, draw), chosen.rules, search)

    def _rules(self, settings: ParsingSettings) -> list[ScoringRule]:
        return rules_of(settings, self.evidence.columns, self.shared.once(("shipped",), self.context.variants))

    def _finalists(self, rules: Sequence[ScoringRule], draw: TrialDraw) -> Finalists:
        known = self.shared.once(("labels", self.draws), KnownLabels)
        return self.shared.once(("finalists", self.draws, rules), lambda: finalists(self.reader, draw, rules, known))

    def _drawn(self) -> TrialDraw:
        draw = TrialDraw(self.draws.most)
        self._pass(replace(self.draws), draw.take)  # one that is not kept, with its kernel
        return draw

    def _further(self, rules: Sequence[ScoringRule], draw: TrialDraw) -> Iterator[ScoringRule]:
        """The rules that searches of other runs with the same draw will check, those whose names are free."""
        parts = {name: part for rule in rules for name, part in rule.parts.items()}
        for settings, context in self.shared.runs:
            other = RulePasses(settings, context, self.evidence, None, self.shared)
            if not _may_search(settings) or other.draws != self.draws:
                continue
            for rule in self._finalists(self._rules(settings), draw).rules:
                if all(parts.get(name, part) == part for name, part in rule.parts.items()):
                    parts |= rule.parts
                    yield rule

    def _checked(self, rules: Sequence[ScoringRule], draw: TrialDraw) -> PickedAgreements:
        """The agreement of rules with all stored labels; those that were checked before are not checked again."""
        known: dict[tuple[int, ...], tuple[Agreements, int]] = self.shared.once(("checked", self.reader), dict)
        numbers = self.shared.once(("numbers",), PartNumbers)
        keys = [rule.key(numbers) for rule in rules]
        missing = {key: rule for key, rule in zip(keys, rules, strict=True) if key not in known}
        if missing:
            for rule in self._further(rules, draw):
                if (key := rule.key(numbers)) not in known:
                    missing.setdefault(key, rule)
            checked = Agreements(len(missing))
            self._pass(CheckRules(self.reader, plan_of(list(missing.values()))), checked.take)
            known |= {key: (checked, number) for number, key in enumerate(missing)}
        return PickedAgreements([known[key] for key in keys])

    def _configured(self, columns: Sequence[str]) -> ReadingPlan | None:
        """The configured rule alone; None where there is none, or its text is not at hand."""
        baseline = None if self.settings.configured is None else self.settings.configured.single
        if baseline is None or baseline.parser.part.column not in columns:
            return None
        matcher = self.settings.matcher if baseline.matcher is None else baseline.matcher.part
        return ReadingPlan((baseline.parser,), (baseline.normalizer,), matcher, ((0, 0),))

    def _pass(self, work: Callable[..., Any], take: Callable[[Any], None]) -> None:
        """Has the engine do the work on all batches once more."""

        def taken(part: Any) -> TakenBatch:
            take(part)
            return TakenBatch(part.read)

        collect(self.context, work, Batches(self.evidence.tasks, self.evidence.rows), taken)


def reproduction_of(results: ParsingResults) -> Reproduction | None:
    """How many stored labels the best rule does not give: the one that was searched, else the configured one."""
    search, baseline = results.search, results.numbers[1]
    labelled = sum(labelled_in(results.table))
    if search is not None and search.missed is None:
        return Reproduction(None, labelled, search.sentence)
    if search is not None:
        return Reproduction(search.missed, search.labelled)
    if baseline is None or not labelled:
        return None
    missed = missed_by(results.table, baseline)
    return Reproduction(missed or 0, labelled) if not missed else Reproduction(None, labelled, "nothing was searched")


def measured(results: ParsingResults, sample: Sample) -> dict[str, Any]:
    """How many labels the best rule gives, for the metrics of the baseline."""
    return {"reproduction": reproduction_of(results)} if sample.reading.role == "baseline" else {}


# The answer


def argument(results: ParsingResults, search: RuleSearch) -> Argument:
    """Whether a rule gives the stored labels: broken where none does."""
    settings = results.settings
    rule = rule_of_search(search, settings.mismatch)
    if rule is None:
        return Argument(scope=[f"Rule behind the stored labels: {search.sentence}"])
    scope = [f"Rule behind the stored labels: {_outcome(search)}"]
    if settings.labels == "judge":
        return Argument(scope=scope)
    if not rule.fired:
        found = Argument([rule], scope=scope)
        return found if search.rule is None or search.written else _with_rule(results, found, search, search.rule)
    missed, of, percent = search.missed or 0, search.labelled, fixed(rule.value or 0.0, 1)
    words = Statement(
        f"No rule reproduces the stored labels: best of {search.tried:,} misses {missed:,} of {of:,} ({percent} %).",
        [search.missed_by(f"The best rule, {rule.reading},", interval(rule.low or 0.0, rule.high or 0.0, 1))],
        "Set the rule that produced them: audit.baseline={parser: NAME, normalizer: NAME} matcher=NAME; "
        "if it was a judge: audit.labels=judge",
    )
    words = _unexplained(search, results, words) if search.lopsided else words
    return Argument([rule], {"broken": words}, scope)


def rule_of_search(search: RuleSearch, bound: float, cell: Mapping[str, Value] | None = None) -> AnswerRule | None:
    """The rule on the labels that the best rule of a search does not give; None where there is no best one."""
    if not search.best or search.counts is None:
        return None
    rate = wrong_rate(search.counts)
    share, low, high = (100 * one for one in (search.counts.wrong / search.counts.counted, rate.low, rate.high))
    return NO_RULE(search.best[0].rule.name, share, low, high, bound=bound, cell=cell, fired=low > bound)


def _unexplained(search: RuleSearch, results: ParsingResults, words: Statement) -> Statement:
    """The words where the best rule is no better than one label for all: what a reading makes of the other trials."""
    wrong = search.constant is not None and search.constant[0] == WRONG
    stored = results.reference == STORED_LABEL
    compared = {name: sample.data for name, sample in results.overall.items() if stored}
    further = {name: labels.to_true if wrong else labels.to_false for name, labels in compared.items()}
    name = max(further, key=lambda name: further[name], default="")
    if not further.get(name):
        headline = f"{search.few}; no rule tried explains more."
        return Statement(headline, words.because, words.next)
    headline = f"{search.few}; {name} finds {further[name]:,} more."
    do = "Check which column has the labels (source.columns.stored) and how they are written (audit.stored_true)"
    return Statement(headline, words.because, f"{do}; to compare with a reading instead: audit.reference={name}")


def _outcome(search: RuleSearch) -> str:
    if not search.ties:
        return search.sentence
    least = "at least " if search.more_ties else ""
    verb = "reproduces" if len(search.ties) == 1 and not least else "reproduce"
    truth = search.rule.truth if search.rule is not None else ""
    read = f" with audit.truth={truth}" if truth else ""
    return f"{least}{len(search.ties):,} of {search.tried:,} rules tried {verb} all {search.labelled:,} labels{read}"


def _with_rule(results: ParsingResults, argument: Argument, search: RuleSearch, rule: ScoringRule) -> Argument:
    """The argument with the rule that gives the labels, and what to type."""
    more = len(search.ties) - 1
    others = f", as {some(more, 'further rule')} {verb(more, 'does', 'do')}" if more else ""
    notice = f"{rule.name} reproduces all {search.labelled:,} stored labels{others}."
    step = f"Run again with the rule of the labels as baseline: {rule.overrides()}"
    step = "" if barred(results) else step  # the step of that tells to search, too
    return replace(argument, notices=[Reason(notice, argument.rules)], first=step)


# The report


def origin_section(search: RuleSearch, baseline: str | None, blocks: Sequence[Any]) -> Section:
    """What was tried, the best rules, and how many of them give the same labels; `blocks` are on the configured one."""
    typed = [] if search.rule is None else [Note(f"To use the first as baseline: {search.rule.overrides()}")]
    return Section(TITLE, [*blocks, *search_blocks(search, baseline, typed)], console=True)


def search_blocks(search: RuleSearch, baseline: str | None, typed: Sequence[Block]) -> list[Block]:
    """What a search came to; `typed` says how the rule of all labels becomes the baseline."""
    blocks: list[Block] = [Note(f"{capital(_outcome(search))}."), *typed]
    if len(search.ties) > 1:
        blocks.append(Note(f"These rules give identical labels here: {enumerated(search.ties, LISTED)}."))
    if search.best:
        of = search.labelled
        rows = [
            [f"{i}", one.rule.name, f"{one.agreed:,}", f"{of:,}", fixed(100 * one.agreed / of, 2)]
            for i, one in enumerate(search.best, 1)
        ]
        blocks.append(Table(["", "rule", "labels", "of", "%"], rows, "><>>>"))
    return [*blocks, *(Note(text) for text in _how(search, baseline))]


def _how(search: RuleSearch, baseline: str | None) -> list[str]:
    """On which trials rules were tried, and which were left out."""
    if not search.tried:
        return []
    how = f"Tried on a random sample of {search.drawn:,} of {some(search.labelled, 'trial')}"
    if search.differing is not None:
        how += f", taken first from the {search.differing:,} whose label differs from {baseline}"
    texts = [f"{how}; the best were checked on all trials." if search.best else f"{how}."]
    late, slow = search.left_out
    texts += [f"{some(late, 'rule')} ran out of time and did not count."] if late else []
    texts += [f"{some(slow, 'rule')} would take too long on so many trials."] if slow else []
    texts += ["Rules that give every trial the same label do not count."]
    return texts
