"""Trivial baselines: the scores of simulators that know nothing of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from auditfw.core.imports import np
from auditfw.formulas.alignment import AlignmentRule
from auditfw.formulas.outcome_columns import DOWN, UP
from auditfw.formulas.outcomes.factors import varies

from .actual import NONFINITE, NOT_MEANT, SCORED
from .intended import Floats, KeyScores, overall_scores, scores
from .scenario_sample import Drawn
from .trials import stream

NOTHING = "do-nothing"
PERMUTATIONS = 20
MOST_RESCORED = 4_000_000  # outcomes

NULLS: Mapping[str, str] = {
    "constant": "every outcome at its mean over the scenarios",
    "permuted": "the outcomes of another scenario, drawn at random",
    NOTHING: "the baseline scenario's outcomes, or 0 without one",
    "intended mean": "every outcome at the mean of what is intended",
    "intended median": "every outcome at the median of what is intended",
}


def scored_keys(drawn: Drawn) -> list[KeyScores]:
    """The keys of which some outcome was scored."""
    return [one for one in drawn.keys if (one.codes == SCORED).any()]


def varied_keys(drawn: Drawn, tolerance: float) -> list[KeyScores]:
    """The scored keys that no constant serves: of numbers by `varies`; of bounds and changes those that differ."""
    return [one for one in scored_keys(drawn) if _varies(one, tolerance)]


def _varies(one: KeyScores, tolerance: float) -> bool:
    numbers, room = one.numbers_meant(tolerance)
    meant = one.codes != NOT_MEANT
    if np.isfinite(numbers[meant]).all():
        return varies(numbers[meant], room[meant])
    return not _same_aim(one)


def null_scores(
    drawn: Drawn, usable: Sequence[KeyScores], rule: AlignmentRule, key_weights: Mapping[str, float], seed: int
) -> dict[str, Floats]:
    """The overall score of each scenario drawn under each null simulator, of `usable` keys; NaN where none was scored.

    What is intended makes further ones where it differs between scenarios: those of the simulator's own outcomes have
    its unit and its sign.
    """
    if len(drawn) < 2 or not usable:
        return {}
    models: dict[str, Sequence[Callable[[KeyScores], Floats]]] = {
        "constant": [lambda one: np.full(len(drawn), one.compared.actual[one.codes == SCORED].mean())],
        "permuted": [partial(_permuted, seed=seed, shift=k) for k in range(1, _shifts(len(drawn), len(usable)) + 1)],
        NOTHING: [lambda one: np.full(len(drawn), one.compared.base or 0.0)],
    }
    if all(_alike(one) for one in usable):
        del models["permuted"]
    else:
        models["intended mean"] = [lambda one: _intended(one, np.mean)]
        models["intended median"] = [lambda one: _intended(one, np.median)]
    scores_by_model: dict[str, Floats] = {}
    for name, versions in models.items():
        overall = np.zeros(len(drawn))
        for values in versions:
            rescored = [_rescored(one, rule, values(one)) for one in usable]
            overall += overall_scores(rescored, key_weights, len(drawn))[0]
        if not np.isnan(overall).all():
            scores_by_model[name] = overall / len(versions)
    return scores_by_model


def _intended(one: KeyScores, middle: Callable[[Floats], Any]) -> Floats:
    """A constant in the middle of what is intended of a key; the baseline's outcome where no number is."""
    numbers = one.numbers_meant(0.0)[0]
    numbers = numbers[np.isfinite(numbers)]
    return np.full(len(one.codes), float(middle(numbers)) if len(numbers) else one.compared.base or 0.0)


def best_of(free: Mapping[str, float]) -> str:
    """The null simulator with the highest score, of equal ones the first; there must be one."""
    return max(free, key=lambda name: round(free[name], 12))


def _shifts(scenarios: int, keys: int) -> int:
    """How many permutations are averaged: the score of one alone depends much on the draw."""
    return max(1, min(scenarios - 1, PERMUTATIONS, MOST_RESCORED // (scenarios * keys)))


def one_purpose(drawn: Drawn) -> bool:
    """Whether all scenarios mean the same of every key that was scored: one constant can then serve them all."""
    return all(_same_aim(one) for one in scored_keys(drawn))


def one_setting(drawn: Drawn) -> bool:
    """Whether all scenarios have the same parameters, or none."""
    return all(params == drawn.params[0] for params in drawn.params)


def _alike(one: KeyScores) -> bool:
    """Whether exchanging the outcomes of scenarios changes nothing of a key, for all mean the same number of it."""
    return one.compared.change is None and _same_aim(one)


def _same_aim(one: KeyScores) -> bool:
    """Whether all scenarios mean the same of a key: one number, one band, or one way to move."""
    rows = np.flatnonzero(one.codes == SCORED)
    low, high, change = one.compared.low[rows], one.compared.high[rows], one.compared.change
    ways = np.zeros(rows.size, np.int8) if change is None else change[rows]
    moves = np.isin(ways, (UP, DOWN))
    ends = [np.where(moves, 0.0, end) for end in (low, high)]
    return all(bool((column == column[0]).all()) for column in (*ends, ways))


def _permuted(one: KeyScores, seed: int, shift: int) -> Floats:
    """The values that were scored, each at another scenario's place, alike for all keys that were scored alike."""
    rows = np.flatnonzero(one.codes == SCORED)
    order = np.random.Generator(np.random.PCG64(int(stream(seed, "permuted")))).permutation(rows.size)
    values = one.compared.actual.copy()
    places = (shift - 1) % max(1, rows.size - 1) + 1  # never so far that each has its own again
    values[rows[order]] = values[rows[np.roll(order, places)]]
    return values


def _rescored(one: KeyScores, rule: AlignmentRule, values: Floats) -> KeyScores:
    compared = replace(one.compared, actual=values)
    columns = scores(rule, compared)
    for column in columns:
        column[one.codes > NONFINITE] = np.nan
    return KeyScores(one.key, compared, one.codes, *columns, weight=one.weight)


def rescaled(one: KeyScores, rule: AlignmentRule, factor: float) -> float | None:
    """A key's mean combined score had intended and actual been written in units `factor` times smaller.

    None where every intended number is 0: the rule for 0 knows no scale.
    """
    rows = (one.codes == SCORED) & ~((one.compared.low == 0.0) & (one.compared.high == 0.0))
    if not rows.any():
        return None
    compared = one.compared.taken(np.flatnonzero(rows))
    low = compared.low * factor
    high = low if compared.low is compared.high else compared.high * factor
    base = None if compared.base is None else compared.base * factor
    combined = scores(rule, replace(compared, low=low, high=high, actual=compared.actual * factor, base=base))[2]
    return float(combined.mean())
