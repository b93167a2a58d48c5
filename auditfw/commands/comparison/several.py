"""Several sides at once: their tiers and rank intervals, from the differences of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.components.report.wording import NONE
from auditfw.core.digits import fixed
from auditfw.core.document import Table
from auditfw.core.imports import np
from auditfw.formulas.gaps.tiers import Tiers, tiers
from auditfw.formulas.two_rates import pair_sums

from .gap_tables import short_names
from .pair import ComparedPair, every_side, of_one_model


def tiers_of(pairs: Sequence[ComparedPair]) -> Tiers:
    """The tiers of the first side of all pairs and the second of each, by all trials of each; by their items.

    Items are the same as in the pairs; those that the first side lacks are the same by their key.
    """
    base = pairs[0].both.matched
    one_key = len({pair.both.matched.key for pair in pairs}) == 1
    by_name = dict(zip(base.names.to_list(), range(base.items), strict=True)) if one_key else {}
    number = base.items
    rows = [_rows(0, np.arange(base.items), *pairs[0].both.sums[:2])]
    for cell, pair in enumerate(pairs, 1):
        matched = pair.both.matched
        places = np.full(matched.items, -1, np.int64)
        known = (matched.numbers[0] >= 0) & (base.numbers[0] >= 0)
        places[matched.numbers[0][known]] = base.numbers[0][known]
        for item in np.flatnonzero(places < 0).tolist():
            place = by_name.get(matched.names[item]) if one_key else None
            if place is None:
                place, number = number, number + 1
                by_name[matched.names[item]] = place
            places[item] = place
        rows.append(_rows(cell, places, *pair.both.sums[2:]))
    cells, items, trials, right = (np.concatenate(column) for column in zip(*rows, strict=True))
    return tiers(pair_sums(cells, len(rows), items, trials, right))


def _rows(cell: int, places: Any, trials: Any, right: Any) -> tuple[Any, Any, Any, Any]:
    there = trials > 0
    return np.full(int(there.sum()), cell), places[there], trials[there], right[there]


def tiers_table(pairs: Sequence[ComparedPair], made: Tiers) -> Table:
    """A row a side, the best first: its trials, its share right, that of what finished, its tier, its ranks."""
    of = every_side(pairs)
    several, rows = _several_rules(pairs), []
    called = short_names([pair.sides[at].called for pair, at in of])
    for one in made.logs:
        pair, at = of[one.log]
        side, right, answered = pair.sides[at], pair.right[at], pair.of_answered[at]
        ends = f"{fixed(100 * right.low, 1)}, {fixed(100 * right.high, 1)}"
        ranks = f"{one.best} to {one.worst}" if one.best < one.worst else f"{one.best}"
        shown = [
            side.letter,
            called[one.log],
            f"{right.trials:,}",
            f"{fixed(100 * right.share, 1)} [{ends}]",
            NONE if answered is None else fixed(100 * answered, 1),
            f"{one.tier}",
            ranks,
        ]
        rows.append([*shown, NONE if (by := pair.by_first_rule[at]) is None else fixed(100 * by, 1)][: 7 + several])
    rule = [f"by the rule of {pairs[0].sides[0].letter}, %"] if several else []
    return Table(
        ["side", "of", "trials", "right, %", "of answered, %", "tier", "rank", *rule], rows, "<<>>>>>" + ">" * several
    )


def _several_rules(pairs: Sequence[ComparedPair]) -> bool:
    return not all(pair.trials.same_rule for pair in pairs)


def cautions(pairs: Sequence[ComparedPair]) -> list[str]:
    """What makes a ranking of sides none of models: one model on all sides, one run scored twice."""
    lines = []
    if all(of_one_model(pair.conditions) for pair in pairs):
        lines.append("All sides are of one model: this ranks conditions and rules, not models.")
    if _several_rules(pairs):
        first = pairs[0].sides[0].letter
        lines.append(
            f"Sides are scored by different rules: by that of {first} alone the order may be another (last column)."
        )
    for pair in pairs:
        if pair.trials.texts_same:
            one, other = (side.letter for side in pair.sides)
            lines.append(
                f"{one} and {other} are the same completions{'' if pair.trials.same_rule else ', scored by two rules'}."
            )
    return lines


def tiers_document(pairs: Sequence[ComparedPair]) -> list[dict[str, Any]]:
    """The same for programs, and which pairs are resolved by their adjusted p-value."""
    made, letters = tiers_of(pairs), _letters(pairs)
    answered = [pair.of_answered[at] for pair, at in every_side(pairs)]
    by_rule = [pair.by_first_rule[at] for pair, at in every_side(pairs)]
    return [
        {
            "side": letters[one.log],
            "right": 100 * one.rate,
            "right_of_answered": None if (share := answered[one.log]) is None else 100 * share,
            "by_first_rule": None if (share := by_rule[one.log]) is None else 100 * share,
            "tier": one.tier,
            "best_rank": one.best,
            "worst_rank": one.worst,
            "p": {letters[b if a == one.log else a]: p for (a, b), p in made.p.items() if one.log in (a, b)},
        }
        for one in made.logs
    ]


def _letters(pairs: Sequence[ComparedPair]) -> list[str]:
    return [pair.sides[at].letter for pair, at in every_side(pairs)]


def lead_line(pairs: Sequence[ComparedPair], made: Tiers) -> str:
    """How many tie for the lead, of how many, and how many pairs are resolved."""
    letters = _letters(pairs)
    tied = [letters[one.log] for one in made.logs if one.tier == 1]
    first = f"{len(tied)} of {len(letters)} tie for the lead ({', '.join(tied)})" if len(tied) > 1 else ""
    first = first or f"{tied[0]} leads alone of {len(letters)}"
    return f"{first}; {made.resolved} of {len(made.p)} pairs differ beyond chance (Holm)."
