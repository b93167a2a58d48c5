"""The judgements as the consistency audit opens them: the source as it needs it, its columns, and the raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple, cast

from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError, nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.judgements import EVIDENCE, FAULT, ITEM, LABEL, PARTS, PLACE, QID, RATER, REASON

from .conclusions.stand_in import check_people
from .joins.contents import CALLED
from .name_check import check_cells, check_named, check_raters, check_reference, named_in, raters_of
from .same_texts import TRUTH, check_columns
from .settings import ConsistencySettings


class Judgements(NamedTuple):
    """A source as this audit needs it, opened; the raters, and the columns in which joined records are compared.

    `declared` says that the labels are those that somebody declared, not those that the data hold.
    """

    source: Source
    evidence: Evidence
    raters: tuple[str, ...]
    common: tuple[str, ...]
    declared: bool = True


def open_judgements(audit: ConsistencySettings, by: Sequence[str]) -> Judgements:
    """The source as this audit needs it, opened, and the raters. Raises AuditError."""
    source = prepared_source(audit)
    order = audit.presentation
    first = (order.column,) if order is not None and order.column else ()
    weight = (audit.truth.weight,) if audit.truth is not None and audit.truth.weight else ()
    known, named = raters_of(source, (*by, *first, *weight), audit.reference)
    raters = audit.raters or known
    check_raters(raters, "audit.raters")
    parts = [f"{rater}.{part}" for rater in raters for part in PARTS]
    item = (ITEM,) if audit.typing == "strict" else ()  # the reference scorer knows none
    common = _common(audit, source)
    same = audit.same_answer
    asked = () if same is None else (TRUTH, *same.columns, *([] if same.text is None else [same.text]))
    held = (*EVIDENCE, *parts, *item, *CALLED, *first, *weight)
    wanted = ("id", *raters, RATER, LABEL, REASON, *held, FAULT, PLACE, *common, *asked)
    try:
        evidence = source.open(tuple(by), tuple(dict.fromkeys(wanted)))
    except NothingAudited as error:
        if audit.typing == "strict":
            raise
        evidence = Evidence((), ("id", *raters), 0, list, lambda: None, (str(error),))
    # long form: a record for each judgement; wide form: a column for each rater
    long = RATER in evidence.columns and LABEL in evidence.columns
    if long and not named and audit.raters is None:
        raters = named_in(evidence)
        check_raters(raters, "audit.raters")
    check_reference(audit.reference, raters)
    check_people(audit.humans, raters)
    if audit.truth is not None:
        check_named([audit.truth.rater], raters, "audit.truth.rater")
    check_columns(same, evidence.columns, lambda: source.open((), None).columns)
    check_cells(by, raters)
    for where, column in [
        *(("audit.order", name) for name in first),
        *(("audit.truth.weight", name) for name in weight),
    ]:
        if column not in evidence.columns:
            names = _listed(evidence.columns)
            raise DataError(where, f"no column '{column}'", names, nearest(column, evidence.columns))
    for rater in raters if long and named else ():
        if rater not in named:
            names = _listed(named)
            raise UsageError("source.paths", f"no file for rater '{rater}'", names, f"add it: {{{rater}: FILE}}")
    for rater in raters if not long else ():
        if rater not in evidence.columns and named:
            names = _listed(named)
            raise DataError("audit.raters", f"no record has a rater '{rater}'", names, nearest(rater, named))
        if rater not in evidence.columns:
            names = _listed(evidence.columns)
            do = f"write source.columns.{rater}=THEIR_NAME, or audit.raters=[...]"
            raise DataError("source", f"no column '{rater}'", names, do)
    return Judgements(source, evidence, raters, tuple(name for name in common if name in evidence.columns))


def _common(audit: ConsistencySettings, source: Source) -> tuple[str, ...]:
    """The columns in which joined records are compared. Raises UsageError for one that they do not have in common."""
    try:
        known = tuple(capability(source, "common", tuple)())
    except AuditError:
        return ()  # which opening the source reports
    for name in audit.common or ():
        if name not in known:
            what = f"no column '{name}' that two raters have"
            raise UsageError(
                "audit.common", what, f"in common: {', '.join(known)}" if known else None, nearest(name, known)
            )
    return known if audit.common is None else audit.common


def _listed(names: Sequence[str]) -> str:
    return f"found: {', '.join(name for name in names if not name.startswith('#'))}"


def prepared_source(audit: ConsistencySettings) -> Source:
    """The source with duplicates left to this audit, with the settings for bad lines and missing ids."""
    source: Any = audit.source
    if not is_dataclass(audit.source):
        return audit.source
    changes: dict[str, Any] = {}
    if capability(source, "duplicates", "") == "error":
        changes["duplicates"] = audit.duplicates if audit.duplicates in ("first", "last") else "all"
    for name in ("malformed", "missing_qid"):
        if capability(source, name) is not None:
            changes[name] = getattr(audit, name)
    columns = capability(source, "columns")
    if columns is not None and "id" not in columns and capability(source, "malformed") is None:
        seen = source.open((), (QID,)).columns
        if QID in seen:
            changes["columns"] = {**columns, "id": QID}
    return cast(Source, replace(source, **changes))
