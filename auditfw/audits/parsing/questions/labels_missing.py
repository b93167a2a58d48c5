"""Which audited trials have no stored label where others have one, unless a log stores that of first repeats alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.parsing.engine.plan import MISSING
from auditfw.audits.table_rows import cell_counts
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.core.tables import NO_CODE
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

KIND = FindingKind(
    "labels_missing",
    "Audited trials without a stored label where others have one.",
    needs={"stored": "no trial has a stored label"},
)


@declare("question", "labels_missing")
class LabelsMissing:
    """Which audited trials have no stored label where others have one."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding]:
        """Counts them by cell."""
        stored = rows.numbers("code.stored")
        missing, audited = stored == MISSING, int((stored != NO_CODE).sum())
        n = int(missing.sum())
        if 0 < n < audited and not rows.unlabelled_by_design:
            have = verb(n, "has", "have")
            text = f"{n:,} of {some(audited, 'audited trial')} {have} no stored label."
            yield KIND(n, audited, text, points=100 * n / audited, cells=cell_counts(rows, missing))
