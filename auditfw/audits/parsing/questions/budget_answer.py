"""What an error budget decides: too many trials did not finish, or a pair depends on them; and its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.audits.answers import RULES, Argument, Statement, interval
from auditfw.core.digits import fixed
from auditfw.core.document import capital, some, verb
from auditfw.core.imports import np
from auditfw.core.records import AnswerRule, AnswerStatus
from auditfw.formulas.budget.cells import cell_budget
from auditfw.formulas.budget.ended import RIGHT_CODE, Sign, TrialClass

from .budget_facts import TrialBudget
from .row_facts import ValueColumn, facts

if TYPE_CHECKING:
    from auditfw.formulas.rows.label_lags import ValueLabels

MOST_VALUES = 50  # of a column whose values are compared
SAME, FEWEST = 0.9, 20  # of losing trials with a score
LIMIT = "THE LIMIT DECIDES"
UNFINISHED = RULES["unfinished"]
UNFINISHED_TURNS = RULES["unfinished_turns"]
ANSWERED_TURNS = RULES["answered_turns"]
SAME_SCORE = RULES["same_score"]
PROSE = (
    "finish reasons are not recorded; a text that breaks off shows about a third of the prose, two thirds of the "
    "mathematics and nearly all JSON that a limit cuts"
)
SCOPES = {
    "recorded": "how completions ended is recorded",
    "tokens": "how completions ended follows from their tokens and limits",
    "spike": "finish reasons are not recorded; many completions are as long as the longest",
    "text": PROSE,
    "none": "how completions ended is not known",
}


class DependentPair(NamedTuple):
    """Two values of a column of which the first is better, by this much; and the rule that looked at them."""

    column: ValueColumn
    better: int
    worse: int
    rule: AnswerRule


class Conclusion:
    """The rules of the answer on a budget, and what follows in words."""

    def __init__(self, budget: TrialBudget) -> None:
        self.budget, self.whole, self.settings = budget, budget.whole, budget.rows.settings

    @cached_property
    def argument(self) -> Argument:
        """The argument: points lead, but where only the signs in texts say that trials did not finish."""
        rules = [self.unfinished, *(pair.rule for pair in (*self.unfinished_turns, *self.answered_turns))]
        rules += [self.same_score] if self.same_score is not None else []
        status = self.unfinished.status
        words: dict[AnswerStatus, Statement] = {}
        if self.unfinished.fired and status is not None:
            words[status] = self._statement()
        fired = [pair for pair in (*self.unfinished_turns, *self.answered_turns) if pair.rule.fired]
        if fired and "fragile" not in words:
            words["fragile"] = Statement(self._turned(fired[0]), list(map(self._turned, fired)), self.next)
        points = None if self.text_alone else 100 * self.whole.unknown.share
        remarks = [self._same()] if self.same_score is not None and self.same_score.fired else []
        lost = self.whole.unknown.share * self.whole.n
        says = LIMIT if 2 * self.whole.classes[TrialClass.CUT_OFF] > lost else ""
        return Argument(rules, words, self.scope, remarks=remarks, points=points, by_finding=bool(words), says=says)

    # The rules

    @cached_property
    def text_alone(self) -> bool:
        """Whether only signs in texts say that so many did not finish."""
        certain = self.budget.certain
        return certain is not None and 100 * certain.unknown.low <= self.settings.precision

    @cached_property
    def unfinished(self) -> AnswerRule:
        """Whether more than the precision of trials did not finish; broken where they are most of those lost."""
        share, bound = self.whole.unknown, self.settings.precision
        fired = 100 * share.low > bound
        most = self.whole.of_lost is not None and self.whole.of_lost.low > 0.5
        kind = replace(UNFINISHED, status="broken") if fired and most and not self.text_alone else UNFINISHED
        ends = (100 * share.share, 100 * share.low, 100 * share.high)
        return kind(self.budget.rows.reference, *ends, bound=bound, fired=fired)

    @cached_property
    def _columns(self) -> Sequence[tuple[ValueColumn, Any, ValueLabels]]:
        """The columns by which trials are compared, with each trial's value and the labels by it."""
        from auditfw.formulas.rows.label_lags import ValueLabels

        budget = self.budget
        everything, items = np.ones(len(budget.at), bool), budget.items.astype(np.int64)
        labels = []
        for column in facts(budget.rows).models:
            if 2 <= len(column.values) <= MOST_VALUES:
                values = column.numbers[budget.at]
                right = budget.classes == TrialClass.RIGHT
                labels.append((column, values, ValueLabels(values, items, right, everything)))
        return labels

    @cached_property
    def unfinished_turns(self) -> Sequence[DependentPair]:
        """The resolved pairs whose difference the unfinished of the worse one exceed."""
        pairs = []
        for column, values, labels in self._columns:
            for i, row in enumerate(labels.all.better):
                for j, better in enumerate(row):
                    if better:
                        own = values == j
                        share = self._unknown(own)
                        if share is not None and share.share > labels.all.leads[i][j]:
                            pairs.append(self._turns(column, i, j, share))
        return pairs

    def _unknown(self, chosen: Any) -> Any:
        """The rate of unknown answers among some trials; None where there is none."""
        budget = self.budget
        if not budget.unknown[chosen].any():
            return None
        return cell_budget(budget.items[chosen], budget.classes[chosen], budget.unknown[chosen]).unknown

    def _turns(self, column: ValueColumn, i: int, j: int, share: Any) -> DependentPair:
        bound = self.settings.margin
        ends = (100 * share.share, 100 * share.low, 100 * share.high)
        cell = {column.name: column.values[j]}
        fired = 100 * share.low > bound
        rule = UNFINISHED_TURNS(self.budget.rows.reference, *ends, bound=bound, cell=cell, fired=fired)
        return DependentPair(column, i, j, rule)

    @cached_property
    def answered_turns(self) -> Sequence[DependentPair]:
        """The resolved pairs that are resolved the other way among the trials that were answered; those reversed."""
        pairs = []
        answered = np.isin(self.budget.classes, [int(TrialClass.RIGHT), int(TrialClass.WRONG)])
        for column, _, labels in self._columns:
            if answered.all() or not any(map(any, labels.all.better)):
                continue
            among = labels.ranked(answered)
            for i, row in enumerate(labels.all.better):
                for j, better in enumerate(row):
                    if better and among.leads[i][j] < 0:
                        cell = {column.name: column.values[j]}
                        numbers = (100 * among.leads[j][i],)
                        rule = ANSWERED_TURNS(self.budget.rows.reference, *numbers, cell=cell, fired=among.better[j][i])
                        pairs.append(DependentPair(column, i, j, rule))
        return pairs

    @cached_property
    def same_score(self) -> AnswerRule | None:
        """Whether nearly all losing trials have one score between the extremes; None without such scores."""
        rows = self.budget.rows
        if not rows.has("row.score"):
            return None
        scores = rows.numbers("row.score")[self.budget.at]
        known = ~np.isnan(scores)
        if not known.any():
            return None
        between = known & (scores > scores[known].min()) & (scores < scores[known].max())
        lost = scores[between & (self.budget.classes != TrialClass.RIGHT)]
        if len(lost) < FEWEST:
            return None
        values, counts = np.unique(lost, return_counts=True)
        self._score = float(values[counts.argmax()]), int(counts.max())
        share = int(counts.max()) / len(lost)
        return SAME_SCORE(rows.reference, 100 * share, bound=100 * SAME, fired=share >= SAME)

    # The words

    def _statement(self) -> Statement:
        """The statement of the rule `unfinished`."""
        whole, high = self.whole, percent(self.whole.bounds.high)
        right, unknown = percent(whole.right.share), percent(whole.unknown.share)
        if self.limit_decides:
            lost = percent(whole.classes[TrialClass.CUT_OFF] / whole.n)
            headline = f"The limit decides: {lost} % were cut off and not right; {right} % are right of all, up to"
            headline += f" {high} % if none were cut."
        else:
            headline = f"Not all was scored: {unknown} % have no known result ({self._kinds()}); {right} % are right of"
            headline += f" all, up to {high} %."
        because = [self._pair(), *([self._cut()] if self.budget.cut.any() else []), *self._planned()]
        return Statement(headline, because, self.next)

    @property
    def limit_decides(self) -> bool:
        """Whether most of what is not known was cut off within a text."""
        budget = self.budget
        cut = (budget.classes == TrialClass.CUT_OFF) & (budget.signs & Sign.EMPTY == 0)
        return 2 * int(cut.sum()) > self.unknown

    @property
    def unknown(self) -> int:
        return round(self.whole.unknown.share * self.whole.n)

    def _kinds(self) -> str:
        """How many of the unknown are what: an empty text is called so, wherever it ended."""
        budget = self.budget
        empty = int((budget.unknown & (budget.signs & Sign.EMPTY > 0) & ~budget.failed).sum())
        counts = {
            "empty": empty,
            "cut off": int((budget.unknown & budget.cut & (budget.signs & Sign.EMPTY == 0)).sum()),
        }
        counts |= {kind.title: self.whole.classes[kind] for kind in (TrialClass.RUN_ERROR, TrialClass.UNLABELLED)}
        return ", ".join(f"{n:,} {name}" for name, n in counts.items() if n)

    def _pair(self) -> str:
        """Right of all and right of answered, together."""
        whole = self.whole
        ends = interval(100 * whole.bounds.least, 100 * whole.bounds.most, 1)[1:-1]
        text = f"{percent(whole.right.share)} % right of all {whole.n:,} [{ends} with what is not known]"
        if whole.answered is None:
            return f"{text}; none was answered."
        return f"{text}; {percent(whole.answered.share)} % right of the {whole.answered.trials:,} answered."

    def _cut(self) -> str:
        """How many were cut off at which limit, and how right they and the others are."""
        budget = self.budget
        cut, right = budget.cut, budget.classes == TrialClass.RIGHT
        n, others = int(cut.sum()), int((~cut).sum())
        limit, assumed = budget.limit
        where = "" if limit is None or assumed else f" at {limit:,} tokens"
        text = (
            f"{percent(n / self.whole.n)} % of the completions are cut off{where}, {percent((cut & right).sum() / n)} %"
        )
        text += " of those right"
        return f"{text}; the others are {percent((~cut & right).sum() / others)} % right." if others else f"{text}."

    def _planned(self) -> list[str]:
        """How many trials that were planned, or have no label, have no score."""
        whole = self.whole
        missing = whole.classes[TrialClass.RUN_ERROR] + whole.classes[TrialClass.UNLABELLED]
        scored = whole.n - missing
        if not missing or not scored:
            return []
        right = whole.classes[TrialClass.RIGHT]
        low, high = percent(whole.bounds.low), percent(whole.bounds.high)
        planned = "planned trials" if self.budget.absent else "trials"
        text = f"{missing:,} of {whole.n:,} {planned} have no score: {percent(right / scored)} % of the {scored:,}"
        return [f"{text} scored, between {low} and {high} % of all."]

    def _turned(self, pair: DependentPair) -> str:
        """A pair that depends on what did not finish."""
        better, worse = pair.column.values[pair.better], pair.column.values[pair.worse]
        if pair.rule.rule == ANSWERED_TURNS.name:
            return (
                f"{better} is right more often than {worse} of all; of the answered it trails, by {_points(pair.rule)}."
            )
        return f"{_points(pair.rule)} of {worse} did not finish: more than it trails {better} by."

    def _same(self) -> str:
        score, n = self._score
        return f"{n:,} failures score {score:.4g}: look at the grader."

    @property
    def next(self) -> str:
        """What to do first."""
        budget, whole = self.budget, self.whole
        lost = [kind for kind in TrialClass if kind not in (TrialClass.RIGHT, TrialClass.WRONG)]
        worst = max(lost, key=whole.classes.__getitem__)
        if self.text_alone or (budget.evidence == "none" and worst == TrialClass.EMPTY):
            how = " (lm-eval: --gen_kwargs max_gen_toks=…)" if budget.limit[1] else ""
            return f"Record finish reasons and map them: source.columns.stop{how}"
        if worst == TrialClass.CUT_OFF:
            limit = budget.limit[0]
            larger = "with a larger limit" if limit is None else f"with a limit above {limit:,} tokens"
            return f"Run again {larger}; until then compare by right_of_answered with its coverage, or not at all"
        if worst == TrialClass.LOOP:
            return "Read the completions that loop: a longer limit does not help them"
        if worst == TrialClass.UNLABELLED:
            return "Score the trials that have no stored label, and audit again"
        if worst == TrialClass.RUN_ERROR:
            return "Run the trials without a score again"
        if worst == TrialClass.OTHER_FORMAT:
            return f"audit.reference={self._other_format()}, which reads the other format"
        return "Look why so many answers are empty: a limit on hidden reasoning, or another column that holds the text"

    def _other_format(self) -> str:
        """The reading that is right on most answers in another format."""
        budget = self.budget
        at = budget.at[budget.classes == TrialClass.OTHER_FORMAT]
        right = {one: int((budget.rows.numbers(f"code.{one}")[at] == RIGHT_CODE).sum()) for one in budget.rows.readings}
        return max(right, key=right.__getitem__)

    @property
    def scope(self) -> list[str]:
        """How it is known that completions ended, limits that are assumed, habits, trials that are absent."""
        budget = self.budget
        sentences = [SCOPES[budget.evidence]]
        if budget.limit[1] and budget.limit[0] is not None:
            sentences.append(f"a limit of {budget.limit[0]:,} tokens is assumed, the harness's own")
        if budget.habits:
            names = sorted({str(sign.name).lower() for sign in budget.habits.values()})
            sentences.append(f"left open in more than half of a cell's texts, and not counted: {', '.join(names)}")
        absent = sum(n for n, _ in budget.absent)
        if absent:
            sentences.append(f"{absent:,} of {self.whole.n:,} planned trials are absent")
        if budget.contradictions:
            n = some(budget.contradictions, "completion")
            sentences.append(f"{n} recorded as finished {verb(budget.contradictions, 'breaks', 'break')} off")
        return [capital(text) for text in sentences]


def percent(share: float) -> str:
    """A share in percent."""
    return fixed(100 * float(share), 1)


def _points(rule: AnswerRule) -> str:
    return f"{fixed(rule.value or 0.0, 1)}{rule.unit or ' %'}"
