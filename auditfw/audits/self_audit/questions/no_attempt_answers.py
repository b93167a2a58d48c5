"""Which attempts gave no output that could be scored, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.row_places import cell_counts
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import attempts_located, loops_of

KIND = FindingKind("no_attempt_answers", "Attempts that gave no output to score, by the reason why.")
NAMED = 3  # reasons


@declare("question", "no_attempt_answers")
class NoAttemptAnswers:
    """Which attempts gave no output that could be scored."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

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
        yield KIND(
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
