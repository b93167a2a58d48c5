"""The simulator against the best simulator that knows nothing of the parameters, scenario by scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from auditfw.audits.alignment.actual import NONFINITE, NOT_MEANT
from auditfw.audits.alignment.cell_counts import Cell
from auditfw.audits.alignment.intended import Floats
from auditfw.audits.alignment.key_scores import KeyScores, overall_scores
from auditfw.audits.alignment.null_models import best_of, null_scores, one_purpose, scored_keys, varied_keys
from auditfw.audits.alignment.scenario_sample import Drawn
from auditfw.core.digits import NOISE
from auditfw.core.records import Estimate
from auditfw.formulas.alignment import AlignmentRule
from auditfw.formulas.clusters import ClusteredMean, clustered_mean

from .weightings import reweighted

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
