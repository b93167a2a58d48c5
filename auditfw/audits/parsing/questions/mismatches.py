"""Labels and truths of other rows, labels that are the opposite of a rule's, and labels of two graders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.audits.table_rows import located, place, rows_on
from auditfw.core.digits import fixed
from auditfw.core.document import capital, some
from auditfw.core.imports import NDArray, np
from auditfw.core.records import Value
from auditfw.core.results.findings import CellCount, Effect, Finding, FindingKind, NotChecked
from auditfw.core.statistics import wilson
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import STORED, KnownRule, RowFacts, cell_of, facts, no_value, unchecked, where

if TYPE_CHECKING:
    from auditfw.formulas.rows.label_lags import Gathered, Inverted, ShiftedLabels
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
    from auditfw.formulas.rows.label_lags import Grouping, inverted, shifted_labels

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
    from auditfw.formulas.rows.label_lags import Grouping
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


# Mismatches with the best rule that gather at one value or in one span of rows: labels of two graders?

KIND = FindingKind(
    "graders_mixed", "Labels that the best rule misses at one value of a column, or in a row of rows.", needs=STORED
)
RULES_GRADERS_MIXED = ("no_rule", "two_grades")


@declare("question", "graders_mixed")
class GradersMixed:
    """Whether the labels that the best rule misses gather at one value of a column, or in a row of rows."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Values by an exact test, else the span by its likelihood."""
        from auditfw.formulas.rows.label_lags import Grouping, gathered

        known = facts(rows)
        if known.best is None:
            why = "no reading labels these trials" if known.labels else no_value(STORED)
            yield from unchecked(KIND, rows, why)
            return
        grouping = Grouping(known.labelled, [column.numbers for column in known.unruled])
        one = gathered(known.best.misses, grouping)
        if one is not None and not known.reproduced:
            yield _finding(known, known.best, one)


def _finding(known: RowFacts, best: KnownRule, one: Gathered) -> Finding:
    cell = cell_of(one.group, known.unruled)
    inside = one.group.between(one.first, one.last)
    total = one.mismatches + one.elsewhere
    at = " and ".join(f"{name} = {value}" for name, value in cell.items())
    if not cell:
        at = f"between {place(known.rows, one.first)} and {place(known.rows, one.last)}"
    many = f"All {total:,}" if not one.elsewhere else f"{one.mismatches:,} of {total:,}"
    text = f"{many} labels that {best.name} misses are {'where ' if cell else ''}{at}"
    other = _other_rule(known, best, inside)
    text += f"; {other} gives those." if other else ": another grader?"
    elsewhere = one.elsewhere / max(1, one.others)
    explained = RULES_GRADERS_MIXED if wilson(one.elsewhere, max(1, one.others))[0] <= known.mismatch else ()
    close = _close(known, one)
    further: dict[str, Any] = {"rule": best.name, "rows": one.rows, "elsewhere": one.elsewhere}
    effect: Effect = "fragile" if close else "reported"
    return KIND(
        one.mismatches,
        total,
        text,
        effect=effect,
        points=100 * one.mismatches / known.labels,
        p=one.p,
        cells=[CellCount(cell, one.mismatches)] if cell else [],
        explains=explained,
        detail={**further, **close, "share": one.share, "share_elsewhere": elsewhere},
        headline=_headline_graders_mixed(known, one, close, at),
        brief=f"{one.mismatches:,} mismatches {'where ' if cell else ''}{at}",
        next=_next(cell, at),
        **located(known.rows, inside[best.misses[inside]]),
    )


def _other_rule(known: RowFacts, best: KnownRule, inside: NDArray[np.intp]) -> str:
    """A rule that gives the labels there, where the best of all does not; "" for none."""
    for name, right in known.telling.items():
        missed = int((known.right[inside] != right[inside]).sum())
        if name != best.name and missed <= known.mismatch * len(inside):
            return name
    return ""


def _close(known: RowFacts, one: Gathered) -> dict[str, Any]:
    """The value whose resolved difference from this one is smaller than the share of mismatches here."""
    for column, labels in known.pairs if not one.group.whole else ():
        if column.name == known.unruled[one.group.column].name:
            for other, lead in labels.within(one.group.value, one.share):
                return {"other": column.values[other], "difference": 100 * lead}
    return {}


def _headline_graders_mixed(known: RowFacts, one: Gathered, close: dict[str, Any], at: str) -> str:
    if not close:
        return ""
    value = known.unruled[one.group.column].value(one.group.value)
    apart = fixed(abs(close["difference"]), 1)
    share = fixed(100 * one.share, 1)
    return f"{value} and {close['other']} are {apart} points apart, and {share} % of the labels of {at} are of no rule"


def _next(cell: dict[str, Any], at: str) -> str:
    if not cell:
        return f"Ask who labelled the rows {at}"
    return f"Ask who labelled {at}; a rule for each value: audit.baseline={{by: {next(iter(cell))}, rules: {{…}}}}"
