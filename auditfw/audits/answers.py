"""What all audits need to draw their answer: the status that follows from rules, and the words for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from auditfw.core.digits import change, fixed, p_text
from auditfw.core.errors import AuditError
from auditfw.core.records import ORDER, Answer, AnswerRule, AnswerStatus, Estimate, Value

MOST_NAMED = 6  # of names in a sentence


class Statement(NamedTuple):
    """A headline with the decisive number, why (the strongest first), one thing to do."""

    headline: str
    because: list[str]
    next: str


@dataclass(frozen=True)
class Argument:
    """One line of reasoning of an answer: the rules that it tried, and its statement where one of them decides.

    `decides` names the status that a rule stands for where it fired (a rule that is not there only reports), `words`
    the statement for each such status, `scope` are sentences on what was looked at. `notices` and `remarks` are reasons
    whatever the status: before those of the status, and after them. `first` is what to do before the next step of a
    later argument, unless that breaks the result: then it stands with the notices.
    """

    rules: Sequence[AnswerRule] = ()
    decides: Mapping[str, AnswerStatus] = field(default_factory=dict)
    words: Mapping[AnswerStatus, Statement] = field(default_factory=dict)
    scope: Sequence[str] = ()
    notices: Sequence[str] = ()
    remarks: Sequence[str] = ()
    first: str = ""

    def fired(self) -> set[AnswerStatus]:
        """The statuses that the rules which fired stand for."""
        return {self.decides[rule.rule] for rule in self.rules if rule.fired and rule.rule in self.decides}

    def noticed(self, step: str) -> Sequence[str]:
        """The notices, with the first thing to do where that is not the next step."""
        return self.notices if self.first in ("", step) else [" ".join([*self.notices, f"{self.first}."])]


def concluded(arguments: Sequence[Argument], stable: Callable[[], Statement]) -> Answer:
    """The answer from arguments, those that matter most first.

    The status is the first of broken, fragile, unknown that a rule which fired stands for; stable where none did, in
    the words of `stable`. The headline and the next step are those of the first argument for the status. Where that is
    not broken, the step is that of an argument before it that has a `first` one.
    """
    fired = {status for argument in arguments for status in argument.fired()}
    status: AnswerStatus = next((one for one in ORDER if one in fired), "stable")
    chosen = [argument.words[status] for argument in arguments if status in argument.fired()] or [stable()]
    steps = [one.words[status].next if status in one.fired() else one.first for one in arguments]
    step = chosen[0].next if status == "broken" else next(filter(None, steps), chosen[0].next)
    because = [sentence for argument in arguments for sentence in argument.noticed(step)]
    because += [sentence for words in chosen for sentence in words.because]
    because += [sentence for argument in arguments for sentence in argument.remarks]
    scope = "".join(f"{part.rstrip('.')}. " for argument in arguments for part in argument.scope).rstrip()
    rules = [rule for argument in arguments for rule in argument.rules]
    return Answer(status, chosen[0].headline, because, step, scope, rules)


def nothing_audited(next_step: str) -> Answer:
    """The answer where no trial was audited."""
    return Answer("unknown", "Nothing was audited, so there is no result.", [], next_step, "No trials.")


def incomplete_argument(rule: AnswerRule, error: AuditError, next_step: str, numbers: str = "numbers") -> Argument:
    """More failed than the run allows, as `rule` says: what the `numbers` of the others say may not be so of all."""
    headline = f"The run is incomplete: its {numbers} may not hold for the rest."
    words = Statement(headline, [f"{error}."], next_step)
    return Argument([rule], {rule.rule: "unknown"}, {"unknown": words}, ["The run is incomplete"])


def points(value: float) -> str:
    """A shift in percentage points."""
    return f"{change(value, 2)} pp"


def interval(low: float, high: float, digits: int = 2) -> str:
    """An interval in brackets."""
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def with_interval(text: str, low: float | None, high: float | None, digits: int = 2) -> str:
    """A number in words and its interval behind it, where it has one."""
    return text if low is None or high is None else f"{text} {interval(low, high, digits)}"


def ends(estimate: Estimate, digits: int = 2) -> str:
    """The interval of an estimate in brackets; "" where it has none."""
    return with_interval("", estimate.low, estimate.high, digits).lstrip()


def estimated(estimate: Estimate | None, digits: int = 4) -> str:
    """A number in a table, with its interval where it has one; a dash where it is undefined."""
    if estimate is None or estimate.value is None:
        return "–"
    return with_interval(fixed(estimate.value, digits), estimate.low, estimate.high, digits)


def chance(p: float) -> str:
    """An adjusted p-value as part of a sentence."""
    shown = p_text(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def enumerated(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a sentence, the first of them where they are many: `a, b, c and 997 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def named(cell: Mapping[str, Value]) -> str:
    """A cell in words: `model = small, seed = 1`."""
    return ", ".join(f"{name} = {value}" for name, value in cell.items())
