"""May a judge stand in for the human annotators? The alternative annotator test, in the report and in the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from auditfw.audits.answers import Argument, Reason, RuleKind
from auditfw.audits.consistency.name_check import check_named
from auditfw.core.digits import fixed, p_text
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.errors import UsageError
from auditfw.formulas.agreement import Ratings
from auditfw.formulas.agreement.alternative import (
    FEWEST_ITEMS,
    HALF,
    Alternative,
    AlternativeTest,
    LabelGap,
    alternative,
)

TITLE = "Can a Judge Replace the Annotators?"
FEWEST_HUMANS = 3
WINNING_RATE = RuleKind(
    "winning_rate", "Is the judge as close to the annotators as they are to each other?", "its winning rate", "below"
)
NOTABLE = 0.05  # difference of two shares of a label


@dataclass(frozen=True)
class StandIns:
    """The test of every judge, and its settings."""

    judges: Sequence[Alternative]
    humans: tuple[str, ...]
    epsilon: float
    alpha: float
    by_distance: bool


def check_humans(humans: Sequence[str], epsilon: float) -> None:
    """Refuses settings with which there is no test. Raises UsageError."""
    if not 0 <= epsilon < 1:
        do = "0.2 where humans are experts, 0.15 where they are trained, 0.1 for crowd workers"
        raise UsageError("epsilon", "expected a number from 0 to 1", epsilon, do)
    if humans and (len(humans) < FEWEST_HUMANS or len(set(humans)) < len(humans)):
        do = "with fewer, compare each with the judge: audit.reference"
        raise UsageError("humans", "expected three or more different annotators", ", ".join(humans), do)


def stand_ins(
    ratings: Ratings, humans: tuple[str, ...], epsilon: float, alpha: float, ordered: bool
) -> StandIns | None:
    """The test of every rater that is no human; None where no humans are named. Raises UsageError."""
    if not humans:
        return None
    check_named(humans, ratings.raters, "audit.humans")
    judges = [rater for rater in ratings.raters if rater not in humans]
    if not judges:
        raise UsageError("audit.humans", "every rater is one: no judge is left", None, "leave out the judges")
    numbers = (ratings.values or Ratings.numeric(ratings.labels)) if ordered else None
    test = AlternativeTest(humans, epsilon, alpha, numbers)
    tested = [alternative(ratings, judge, test) for judge in judges]
    return StandIns(tested, humans, epsilon, alpha, numbers is not None)


def stand_in_section(tests: StandIns | None, called: Callable[[str], str] = str) -> Section:
    """A row for each judge and annotator, and what follows for each judge."""
    section = Section(TITLE, console=True)
    if tests is None:
        return section
    rows = [
        [
            called(one.judge),
            called(left.annotator),
            f"{left.n:,}",
            *(_share(share) for share in (left.judge, left.human)),
            *("–" if p is None else p_text(p) for p in (left.p, left.adjusted)),
            "–" if left.p is None else "wins" if left.won(tests.alpha) else "does not win",
        ]
        for one in tests.judges
        for left in one.annotators
    ]
    columns = ["judge", "left out", "n", "judge as close", "human as close", "p", "adjusted p", "the judge"]
    closeness = "the mean squared distance to" if tests.by_distance else "the share of equal labels among"
    caption = (
        f"Each annotator left out: how often the judge, and how often the human, is as close to the others or closer, "
        f"by {closeness} their labels. The judge wins where the human's lead is below epsilon = {tests.epsilon:g} "
        "beyond chance (one-sided t over items, Benjamini-Yekutieli)."
    )
    section.blocks.append(Table(columns, rows, "<<>>>>><", caption))
    section.blocks += [Note(f"{_text(one, tests, called)}.") for one in tests.judges]
    return section


def stand_in_argument(tests: StandIns | None, called: Callable[[str], str] = str) -> Argument:
    """The winning rate of every judge; it is reported, and decides nothing."""
    if tests is None:
        return Argument()
    rules = [
        WINNING_RATE(one.judge, one.winning_rate, bound=HALF, fired=not one.passed)
        for one in tests.judges
        if one.winning_rate is not None
    ]
    notices = [
        Reason(f"{_verdict(one, tests, called)}.", [rule for rule in rules if rule.reading == one.judge])
        for one in tests.judges[:1]
    ]
    return Argument(rules, notices=notices)


def lost_texts(tests: StandIns | None, called: Callable[[str], str] = str) -> list[str]:
    """Of every judge that does not win over enough annotators a short line."""
    if tests is None:
        return []
    lost = [one for one in tests.judges if one.winning_rate is not None and not one.passed]
    return [f"{called(one.judge)} may not stand in for people: it wins over {_wins(one, tests)}" for one in lost]


def _wins(one: Alternative, tests: StandIns) -> str:
    counted = [left for left in one.annotators if left.p is not None]
    return f"{sum(left.won(tests.alpha) for left in counted)} of {some(len(counted), 'annotator')}"


def _verdict(one: Alternative, tests: StandIns, called: Callable[[str], str]) -> str:
    if one.winning_rate is None:
        return f"{called(one.judge)}: no annotator has {FEWEST_ITEMS} items, so the test of one left out says nothing"
    return (
        f"{called(one.judge)} {'passes' if one.passed else 'fails'} the test of one annotator left out: it wins over "
        f"{_wins(one, tests)} (winning rate {fixed(one.winning_rate, 2)}, at least {HALF:g} is needed)"
    )


def _text(one: Alternative, tests: StandIns, called: Callable[[str], str]) -> str:
    verdict = _verdict(one, tests, called)
    if one.winning_rate is None:
        return verdict
    return (
        f"{verdict}, advantage probability {fixed(one.advantage or 0.0, 2)}, epsilon {tests.epsilon:g}"
        f"{_differs(one.difference)}. The test asks whether a judge is as close to the others as the annotator left "
        "out, not whether they agree well"
    )


def _differs(difference: LabelGap | None) -> str:
    """What differs between a judge's labels and the annotators' as a whole, where it is worth a word."""
    if difference is None:
        return ""
    more = difference.judge - difference.humans
    if difference.label is None:
        size = fixed(abs(more), 2)
        return "" if not float(size) else f"; it gives {size} points {'more' if more > 0 else 'less'} than they do"
    if abs(more) < NOTABLE:
        return ""
    shares = [f"{fixed(100 * share, 1)} %" for share in (difference.judge, difference.humans)]
    return f"; it gives {difference.label} on {shares[0]} of the items, they on {shares[1]}"


def _share(share: float | None) -> str:
    return "–" if share is None else fixed(share, 4)
