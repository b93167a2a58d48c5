"""The score under each of the weights: of all scenarios, and against null simulators on those drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditfw.audits.alignment.cell_counts import AlignmentCounts
from auditfw.core.digits import fixed
from auditfw.core.statistics import Moments
from auditfw.formulas.clusters import ClusteredMean
from auditfw.kinds.scenarios import Weights

from .comparison import DrawnFigures
from .weightings import ItemTotals, mean_over_items

ACTUAL = "actual"


@dataclass(frozen=True)
class ScoredWeights:
    """The score under some weights, and by how much it is above the best null simulator.

    `direction` is the share of the weights that direction has.
    """

    reading: str
    words: str
    score: float
    low: float | None
    high: float | None
    above: ClusteredMean | None
    best: str
    direction: float

    @property
    def text(self) -> str:
        return f"{fixed(self.score, 2)} {self.words}"


def scored_weights(
    weights: Mapping[str, Weights], total: AlignmentCounts, figures: Mapping[str, DrawnFigures]
) -> list[ScoredWeights]:
    """The score under the deciding weights ("") first, then under each of the others by name."""
    scores = []
    for name, one in weights.items():
        reading = f"{ACTUAL}.{name}" if name else ACTUAL
        overall, items = total.scores.get(name) or Moments(), total.items.get(name, {})
        scores.append(_scored(reading, one, overall, items, figures[name]))
    return scores


def _scored(
    reading: str, weights: Weights, overall: Moments, items: ItemTotals, figures: DrawnFigures
) -> ScoredWeights:
    ends = overall.interval(0.0, 1.0)
    low, high = (None, None) if ends is None else ends
    if items:
        mean = mean_over_items(items)
        low, high = mean.low, mean.high
    score = overall.mean if overall.n else 0.0
    above = None if figures.undecidable else figures.above()
    best, direction = "" if above is None else figures.best, weights.direction / (weights.direction + weights.magnitude)
    return ScoredWeights(reading, weights.words, score, low, high, above, best, direction)
