"""The simulator against the best simulator that knows nothing of the parameters, scenario by scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from auditfw.audits.alignment.actual import MISSING, NONFINITE, NOT_MEANT, SCORED
from auditfw.audits.alignment.cell_counts import AlignmentCounts, Cell, KeyTally
from auditfw.audits.alignment.intended import Floats, KeyScores, overall_scores
from auditfw.audits.alignment.null_models import best_of, null_scores, one_purpose, scored_keys, varied_keys
from auditfw.audits.alignment.scenario_sample import Drawn
from auditfw.core.digits import NOISE, fixed
from auditfw.core.document import some, verb
from auditfw.core.errors import brief
from auditfw.core.imports import np
from auditfw.core.records import Estimate
from auditfw.core.statistics import Moments, further_items
from auditfw.formulas.alignment import AlignmentRule
from auditfw.formulas.clusters import ClusteredMean, clustered_mean
from auditfw.kinds.scenarios import Weights

from .musts import ItemTotals, MustCounts, mean_over_items, reweighted

ONE_PURPOSE = "every scenario has the same intentions, so a constant may score as well as any simulator"
NO_VARIED = "what is intended hardly differs between scenarios, so a constant may score as well as any simulator"
FEW = "needs two scenarios with outcomes"


@dataclass
class DrawnFigures:
    """What is computed on the scenarios drawn, under one rule: the null simulators, and medians of errors.

    `overall` are the scores over all keys. The null simulators are compared on those `keys` alone that no constant
    serves, or on all where one serves each.
    """

    drawn: Drawn
    rule: AlignmentRule
    key_weights: Mapping[str, float]
    seed: int
    tolerance: float = 0.0
    overall: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.overall = self.drawn.overall

    @classmethod
    def reweighted(cls, first: DrawnFigures, rule: AlignmentRule) -> DrawnFigures:
        """The same scenarios under other weights."""
        other = cls(first.drawn, rule, first.key_weights, first.seed, first.tolerance)
        keys = [reweighted(one, rule) for one in first.drawn.keys]
        other.overall, _ = overall_scores(keys, first.key_weights, len(first.drawn))
        return other

    @cached_property
    def varied(self) -> list[KeyScores]:
        """The keys that no constant serves."""
        return varied_keys(self.drawn, self.tolerance)

    @cached_property
    def keys(self) -> list[KeyScores]:
        """The keys on which this simulator is compared with null simulators."""
        return self.varied or scored_keys(self.drawn)

    @cached_property
    def compared(self) -> Floats:
        """The scores of this simulator over these keys."""
        if len(self.keys) == len(scored_keys(self.drawn)):
            return self.overall
        keys = [reweighted(one, self.rule) for one in self.keys]
        return overall_scores(keys, self.key_weights, len(self.drawn))[0]

    @cached_property
    def nulls(self) -> dict[str, Floats]:
        """The overall scores of each null simulator."""
        with np.errstate(all="ignore"):
            return null_scores(self.drawn, self.keys, self.rule, self.key_weights, self.seed)

    @cached_property
    def free(self) -> dict[str, float]:
        """The mean overall score of each null simulator."""
        return {name: float(np.nanmean(column)) for name, column in self.nulls.items()}

    @property
    def best(self) -> str:
        """The null simulator with the highest score; there must be one."""
        return best_of(self.free)

    @cached_property
    def undecidable(self) -> str:
        """Why no null simulator can say anything here, "" where one can."""
        if not self.nulls:
            return FEW
        if one_purpose(self.drawn):
            return ONE_PURPOSE
        return "" if self.varied else NO_VARIED

    @cached_property
    def _rows(self) -> dict[Cell, Any]:
        rows: dict[Cell, list[int]] = {}
        for i, cell in enumerate(self.drawn.cells):
            rows.setdefault(cell, []).append(i)
        return {cell: np.array(places) for cell, places in rows.items()}

    def _of(self, cell: Cell | None) -> Any:
        return np.arange(len(self.drawn)) if cell is None else self._rows.get(cell, np.zeros(0, np.int64))

    @property
    def mean(self) -> float:
        """The mean overall score of the simulator on the scenarios drawn; there must be one."""
        return float(np.nanmean(self.overall))

    @property
    def compared_mean(self) -> float:
        """The same over the keys that are compared."""
        return float(np.nanmean(self.compared))

    @property
    def part(self) -> bool:
        """Whether some keys only are compared."""
        return self.compared is not self.overall

    @property
    def compared_estimate(self) -> Estimate:
        """The mean score over the keys that are compared, with its interval over items; there must be one."""
        held = np.flatnonzero(~np.isnan(self.compared))
        items = [self.drawn.items[i] for i in held.tolist()] if self.drawn.items else []
        one = clustered_mean(self.compared[held], items)
        return Estimate(one.mean, one.n, len(self.drawn) - one.n, one.low, one.high)

    def above(self, cell: Cell | None = None) -> ClusteredMean | None:
        """The score less that of the best null simulator, in pairs; None without a pair."""
        if not self.nulls:
            return None
        rows = self._of(cell)
        apart = self.compared[rows] - self.nulls[self.best][rows]
        apart = np.where(np.abs(apart) < NOISE, 0.0, apart)  # what rounding leaves of equal scores
        held = np.flatnonzero(~np.isnan(apart))
        items = [self.drawn.items[i] for i in rows[held].tolist()] if self.drawn.items else []
        return clustered_mean(apart[held], items) if held.size else None

    def above_estimate(self, cell: Cell | None = None) -> Estimate:
        """The same as a metric gives it."""
        if self.undecidable:
            return Estimate(None, 0, len(self.drawn), undefined=self.undecidable)
        rows, one = self._of(cell), self.above(cell)
        if one is None:
            return Estimate(None, 0, len(rows), undefined="no scenario has a score")
        return Estimate(one.mean, one.n, len(rows) - one.n, one.low, one.high)

    def median_error(self, cell: Cell | None = None, key: str | None = None) -> Estimate:
        """The median relative error of a key, or of all; outcomes intended as 0 are left out."""
        values, rows = self.errors(cell, key), self._of(cell)
        keys = [one for one in self.drawn.keys if key in (None, one.key)]
        missing = sum(int(np.count_nonzero(one.codes[rows] != NOT_MEANT)) for one in keys) - values.size
        if not values.size:
            return Estimate(None, 0, missing, undefined="no outcome with an intended number other than 0")
        low, high = np.sort(values)[[(values.size - 1) // 2, values.size // 2]]
        return Estimate(float(low / 2 + high / 2), values.size, missing)  # halves first: the sum of both may overflow

    def errors(self, cell: Cell | None, key: str | None) -> Floats:
        """The relative errors of the outcomes of a key, or of all, that have one."""
        rows, parts = self._of(cell), [np.zeros(0)]
        for one in self.drawn.keys:
            if key in (None, one.key):
                errors = relative_errors(one.compared.actual[rows], one.compared.target[rows])
                parts.append(errors[np.isfinite(errors) & (one.codes[rows] <= NONFINITE)])
        return np.concatenate(parts)

    def lazily(self, cell: Cell | None, key: str | None) -> dict[str, Any]:
        """What a sample takes of these, computed when a metric asks for it."""
        figures: dict[str, Any] = {"median_error": partial(self.median_error, cell, key)}
        if key is None:
            figures["above"] = partial(self.above_estimate, cell)
        return figures


def relative_errors(actual: Floats, target: Floats) -> Floats:
    """The distance from what was intended over its size; NaN where nothing but 0 was intended."""
    with np.errstate(all="ignore"):
        size = np.abs(target)
        return np.where(size > 0, np.abs(actual - target) / size, np.nan)


def all_figures(first: DrawnFigures, others: Mapping[str, AlignmentRule]) -> dict[str, DrawnFigures]:
    """The figures under the deciding weights (""), and under each of the others by name."""
    return {"": first, **{name: DrawnFigures.reweighted(first, rule) for name, rule in others.items()}}


# Where direction agreement costs nothing: no intended number and no baseline value can be negative.

KEYS_NAMED = 3
MAGNITUDE = Weights(0.0, 1.0)


@dataclass(frozen=True)
class FreeDirection:
    """The keys of which direction is free, how many keys there are, and the score by magnitude alone."""

    keys: tuple[str, ...]
    of: int
    magnitude_alone: float | None

    @property
    def text(self) -> str:
        """What to say of it, "" where direction is free of no key or does not weigh."""
        if not self.keys:
            return ""
        which = f"all {some(self.of, 'outcome')}" if len(self.keys) == self.of else _listed(self.keys, self.of)
        text = f"Direction tests nothing for {which}: no negative value is intended, so every outcome above 0 scores 1"
        if self.magnitude_alone is None:
            return f"{text}."
        every = {1: "", 2: " over both outcomes"}.get(self.of, f" over all {self.of:,} outcomes")
        return f"{text}; by magnitude alone the mean score{every} is {fixed(self.magnitude_alone, 2)}."


def free_direction(total: AlignmentCounts, rule: AlignmentRule, figures: DrawnFigures) -> FreeDirection:
    """The keys of which direction is free; none where direction does not weigh."""
    keys = tuple(key for key, one in total.keys.items() if _is_free(one)) if rule.weights.direction else ()
    alone = None
    if keys and len(figures.drawn) and not np.isnan(figures.overall).all():
        alone = DrawnFigures.reweighted(figures, replace(rule, weights=MAGNITUDE)).mean
    return FreeDirection(keys, len(total.keys), alone)


def _is_free(one: KeyTally) -> bool:
    """Whether all that is meant of a key is at least 0, and not always 0: there the outcome's size counts."""
    meant = sum(n for code, n in one.counts.items() if code <= MISSING)
    return bool(one.counts[SCORED]) and not one.levels["signed"] and one.levels["zero"] < meant


def _listed(keys: tuple[str, ...], of: int) -> str:
    more = f" and {len(keys) - KEYS_NAMED} more" if len(keys) > KEYS_NAMED else ""
    return f"{', '.join(keys[:KEYS_NAMED])}{more} ({len(keys):,} of {some(of, 'outcome')})"


# The score under each of the weights: of all scenarios, and against null simulators on those drawn.

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


# What would change the answer, in one number each: outcomes that must be met, scenarios, the score, the weights.

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
