"""What all audits need to draw their answer: the status that follows from rules, and the words for numbers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from auditfw.core.digits import change, difference_digits, fixed
from auditfw.core.document import with_ends
from auditfw.core.errors import AuditError
from auditfw.core.records import ORDER, REASONS, Answer, AnswerRule, AnswerStatus, Estimate, Value

# What an answer says in two or three words: by the audit and the status, else by what decided.

CANNOT_TELL = "CANNOT TELL"
BY_STATUS: Mapping[str, Mapping[AnswerStatus, str]] = {
    "parsing": {"stable": "HOLDS", "fragile": "DEPENDS ON SCORING", "broken": "LABELS HAVE NO RULE"},
    "alignment": {"stable": "DOES WHAT WAS INTENDED", "fragile": "MISSES SOME", "broken": "DOES NOT DO IT"},
    "consistency": {"stable": "THEY AGREE", "fragile": "THEY AGREE IN PART", "broken": "THEY DO NOT AGREE"},
    "self_audit": {
        "stable": "SOLVED MEANS RIGHT",
        "fragile": "SOME SOLVED ARE WRONG",
        "broken": "MOST SOLVED ARE WRONG",
    },
    "adjudication": {
        "stable": "PEOPLE CONFIRM IT",
        "fragile": "PEOPLE DIFFER",
        "broken": "PEOPLE SAY OTHERWISE",
    },
}
BY_KIND: Mapping[str, str] = {
    kind: words
    for words, kinds in {
        "WHO IS BETTER DEPENDS ON SCORING": "claim_turned pair_turned",
        "DEPENDS ON WHICH ROWS COUNT": "rows_twice cell_twice items_uneven truths_differ",
        "NOT ALL WAS SCORED": "unfinished unfinished_turns answered_turns truths_missing",
        "SCORER ACCEPTS TOO MUCH": "either_way luck_above_most_frequent",
        "NO BETTER THAN LUCK": "no_skill",
        "LABELS ARE IN DOUBT": (
            "labels_shifted labels_inverted graders_mixed answers_unsourced two_grades placeholder_labels "
            "options_permuted judge_off inside_noise"
        ),
        "DEPENDS ON THE WEIGHTS": "weights_turn",
        "DOES NOT REPEAT": "not_deterministic",
        "TRUTHS DO NOT BELONG TO THE ANSWERS": "truths_shifted",
        "NOTHING WAS MEASURED": "nothing_fits",
        "DIFFERENT TEXTS WERE JUDGED": "joins",
        "THEY USE DIFFERENT WORDS": "renamed",
        "THEY USE DIFFERENT SCALES": "scale_factor",
    }.items()
    for kind in kinds.split()
}
WHERE_BROKEN: Mapping[str, str] = {
    "truths_differ": "TRUTHS CONTRADICT EACH OTHER",
    "either_way": "SCORER ACCEPTS ANYTHING",
    "luck_above_most_frequent": "SCORER ACCEPTS ANYTHING",
}

WHERE_UNKNOWN: Mapping[str, str] = {"nothing_solved": "NOTHING WAS SOLVED"}


def words_of(audit: str, status: AnswerStatus, kinds: Sequence[str]) -> str:
    """The words of an answer whose headline is of these rules and kinds of findings, the first of them first.

    An audit that is not ours has the word of the status.
    """
    if audit not in BY_STATUS:
        return status.upper()
    if status == "unknown":
        return next((WHERE_UNKNOWN[kind] for kind in kinds if kind in WHERE_UNKNOWN), CANNOT_TELL)
    by_kind = {} if status == "stable" else {**BY_KIND, **(WHERE_BROKEN if status == "broken" else {})}
    return next((by_kind[kind] for kind in kinds if kind in by_kind), BY_STATUS[audit][status])


MOST_NAMED = 6  # of names in a sentence


@dataclass(frozen=True)
class RuleKind:
    """A rule that an argument tries: its question, the number that it looks at and how, the status it stands for.

    The fields are those of `AnswerRule`; calling it makes one.
    """

    name: str
    asks: str
    number: str = ""
    test: str = ""
    status: AnswerStatus | None = None
    setting: str | None = None
    unit: str = ""

    def __call__(
        self,
        reading: str,
        *number: float | None,
        fired: bool,
        bound: float | None = None,
        p: float | None = None,
        cell: Mapping[str, Value] | None = None,
    ) -> AnswerRule:
        """The rule as it was tried on a reading, whose `number` is a value, or that with the ends of its interval."""
        value, low, high = (*number, None, None, None)[:3]
        numbers = (dict(cell or {}), value, low, high, p, bound, fired)
        words = (self.asks, self.number, self.unit, self.test, self.setting, self.status)
        return AnswerRule(self.name, reading, *numbers, *words)


def _rules() -> dict[str, RuleKind]:
    with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row["unit"] = row["unit"] and f" {row['unit']}"
    return {row["name"]: RuleKind(**row | {key: row[key] or None for key in ("status", "setting")}) for row in rows}


RULES = _rules()  # of all audits, by name; the table lies beside this module
INCOMPLETE = RULES["incomplete"]


class Reason(NamedTuple):
    """A sentence of an answer, and the rules that it speaks of."""

    text: str
    rules: Sequence[AnswerRule] = ()


class Statement(NamedTuple):
    """A headline with the decisive number, why (the strongest first), one thing to do, what would change the answer.

    A reason that is but a text speaks of all rules of the argument that fired for the status.
    """

    headline: str
    because: Sequence[str | Reason]
    next: str
    change: str = ""


@dataclass(frozen=True)
class Argument:
    """One line of reasoning of an answer: the rules that it tried, and its statement where one of them decides.

    `words` is the statement for each status that a rule which fired stands for, `scope` are sentences on what was
    looked at. `notices` and `remarks` are reasons whatever the status: before those of the status, and after them; but
    a text, they speak of all rules that fired. `first` is what to do before the next step of a later argument, unless
    that breaks the result: then it stands with the notices. `points` is how far the rate moves by what it says, in
    percentage points, and `by_finding` says that a finding argues: arguments of one status then go by points, but for
    one that `leads`. `says` are the words of an answer that it leads, where those of its rules are not it.
    """

    rules: Sequence[AnswerRule] = ()
    words: Mapping[AnswerStatus, Statement] = field(default_factory=dict)
    scope: Sequence[str] = ()
    notices: Sequence[str | Reason] = ()
    remarks: Sequence[str | Reason] = ()
    first: str = ""
    points: float | None = None
    by_finding: bool = False
    leads: bool = False
    says: str = ""

    @property
    def place(self) -> tuple[bool, bool, float]:
        """Its place among those that argue for the same status."""
        return not self.leads, self.points is None, -(self.points or 0.0)

    def fired(self) -> set[AnswerStatus]:
        """The statuses that the rules which fired stand for."""
        return {rule.status for rule in self.rules if rule.fired and rule.status is not None}

    def noticed(self, step: str) -> Sequence[Reason]:
        """The notices, with the first thing to do where that is not the next step."""
        notices = self.reasons(self.notices)
        if self.first in ("", step):
            return notices
        text = " ".join([*(one.text for one in notices), f"{self.first}."])
        return [Reason(text, [rule for one in notices for rule in one.rules])]

    def reasons(self, sentences: Sequence[str | Reason], status: AnswerStatus | None = None) -> list[Reason]:
        """Sentences with the rules that they speak of: if not those that fired, for a status or at all."""
        fired = [rule for rule in self.rules if rule.fired and status in (None, rule.status)]
        return [Reason(one, fired) if isinstance(one, str) else one for one in sentences]


def stands_alone(arguments: Sequence[Argument]) -> bool:
    """Whether one argument alone stands against an answer that is stable."""
    return sum(bool(argument.fired()) for argument in arguments) == 1


def concluded(arguments: Sequence[Argument], stable: Callable[[], Statement], audit: str = "") -> Answer:
    """The answer of an audit from arguments, those that matter most first.

    The status is the first of broken, fragile, unknown that a rule which fired stands for; stable where none did, in
    the words of `stable`. The headline and the next step are those of the first argument for the status. Where that is
    neither broken nor a finding, the step is that of an argument before it that has a `first` one. What would change
    the answer is known where no other argument stands against it.
    """
    fired = {status for argument in arguments for status in argument.fired()}
    status: AnswerStatus = next((one for one in ORDER if one in fired), "stable")
    deciding = [(argument, argument.words[status]) for argument in arguments if status in argument.fired()]
    if any(argument.by_finding for argument, _ in deciding):
        deciding.sort(key=lambda one: one[0].place)
    deciding = deciding or [(Argument(), stable())]
    first = deciding[0][1]
    steps = [one.words[status].next if status in one.fired() else one.first for one in arguments]
    own = status == "broken" or deciding[0][0].by_finding
    step = first.next if own and first.next else next(filter(None, steps), first.next)
    because: list[Reason] = []
    scopes: list[str] = []
    rules: list[AnswerRule] = []
    for argument in arguments:
        because += argument.noticed(step)
        scopes += (f"{part.rstrip('.')}." for part in argument.scope)
        rules += argument.rules
    for argument, words in deciding:
        because += argument.reasons(words.because, status)
    for argument in arguments:
        because += argument.reasons(argument.remarks)
    once: dict[str, Reason] = {}
    for reason in because:
        once.setdefault(reason.text, reason)
    because = [reason for reason in once.values() if reason.text != first.headline]
    place = {id(rule): i for i, rule in enumerate(rules)}
    spoken = [[_placed(rule, rules, place) for rule in reason.rules] for reason in because[:REASONS]]
    texts = [reason.text for reason in because]
    leading = [rule.rule for rule in deciding[0][0].rules if rule.fired and rule.status == status]
    say = deciding[0][0].says or words_of(audit, status, leading)
    change = first.change if stands_alone(arguments) else ""
    kinds = dict.fromkeys([*leading, *(rules[place].rule for places in spoken for place in places)])
    return Answer(
        status, first.headline, texts, step, " ".join(scopes), rules, spoken, scopes, list(kinds), say, change
    )


def _placed(rule: AnswerRule, rules: Sequence[AnswerRule], place: Mapping[int, int]) -> int:
    """The place of a rule; the words of `stable` may hold it as it was before a finding took its status."""
    if id(rule) in place:
        return place[id(rule)]
    return next(i for i, one in enumerate(rules) if replace(one, status=rule.status) == rule)


def nothing_audited(next_step: str) -> Answer:
    """The answer where no trial was audited."""
    headline, scope = "Nothing was audited, so there is no result.", "No trials."
    return Answer("unknown", headline, [], next_step, scope, scopes=[scope], words=CANNOT_TELL)


def incomplete_argument(rule: AnswerRule, error: AuditError, next_step: str, numbers: str = "numbers") -> Argument:
    """More failed than the run allows, as its rule says: what the `numbers` of the others say may not be so of all."""
    headline = f"The run is incomplete: its {numbers} may not hold for the rest."
    words = Statement(headline, [f"{error}."], next_step)
    return Argument([rule], {"unknown": words}, ["The run is incomplete"], leads=True)


def points(value: float, low: float | None = None, high: float | None = None) -> str:
    """A shift in percentage points, in as many decimal places as its interval bears."""
    return f"{change(value, difference_digits(low, high))} pp"


def shift_interval(low: float, high: float) -> str:
    """The interval of a shift in percentage points."""
    return interval(low, high, difference_digits(low, high))


def interval(low: float, high: float, digits: int = 2) -> str:
    """An interval in brackets."""
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def with_interval(text: str, low: float | None, high: float | None, digits: int = 2, value: float | None = None) -> str:
    """A number in words and its interval behind it, where it has one."""
    return with_ends(text, value, low, high, lambda end: fixed(end, digits))


def ends(estimate: Estimate, digits: int = 2) -> str:
    """The interval of an estimate in brackets; "" where it has none."""
    return with_interval("", estimate.low, estimate.high, digits).lstrip()


def estimated(estimate: Estimate | None, digits: int = 4) -> str:
    """A number in a table, with its interval where it has one; a dash where it is undefined."""
    if estimate is None or estimate.value is None:
        return "–"
    return with_interval(fixed(estimate.value, digits), estimate.low, estimate.high, digits, estimate.value)


def enumerated(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a sentence, the first of them where they are many: `a, b, c and 997 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def named(cell: Mapping[str, Value]) -> str:
    """A cell in words: `model = small, seed = 1`."""
    return ", ".join(f"{name} = {value}" for name, value in cell.items())
