"""Truths that are missing or differ within an item, and labels or truths that are all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.parsing.kept.keys import hashed, key_of, normalized_truth
from auditfw.audits.table_rows import cell_counts, located
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.imports import NDArray, np
from auditfw.core.results.findings import ITEMS, Effect, Finding, FindingKind, NotChecked
from auditfw.core.statistics import wilson
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import ITEM, STORED, RowFacts, facts, no_value, unchecked

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
    Codes = NDArray[np.int32]


MISSING = FindingKind("truths_missing", "Truths that are empty, or look like a missing value and are scored as text.")
DIFFER = FindingKind("truths_differ", "Items whose rows have different truths.", ("cell_no_skill",), needs=ITEM)
ASSERTION = "assertion"  # several of one question are no truths of it
SPELLED = {
    "none": ("None", "none"),
    "nan": ("nan", "NaN"),
    "n/a": ("N/A", "n/a"),
    "null": ("null", "NULL"),
    "-": ("-",),
}


@declare("question", "truths_whole")
class TruthsWhole:
    """Whether each row has a truth, and each item one."""

    finds: ClassVar[tuple[FindingKind, ...]] = (MISSING, DIFFER)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Truths that look like none, by hash; truths by item, by their canonical forms."""
        known = facts(rows)
        if not rows.has("row.truth"):
            yield MISSING(rows.n, rows.n, f"All {rows.n:,} truths are empty.", **located(rows, range(rows.n)[:ITEMS]))
            return
        alike = look_alikes(known)
        yield from truths_missing(known, alike)
        if known.known_items:
            yield from truths_differ(known, alike)
        else:
            yield from unchecked(DIFFER, rows, no_value(ITEM))


def look_alikes(known: RowFacts) -> Mapping[str, Flags]:
    """The rows whose truth is a word for a missing value, by word; not a word that some reading calls right."""
    truths = known.rows.numbers("row.truth")
    alike = {}
    for word in SPELLED:
        rows = truths == hashed(normalized_truth(word))
        if rows.any() and not any((right & rows).any() for right in known.rules.values()):
            alike[word] = rows
    return alike


def truths_missing(known: RowFacts, alike: Mapping[str, Flags]) -> Iterator[Finding]:
    """Empty truths, and those that look like a missing value."""
    n, empty = known.rows.n, known.rows.numbers("row.truth") == 0
    words = np.any([empty * False, *alike.values()], axis=0)
    gone, wrong = empty | words, words & known.labelled & ~known.right
    count, blank = int(gone.sum()), int(empty.sum())
    if not count:
        return
    parts = [f"{blank:,} {verb(blank, 'is', 'are')} empty"] if blank else []
    parts += [
        f'{int(rows.sum()):,} {verb(int(rows.sum()), "is", "are")} "{SPELLED[w][0]}"' for w, rows in alike.items()
    ]
    lost = int(wrong.sum())
    text = f"{count:,} of {some(n, 'truth')} {verb(count, 'is', 'are')} missing: {', '.join(parts)}"
    text += f", of which {lost:,} {verb(lost, 'is', 'are')} scored wrong." if lost else "."
    text += f" Rows without a truth are in no rate: a rate of all {some(n, 'row')} is another." if blank else ""
    effect: Effect = "fragile" if 100 * wilson(lost, n)[0] > known.rows.settings.precision else "reported"
    nulls = ", ".join(f'"{spelling}"' for word in alike for spelling in SPELLED[word])
    yield MISSING(
        count,
        n,
        text,
        effect=effect,
        points=100 * lost / n,
        shown=lost > 0,  # empty ones are not audited, as the counts say
        cells=cell_counts(known.rows, gone),
        detail={"empty": blank, **{word: int(rows.sum()) for word, rows in alike.items()}},
        next=f"If they mean none: source.nulls={{ground_truth: [{nulls}]}}" if alike else "",
        **located(known.rows, gone.nonzero()[0]),
    )


