"""Labels or truths that do not belong to their rows: those of another row, or the opposite of a rule's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.row_places import located, place, rows_on
from auditfw.core.document import capital, some
from auditfw.core.records import Value
from auditfw.core.results.findings import CellCount, Finding, FindingKind, NotChecked
from auditfw.core.statistics import wilson
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import STORED, RowFacts, cell_of, facts, no_value, unchecked, where

if TYPE_CHECKING:
    from auditfw.formulas.rows.label_lags import Inverted, ShiftedLabels
    from auditfw.formulas.rows.truth_lags import ShiftedTruths

RULES = ("no_rule", "two_grades", "other_labels", "moves_whole", "moves_cell", "churns", "pair_turned", "claim_turned")
INVERTED = FindingKind(
    "labels_inverted",
    "Stored labels that are the opposite of what a rule gives.",
    ("labels_shifted", "graders_mixed", "no_skill"),
    needs=STORED,
)
SHIFTED = FindingKind(
    "labels_shifted", "Stored labels that are those of a row nearby.", ("graders_mixed", "no_skill"), needs=STORED
)
TRUTHS = FindingKind(
    "truths_shifted",
    "Truths that are those of a row nearby.",
    ("truths_differ", "nothing_fits", "no_skill", "cell_no_skill", "graders_mixed"),
)
FEWEST = 8  # mismatches
WHOLE = 0.9  # of the rows


@declare("question", "moved")
class Moved:
    """Whether labels and truths are those of their own rows."""

    finds: ClassVar[tuple[FindingKind, ...]] = (INVERTED, SHIFTED, TRUTHS)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Labels against those of rules, answers against the truths of rows nearby."""
        known = facts(rows)
        if known.labels:
            yield from labels_moved(known)
        else:
            yield from unchecked(INVERTED, rows, no_value(STORED))
            yield from unchecked(SHIFTED, rows, no_value(STORED))
        if rows.has("row.answer_key") and rows.has("row.truth_key"):
            yield from truths_moved(known)
        else:
            yield TRUTHS.unchecked("no answer could be read: map source.columns.parsed_text, or choose a parser")


def labels_moved(known: RowFacts) -> Iterator[Finding]:
    """Labels that are inverted or shifted, where the best rule misses enough of them."""
    from auditfw.formulas.rows.groups import Grouping
    from auditfw.formulas.rows.label_lags import inverted, shifted_labels

    best, rules = known.best, known.telling
    misses = 0 if best is None or known.reproduced else int(best.misses.sum())
    grouping = Grouping(known.labelled, [column.numbers for column in known.columns])
    if misses > known.mismatch * known.labels:
        one = inverted(known.right, list(rules.values()), grouping, known.mismatch)
        if one is not None:
            yield _inverted(known, one, list(rules)[one.rule])
    if misses >= FEWEST:
        shifted = shifted_labels(known.right, list(rules.values()), grouping)
        if shifted is not None:
            yield _shifted(known, shifted, list(rules)[shifted.rule])


def _ruled(known: RowFacts, rule: str, first: int, last: int, left: int) -> tuple[str, ...]:
    """The rules of the answer that are explained: the rule misses few of the other labels and `left` of these."""
    miss = known.labelled & (known.rules[rule] != known.right)
    miss[first : last + 1] = False
    return RULES if wilson(int(miss.sum()) + left, known.labels)[0] <= known.mismatch else ()


