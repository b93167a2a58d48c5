"""Raters that differ from the others throughout: rows too late, another scale, one label, one direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.answers import interval
from auditfw.audits.consistency.conclusions.renaming import Renaming, distinct
from auditfw.audits.consistency.conclusions.scale import many_valued
from auditfw.audits.table_rows import located, place, rows_on
from auditfw.core.digits import fixed, short
from auditfw.core.document import some
from auditfw.core.imports import np
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.formulas.multiple import holm
from auditfw.kinds.registry import declare

from .rater_rows import ALPHA, RaterRows, against, called, kappa_rules, lazy_raters, rated

if TYPE_CHECKING:
    from auditfw.formulas.judges.lags import ShiftedRater
    from auditfw.formulas.judges.placeholders import RatedItems
    from auditfw.formulas.judges.scales import RaterScale
    from auditfw.formulas.judges.single_raters import Constant, Lean


SCALE = FindingKind(
    "scale_factor",
    "Numbers of a rater that are a multiple of the others', some steps off, or reversed.",
    ("labels_shifted", "renamed", "lazy_rater", "leans"),
)
MANY = FindingKind("many_values", "Labels that are numbers of more values than can be agreed on one by one.")
FEW = 24  # different numbers, for labels that are mapped one by one


@declare("question", "rater_scales")
class RaterScales:
    """Whether the numbers of a rater are on another scale than those it is held against."""

    finds: ClassVar[tuple[FindingKind, ...]] = (SCALE, MANY)

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """At most one on scales, of the rater that agrees most once it is on theirs; others are in its sentence."""
        from auditfw.formulas.judges.scales import rater_scales

        scales = sorted(rater_scales(rows.of(rated)), key=lambda one: (-one.after, one.rater))
        if scales:
            yield _finding(rows, scales)
        if many_valued(rows.settings):
            named = zip(rows.labels.names, rows.of(rated).numbers[:-1].tolist(), strict=True)
            numbers = [x for name, x in named if isfinite(x) and name not in rows.settings.abstain]
            n, least, most = len(numbers), min(numbers), max(numbers)
            text = f"Labels are {n:,} different numbers from {short(least)} to {short(most)}: how far they are apart"
            text += " decides (quadratic kappa), not how many are the same."
            yield MANY(n, None, text, brief=f"{n:,} different numbers as labels")


def _finding(rows: RaterRows, scales: Sequence[RaterScale]) -> Finding:
    one, n = scales[0], rows.n
    name, other = called(rows, one.rater), against(rows, one.rater)
    kappa = f"{fixed(one.before, 2)}, {fixed(one.after, 2)} once {_brought(one)}"
    more = [called(rows, scale.rater) for scale in scales[1:]]
    gained = f"{_brought(one)}, {max(0, one.gained):,} more of {some(one.rows, 'label')} equal {other}"
    text = f"{_differs(one, name, other)}: {gained}."
    text += f" Also of another scale: {', '.join(more)}." if more else ""
    few = sum(map(isfinite, rows.of(rated).numbers.tolist())) <= FEW
    return SCALE(
        one.rows,
        n,
        text,
        effect="fragile",
        points=100 * max(0, one.gained) / n if few else None,
        p=one.p,
        explains=(*SCALE.explains, *kappa_rules(rows, SCALE.name, [scale.rater for scale in scales])),
        headline=f"{_differs(one, name, other)}: quadratic kappa is {kappa}.",
        brief=_differs(one, name, other),
        detail={
            "rater": rows.labels.raters[one.rater],
            "change": one.change,
            "by": one.by,
            "before": one.before,
            "after": one.after,
            "raters": [rows.labels.raters[scale.rater] for scale in scales],
        },
        next=f"Bring {name} to the scale of {other}: its numbers have to be {_brought(one)}{_mapped(rows, one)}",
    )


def _differs(one: RaterScale, name: str, other: str) -> str:
    """How a rater's numbers differ from the others', before they are changed."""
    if one.change == "reversed":
        return f"The scale of {name} runs the other way than that of {other}"
    if one.change == "step":
        return f"The numbers of {name} are {abs(one.by):g} {'below' if one.by > 0 else 'above'} those of {other}"
    times = f"{one.by:g} times smaller" if one.by > 1 else f"{1 / one.by:g} times larger"
    return f"The numbers of {name} are {times} than those of {other}"


def _brought(one: RaterScale) -> str:
    """What was done to them."""
    if one.change == "reversed":
        return f"turned round ({one.by:g} minus each)"
    if one.change == "step":
        return f"{'raised' if one.by > 0 else 'lowered'} by {abs(one.by):g}"
    return f"multiplied by {one.by:g}" if one.by > 1 else f"divided by {1 / one.by:g}"


def _mapped(rows: RaterRows, one: RaterScale) -> str:
    """The aliases that do it, where each label of the rater becomes one that is there."""
    from auditfw.formulas.judges.placeholders import NONE
    from auditfw.formulas.judges.scales import changed

    names, values = rows.labels.names, rows.of(rated).numbers[:-1]
    own = [code for code in np.unique(rows.labels.codes[one.rater]).tolist() if code != NONE]
    becomes = {code: np.flatnonzero(np.isclose(values, changed(one, values[code]), rtol=0, atol=1e-6)) for code in own}
    if len(own) > FEW or not all(len(to) == 1 for to in becomes.values()):
        return ""
    moved = {names[code]: names[int(to[0])] for code, to in becomes.items() if int(to[0]) != code}
    return f": {Renaming(rows.labels.raters[one.rater], {}, moved, one.rows, 0.0, 0.0, one.p).aliases}"


# Whether the labels of a rater are those of items nearby.

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
            yield _finding_rater_lags(rows, shifts)


def in_order(rows: RaterRows) -> RatedItems:
    """The labels of all raters, in the order of the input."""
    items, order = rows.of(rated), rows.order
    groups = None if items.groups is None else items.groups[order]
    return replace(items, codes=items.codes[:, order], groups=groups)


def _finding_rater_lags(rows: RaterRows, shifts: Sequence[ShiftedRater]) -> Finding:
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


# What one rater does whatever the items: one label throughout, one label too often, or a lean to one side.

CONSTANT = FindingKind("one_rater_constant", "A rater that gives one label throughout.", ("lazy_rater", "leans"))
LEANS = FindingKind("leans", "Raters that differ from the others to one side.", screen=False)
LAZY = FindingKind("lazy_rater", "Raters that give one label far more often than the others do.", ("leans",))


@declare("question", "single_raters")
class SingleRaters:
    """What each rater does whatever the items."""

    finds: ClassVar[tuple[FindingKind, ...]] = (CONSTANT, LEANS, LAZY)

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """Of each kind the rater of which that is least by chance."""
        for ask in (_constant, _leans, _lazy):
            yield from ask(rows)


def _constant(rows: RaterRows) -> Iterator[Finding]:
    from auditfw.formulas.judges.single_raters import constant

    raters = list(constant(rows.of(rated)))
    if not raters:
        return
    first: Constant = min(raters, key=lambda one: (one.p, one.rater))
    times = len(rows.of(rated).candidates)
    p, label = min(1.0, first.p * times), distinct(rows.of(rated).names[first.label])
    who = called(rows, first.rater)
    text = f"{who} gives every one of {some(first.n, 'item')} the label {label}"
    text += f"; {some(len(raters) - 1, 'more rater')} one label, too." if len(raters) > 1 else "."
    yield CONSTANT(
        len(raters),
        times,
        text,
        detail={"raters": [rows.labels.raters[one.rater] for one in raters if one.p * times <= ALPHA]},
        effect="unknown" if p <= ALPHA else "reported",
        p=p,
        brief=f"{who} gives one label",
        next=f"Look where the labels of {who} come from: is it a default, or a column of another thing?",
        **located(rows, (rows.of(rated).codes[first.rater] == first.label).nonzero()[0]),
    )


def _leans(rows: RaterRows) -> Iterator[Finding]:
    from auditfw.formulas.judges.single_raters import leans

    raters = list(leans(rows.of(rated)))
    kept = [(p, one) for p, one in zip(holm([one.p for one in raters]), raters, strict=True) if p <= ALPHA]
    if not kept:
        return
    p, first = min(kept, key=lambda one: (one[0], one[1].rater))
    more = f"; the same for {some(len(kept) - 1, 'more rater')}, see page" if len(kept) > 1 else ""
    yield LEANS(
        len(kept), len(raters), f"{_leaning(rows, first)}{more}.", p=p, brief=f"{called(rows, first.rater)} leans"
    )


def _leaning(rows: RaterRows, lean: Lean) -> str:
    who, whom = called(rows, lean.rater), against(rows, lean.rater)
    if lean.mean is None or lean.low is None or lean.high is None:
        return f"{who} differs from {whom} in one direction more often than in the other, on {some(lean.n, 'item')}"
    side, (low, high) = ("above", (lean.low, lean.high)) if lean.mean > 0 else ("below", (-lean.high, -lean.low))
    size = f"{fixed(abs(lean.mean), 2)} {interval(low, high)}"
    return f"{who} is {size} {side} {whom} on the mean of {some(lean.n, 'item')}"


def _lazy(rows: RaterRows) -> Iterator[Finding]:
    times, raters = len(rows.of(rated).candidates), lazy_raters(rows.of(rated))
    if not raters:
        return
    first = min(raters, key=lambda one: (one.p, one.rater))
    who, label = called(rows, first.rater), distinct(rows.of(rated).names[first.label])
    own, other = (fixed(100 * n / first.n, 0) for n in (first.own, first.other))
    whom = against(rows, first.rater)
    text = f"{who} gives {label} to {own} % of {some(first.n, 'item')}, {whom} to {other} %"
    text += f"; {some(len(raters) - 1, 'more rater')} one label as often." if len(raters) > 1 else "."
    where = (rows.of(rated).codes[first.rater] == first.label).nonzero()[0]
    p, names = min(1.0, first.p * times), [rows.labels.raters[one.rater] for one in raters]
    brief = f"of the {first.n:,} items of both {who} gives {label} to {own} %, {whom} to {other} %"
    detail = {"raters": names}
    yield LAZY(len(raters), times, text, p=p, brief=brief, detail=detail, **located(rows, where))
