"""Problems that nothing solves or answers, stop rules known for part of them, and answers lost by iterating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from auditfw.audits.answers import enumerated
from auditfw.audits.self_audit.counts import LoopTable
from auditfw.audits.self_audit.readings import STORED
from auditfw.audits.table_rows import cell_counts
from auditfw.core.digits import chance, fixed
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.formulas.loops import Falls, KnownPart, falls_of, known_part
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import attempts_located, ended, known, loops_of

# Which attempts gave no output that could be scored, and why.

NO_ATTEMPT_ANSWERS = FindingKind("no_attempt_answers", "Attempts that gave no output to score, by the reason why.")
NAMED = 3  # reasons


@declare("question", "no_attempt_answers")
class NoAttemptAnswers:
    """Which attempts gave no output that could be scored."""

    finds: ClassVar[tuple[FindingKind, ...]] = (NO_ATTEMPT_ANSWERS,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding]:
        """Counts them by reason; points are the problems of which no attempt gave any."""
        loops = loops_of(rows)
        n = loops.unscored.total()
        if not n:
            return
        unscored, attempts = rows.numbers("unscored"), rows.numbers("attempts")
        touched = unscored > 0
        without = int((touched & (unscored == attempts)).sum())
        have = verb(without, "has", "have")
        text = f"{n:,} of {some(loops.attempts, 'attempt')} gave no output to score ({reasons(loops.unscored)})"
        text += f"; {some(without, 'problem')} {have} none at all." if without else "."
        yield NO_ATTEMPT_ANSWERS(
            n,
            loops.attempts,
            text,
            points=100 * without / rows.n,
            cells=cell_counts(rows, touched),
            detail={"reasons": dict(loops.unscored.most_common(20)), "problems_without": without},
            brief=f"{some(n, 'attempt')} without an output",
            shown=n < loops.attempts,  # where none gave any this is the answer's headline
            **attempts_located(rows, touched.nonzero()[0], lambda at: loops.done[at].unscored[0][0]),
        )


def reasons(unscored: Counter[str]) -> str:
    """Why attempts have no score, the most frequent reasons first."""
    shown = ", ".join(f"{why or 'no reason'}: {times:,}" for why, times in unscored.most_common(NAMED))
    more = len(unscored) - NAMED
    return f"{shown}, {some(more, 'other reason')}" if more > 0 else shown


KIND = FindingKind("nothing_solved", "No problem was solved: tests and stop rules say nothing.", ("few_solved",))
ALIKE = "Compare one output with what was expected: do they have one form (source, solver.columns, scoring)?"
SCORES = "Look whether these are the scores: solver.columns.output=THEIR_NAME"
LOOK = "Look at the problems with the highest soft scores in report.html."


class _Words(NamedTuple):
    headline: str
    text: str
    next: str


@declare("question", "nothing_solved")
class NothingSolved:
    """Whether no problem was solved."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding]:
        """None solved, of the problems whose loop did not fail."""
        loops, n = loops_of(rows), loops_of(rows).counts["audited"]
        if not n or any(one.solved for one in loops.sound):
            return
        failed = 0 < loops.attempts == loops.unscored.total()
        words = _failed(loops) if failed else _unsolved(loops, rows)
        brief = "no problem solved"
        yield KIND(n, n, words.text, effect="unknown", brief=brief, headline=words.headline, next=words.next)


def _failed(loops: LoopTable) -> _Words:
    """No attempt gave anything to score."""
    headline = f"Nothing was measured: none of {some(loops.attempts, 'attempt')} gave an output to score."
    do = "Find out why the attempts failed, and record or run them again."
    if loops.records.compared:
        do = "To audit the recorded scores themselves: solver.columns.output=score scoring=recorded."
    return _Words(headline, f"Why: {reasons(loops.unscored)}.", do)


def _unsolved(loops: LoopTable, rows: LabelRows) -> _Words:
    """How near the best attempts came."""
    n, best = loops.counts["audited"], max((one.score or 0.0 for one in loops.sound), default=0.0)
    if not best:
        headline = f"No problem was solved: every attempt at {some(n, 'problem')} scores 0."
        recorded = capability(rows.settings.scoring, "recorded", False)
        return _Words(headline, "Nothing was solved, so no stop rule is advised.", SCORES if recorded else ALIKE)
    headline = f"No problem was solved: of {some(n, 'problem')} the best soft score is {fixed(best, 4)}; 1 is success."
    text = "Nothing was solved, so no stop rule is advised"
    points = [point for point in loops.curve if point.known == n]
    if points:
        first, last = (fixed(point.score.value / point.known, 4) for point in (points[0], points[-1]))
        after = f", {last} after {len(points):,}" if len(points) > 1 else ""
        text += f": the mean soft score is {first} after 1 attempt{after}"
    full_marks = capability(rows.settings.scoring, "full_marks")
    setting = full_marks(best) if full_marks is not None else ""
    return _Words(headline, f"{text}.", f"If that score is full marks, say so: {setting}" if setting else LOOK)


