"""Whether records that were joined are of one item: the columns that hold its content differ between raters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.results.findings import PLACES, Finding, FindingKind, NotChecked
from auditfw.formulas.agreement.ratings import JOINED_DIFFER
from auditfw.formulas.judges.joined import ALPHA, most_differing
from auditfw.kinds.registry import declare

from .rated import called, kappa_rules, rated
from .rater_rows import RaterRows

KIND = FindingKind(
    "joins",
    "Records joined by id that differ in a column which holds the content of the item.",
    ("labels_shifted", "scale_factor", "renamed", "rows_twice"),
)
DO = "Join by the column that identifies the item: source.columns.id=THEIR_NAME"
EXAMPLES = 2


@declare("question", "joins")
class JoinedContents:
    """Whether raters' records of an item say the same of it."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: RaterRows) -> Iterator[Finding | NotChecked]:
        """The column that differs most."""
        columns = rows.results.whole.contents
        if not columns:
            yield KIND.unchecked(
                "records of several raters have no column of content in common: name one, audit.common"
            )
            return
        differing = [one for one in columns if one.differing]
        if not differing:
            return
        share = {one.name: one.differing.total() / one.compared.total() for one in differing}
        column = max(differing, key=lambda one: share[one.name])
        rater, p = most_differing(column.compared, column.differing, rows.settings.joins)
        n, of = column.differing.total(), column.compared.total()
        part = fixed(100 * n / of, 1).removesuffix(".0")
        examples = [why for _, why in rows.results.whole.findings.get(JOINED_DIFFER, [])[:EXAMPLES]]
        places = [place for place, _ in rows.results.whole.findings.get(JOINED_DIFFER, [])[:PLACES]]
        text = f"{n:,} of {some(of, 'joined record')} {verb(n, 'differs', 'differ')} in {column.name}: "
        raters = [rows.labels.raters.index(one) for one in column.differing]
        concerned = rows.of(rated).candidates if rows.labels.reference in raters else raters
        sure = p <= ALPHA  # a few slips explain nothing
        yield KIND(
            n,
            of,
            f"{text}{'; '.join(examples)}.",
            effect="fragile" if sure else "reported",
            points=100 * n / of,
            p=p,
            places=places,
            explains=(*KIND.explains, *kappa_rules(rows, KIND.name, concerned)) if sure else (),
            headline=f"{part} % of the joined records differ in {column.name}: were the right ones joined?",
            brief=f"{part} % of joins differ in {column.name}",
            next=f"{DO}; or compare other columns: audit.common=[COLUMN]",
            detail={"column": column.name, "rater": called(rows, rows.labels.raters.index(rater))},
        )
