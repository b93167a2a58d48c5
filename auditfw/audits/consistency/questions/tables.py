"""The table of judgements as a whole: counts, pairs of too few items, other contents than its join says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.table_rows import located, place
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.imports import np
from auditfw.core.results.findings import PLACES, Finding, FindingKind, NotChecked
from auditfw.formulas.agreement.ratings import JOINED_DIFFER
from auditfw.formulas.judges.over_raters import JOINED_ALPHA, most_differing
from auditfw.kinds.registry import declare

from .rater_rows import RaterRows, called, kappa_rules, rated

COUNTS = FindingKind(
    "counts_table",
    "Rows of whole numbers with one sum: a table of counts, not of labels.",
    ("placeholder_labels", "labels_shifted", "scale_factor", "renamed", "one_rater_constant", "few_shared",
     "many_values", "leans", "lazy_rater"),
)  # fmt: skip
FEW = FindingKind("few_shared", "Pairs of raters with fewer than six items, which decide nothing.", screen=False)
TWICE = FindingKind("rows_twice", "Items that stand again with all their labels.")
LEAST_SHARE, LEAST = 0.05, 3


@declare("question", "judged_tables")
class JudgedTables:
    """Whether the table is one of labels, and each item in it once."""

    finds: ClassVar[tuple[FindingKind, ...]] = (COUNTS, FEW, TWICE)

    def __call__(self, rows: RaterRows) -> Iterator[Finding | NotChecked]:
        """By the labels of all raters, and the texts of the items."""
        from auditfw.formulas.judges.tables import few_shared

        yield from _counts(rows)
        few = few_shared(rows.of(rated))
        if few.few:
            text = (
                f"{few.few:,} of {some(few.pairs, 'pair')} of raters {verb(few.few, 'has', 'have')} fewer than 6 items"
            )
            yield FEW(few.few, few.pairs, f"{text}: they decide nothing.")
        yield from _twice(rows)


def _counts(rows: RaterRows) -> Iterator[Finding]:
    from auditfw.formulas.judges.tables import counts_table, fleiss

    total = counts_table(rows.of(rated))
    if not total:
        return
    kappa = fleiss(rows.of(rated)) if total > 1 else None
    text = f"The numbers of each of {some(rows.n, 'item')} add up to {total:,}: these are counts of raters, not labels"
    text += "." if kappa is None else f"; Fleiss' kappa of the counts is {fixed(kappa, 3)}."
    raters = rows.labels.raters
    yield COUNTS(
        rows.n,
        rows.n,
        text,
        effect="unknown",
        explains=(*COUNTS.explains, "undefined", *kappa_rules(rows, COUNTS.name, rows.of(rated).candidates)),
        headline=f"A table of counts, not of labels: the numbers of every item add up to {total:,}.",
        brief=f"a table of counts ({total:,} an item)",
        next=f"Write a record for each label instead of the counts in {', '.join(raters[:6])}: item, rater, label",
        detail={"sum": total, "fleiss_kappa": kappa},
    )


def _twice(rows: RaterRows) -> Iterator[Finding | NotChecked]:

    from auditfw.formulas.judges.tables import agreement, twice

    texts = rows.texts
    if texts is None:
        yield TWICE.unchecked(
            "no column holds what was judged: name it source.columns.text, or of joined records audit.common"
        )
        return
    items = rows.of(rated)
    same = twice(texts, items)
    if not same:
        return
    n, kept = len(same), np.ones(rows.n, bool)
    kept[[again for _, again in same]] = False
    before, after = agreement(items), agreement(items, kept)
    text, points = f"{some(n, 'item')} {verb(n, 'stands', 'stand')} twice, with all labels", None
    if before is not None and after is not None:
        points = 100 * abs(after - before)
        text += f": {fixed(100 * before, 1)} % of labels agree, {fixed(100 * after, 1)} % without the copies"
    first, again = (place(rows, at) for at in same[0])
    yield TWICE(
        n,
        rows.n,
        f"{text}.",
        effect="fragile" if n >= max(LEAST, LEAST_SHARE * rows.n) else "reported",
        points=points,
        brief=f"{some(n, 'item')} twice",
        next=f"Compare {first} with {again}: was a file read or joined twice?",
        **located(rows, [at for pair in same for at in pair]),
    )


# Whether records that were joined are of one item: the columns that hold its content differ between raters.

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
        sure = p <= JOINED_ALPHA  # a few slips explain nothing
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
