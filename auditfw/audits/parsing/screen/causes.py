"""The reading that the answer is about, its changed labels by their main cause, and what holds without the largest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.audits.orders import ReadOrder, TurnedPair
from auditfw.audits.parsing.conclusions import claims
from auditfw.audits.parsing.conclusions.causes import drawn_of
from auditfw.audits.parsing.conclusions.movements import Movements
from auditfw.audits.parsing.conclusions.tracing import NO_STEP
from auditfw.audits.parsing.probe import lossy
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.trials import FlipCause, Trial

Flip = tuple[Trial, FlipCause]


@dataclass(frozen=True)
class LedReading:
    """A reading that decides, how many labels it changes, those that were drawn, and the largest group of one cause.

    `turned` is the pair that it turns first, in the order of a column of `by`; None where it turns none.
    """

    name: str
    changed: int
    drawn: Sequence[Flip]
    cause: str
    group: Sequence[Flip]
    turned: tuple[ReadOrder, TurnedPair] | None = None

    @property
    def whole(self) -> bool:
        """Whether all of its changed labels were drawn."""
        return len(self.drawn) == self.changed


def leading(results: ParsingResults) -> LedReading | None:
    """The reading that turns a pair, else the one that moves the error rate most surely, else most labels."""
    turned = _turned(results)
    movements = results.of(Movements)
    moving = [one for one, _ in movements.moving()]
    most = sorted(movements.full or movements.whole, key=lambda one: (-one.shift.changed, one.name))
    name = turned[1].reading if turned else next((one.name for one in (*moving, *most)), None)
    if name is None:
        return None
    labels, drawn = results.overall[name].data, drawn_of(results, name)
    cause, group = _largest(drawn)
    return LedReading(name, labels.to_true + labels.to_false, drawn, cause, group, turned)


def _turned(results: ParsingResults) -> tuple[ReadOrder, TurnedPair] | None:
    """The first pair that a reading turns which decides."""
    read, deciding = results.of(claims.ask), lossy.deciding(results)
    orders = [] if read is None else read.orders.orders
    return next(((one, pair) for one in orders for name in deciding for pair in one.turned_under(name)), None)


def _largest(drawn: Sequence[Flip]) -> tuple[str, Sequence[Flip]]:
    """The cause of most changed labels: a step, or where the reference reads another text what stands in it."""
    counts: Counter[str] = Counter(name for _, cause in drawn for name in _names(cause))
    if not counts:
        return "", []
    name = min(counts, key=lambda one: (-counts[one], one))
    return name, [(trial, cause) for trial, cause in drawn if name in _names(cause)]


def _names(cause: FlipCause) -> Sequence[str]:
    return cause.signs if cause.step == NO_STEP else [f"step {cause.step}"]


def what_would_change(results: ParsingResults) -> str:
    """What the answer would be without the largest group of changed labels; "" where that is no other."""
    led = results.of(leading)
    if led is None or not led.whole or not 0 < len(led.group) < led.changed:
        return ""
    without = f"Without the {len(led.group):,} by {led.cause}"
    if led.turned is not None:
        order, pair = led.turned
        better, than = order.values[pair.better], order.values[pair.than]
        lead = _lead_without(order, pair, led, results)
        return f"{without} {better} would stay ahead of {than}." if lead > 0 else ""
    moved = [rule for one, rule in results.of(Movements).moves if one.name == led.name and rule.fired]
    labels = results.overall[led.name].data
    back = sum(1 if cause.right else -1 for _, cause in led.group)
    points = 100 * (labels.to_false - labels.to_true + back) / labels.paired
    holds = bool(moved) and abs(points) < results.settings.margin
    return f"{without} the error rate would move by less than {results.settings.margin:g} pp." if holds else ""


def _lead_without(order: ReadOrder, pair: TurnedPair, led: LedReading, results: ParsingResults) -> float:
    """By how much the first of a pair would be ahead under its reading, as a share, without the group."""
    at, rates = results.context.by.index(order.statement.of), order.readings[pair.reading].rates
    wrong: list[float] = []
    for value in (pair.better, pair.than):
        rate, name = rates[value], order.values[value]
        if rate is None:
            return 0.0
        back = sum(1 if cause.right else -1 for trial, cause in led.group if str(trial.cell[at]) == str(name))
        wrong.append(rate.share + back / rate.trials)
    return wrong[1] - wrong[0]
