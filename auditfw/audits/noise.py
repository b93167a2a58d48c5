"""Where the noise of a rate comes from, and what to buy next, in words and tables: for reports and for plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from auditfw.core.digits import fixed, short
from auditfw.core.document import Block, Note, Table, some, verb
from auditfw.formulas.repeats.purchases import ITEMS, JUDGE, NOW, ONCE, REPEATS, Prices, Purchase
from auditfw.formulas.repeats.variance import ENOUGH, SOURCES, VariancePart, VarianceParts

from .answers import with_interval

TITLE = "Where the Noise Comes From"
WAYS = {
    NOW: "now",
    ITEMS: "twice the items",
    REPEATS: "twice the repeats",
    JUDGE: "one more judge",
    ONCE: "as many calls, each item once",
}
ROW = (NOW, ITEMS, REPEATS, ONCE)  # what a row a cell shows
NAMES = ("items", "repeats of an item", "readings by item", "readings by repeat")


def noise_blocks(
    parts: VarianceParts, buys: Sequence[Purchase], readings: Sequence[str], priced: bool, word: str = "right"
) -> list[Block]:
    """The sources of noise in the mean of such labels, and what further calls would take from it.

    `readings` are the names of those that label, `priced` whether costs other than of trials were set, `word`
    what a label of 1 is.
    """
    now = parts.variance(parts.items, parts.repeats)
    heads = ["noise from", "variance", "% of the noise"]
    rows = [[name, _variance(part), _share(parts, key, now)] for key, name, part in _sources(parts)]
    blocks: list[Block] = [Table(heads, rows, "<>>", caption=_caption(parts, readings, word))]
    blocks += map(Note, _remarks(parts, word))
    if buys and buys[0].half is not None:
        blocks += [Note(buys_sentence(buys)), _buys(parts, buys, priced)]
    return blocks


def _sources(parts: VarianceParts) -> Iterator[tuple[str, str, VariancePart]]:
    names = dict(zip(SOURCES, NAMES, strict=True))
    for key in SOURCES:
        part = getattr(parts, key)
        if part is None or (parts.readings == 1 and key.endswith("reading")):
            continue
        if key == "repeat_reading" and parts.repeat is None:
            continue
        name = "items and repeats together" if key == "item" and parts.repeat is None else names[key]
        yield key, name, part


def _caption(parts: VarianceParts, readings: Sequence[str], word: str) -> str:
    by = readings[0] if len(readings) == 1 else f"the mean of {some(len(readings), 'rater')}"
    return (
        f"{fixed(100 * parts.mean, 1)} % {word} by {by}: {some(parts.trials, 'trial')} of {some(parts.items, 'item')}; "
        "squared shares"
    )


def _variance(part: VariancePart) -> str:
    return with_interval(fixed(part.value, 4), part.low, part.high, 4)


def _share(parts: VarianceParts, key: str, now: float | None) -> str:
    """What a source makes of the variance of the mean, in percent."""
    if not now:
        return "–"
    part = getattr(parts, key).value
    number = parts.readings if key.endswith("reading") else 1
    size = parts.trials if key.startswith("repeat") else parts.items
    return fixed(100 * part / number / size / now, 0)


def _remarks(parts: VarianceParts, word: str) -> Iterator[str]:
    negative = [name for _, name, part in _sources(parts) if part.negative]
    if negative:
        yield f"The estimate for {' and '.join(negative)} is below 0: that counts as none."
    if parts.repeat is None:
        yield "No item is repeated: what items add is not separated from what repeats add, and none are planned."
    if parts.item.low is None:
        holds = f"{some(parts.rarer, 'item')} {verb(parts.rarer, 'holds', 'hold')}"
        yield f"No intervals: {holds} the rarer label, {ENOUGH} are needed."
    if parts.readings > 1:
        low, high = min(parts.shares), max(parts.shares)
        yield f"By rater {fixed(100 * low, 1)} to {fixed(100 * high, 1)} % are {word}; so few are no sample of raters."


def buys_sentence(buys: Sequence[Purchase]) -> str:
    """What each way of going on makes of the half width: `Now ±11.7; twice the repeats ±11.3, …`."""
    known = {buy.name: buy for buy in buys if buy.half is not None}
    more = [f"{WAYS[name]} {_half(known[name])}" for name in (REPEATS, ITEMS, JUDGE) if name in known]
    text = "; ".join([f"Now {_half(known[NOW])}", ", ".join(more)])
    if ONCE in known:
        text += f"; {some(known[ONCE].items, 'item')} asked once {_half(known[ONCE])}"
    return f"{text} points."


def _half(buy: Purchase) -> str:
    return "–" if buy.half is None else f"±{fixed(100 * buy.half, 1)}"


def _buys(parts: VarianceParts, buys: Sequence[Purchase], priced: bool) -> Table:
    per = "gain per 1,000 spent" if priced else "gain per 1,000 calls"
    rows = [
        [
            WAYS[buy.name],
            f"{buy.items:,}",
            short(buy.repeats, 3),
            f"{buy.calls:,}",
            _half(buy),
            "–" if buy.per_thousand is None or buy.name == NOW else fixed(100 * buy.per_thousand, 1),
        ]
        for buy in buys
        if buy.half is not None
    ]
    heads = ["what to buy next", "items", "repeats", "calls in all", "half width", per]
    return Table(
        heads,
        rows,
        "<>>>>>",
        caption="What to buy next (half of the 95 % interval, and what it gains for the price, in points)",
    )


def repeats_are(names: Sequence[str]) -> str:
    """What counts as a repeat in cells by such columns, in a sentence."""
    of = f" with equal {', '.join(names)}" if names else ""
    return f"Repeats are the trials of one item{of}; whatever else differs between them is taken as chance."


def noise_table(names: Sequence[str], rows: Sequence[Sequence[str]], reading: str, left_out: int) -> Table:
    """The noise of several cells, a row each (`noise_row` behind the values of its columns)."""
    heads = [
        *names,
        "items",
        "repeats",
        "variance: items",
        "variance: repeats",
        "now",
        *(WAYS[name] for name in ROW[1:]),
    ]
    caption = (
        f"Variance of right answers by {reading} (squared shares), and half of the 95 % interval of the rate, in points"
    )
    return Table(heads, rows, "<" * len(names) + ">" * (len(heads) - len(names)), caption, left_out)


def noise_row(parts: VarianceParts, buys: Sequence[Purchase]) -> list[str]:
    """A cell: items, repeats, what both add, half the interval now and by what could be bought."""
    known = {buy.name: buy for buy in buys}
    halves = [_half(known[name]) if name in known else "–" for name in ROW]
    repeat = "–" if parts.repeat is None else _variance(parts.repeat)
    return [f"{parts.items:,}", short(parts.repeats, 3), _variance(parts.item), repeat, *halves]


def noise_document(parts: VarianceParts, buys: Sequence[Purchase]) -> dict[str, Any]:
    """The same as plain data: variances in squared shares, widths in points."""
    noise = {
        key: None if (part := getattr(parts, key)) is None else {
            "estimate": part.estimate, "value": part.value, "low": part.low, "high": part.high,
        }
        for key in SOURCES
    }  # fmt: skip
    return {
        "mean": parts.mean,
        "items": parts.items,
        "trials": parts.trials,
        "shares": list(parts.shares),
        "variance": noise,
        "buy": [
            {
                "what": buy.name, "items": buy.items, "repeats": buy.repeats, "readings": buy.readings,
                "calls": buy.calls, "half_width": None if buy.half is None else 100 * buy.half, "cost": buy.cost,
                "per_thousand": None if buy.per_thousand is None else 100 * buy.per_thousand,
            }
            for buy in buys
        ],
    }  # fmt: skip


def is_priced(prices: Prices) -> bool:
    """Whether something else than trials costs."""
    return prices != Prices()
