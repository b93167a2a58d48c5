"""What the coefficients mean here: remarks in plain sentences, and the tables behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isnan
from typing import Any, TypeVar

from auditfw.core.digits import fixed, without_noise
from auditfw.core.document import some, verb
from auditfw.core.statistics import fewest_items

from . import scorer
from .ratings import Abstain, Judged, Pair, Ratings
from .settings import FEWEST_TO_TELL

C = TypeVar("C")

HIGH_AGREEMENT, APART = 0.8, 0.2
SAME_TEXTS, SAME_SHARE = 5, 0.2
OWN_SHARE = 0.05
FEWEST = 3
COSTLY = 3  # disagreements that are named
PLACES = 12  # gains that differ further behind are equal but for rounding
HOWS: tuple[Abstain, ...] = ("label", "missing", "exclude")


@dataclass(frozen=True)
class LabelCost:
    """What one kind of disagreement costs: `n` items, and how much higher kappa were without it."""

    candidate: str
    reference: str
    n: int
    gain: float


@dataclass(frozen=True)
class RaterPair:
    """Two raters, the items both labelled, their percent agreement and Cohen's kappa (None where undefined)."""

    one: str
    other: str
    n: int
    percent: float | None
    kappa: float | None


def ac1(pair: Pair) -> float | None:
    """Gwet's AC1 in plain Python; None where it is undefined."""
    k = len(pair.labels)
    if not pair.n or k < 2:
        return None
    shares = [(r + c) / (2 * pair.n) for r, c in zip(pair.rows, pair.columns, strict=True)]
    chance = fsum(share * (1 - share) for share in shares) / (k - 1)
    return (pair.agreed / pair.n - chance) / (1 - chance)


def paradox(pair: Pair, name: str) -> str | None:
    """The note on high agreement with low kappa (Feinstein and Cicchetti 1990), or None where there is no paradox.

    There is one where at least 80 % agree and AC1 is at least 0.2 above kappa, or kappa is undefined.
    """
    agreement, kappa, steady = scorer.percent_agreement(pair.table), scorer.kappa(pair.table), ac1(pair)
    if agreement is None or steady is None or agreement < HIGH_AGREEMENT:
        return None
    if kappa is not None and steady - kappa < APART:
        return None
    totals = [r + c for r, c in zip(pair.rows, pair.columns, strict=True)]
    most = max(range(len(totals)), key=lambda i: totals[i])
    share = totals[most] / (2 * pair.n)
    if kappa is None:
        every = f"all {pair.n:,} labels of both are" if pair.n > 1 else "the one label of both is"
        return (
            f"{name}: {every} {pair.labels[most]}, so kappa is undefined, not bad: chance "
            f"alone would agree as often. AC1 is {fixed(steady, 2)}. Gate on percent_agreement or gwet_ac1, and "
            "collect items with other labels before you rely on either."
        )
    return (
        f"{name}: {_percent(agreement)} agree, yet kappa is {fixed(kappa, 2)}: {_percent(share)} of all labels are "
        f"{pair.labels[most]}, so chance alone is expected to agree on {_percent(pair.chance)}. AC1 is "
        f"{fixed(steady, 2)}, and with these shares kappa cannot exceed {fixed(_largest(pair), 2)}. Gate on gwet_ac1 "
        f"and on specific_agreement of the rare labels, or collect more items that have them."
    )


def too_few(n: int, share: float = 0.9) -> str | None:
    """Says that one or two items are too few, and how many would do if all agreed; None from three on."""
    if n >= FEWEST:
        return None
    needed = fewest_items(share)
    return (
        f"{some(n, 'item')} {verb(n, 'is', 'are')} too few: even if all agree, {needed} are needed for "
        f"the interval of percent agreement to be above {share:g}"
    )


def costs(pair: Pair, weights: Any = None) -> list[LabelCost]:
    """What each kind of disagreement costs, the most expensive first.

    `gain` is how much kappa, with agreement `weights` (k × k) where there are any, would rise if the candidate had
    given the reference's label on those items. Where it is undefined before or after, the rise of percent agreement
    stands in.
    """
    k = range(len(pair.labels))
    costs_by_pair = [
        LabelCost(
            pair.labels[i],
            pair.labels[j],
            pair.table[i][j],
            _gain(pair, _mended(pair, {(i, j): pair.table[i][j]}), weights),
        )
        for i in k
        for j in k
        if i != j and pair.table[i][j]
    ]
    return sorted(costs_by_pair, key=lambda cost: (-round(cost.gain, PLACES), -cost.n, cost.candidate, cost.reference))


def gains(pair: Pair, places: Sequence[tuple[int, int]], weights: Any = None) -> list[float | None]:
    """What disagreements cost by their places in the table, as `costs`, of kappa with agreement `weights` (k × k).

    None where kappa is undefined before or after.
    """
    import numpy as np

    from .coefficients import cohen

    tables = [pair.table, *(_mended(pair, {(i, j): pair.table[i][j]}) for i, j in places)]
    before, *after = cohen(np.array(tables, dtype=float), weights).tolist()
    return [None if isnan(kappa - before) else kappa - before for kappa in after]


