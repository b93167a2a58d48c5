"""What the table of judgements is as a whole: a table of counts, pairs of too few items, items that stand twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.row_places import located, place
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.kinds.registry import declare

from .rated import kappa_rules, rated
from .rater_rows import RaterRows

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
    import numpy as np

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
