"""Many raters are held against one: what is missed once that is adjusted, and what few items cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.formulas.agreement import Interval, Pair
from auditfw.formulas.judges.over_raters import POOR, adjusted, items_to_tell, power
from auditfw.kinds.context import Sample

from .bounds import KAPPA, Bound, BoundedNumber, OwnKappa

RATERS = ("candidate", "reference")


def over_raters(numbers: Sequence[BoundedNumber], alpha: float) -> list[BoundedNumber]:
    """The numbers of one bound: those of several raters with their p adjusted, those of too few items left out.

    Nothing is left out where all are of too few items.
    """
    raters = [n for n in numbers if n.sample.reading.role in RATERS]
    if len(raters) < 2:
        return list(numbers)
    enough = [n for n in raters if not n.few]
    others = [n for n in numbers if n.sample.reading.role not in RATERS]
    if len(enough) < 2:
        return [*(enough or raters), *others]
    chances = [_chances(number) for number in enough]
    values = adjusted([p for p, _ in chances], [least for _, least in chances], alpha)
    pairs = zip(enough, values, strict=True)
    return [*(replace(n, p=p, sure=p is not None and p <= alpha) for n, p in pairs), *others]


def by_chance(pairs: Sequence[tuple[Sample, Pair]], bound: float, alpha: float) -> dict[str, float | None]:
    """Of each rater of enough items how likely its kappa is so low if it is `bound`, adjusted over them."""
    asked = Bound(KAPPA, KAPPA, bound, inf, None, OwnKappa())
    tested = {sample.reading.name: asked.chances(sample) for sample, _ in pairs}
    known = {name: one for name, one in tested.items() if one is not None}
    values = adjusted([one.missed for one in known.values()], [one.least for one in known.values()], alpha)
    return dict(zip(known, values, strict=True))


def untold(pairs: Sequence[Pair], bound: Bound, alpha: float) -> str:
    """What so few items cannot tell of one of many raters, in a sentence; "" where there is but one, or none."""
    pairs = [pair for pair in pairs if pair.n]
    if len(pairs) < 2 or bound.kind != KAPPA or not POOR < bound.low <= 1.0:
        return ""
    n, chance = (sorted(values)[len(pairs) // 2] for values in ([p.n for p in pairs], [p.chance for p in pairs]))
    n = int(n)
    share, enough = power(n, len(pairs), bound.low, chance, alpha), items_to_tell(len(pairs), bound.low, chance)
    text = f"Adjusted for {some(len(pairs), 'rater')} (Holm): of a median of {some(n, 'item')}, one with a kappa of "
    text += f"{POOR:g} shows in about {fixed(100 * share, 0)} % of such tables"
    return text if enough is None or enough <= n else f"{text}, from about {some(enough, 'item')} on in 90 %"


def _chances(number: BoundedNumber) -> tuple[float, float]:
    """How likely a number misses its bound so far by chance, and how small that could be.

    Where there is no exact tail it is that of the large-sample error, as its interval has it.
    """
    tested = number.bound.chances(number.sample)
    if tested is not None:
        return tested.missed, tested.least
    low, high = number.size
    if number.estimate.value is None or low == -inf or high == inf:
        return 1.0, 1.0
    from statistics import NormalDist

    how = getattr(number.bound.metric, "interval", Interval())
    half = (high - number.estimate.value) if number.bound.side == "below" else (number.estimate.value - low)
    if half <= 0:
        return float(number.shortfall <= 0), 0.0
    return NormalDist().cdf(-NormalDist().inv_cdf((1 + how.confidence) / 2) * number.shortfall / half), 0.0
