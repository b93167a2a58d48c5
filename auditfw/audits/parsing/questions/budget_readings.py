"""What the readings of a run say of trials that the reference calls wrong: right elsewhere, or answered elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from auditfw.audits.parsing.engine.announced import finds_only_announced
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.core.imports import NDArray, np
from auditfw.formulas.budget.ended import NOTHING_FOUND, RIGHT_CODE
from auditfw.kinds.questions import LabelRows

from .row_facts import facts

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]


def reference_marked(rows: LabelRows) -> bool:
    """Whether the parser of the reference finds announced answers only: of stored labels that of their rule."""
    settings, name = rows.settings, rows.reference
    if name not in (STORED_LABEL, "baseline"):
        return _marked(rows, name)
    single = None if settings.configured is None else settings.configured.single
    rule = facts(rows).rules.get("baseline")
    if single is None or (rule is None and name == STORED_LABEL):
        return False
    if name == STORED_LABEL and rule is not None:
        known = facts(rows)
        misses = int((known.labelled & (rule != known.right)).sum())
        if misses > known.mismatch * known.labels:
            return False
    return finds_only_announced(single.parser.part)


def _marked(rows: LabelRows, name: str) -> bool:
    """Whether the parser of a reading is marked; not where rows have rules of their own."""
    results = cast(ParsingResults, cast(Any, rows).results)
    plan, place = results.plan, results.names.index(name)
    return not plan.is_ruled(place) and finds_only_announced(plan.parsers[plan.readings[place][0]].part)


def elsewhere(rows: LabelRows, at: Any, codes: Any) -> tuple[Flags, Flags]:
    """The trials, rows `at`, that another reading calls right, and those in which another marked one finds an answer.

    These only where the reference, whose label codes are `codes`, finds none.
    """

    right, announced = np.zeros(len(at), bool), np.zeros(len(at), bool)
    for name in rows.readings:
        if name not in (rows.reference, "baseline"):
            own = rows.numbers(f"code.{name}")[at]
            right |= own == RIGHT_CODE
            if _marked(rows, name):
                announced |= own <= RIGHT_CODE
    return right, announced & _none_found(rows, at, codes)


def _none_found(rows: LabelRows, at: Any, codes: Any) -> Flags:
    """The trials in which the reference found no answer; of stored labels as far as their best rule tells."""
    best = facts(rows).best
    if rows.reference == STORED_LABEL and best is not None and best.name in rows.readings:
        codes = rows.numbers(f"code.{best.name}")[at]
    flags: Flags = codes == NOTHING_FOUND
    return flags
