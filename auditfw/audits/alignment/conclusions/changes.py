"""What would change the answer, in one number each: outcomes that must be met, scenarios, the score, the weights."""

from __future__ import annotations

from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.errors import brief
from auditfw.core.statistics import further_items
from auditfw.formulas.clusters import ClusteredMean

from .musts import MustCounts
from .scored_weights import ScoredWeights

PLACES = 2  # of a score
MOST = 6  # decimal places of a weight that is none of those tried


def with_a_key_met(musts: MustCounts) -> str:
    """How many scenarios would still miss a must if one outcome were met in all: the one that leaves the fewest."""
    if not musts.alone:
        missed = some(musts.missed, "scenario")
        return f"No single outcome changes it: {missed} {verb(musts.missed, 'misses', 'miss')} two or more."
    key = min(musts.alone, key=lambda name: (-musts.alone[name], name))
    left = musts.missed - musts.alone[key]
    still = f"{left:,} of {some(musts.scenarios, 'scenario')}" if left else "no scenario"
    return f"If {brief(key, 60)} were met everywhere, {still} would miss a requirement."


def further_scenarios(above: ClusteredMean) -> int:
    """How many more scenarios, or items, would tell a difference above 0 from chance if it stays; 0 if unknown."""
    if above.low is None or above.mean <= 0:
        return 0
    return further_items(above.mean, above.low, 0.0, above.items) or 0


def with_more_scenarios(above: ClusteredMean) -> str:
    """How many more scenarios, or items, would settle the comparison with the best trivial baseline."""
    more = further_scenarios(above)
    noun = "scenario" if above.items == above.n else "item"
    return f"It would hold with about {some(more, f'more {noun}')} if the difference stays." if more else ""


def with_a_higher_score(score: float, above: ClusteredMean) -> str:
    """From which score on the difference from the best trivial baseline would be no chance, if its spread stays."""
    if above.low is None:
        return ""
    least = score - above.low
    return f"It would hold with a score of about {fixed(least, PLACES)} if the spread stays." if least < 1 else ""


def with_other_weights(first: ScoredWeights, other: ScoredWeights, bound: float) -> str:
    """Which weight of direction divides reaching the bound from missing it: the score is linear in that weight."""
    slope = (other.score - first.score) / (other.direction - first.direction)
    at, known = 100 * (first.direction + (bound - first.score) / slope), (first.direction, other.direction)
    shown = next((fixed(at, n) for n in range(MOST) if all(fixed(at, n) != fixed(100 * one, n) for one in known)), "")
    side = "at least" if slope > 0 else "at most"
    return f"The score reaches {bound:g} where direction weighs {side} {shown or fixed(at, MOST)} %."
