"""Whether the numbers of a rater are on another scale than the others', and whether there are many of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.consistency.conclusions.renaming import Renaming
from auditfw.audits.consistency.conclusions.scale import many_valued
from auditfw.core.digits import fixed, short
from auditfw.core.document import some
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.registry import declare

from .rated import against, called, kappa_rules, rated
from .rater_rows import RaterRows

if TYPE_CHECKING:
    from auditfw.formulas.judges.scales import RaterScale

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
    import numpy as np

    from auditfw.formulas.judges.others import NONE
    from auditfw.formulas.judges.scales import changed

    names, values = rows.labels.names, rows.of(rated).numbers[:-1]
    own = [code for code in np.unique(rows.labels.codes[one.rater]).tolist() if code != NONE]
    becomes = {code: np.flatnonzero(np.isclose(values, changed(one, values[code]), rtol=0, atol=1e-6)) for code in own}
    if len(own) > FEW or not all(len(to) == 1 for to in becomes.values()):
        return ""
    moved = {names[code]: names[int(to[0])] for code, to in becomes.items() if int(to[0]) != code}
    return f": {Renaming(rows.labels.raters[one.rater], {}, moved, one.rows, 0.0, 0.0, one.p).aliases}"
