"""Does iterating lose answers that were right on the tests after one attempt?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.row_places import cell_counts
from auditfw.core.digits import chance
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.formulas.loops.falls import Falls, falls_of
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .loop_rows import attempts_located, known

KIND = FindingKind(
    "tests_fall",
    "Problems right on their tests after one attempt and wrong where the loop stopped.",
    needs={"test": "the problems have no tests"},
)
LEVEL = 0.01


@declare("question", "tests_fall")
class TestsFall:
    """Whether iterating loses answers that were right on the tests after one attempt."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Falls against rises, by an exact test over problems."""
        both = known(rows, "test_first") & known(rows, "test_solved")
        if not both.any():
            yield KIND.unchecked("no output of a test is known: map source.columns.test")
            return
        first, last = rows.numbers("test_first") == 1, rows.numbers("test_solved") == 1
        items = rows.numbered("row.item").numbers[both] if rows.has("row.item") else None
        falls = falls_of(first[both], last[both], items)
        if not falls.falls:
            return
        fell, returned = both & first & ~last, rows.numbers("iteration")
        yield KIND(
            falls.falls,
            falls.right,
            sentence(falls),
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


def sentence(falls: Falls) -> str:
    """How many fall, and how many rise."""
    n, rises = falls.falls, falls.rises
    text = f"{n:,} of {some(falls.right, 'answer')} right on the tests after one attempt {verb(n, 'is', 'are')} wrong "
    text += f"at the stop, {rises:,} the other way round"
    return f"{text} ({chance(falls.p)})."
