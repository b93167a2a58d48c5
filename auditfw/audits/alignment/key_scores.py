"""Scores of whole columns: one key of some scenarios, and all keys of each scenario together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditfw.formulas.alignment import AlignmentRule, mean_of, row_means
from auditfw.formulas.outcome_columns import ROUNDING, SAME, OutcomeColumn

from .actual import MISSING, NONFINITE, NOT_MEANT, Averaged, Codes, Noise
from .intended import Flags, Floats, IntendedBands, Meaning


@dataclass
class KeyScores:
    """One key of some scenarios: what was meant and came, and how that scores (NaN where nothing was matched).

    `should`, `weight` and `bounded` are None where no intention says so.
    """

    key: str
    compared: OutcomeColumn
    codes: Codes
    direction: Floats
    magnitude: Floats
    combined: Floats
    should: Flags | None = None
    weight: Floats | None = None
    unit: str = ""
    noise: Noise | None = None
    bounded: Flags | None = None

    @property
    def matched(self) -> Flags:
        """Which outcomes have scores: those that are not finite have zeros."""
        return np.asarray(self.codes <= NONFINITE)

    def taken(self, rows: Any) -> KeyScores:
        """Only these rows, without level and noise."""
        direction, magnitude, combined = self.direction[rows], self.magnitude[rows], self.combined[rows]
        weight = None if self.weight is None else self.weight[rows]
        bounded = None if self.bounded is None else self.bounded[rows]
        compared, codes = self.compared.taken(rows), self.codes[rows]
        return KeyScores(self.key, compared, codes, direction, magnitude, combined, weight=weight, bounded=bounded)

    def numbers_meant(self, tolerance: float) -> tuple[Floats, Floats]:
        """The intended number of each scenario, the middle of a band, and the room about it; NaN where there is none.

        What says itself when it is met has half the width of its band, any other number `tolerance` times its size (at
        least the floor). Where one end is open, or only a change is meant, there is no number.
        """
        of = self.compared
        with np.errstate(all="ignore"):
            numbers = np.where(self.codes == NOT_MEANT, np.nan, of.low / 2 + of.high / 2)
            numbers = np.where(np.isfinite(numbers), numbers, np.nan)
            if of.change is not None:
                numbers[of.moves] = np.nan
            assumed = tolerance * np.maximum(np.abs(numbers), of.floor)
            bounded = False if self.bounded is None else self.bounded
            return numbers, np.where(bounded, of.high / 2 - of.low / 2, assumed) + ROUNDING * np.abs(numbers)


def scores(rule: AlignmentRule, compared: OutcomeColumn) -> tuple[Floats, Floats, Floats]:
    """Direction, magnitude and combined; where only a change is meant it is the score, and there is no magnitude."""
    direction, magnitude, combined = rule.columns(compared.low, compared.high, compared.actual)
    if compared.change is not None:
        rows = compared.moves
        direction[rows] = combined[rows] = np.nan_to_num(compared.moved_as_meant())[rows]
        magnitude[rows] = np.nan
    return direction, magnitude, combined


def key_scores(rule: AlignmentRule, key: str, aims: IntendedBands, base: float | None, got: Averaged) -> KeyScores:
    """Scores one key. An outcome to be compared with a baseline that lacks the key is missing."""
    codes = got.codes
    if aims.change is not None and base is None:
        codes = np.where(aims.change > 0, np.maximum(codes, MISSING), codes).astype(np.uint8)
    if aims.meant is not None:
        codes = np.where(aims.meant, codes, NOT_MEANT).astype(np.uint8)
    change = None if aims.change is None else np.where(aims.change == SAME, 0, aims.change).astype(np.int8)
    compared = OutcomeColumn(*aims.ends(base), got.values, rule.floor, base, change)
    columns = scores(rule, compared)
    if codes.max() > NONFINITE:
        for column in columns:
            column[codes > NONFINITE] = np.nan
    return KeyScores(key, compared, codes, *columns, aims.should, aims.weight, aims.unit, got.noise, aims.bounded)


def overall_scores(
    keys: Sequence[KeyScores], key_weights: Mapping[str, float], size: int, meant: Meaning | None = None
) -> tuple[Floats, Any]:
    """The mean of combined over each scenario's scored keys (NaN without one), and how many there are.

    With `meant` the order of summation is that of each scenario's own keys, to the last bit.
    """
    matched = np.zeros(size, np.int64)
    for one in keys:
        matched += one.matched
    weights = _weights(keys, key_weights)
    if weights is not None:
        return _weighted(keys, weights, size), matched
    complete = (matched == len(keys)) & (matched > 0)
    if meant is not None and not meant.alike:
        complete[:] = False
    if size and complete.all():
        return row_means([one.combined for one in keys]), matched
    overall = np.full(size, np.nan)
    if complete.any():
        overall[complete] = row_means([one.combined[complete] for one in keys])
    by_key = {one.key: one for one in keys}
    for i in np.flatnonzero(~complete & (matched > 0)).tolist():
        order = by_key if meant is None else meant.orders[i]
        own = [by_key[str(key)] for key in order]
        overall[i] = mean_of([float(one.combined[i]) for one in own if one.codes[i] <= NONFINITE])
    return overall, matched


def _weights(keys: Sequence[KeyScores], key_weights: Mapping[str, float]) -> list[Any] | None:
    """A weight for each key, a number or a column; None where all weigh the same."""
    by_key = [key_weights.get(one.key, 1.0) for one in keys]
    if all(one.weight is None for one in keys) and all(weight == 1.0 for weight in by_key):
        return None
    return [w if one.weight is None else w * one.weight for w, one in zip(by_key, keys, strict=True)]


def _weighted(keys: Sequence[KeyScores], weights: Sequence[Any], size: int) -> Floats:
    total, mass = np.zeros(size), np.zeros(size)
    with np.errstate(all="ignore"):
        for one, weight in zip(keys, weights, strict=True):
            total += np.where(one.matched, weight * one.combined, 0.0)
            mass += np.where(one.matched, weight, 0.0)
        return np.asarray(np.where(mass > 0, total / mass, np.nan))
