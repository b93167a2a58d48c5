"""Was any problem solved? Where none was, nothing follows for tests, and no stop rule can be advised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from auditfw.audits.self_audit.counts import LoopTable
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import loops_of
from .no_attempt_answers import reasons

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