def truths_differ(known: RowFacts, alike: Mapping[str, Flags]) -> Iterator[Finding]:
    """Items with truths that share no canonical form; look-alikes of a missing value do not count."""
    from auditfw.formulas.rows.whole import truths_differ as different

    truths = known.truths[1]
    if alike:
        truths = np.where(np.any(list(alike.values()), axis=0), -1, truths)
    one = different(_truth_items(known), truths)
    if one is None:
        return
    left_out = np.zeros(known.rows.n, bool)
    left_out[one.rows] = True
    n = len(np.unique(known.items[one.rows]))
    declared = known.rows.item == "declared" and all(column.name != ASSERTION for column in known.ruling)
    of = len(np.unique(known.items[truths >= 0]))
    turned = known.turned(left_out) if declared else ""
    effect: Effect = "reported"
    if declared and (one.many or turned):
        effect = "broken" if one.many else "fragile"
    where = located(known.rows, one.rows[np.argsort(known.items[one.rows], kind="stable")])
    text = f"{n:,} of {some(of, 'item')} {verb(n, 'has', 'have')} more than one truth"
    yield DIFFER(
        n,
        of,
        f"{text}; {turned}." if turned else f"{text}.",
        effect=effect,
        points=100 * len(one.rows) / known.rows.n,
        brief=f"{some(n, 'item')} with several truths",
        next=f"Compare the truths at {' and '.join(where['places'][:2])}" if where["places"] else "",
        **where,
    )


def _truth_items(known: RowFacts) -> Codes:
    """What should have one truth: an item, under each rule where there are several."""
    from auditfw.formulas.rows.copies import joined

    if not known.ruling:
        return known.items
    _, numbers = np.unique(joined(known.items, *(one.numbers for one in known.ruling)), return_inverse=True)
    return numbers.astype(np.int32)


# Truths that are nearly all one, and stored labels that are all one.

ONE_TRUTH = FindingKind("one_truth", "Items of which nearly all have the same truth.")
ONE_LABEL = FindingKind(
    "one_label",
    "Stored labels that are all right or all wrong, where a rule says otherwise.",
    ("no_rule", "no_skill", "graders_mixed"),
    needs=STORED,
)


@declare("question", "one_value")
class OneValue:
    """Whether all truths, or all stored labels, are the same."""

    finds: ClassVar[tuple[FindingKind, ...]] = (ONE_TRUTH, ONE_LABEL)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Truths by item; labels against the rule that calls most right."""
        known = facts(rows)
        if rows.has("row.truth_key"):
            yield from one_truth(known)
        else:
            yield ONE_TRUTH.unchecked("all truths are empty: source.columns.ground_truth holds nothing")
        yield from one_label(known)


def one_truth(known: RowFacts) -> Iterator[Finding]:
    """The truth of nearly all items; of letters also of far more than their share."""
    from auditfw.formulas.rows.whole import one_truth as most_frequent

    distinct, truths = known.truths
    one = most_frequent(truths, known.items, len(distinct) if _letters(distinct.tolist()) else 0)
    if one is None:
        return
    rows = (truths == one.truth).nonzero()[0]
    all_one = one.items == one.of
    share = fixed(100 * one.items / one.of, 1)
    text = f"All {one.of:,} items have one truth." if all_one else f"{share} % of {one.of:,} items have one truth."
    yield ONE_TRUTH(
        one.items,
        one.of,
        text,
        effect="unknown" if all_one else "reported",
        explains=("no_skill",) if all_one else (),
        brief="one truth in all" if all_one else f"one truth in {share} %",
        next="Look whether source.columns.ground_truth is the column of the answers that are right",
        **located(known.rows, rows),
    )


def _letters(keys: list[int]) -> bool:
    """Whether all truths with these keys are letters of options."""
    known = {key_of(letter, "letter", letter) for letter in "ABCDEFGHIJ"}
    return bool(keys) and known.issuperset(keys)


def one_label(known: RowFacts) -> Iterator[Finding]:
    """Labels that are all one, where the rule that calls most right clearly gives others."""
    from auditfw.formulas.rows.whole import one_label as against

    at, names = known.labelled, list(known.rules)
    one = against(known.right[at], [right[at] for right in known.rules.values()])
    if one is None:
        return
    rule, label = names[one.rule], "right" if one.right else "wrong"
    other, those = ("wrong" if one.right else "right"), f"{one.against:,}"
    text = f"All {one.of:,} stored labels are {label}, and {rule} calls {those} of them {other}: any rule may fit."
    rows = (at & (known.rules[rule] != one.right)).nonzero()[0]
    yield ONE_LABEL(
        one.of,
        one.of,
        text,
        effect="unknown",
        points=100 * one.against / one.of,
        detail={"rule": rule, "against": one.against},
        brief=f"all labels {label}",
        next="Look whether source.columns.stored is the column of the labels",
        **located(known.rows, rows),
    )