# Stop rules that are known for part of the problems: those are no random part, and are shown beside no others.

SURVIVORS = FindingKind("survivors", "Problems for which a stop rule is not known: it is not shown beside all.")


@declare("question", "survivors")
class Survivors:
    """Which stop rules are known for part of the problems, and how those differ from all."""

    finds: ClassVar[tuple[FindingKind, ...]] = (SURVIVORS,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding]:
        """Readings that are known for the same problems are named together."""
        sound = ended(rows)
        solved = rows.numbers("solved")[sound] == 1
        alike: dict[bytes, tuple[KnownPart, list[str]]] = {}
        for name in rows.readings:
            there = known(rows, name)[sound]
            part = None if name == STORED else known_part(there, solved)
            if part is not None:
                alike.setdefault(there.tobytes(), (part, []))[1].append(name)
        if not alike:
            return
        groups = sorted(alike.values(), key=lambda group: -group[0].unknown)
        worst, names = groups[0][0], [name for _, named in groups for name in named]
        yield SURVIVORS(
            worst.unknown,
            worst.of,
            " ".join(f"{enumerated(named)}: {sentence(part)}" for part, named in groups),
            points=100 * max(part.apart for part, _ in groups),
            detail={"rules": {name: part.known for part, named in groups for name in named}},
            brief=f"{some(len(names), 'rule')} known for part of the problems",
        )


def sentence(part: KnownPart) -> str:
    """For how many a rule is known, and how many of these and of all are solved."""
    shares = (fixed(100 * share, 1) for share in (part.share, part.share_of_all))
    solved = "{} % of these are solved, {} % of all".format(*shares)
    return f"known for {part.known:,} of {part.of:,} problems, and not shown beside all of them ({solved})."


# Does iterating lose answers that were right on the tests after one attempt?

TESTS_FALL = FindingKind(
    "tests_fall",
    "Problems right on their tests after one attempt and wrong where the loop stopped.",
    needs={"test": "the problems have no tests"},
)
LEVEL = 0.01


@declare("question", "tests_fall")
class TestsFall:
    """Whether iterating loses answers that were right on the tests after one attempt."""

    finds: ClassVar[tuple[FindingKind, ...]] = (TESTS_FALL,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Falls against rises, by an exact test over problems."""
        both = known(rows, "test_first") & known(rows, "test_solved")
        if not both.any():
            yield TESTS_FALL.unchecked("no output of a test is known: map source.columns.test")
            return
        first, last = rows.numbers("test_first") == 1, rows.numbers("test_solved") == 1
        items = rows.numbered("row.item").numbers[both] if rows.has("row.item") else None
        falls = falls_of(first[both], last[both], items)
        if not falls.falls:
            return
        fell, returned = both & first & ~last, rows.numbers("iteration")
        yield TESTS_FALL(
            falls.falls,
            falls.right,
            falls_sentence(falls),
            effect="fragile" if falls.p <= LEVEL else "reported",
            points=100 * max(0, falls.falls - falls.rises) / falls.compared,
            p=falls.p,
            cells=cell_counts(rows, fell),
            detail={"rises": falls.rises, "compared": falls.compared},
            brief=f"{some(falls.falls, 'right answer')} lost by iterating",
            headline=f"Iterating loses right answers: {falls.falls:,} of {falls.right:,} that pass the tests after "
            f"one attempt fail them at the stop.",
            next="See what one attempt alone gives: stop.max_iterations=1; the problems are in report.html.",
            **attempts_located(rows, fell.nonzero()[0], lambda at: int(returned[at])),
        )


def falls_sentence(falls: Falls) -> str:
    """How many fall, and how many rise."""
    n, rises = falls.falls, falls.rises
    text = f"{n:,} of {some(falls.right, 'answer')} right on the tests after one attempt {verb(n, 'is', 'are')} wrong "
    text += f"at the stop, {rises:,} the other way round"
    return f"{text} ({chance(falls.p)})."
