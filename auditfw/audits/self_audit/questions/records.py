"""Records of attempts held against what the scoring computes, and attempts without recorded seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.table_rows import cell_counts
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import attempts_located, loops_of

OUTSIDE = FindingKind("scores_out_of_range", "Recorded scores beyond the range that the scoring gives.")
DIFFER = FindingKind("records_differ", "Recorded scores and successes that are not what the scoring computes.")
UNRECORDED = "the attempts have no recorded score or success: map solver.columns.score or solver.columns.success"
LIVE = "the attempts are made by the run itself: nothing else is recorded of them"
MOSTLY = 0.5  # of the differing scores


@declare("question", "records_differ")
class RecordsDiffer:
    """Which recorded scores and successes are not what the scoring computes, and which cannot be a score of it."""

    finds: ClassVar[tuple[FindingKind, ...]] = (OUTSIDE, DIFFER)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Those that differ at the digits that are recorded."""
        records = loops_of(rows).records
        if not records.compared:
            replayed = capability(rows.settings.solver, "recorded") is not None
            yield from (kind.unchecked(UNRECORDED if replayed else LIVE) for kind in self.finds)
            return
        if n := records.outside:
            ends = f"{records.least:g} to {records.largest:g}"
            text = f"{n:,} of {some(records.scores, 'recorded score')} {verb(n, 'lies', 'lie')} outside of what "
            text += f"audit.scoring gives: they go from {ends}, and are on a scale of their own."
            yield OUTSIDE(
                n,
                records.scores,
                text,
                detail={"least": records.least, "largest": records.largest},
                explains=(DIFFER.name,) if n >= MOSTLY * records.differing else (),
                brief=f"{some(n, 'recorded score')} out of range",
            )
        if n := records.differing:
            yield DIFFER(
                n,
                records.compared,
                records.sentence(),
                points=100 * n / records.compared,
                items=list(dict.fromkeys(one.problem for one in records.shown)),
                places=list(dict.fromkeys(one.place for one in records.shown)),
                brief=f"{some(n, 'record')} {verb(n, 'differs', 'differ')} from the scoring",
            )


# Which attempts have no recorded seconds.

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
