"""What records of attempts say came of them, held against what the scoring computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import loops_of

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
