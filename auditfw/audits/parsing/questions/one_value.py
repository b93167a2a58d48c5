"""Truths that are nearly all one, and stored labels that are all one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditfw.audits.parsing.kept.keys import key_of
from auditfw.audits.row_places import located
from auditfw.core.digits import fixed
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import STORED, RowFacts, facts

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
