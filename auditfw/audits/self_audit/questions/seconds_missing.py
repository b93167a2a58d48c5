"""Which attempts have no recorded seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.row_places import cell_counts
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import attempts_located, loops_of

KIND = FindingKind("seconds_missing", "Attempts whose seconds are not recorded: their problems' are missing, not 0.")
MAP = "under another name: solver.columns.seconds=THEIR_NAME"


@declare("question", "seconds_missing")
class SecondsMissing:
    """Which attempts have no recorded seconds, also where none has."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding]:
        """Counts them; the seconds of such a problem are null in every table."""
        loops = loops_of(rows)
        untimed, of = rows.numbers("untimed"), loops.attempts
        n, touched = int(untimed.sum()), untimed > 0
        if not n:
            return
        problems = int(touched.sum())
        text = f"{n:,} of {some(of, 'attempt')} {verb(n, 'has', 'have')} no recorded seconds: "
        text += f"those of {some(problems, 'problem')} are missing, not 0."
        if n == of:
            text = f"None of {some(of, 'attempt')} has recorded seconds: so that time is not known. Are they {MAP}?"
        brief = "no recorded seconds" if n == of else f"{some(n, 'attempt')} without seconds"
        where = attempts_located(rows, touched.nonzero()[0], lambda at: loops.done[at].untimed[0])
        yield KIND(n, of, text, cells=cell_counts(rows, touched), brief=brief, **where)
