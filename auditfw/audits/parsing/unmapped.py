"""Rows that say too little: stored labels neither true nor false, trials without an item; where the first one is."""

from __future__ import annotations

from collections.abc import Callable

from auditfw.audits.answers import enumerated
from auditfw.core.document import some
from auditfw.core.errors import AuditError, DataError
from auditfw.kinds.evidence import Evidence

from .counts import ParsingCounts
from .trials import BUCKET, ITEM, PLACE

COUNT = f"audit.{BUCKET}=count"
LISTED = 10
RARE = 20  # one row in so many: rather rows that are shifted than labels of their own
WHAT = "the stored label is neither true nor false"


def refusal(whole: ParsingCounts, reopened: Callable[[], Evidence]) -> DataError:
    """The error for such labels, with FILE:LINE of the first where the source knows it."""
    n = whole.unmapped.total()
    declare = "say which they are with audit.stored_true=[...] and audit.stored_false=[...]"
    drop = f"if rows are shifted or damaged, fix them or leave them out with {COUNT}"
    do = "; ".join((drop, f"else {declare}") if n * RARE < sum(whole.counts.values()) else (declare, drop))
    where = _place(whole.first_unmapped, reopened) or f"source.columns.stored, trial '{whole.first_unmapped[0]}'"
    return DataError(where, WHAT, f"{some(n, 'such row')}: {_listed(whole)}", do)


def warning(whole: ParsingCounts) -> list[str]:
    """What to say of such labels where their rows are left out."""
    if not whole.unmapped:
        return []
    first = f"first: the trial '{whole.first_unmapped[0]}'"
    n = some(whole.unmapped.total(), "row")
    return [f"{n} left out: {WHAT} ({_listed(whole)}; {first}; {COUNT})"]


def _listed(whole: ParsingCounts) -> str:
    """The labels, the most frequent first."""
    labels = sorted(whole.unmapped.items(), key=lambda pair: (-pair[1], pair[0]))
    return enumerated([f"'{value}' × {n:,}" for value, n in labels], LISTED)


def itemless(whole: ParsingCounts, reopened: Callable[[], Evidence]) -> DataError:
    """The error for trials without an item, with FILE:LINE of the first where the source knows it."""
    first, n = whole.first_without_item, whole.without_item
    where = _place((first, "None"), reopened, ITEM) or f"source.columns.{ITEM}, trial '{first}'"
    do = "give every trial its item, or write source.columns.item=OTHER_COLUMN"
    return DataError(where, "the item is null", some(n, "such trial"), do)


def _place(trial: tuple[str, str], reopened: Callable[[], Evidence], column: str = "stored") -> str:
    """Where a trial is that has this id and value, by a second look at the source; "" where that is unknown."""
    try:
        evidence = reopened()
        for task in evidence.tasks if PLACE in evidence.columns else ():
            columns = task().columns
            for name, label, place in zip(*(columns[name] for name in ("id", column, PLACE)), strict=True):
                if (name, str(label)) == trial:
                    return str(place)
    except AuditError:
        pass  # what is wrong with the label matters more
    return ""