def _inverted(known: RowFacts, one: Inverted, rule: str) -> Finding:
    cell, n = cell_of(one.group, known.columns), len(one.group.rows)
    text = f"{capital(f'{where(cell)}the')} stored labels are the opposite of {rule}: {n - one.misses:,} of {n:,}."
    miss = known.labelled & (known.rules[rule] != known.right)
    rest = int(miss.sum()) - (n - one.misses) + one.misses
    explained = RULES if wilson(rest, known.labels)[0] <= known.mismatch else ()
    do = "the scorer writes 1 for wrong? Turn them round: audit.stored_true=[0,false] audit.stored_false=[1,true]"
    if cell:
        do = f"look at how the labels {where(cell).rstrip(', ').lower()} were written, and turn them round"
    return INVERTED(
        n,
        known.labels,
        text,
        effect="broken" if one.group.whole else "fragile",
        points=100 * n / known.labels,
        cells=[CellCount(cell, n)] if cell else [],
        explains=(*INVERTED.explains, *explained),
        detail={"rule": rule, "misses": one.misses},
        next=capital(do),
        **located(known.rows, one.group.between(0, known.rows.n)),
    )


def _stands(what: str, n: int, lag: int, side: str) -> str:
    return f"{some(n, what)} {'stands' if n == 1 else 'stand'} {rows_on(lag)} too {side}"


def _headline(cell: Mapping[str, Value], what: str, n: int, lag: int, side: str) -> str:
    """The same without a place, whose name may be long."""
    return capital(f"{where(cell)}{_stands(what, n, lag, side)}.")


def _shifted(known: RowFacts, one: ShiftedLabels, rule: str) -> Finding:
    cell, at = cell_of(one.group, known.columns), place(known.rows, one.first)
    text = f"{capital(f'{where(cell)}from')} {at} on, "
    text += f"{_stands('label', one.rows, one.lag, 'early' if one.lag > 0 else 'late')}."
    whole = one.rows >= WHOLE * known.labels
    explained = _ruled(known, rule, one.first, one.last, one.left) if not cell or whole else ()
    inside = one.group.between(one.first, one.last)
    return SHIFTED(
        one.rows,
        known.labels,
        text,
        effect="broken" if whole else "fragile",
        points=100 * one.own / known.labels,
        p=one.p,
        cells=[CellCount(cell, one.rows)] if cell else [],
        explains=(*SHIFTED.explains, *explained),
        headline=_headline(cell, "label", one.rows, one.lag, "early" if one.lag > 0 else "late"),
        detail={"lag": one.lag, "rule": rule, "mismatches": one.own, "first": one.first + 1, "last": one.last + 1},
        next=f"Look at {at}: were labels joined by place there? Join them by id",
        **located(known.rows, inside),
    )


def truths_moved(known: RowFacts) -> Iterator[Finding]:
    """Truths that are those of rows nearby."""
    import numpy as np

    from auditfw.formulas.rows.groups import Grouping
    from auditfw.formulas.rows.truth_lags import shifted_truths

    grouping = Grouping(np.ones(known.rows.n, bool), [column.numbers for column in known.columns])
    one = shifted_truths(*known.keys, grouping)
    if one is not None:
        yield _truths(known, one)


def _truths(known: RowFacts, one: ShiftedTruths) -> Finding:
    cell, at = cell_of(one.group, known.columns), place(known.rows, one.first)
    text = f"{capital(f'{where(cell)}from')} {at} on, "
    text += f"{_stands('truth', one.rows, one.lag, 'late' if one.lag > 0 else 'early')}: "
    text += f"{one.matches:,} answers equal the truth {rows_on(one.lag)} {'on' if one.lag > 0 else 'back'}, "
    text += f"{one.own:,} their own."
    inside = one.group.between(one.first, one.last)
    return TRUTHS(
        one.rows,
        known.rows.n,
        text,
        effect="broken" if one.rows >= WHOLE * known.rows.n else "fragile",
        points=100 * (one.matches - one.own) / known.rows.n,
        p=one.p,
        cells=[CellCount(cell, one.rows)] if cell else [],
        headline=_headline(cell, "truth", one.rows, one.lag, "late" if one.lag > 0 else "early"),
        detail={"lag": one.lag, "matches": one.matches, "own": one.own, "first": one.first + 1, "last": one.last + 1},
        next=f"Look at {at}: were truths joined by place there? Join them by id",
        **located(known.rows, inside),
    )
