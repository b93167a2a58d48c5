"""What to buy next: how narrow the interval of a mean becomes with more items, more repeats, or one more judge."""

from __future__ import annotations

from dataclasses import dataclass

from .variance import VarianceParts

NOW, ITEMS, REPEATS, JUDGE, ONCE = PURCHASES = ("now", "twice_items", "twice_repeats", "one_judge", "items_once")
THOUSAND = 1_000


@dataclass(frozen=True)
class Prices:
    """What one of each costs, in calls or money; none is negative. A label is that of one trial by one reading."""

    item: float = 0.0
    trial: float = 1.0
    label: float = 0.0


@dataclass(frozen=True)
class Purchase:
    """One way of going on, by its name in PURCHASES.

    `calls` are its trials in all, those there are among them; `half` is half the 95 % interval of its mean, a share;
    `cost` is of what it has beyond what there is, `per_thousand` what 1,000 of that take from the half width (None of
    what is free). `half` is None where nothing is known of it, as of more repeats where none was seen.
    """

    name: str
    items: int
    repeats: float
    readings: int
    calls: int
    half: float | None
    cost: float
    per_thousand: float | None


def purchases(parts: VarianceParts, prices: Prices | None = None, judges: bool = False) -> list[Purchase]:
    """Now, twice the items, twice the repeats, one more judge (where `judges`), as many calls with each item once.

    *Items once* keeps one trial of each item that there is, and asks others for the rest of the calls; it is left out
    where no item is repeated, for it is what there is.
    """
    items, repeats, readings, calls = parts.items, parts.repeats, parts.readings, parts.trials
    ways = [(NOW, items, repeats, readings, calls, 0), (ITEMS, 2 * items, repeats, readings, 2 * calls, calls)]
    ways.append((REPEATS, items, 2 * repeats, readings, 2 * calls, calls))
    if judges:
        ways.append((JUDGE, items, repeats, readings + 1, calls, 0))
    if parts.repeat is not None:
        ways.append((ONCE, calls, 1.0, readings, calls, calls - items))
    now = parts.half_width(items, repeats)
    return [_purchase(parts, prices or Prices(), now, *way) for way in ways]


def _purchase(
    parts: VarianceParts, prices: Prices, now: float | None, *way: *tuple[str, int, float, int, int, int]
) -> Purchase:
    name, items, repeats, readings, calls, trials = way
    half = parts.half_width(items, repeats, readings)
    labels = trials * parts.readings + (readings - parts.readings) * calls
    cost = prices.item * (items - parts.items) + prices.trial * trials + prices.label * labels
    gain = None if half is None or now is None or not cost else (now - half) / cost * THOUSAND
    return Purchase(name, items, repeats, readings, calls, half, cost, gain)
