"""What would change the answer: how few settled disagreements reach the bounds, or how many further items would."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from auditfw.core.document import some, verb
from auditfw.core.statistics import further_items

from .bounds import NOMINAL, RATES, BoundedNumber

if TYPE_CHECKING:
    from auditfw.core.records import Answer
    from auditfw.formulas.agreement.coefficients import Weights
    from auditfw.formulas.agreement.settling import Settling

    from .agreement import Agreement


class Settled(NamedTuple):
    """So many `of` the disagreements must be settled, None where all of them are too few; `any_` where it may be any.

    Else it must be those which cost most.
    """

    n: int | None
    of: int
    any_: bool = True


def settled(numbers: Sequence[BoundedNumber]) -> Settled | None:
    """With how few settled disagreements of a sample all its `numbers` are above their bounds with their intervals.

    The disagreements that cost most are settled first. The number is searched by halving: one less does not do.
    None without a lower bound on agreement, or without a disagreement.
    """
    from auditfw.formulas.agreement.settling import Settling

    asked = [number for number in numbers if number.bound.kind not in RATES and isfinite(number.bound.low)]
    if not asked:
        return None
    weights: Weights = "none" if all(number.bound.kind in NOMINAL for number in asked) else "linear"
    order = Settling(asked[0].sample.data, weights)
    every = range(1, order.n + 1)
    at = bisect_left(every, True, key=lambda n: _hold(asked, order, n))
    if at == order.n:
        return Settled(None, order.n) if order.n else None
    n = every[at]
    return Settled(n, order.n, n == order.n or _hold(asked, replace(order, dearest=False), n))


def _hold(numbers: Sequence[BoundedNumber], order: Settling, n: int) -> bool:
    """Whether numbers are above their bounds once so many disagreements are settled."""
    sample = replace(numbers[0].sample, data=order.after(n))
    known = [(number.bound, number.bound.on(sample)) for number in numbers]
    after = [BoundedNumber(bound, sample, estimate) for bound, estimate in known if estimate is not None]
    return len(after) == len(known) and all(not one.few and one.bound.holds(*one.size) for one in after)


def what_would_change(agreement: Agreement, answer: Answer, alone: bool) -> str:
    """What would change an answer, in a sentence; "" where it does not follow from a bound, or nothing is known.

    `alone`: nothing but agreement stands against it.
    """
    names = {rule.rule for rule in agreement.rules}
    if not answer.kinds or answer.kinds[0] not in names:
        return ""
    if answer.status == "unknown" and agreement.open:
        return _more_items(agreement.open[0])
    if answer.status != "fragile" or not agreement.missed or agreement.missed[0].bound.kind in RATES:
        return ""
    sample = agreement.missed[0].sample
    own = [number for number in agreement.whole if number.sample is sample]
    others = [number for number in agreement.whole if number.sample is not sample and (number.missed or number.open)]
    who = "It would hold"
    if others or agreement.missed_cells or not alone:
        of_pair = f"{agreement.called(sample.reading.name)} and {agreement.against}"
        who = f"{of_pair if sample.reading.role == 'candidate' else 'The raters'} would agree well enough"
    return _settled_text(own, who)


def _settled_text(numbers: Sequence[BoundedNumber], who: str) -> str:
    """What settling would do, in a sentence, of the numbers of a sample; "" where nothing is known."""
    least = settled(numbers)
    if least is None:
        return ""
    n = least.of if least.n is None else least.n
    every = f"all {least.of:,} disagreements" if least.of > 1 else "the one disagreement"
    which = every if n == least.of else f"{n:,} of the {least.of:,} disagreements"
    done = f"if {which} {verb(n, 'was', 'were')} settled"
    if least.n is None:
        items = some(max(number.estimate.counted for number in numbers), "item")
        return f"Even {done}, {items} would be too few."
    return f"{who} {done}{'' if least.any_ else ', those that cost most first'}."


def _more_items(number: BoundedNumber) -> str:
    """How many items would tell on which side of its bound a number is, as far as its interval says that; else ""."""
    low, high = number.size
    value, bound = number.estimate.value or 0.0, number.bound.nearest
    known = not number.few and number.estimate.low is not None and number.sure
    more = further_items(value, low if value > bound else high, bound, number.estimate.counted) if known else None
    return "" if more is None else f"About {some(more, 'further item')} would settle it."
