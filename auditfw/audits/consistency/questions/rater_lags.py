"""Whether the labels of a rater are those of items nearby."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.row_places import located, place, rows_on
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.registry import declare

from .rated import against, called, kappa_rules, rated
from .rater_rows import RaterRows

if TYPE_CHECKING:
    from auditfw.formulas.judges.lags import ShiftedRater
    from auditfw.formulas.judges.others import RatedItems

SHIFTED = FindingKind("labels_shifted", "Labels of a rater that are those of an item nearby.", ("renamed", "leans"))


@declare("question", "rater_lags")
class RaterLags:
    """Whether the labels of a rater are those of items nearby."""

    finds: ClassVar[tuple[FindingKind, ...]] = (SHIFTED,)

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """One finding, of the shift of most items; others are in its sentence."""
        from auditfw.formulas.judges.lags import shifted_raters

        shifts = sorted(shifted_raters(rows.of(in_order)), key=lambda one: (-one.rows, one.p, one.rater))
        if shifts:
            yield _finding(rows, shifts)


def in_order(rows: RaterRows) -> RatedItems:
    """The labels of all raters, in the order of the input."""
    items, order = rows.of(rated), rows.order
    groups = None if items.groups is None else items.groups[order]
    return replace(items, codes=items.codes[:, order], groups=groups)


def _finding(rows: RaterRows, shifts: Sequence[ShiftedRater]) -> Finding:
    one, reference = shifts[0], rows.labels.reference
    blamed = _of_reference(rows, shifts)
    who, lag = (one.rater, one.lag) if not blamed or reference is None else (reference, -one.lag)
    name, other = called(rows, who), "all others" if blamed else against(rows, one.rater)
    stand = f"stand {rows_on(lag)} too {'late' if lag > 0 else 'early'}"
    at = place(rows, int(rows.order[one.first]))
    labels = f"{one.rows:,} labels of {name}"
    kappa = (
        f"{'quadratic ' if one.weighted else ''}kappa is {fixed(one.before, 2)}, {fixed(one.after, 2)} once moved back"
    )
    more = [] if blamed else [f"{called(rows, shift.rater)} by {rows_on(shift.lag)}" for shift in shifts[1:]]
    text = f"From {at} on, {labels} {stand}: moved back, {some(max(0, one.gained), 'label')} more equal {other}."
    text += f" Also {', '.join(more)}." if more else ""
    return SHIFTED(
        one.rows,
        rows.n,
        text,
        effect="fragile",
        points=100 * max(0, one.gained) / rows.n,
        p=one.p,
        explains=(*SHIFTED.explains, *kappa_rules(rows, SHIFTED.name, [shift.rater for shift in shifts])),
        headline=f"{f'The labels of {name}' if one.whole else labels} {stand}, against {other}: {kappa}.",
        brief=f"{labels} {stand}",
        detail={
            "rater": rows.labels.raters[who],
            "lag": lag,
            "first": one.first + 1,
            "last": one.last + 1,
            "before": one.before,
            "after": one.after,
            "raters": [rows.labels.raters[shift.rater] for shift in shifts],
        },
        next=f"Look at {at}: were the labels of {name} joined by place there? Join them by id",
        **located(rows, rows.order[one.first : one.last + 1]),
    )


def _of_reference(rows: RaterRows, shifts: Sequence[ShiftedRater]) -> bool:
    """Whether several are all shifted alike: then it is the reference that is shifted."""
    alike = len({shift.lag for shift in shifts}) == 1 and all(shift.whole for shift in shifts)
    return rows.labels.reference is not None and len(shifts) == len(rows.of(rated).candidates) > 1 and alike
