"""What a plan answers: how many items a width, a difference and a gate need, in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.errors import UsageError
from auditfw.core.imports import np
from auditfw.formulas.repeats.planning import (
    items_for_difference,
    items_for_gate,
    items_for_width,
    least_difference,
    mean_square,
)
from auditfw.formulas.repeats.purchases import Purchase, purchases
from auditfw.formulas.repeats.variance import VarianceParts, variance_parts

from .settings import USUAL, PlanSettings
from .sides import PlannedRun, PlanSide, common, pair_of

WIDTH, DIFFERENCE, GATE = QUESTIONS = ("width", "difference", "gate")


@dataclass(frozen=True)
class PlannedItems:
    """The number of items that a question needs, and of calls for them, with what that was computed from.

    `asked` is in points of a width and of a difference, a share of a gate; `rate` a share, `design` the items that say
    as much as one independent trial, `square` the mean square of an item's difference, `common` the items it is from,
    `sees` the least difference, in points, that these show; None where it does not apply. `single`: every item has
    one trial a side.
    """

    question: str
    asked: float
    items: int
    calls: int
    rate: float | None = None
    design: float = 1.0
    square: float | None = None
    common: int | None = None
    sees: float | None = None
    single: bool = True


@dataclass(frozen=True)
class ItemsPlan:
    """A plan: its questions, the sides they are of, and where the noise of the first side comes from.

    Without a run the sides are None. `why` says what could not be planned.
    """

    settings: PlanSettings
    questions: list[PlannedItems]
    run: PlannedRun | None = None
    side: PlanSide | None = None
    other: PlanSide | None = None
    parts: VarianceParts | None = None
    buys: list[Purchase] = field(default_factory=list)
    why: list[str] = field(default_factory=list)


def plan_typed(settings: PlanSettings) -> ItemsPlan:
    """A plan from typed numbers: independent items, each asked once. Raises UsageError."""
    for name, needed in ((WIDTH, "rate"), (GATE, "rate"), (DIFFERENCE, "discordant")):
        if getattr(settings, name) is not None and getattr(settings, needed) is None:
            what = "a rate" if needed == "rate" else "the share of pairs that differ"
            raise UsageError(name, f"needs {what} to plan from", None, f"write {needed}=SHARE, or name a run")
    questions = []
    if settings.rate is not None:
        questions += [*_of_rate(settings, settings.rate, 1.0, 1.0)]
    if settings.discordant is not None:
        questions.append(_of_discordant(settings, settings.discordant))
    return ItemsPlan(settings, sorted(questions, key=lambda one: QUESTIONS.index(one.question)))


def plan_of_run(run: PlannedRun, settings: PlanSettings) -> ItemsPlan:
    """A plan from what a run has seen. Raises UsageError."""
    side, other = pair_of(run, settings.better, settings.than)
    if settings.better is None and settings.than is None and len(run.cells) == 1:
        side, other = run.whole, None
    parts = variance_parts(side.labels, side.items)
    questions, why = [], []
    if run.judged:
        why.append("Width, difference and gate are planned by one rater: reading=NAME.")
    else:
        seen = side.rate.share if settings.rate is None else settings.rate
        questions += [*_of_rate(settings, seen, side.design, side.repeats)]
        pair = None if other is None else _of_pair(settings, side, other)
        if pair is not None and pair.square:
            questions.append(pair)
        elif settings.discordant is not None:
            questions.append(_of_discordant(settings, settings.discordant))
        else:
            why.append(_no_pair(run) if pair is None else _no_pair(run, pair.common))
    buys = [] if parts is None else purchases(parts, settings.prices, run.judged)
    ordered = sorted(questions, key=lambda one: QUESTIONS.index(one.question))
    return ItemsPlan(settings, ordered, run, side, other, parts, buys, why)


def _of_discordant(settings: PlanSettings, share: float) -> PlannedItems:
    """The difference, by the share of pairs that is expected to differ: it cannot be larger than that."""
    asked = min(abs(USUAL if settings.difference is None else settings.difference), 100 * share)
    items = items_for_difference(share, asked / 100, settings.power)
    return PlannedItems(DIFFERENCE, asked, items, 2 * items, square=share)


def _no_pair(run: PlannedRun, alike: int | None = None) -> str:
    """Why no difference is planned: there are no two sides, or they are alike on all of their common items."""
    what = "two cells without a common item" if len(run.cells) > 1 else "one cell"
    what = what if run.items_known else "no items that two cells could share"
    why = f"the run has {what}" if alike is None else f"both sides are alike on all {some(alike, 'common item')}"
    return f"No difference is planned: {why}. Name the share of pairs that will differ: discordant=0.1."


def _of_rate(settings: PlanSettings, share: float, design: float, repeats: float) -> Iterator[PlannedItems]:
    """The width, and the gate where one is asked for."""
    asked = USUAL if settings.width is None else abs(settings.width)
    items = items_for_width(share, asked / 100, design)
    yield PlannedItems(WIDTH, asked, items, math.ceil(items * repeats), share, design, single=repeats == 1)
    if settings.gate is not None:
        number = items_for_gate(share, settings.gate, design, settings.power)
        if number is None:
            digits = next((n for n in range(2, 6) if round(share, n) != round(settings.gate, n)), 6)
            what = f"the rate seen is {fixed(share, digits)}, no number of items will pass"
            what = what if settings.rate is None else what.replace("seen", "typed")
            raise UsageError(f"gate={settings.gate:g}", what, None, "write a lower gate")
        calls = math.ceil(number * repeats)
        yield PlannedItems(GATE, settings.gate, number, calls, share, design, single=repeats == 1)


def _of_pair(settings: PlanSettings, one: PlanSide, other: PlanSide) -> PlannedItems:
    """The difference between two sides, by the items that both have."""
    shared = common(one, other)
    every = np.union1d(one.counts[0], other.counts[0])
    seen = mean_square(one.means(every), other.means(every)) or 0.0
    square = seen if settings.discordant is None else settings.discordant
    asked = USUAL if settings.difference is None else abs(settings.difference)
    items = items_for_difference(square, asked / 100, settings.power)
    sees = least_difference(square, len(shared), settings.power)
    calls = math.ceil(items * (one.repeats + other.repeats))
    single = one.repeats == other.repeats == 1 or settings.discordant is not None
    points = None if sees is None else 100 * sees
    return PlannedItems(DIFFERENCE, asked, items, calls, None, 1.0, square, len(shared), points, single)
