"""May a judge stand in for the human annotators? The alternative annotator test, in the report and in the answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.audits.answers import RULES, Argument, Reason, enumerated
from auditfw.core.digits import fixed, p_text
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.errors import UsageError, near
from auditfw.core.escaping import value
from auditfw.formulas.agreement import Ratings
from auditfw.formulas.agreement.alternative import (
    FEWEST_ITEMS,
    HALF,
    Alternative,
    AlternativeTest,
    LabelGap,
    alternative,
    difference,
)

from .scale import unordered

TITLE = "Can a Judge Replace the Annotators?"
FEWEST_HUMANS, FEWEST_NAMED = 3, 2  # of the test, and of whom a judge's agreement is shown
WINNING_RATE = RULES["winning_rate"]
THIRD = f"Have a third person label the items: a judge is tested against {FEWEST_HUMANS} people"
MOST_NAMED = 4  # humans
NOTABLE = 0.05  # difference of two shares of a label


@dataclass(frozen=True)
class StandIns:
    """What the test of every judge came to.

    `off` are the humans that are off, `without` the same tests without them: none where too few humans are left.
    """

    judges: Sequence[Alternative]
    test: AlternativeTest
    off: Sequence[str] = ()
    without: Sequence[Alternative] = ()

    @property
    def left(self) -> list[str]:
        """The humans that are not off."""
        return [human for human in self.test.humans if human not in self.off]

    @property
    def too_few(self) -> bool:
        """Whether fewer humans are left than the test needs."""
        return len(self.left) < FEWEST_HUMANS

    def again(self, one: Alternative) -> Alternative | None:
        """The test of a judge without the humans that are off."""
        return next((other for other in self.without if other.judge == one.judge), None)


def check_humans(humans: Sequence[str], epsilon: float) -> None:
    """Refuses settings with which there is no test. Raises UsageError."""
    if not 0 <= epsilon < 1:
        do = "0.2 where humans are experts, 0.15 where they are trained, 0.1 for crowd workers"
        raise UsageError("epsilon", "expected a number from 0 to 1", epsilon, do)
    if humans and (len(humans) < FEWEST_NAMED or len(set(humans)) < len(humans)):
        do = "compare one with the judge: audit.reference"
        raise UsageError("humans", "expected two or more different annotators", ", ".join(humans), do)


def check_people(humans: Sequence[str], raters: Sequence[str]) -> None:
    """Refuses humans that are no raters, and says what to write. Raises UsageError."""
    left, strange = ([one for one in humans if (one in raters) is known] for known in (True, False))
    for name in strange[:1]:
        kept = kept_people(left, raters)
        why = "" if len(kept) >= FEWEST_HUMANS else f" (no judge is tested without {FEWEST_HUMANS} people)"
        others = [f"audit.humans={listed(kept)}{why}", f"audit.raters={listed([*raters, *strange])}"]
        do = f"{near(name, raters) or 'leave it out'}: write {' or '.join(others)}"
        raise UsageError("audit.humans", f"no rater '{name}'", f"raters: {', '.join(raters)}", do)


def kept_people(humans: Sequence[str], raters: Sequence[str]) -> list[str]:
    """The humans among the raters; none where they are fewer than two, or no judge is left."""
    left = [human for human in humans if human in raters]
    return left if FEWEST_NAMED <= len(left) < len(raters) else []


def listed(raters: Sequence[str]) -> str:
    """Raters as the value of a setting."""
    return f"[{','.join(map(value, raters))}]"


def stand_ins(ratings: Ratings, audit: Any, off: Collection[str]) -> StandIns | None:
    """The test of every rater that is no human, by the settings of an audit; None where no humans are named.

    `off` are the raters that are off. What a judge's labels differ by is then counted over the other humans. Raises
    UsageError.
    """
    if not audit.humans:
        return None
    judges = [rater for rater in ratings.raters if rater not in audit.humans]
    if not judges:
        raise UsageError("audit.humans", "every rater is one: no judge is left", None, "leave out the judges")
    numbers = None if unordered(audit) else ratings.values or Ratings.numeric(ratings.labels)
    test = AlternativeTest(audit.humans, audit.epsilon, audit.alpha, numbers)
    if len(audit.humans) < FEWEST_HUMANS:
        gaps = [Alternative(judge, (), None, None, difference(ratings, judge, test)) for judge in judges]
        return StandIns(gaps, test, [human for human in audit.humans if human in off])
    tested = [alternative(ratings, judge, test) for judge in judges]
    tests = StandIns(tested, test, [human for human in audit.humans if human in off])
    if not tests.off or not tests.left:
        return tests
    fewer = replace(test, humans=tuple(tests.left))
    tested = [replace(one, difference=difference(ratings, one.judge, fewer)) for one in tested]
    enough = judges if len(tests.left) >= FEWEST_HUMANS else []
    return replace(tests, judges=tested, without=[alternative(ratings, judge, fewer) for judge in enough])


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
            "–" if left.p is None else "wins" if left.won(tests.test.alpha) else "does not win",
        ]
        for one in tests.judges
        for left in one.annotators
    ]
    columns = ["judge", "left out", "n", "judge as close", "human as close", "p", "adjusted p", "the judge"]
    closeness = "the mean squared distance to" if tests.test.numbers is not None else "the share of equal labels among"
    caption = (
        f"Each annotator left out: how often the judge, and how often the human, is as close to the others or closer, "
        f"by {closeness} their labels. The judge wins where the human's lead is below epsilon = {tests.test.epsilon:g} "
        "beyond chance (one-sided t over items, Benjamini-Yekutieli)."
    )
    section.blocks += [Table(columns, rows, "<<>>>>><", caption)] if rows else []
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
    step = THIRD if tests.too_few and not tests.off else ""
    return Argument(rules, notices=notices, first=step)


def lost_texts(tests: StandIns | None, called: Callable[[str], str] = str) -> list[str]:
    """Of every judge that does not win over enough annotators, or of which that is not known, a short line."""
    if tests is None:
        return []
    if tests.too_few:
        left = _too_few(tests, called)
        return [f"may {called(one.judge)} replace people? not known: {left}" for one in tests.judges]
    sound = [tests.again(one) or one for one in tests.judges]
    lost = [one for one in sound if one.winning_rate is not None and not one.passed]
    return [f"{called(one.judge)} may not stand in for people: it wins over {_wins(one, tests)}" for one in lost]


def _too_few(tests: StandIns, called: Callable[[str], str]) -> str:
    """Why there is no test: how many humans are left, and how many it needs."""
    left = f"{len(tests.left)} people"
    if tests.off:
        left = f"without {' and '.join(map(called, tests.off))} {len(tests.left)} {_are(tests.left)} left"
    return f"{left}, {FEWEST_HUMANS} are needed"


def _wins(one: Alternative, tests: StandIns) -> str:
    counted = [left for left in one.annotators if left.p is not None]
    return f"{sum(left.won(tests.test.alpha) for left in counted)} of {some(len(counted), 'annotator')}"


def _verdict(one: Alternative, tests: StandIns, called: Callable[[str], str]) -> str:
    """What the test says of a judge: without the humans that are off, by how many items, and by which epsilon."""
    again, judge = tests.again(one), called(one.judge)
    off, differs = enumerated(list(map(called, tests.off))), _differs(one.difference, tests, called)
    if tests.too_few or (again is not None and again.winning_rate is None):
        left = _too_few(tests, called) if tests.too_few else f"without {off} no annotator has {FEWEST_ITEMS} items"
        return f"Whether {judge} may replace people is not known: {left}{differs}"
    if one.winning_rate is None:
        return f"{judge}: no annotator has {FEWEST_ITEMS} items, so the test of one left out says nothing"
    sound = again or one
    text = (
        f"{judge} {'passes' if sound.passed else 'fails'} the test of one annotator left out: it wins over "
        f"{_wins(sound, tests)} (winning rate {fixed(sound.winning_rate or 0.0, 2)}, at least {HALF:g} is needed; "
        f"{_sizes(sound)}){differs}"
    )
    if again is None:
        return text
    return f"Without {off}, {text}; with {off}, which {_are(tests.off)} off, over {_wins(one, tests)}"


def _are(of: Sequence[str]) -> str:
    return verb(len(of), "is", "are")


def _sizes(one: Alternative) -> str:
    """Of how many items a test is."""
    sizes = sorted(left.n for left in one.annotators if left.p is not None)
    return f"{sizes[0]:,} to {sizes[-1]:,} items" if sizes[0] < sizes[-1] else some(sizes[0], "item")


def _text(one: Alternative, tests: StandIns, called: Callable[[str], str]) -> str:
    verdict = _verdict(one, tests, called)
    if one.winning_rate is None:
        return verdict
    epsilon = tests.test.epsilon
    over = (
        f" over all {len(tests.test.humans)} annotators, {enumerated(list(map(called, tests.off)))} among them,"
        if tests.off
        else ""
    )
    return (
        f"{verdict}. Its advantage probability{over} is {fixed(one.advantage or 0.0, 2)}: on that share of the items "
        "it is as close to the others as the annotator left out, or closer (1 is best). The test asks that, not "
        f"whether they agree well; epsilon {epsilon:g} lets the human be closer on {100 * epsilon:g} % more of the "
        "items, and less, as audit.epsilon=0.1, is stricter"
    )


def _differs(gap: LabelGap | None, tests: StandIns, called: Callable[[str], str]) -> str:
    """What differs between a judge's labels and the annotators' as a whole, where it is worth a word."""
    if gap is None:
        return ""
    fewer = tests.off or tests.too_few
    named = " and ".join(map(called, tests.left)) if fewer and len(tests.left) < MOST_NAMED else ""
    more, they = gap.judge - gap.humans, named or "they"
    if gap.label is None:
        size = fixed(abs(more), 2)
        do = "" if named else " do"
        return f"; it gives {size} points {'more' if more > 0 else 'less'} than {they}{do}" if float(size) else ""
    if abs(more) < NOTABLE:
        return ""
    shares = [f"{fixed(100 * share, 1)} %" for share in (gap.judge, gap.humans)]
    return f"; it gives {gap.label} on {shares[0]} of the items, {they} on {shares[1]}"


def _share(share: float | None) -> str:
    return "–" if share is None else fixed(share, 4)