def cell_costs(whole: Pair, cells: Mapping[C, Pair], weights: Any = None) -> list[tuple[C, int, float]]:
    """For each cell its disagreements, and how much the whole kappa would rise without them, the most first."""
    rows: list[tuple[C, int, float]] = []
    k = range(len(whole.labels))
    for cell, pair in cells.items():
        wrong = {(i, j): pair.table[i][j] for i in k for j in k if i != j}
        rows.append((cell, pair.n - pair.agreed, _gain(whole, _mended(whole, wrong), weights)))
    return sorted(rows, key=lambda row: (-round(row[2], PLACES), -row[1]))


def describe_costs(pair: Pair, name: str, weights: Any = None, kappa: str = "kappa") -> str | None:
    """Names in a sentence the disagreements that cost most `kappa`, as it is called; None without a disagreement."""
    ranked = costs(pair, weights)[:COSTLY]
    if not ranked:
        return None
    listed = ", ".join(
        f"{c.candidate} where the reference says {c.reference} ({some(c.n, 'item')}, {fixed(c.gain, 3)})"
        for c in ranked
    )
    return f"{name} loses most {kappa} by answering {listed}."


def same_texts(same: int, both: int, raters: Sequence[str], what: str = "reason") -> str | None:
    """The hint that raters were not independent: `same` of the `both` items where they gave a text gave the same one.

    Given from 5 items and 20 % on.
    """
    if same < SAME_TEXTS or same < SAME_SHARE * both:
        return None
    names = f"{', '.join(raters[:-1])} and {raters[-1]}"
    return (
        f"{names} wrote word for word the same {what} on {same:,} of {both:,} items ({_percent(same / both)}): were "
        "they independent? Agreement means little where raters see each other's answers."
    )


def strangers(ratings: Ratings) -> list[str]:
    """Says of each two raters whose label spaces differ: each gives labels that the other never does.

    Told where such labels make 5 % or more of what each of the two gave on the items both labelled, and half as many as
    the fewest items that tell anything.
    """
    from .with_others import pair_counts

    notes = []
    for i, j in pair_counts(ratings).apart(OWN_SHARE, FEWEST_TO_TELL):
        one, other = ratings.raters[i], ratings.raters[j]
        mine, theirs = _own_labels(ratings, one, other), _own_labels(ratings, other, one)
        if mine and theirs:
            notes.append(
                f"{one} and {other} do not use the same labels: only {one} uses {mine}, only {other} {theirs}; map "
                "them with audit.aliases before you trust a coefficient"
            )
    return notes


def pairwise(ratings: Ratings, most: int | None = None) -> list[RaterPair]:
    """Every two raters with their percent agreement and kappa, in the order of the raters.

    With `most` so many of those with the lowest kappa, an undefined one first.
    """
    import numpy as np

    from .with_others import pair_counts

    counts = pair_counts(ratings)
    i, j = counts.places()
    if most is not None:
        kappa = np.nan_to_num(counts.kappa[i, j], nan=-2.0)
        names = np.argsort(np.argsort(np.asarray(counts.raters)))  # the place of each in sorted order
        chosen = np.lexsort([names[j], names[i], kappa])[:most]
        i, j = i[chosen], j[chosen]
    columns = [[None if isnan(x) else x for x in table[i, j].tolist()] for table in (counts.percent, counts.kappa)]
    rows = zip(i.tolist(), j.tolist(), counts.n[i, j].tolist(), *columns, strict=True)
    return [RaterPair(counts.raters[a], counts.raters[b], int(n), percent, kappa) for a, b, n, percent, kappa in rows]


def abstaining_ways(judged: Judged) -> list[tuple[Abstain, Pair]]:
    """The pair with abstentions as a label, as missing, and with their items left out; empty where there is none."""
    pairs = [(how, judged.pair(how)) for how in HOWS]
    return [(how, pair) for how, pair in pairs if pair is not None]


def _own_labels(ratings: Ratings, one: str, other: str) -> str:
    """The labels that only the first gives, where they make a share worth telling."""
    table = ratings.table(one, other)
    k = range(len(ratings.labels))
    mine, theirs = [sum(row) for row in table], [sum(row[j] for row in table) for j in k]
    only = [i for i in k if mine[i] and not theirs[i]]
    if sum(mine[i] for i in only) < OWN_SHARE * sum(mine) or not only:
        return ""
    return ", ".join(f"'{ratings.labels[i]}' × {mine[i]:,}" for i in only)


def _mended(pair: Pair, wrong: Mapping[tuple[int, int], int]) -> list[list[int]]:
    table = [list(row) for row in pair.table]
    for (i, j), n in wrong.items():
        table[i][j] -= n
        table[j][j] += n
    return table


def _gain(pair: Pair, mended: Sequence[Sequence[int]], weights: Any = None) -> float:
    before, after = _kappa(pair.table, weights), _kappa(mended, weights)
    if before is None or after is None:
        before, after = scorer.percent_agreement(pair.table), scorer.percent_agreement(mended)
    return without_noise((after or 0.0) - (before or 0.0))


def _kappa(table: Sequence[Sequence[int]], weights: Any) -> float | None:
    if weights is None:
        return scorer.kappa(table)
    from .coefficients import cohen

    kappa = float(cohen(table, weights))
    return None if isnan(kappa) else kappa


def _largest(pair: Pair) -> float:
    return (sum(map(min, pair.rows, pair.columns)) / pair.n - pair.chance) / (1 - pair.chance)


def _percent(share: float) -> str:
    return f"{fixed(100 * share, 1)} %"
