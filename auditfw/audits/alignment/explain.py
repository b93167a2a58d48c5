"""Where it goes wrong: which parameters explain that the scenarios drawn are misaligned.

A scenario's misalignment is predicted from its nearest neighbours among the others, by rank of each parameter; a
parameter matters as far as the prediction gets worse when its values are exchanged at random between scenarios
(permutation importance: Breiman 2001, Machine Learning 45).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.imports import NDArray, np
from auditfw.core.records import Value
from auditfw.formulas.alignment import is_finite
from auditfw.formulas.multiple import ALPHA, holm

from .intended import Floats
from .scenario_sample import Drawn
from .trials import stream

LEAST, MOST = 20, 500
MOST_PARAMS = 20
NEIGHBOURS = 5
REPEATS = 5
LEAST_WEIGHT = 0.02
FLAT = 1e-12
THIRDS = ("low", "middle", "high")


@dataclass(frozen=True)
class Cause:
    """One parameter: the share of the variance of misalignment lost without it, and mean scores by its thirds.

    `values` are the distinct values in each third, `chance` is the p-value that the thirds differ by chance alone,
    adjusted for the parameters.
    """

    name: str
    importance: float
    thirds: tuple[float, float, float]
    ends: tuple[float, float]
    values: tuple[Sequence[float], ...]
    chance: float = 1.0


@dataclass(frozen=True)
class Causes:
    """The parameters, the most important first; `explained` is the share of variance explained by all of them."""

    scenarios: int
    explained: float
    causes: tuple[Cause, ...]

    @property
    def worst(self) -> Cause | None:
        """The parameter with the lowest mean score in a third, of those whose thirds differ by more than chance."""
        sure = [one for one in self.causes if one.chance <= ALPHA]
        return min(sure, key=lambda one: min(third for third in one.thirds if not math.isnan(third)), default=None)


def explain(drawn: Drawn, varied: Sequence[str], seed: int) -> Causes | None:
    """What explains misalignment; None of fewer than 20 scenarios, one parameter, or where all score alike."""
    usable = [i for i in range(len(drawn)) if not np.isnan(drawn.overall[i]) and _complete(drawn.params[i], varied)]
    if len(usable) < LEAST or not varied:
        return None
    if len(usable) > MOST:
        usable = [usable[round(i * (len(usable) - 1) / (MOST - 1))] for i in range(MOST)]
    names = list(varied)[:MOST_PARAMS]
    values = np.array([[float(drawn.params[i][name]) for name in names] for i in usable])
    score = drawn.overall[usable]
    keep = [j for j in range(len(names)) if values[:, j].min() < values[:, j].max()]
    if float(score.var()) < FLAT or not keep:
        return None
    ranks = np.stack([_ranks(values[:, j]) for j in keep])
    explained, importance = _importance(ranks, score, seed)
    items = [drawn.items[i] for i in usable] if drawn.items else []
    chances = holm([_chance(_by_item(values[:, j], items), _by_item(score, items)) for j in keep])
    causes = [
        Cause(names[j], float(importance[place]), _means(own, score), _ends(own), _values(own), chances[place])
        for place, j in enumerate(keep)
        for own in (values[:, j],)
    ]
    return Causes(len(usable), explained, tuple(sorted(causes, key=lambda one: (-one.importance, one.name))))


def _complete(params: Mapping[str, Any], names: Sequence[str]) -> bool:
    return all(is_finite(params.get(name)) for name in names)


def _ranks(values: Floats) -> Floats:
    """Ranks between 0 and 1, equal ones of equal values."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray(((ends - counts / 2) / len(values))[place])


def _importance(ranks: Floats, score: Floats, seed: int) -> tuple[float, Floats]:
    """The share of variance explained, and what each parameter adds: parameters that add little weigh little."""
    generator = np.random.Generator(np.random.PCG64(int(stream(seed, "causes"))))
    orders = [generator.permutation(len(score)) for _ in range(REPEATS)]
    added = _added(ranks, score, np.ones(len(ranks)), orders)[1]
    weights = (
        np.maximum(LEAST_WEIGHT, added / max(float(added.max()), FLAT)) if added.max() > 0 else np.ones(len(ranks))
    )
    return _added(ranks, score, weights, orders)


def _added(ranks: Floats, score: Floats, weights: Floats, orders: Sequence[NDArray[np.int64]]) -> tuple[float, Floats]:
    variance = float(score.var())
    apart = np.zeros((len(score), len(score)))
    for w, row in zip(weights, ranks, strict=True):
        apart += w * (row[:, None] - row[None, :]) ** 2
    lost = _loss(apart, score)
    added = np.zeros(len(ranks))
    for j, (w, row) in enumerate(zip(weights, ranks, strict=True)):
        rest = apart - w * (row[:, None] - row[None, :]) ** 2
        worse = [_loss(rest + w * (row[order][:, None] - row[None, :]) ** 2, score) for order in orders]
        added[j] = (math.fsum(worse) / len(worse) - lost) / variance
    return max(0.0, 1 - lost / variance), np.maximum(0.0, added)


def _loss(apart: Floats, score: Floats) -> float:
    """The mean squared error of the mean of each scenario's nearest neighbours, itself left out."""
    apart = apart.copy()
    np.fill_diagonal(apart, np.inf)
    near = np.argpartition(apart, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    return float(((score[near].mean(axis=1) - score) ** 2).mean())


def _thirds(values: Floats) -> list[NDArray[np.bool_]]:
    """Where the parameter is low, in the middle, high: thirds of its range by rank."""
    ranks = _ranks(values)
    return [(ranks >= low) & (ranks < high) for low, high in ((0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1.01))]


def _means(values: Floats, score: Floats) -> tuple[float, float, float]:
    """The mean score in each third; NaN in one without a scenario."""
    parts = [score[third] for third in _thirds(values)]
    low, middle, high = (float(part.mean()) if part.size else float("nan") for part in parts)
    return low, middle, high


def _values(values: Floats) -> tuple[Sequence[float], ...]:
    """The distinct values in each third, ascending."""
    return tuple(np.unique(values[third]).tolist() for third in _thirds(values))


def _chance(values: Floats, score: Floats) -> float:
    """The p-value of the test of Kruskal and Wallis (1952, J. Am. Stat. Assoc. 47) on the scores of the thirds.

    By the chi-squared distribution, with ties; 1.0 where there is nothing to compare.
    """
    ranks = _ranks(score)
    parts = [part for third in _thirds(values) if (part := ranks[third]).size]
    apart = float(((ranks - ranks.mean()) ** 2).sum())
    if len(parts) < 2 or apart < FLAT:
        return 1.0
    between = math.fsum(part.size * float(part.mean() - ranks.mean()) ** 2 for part in parts)
    h = (len(score) - 1) * between / apart
    return math.exp(-h / 2) if len(parts) == len(THIRDS) else math.erfc(math.sqrt(h / 2))


def _by_item(column: Floats, items: Sequence[Value]) -> Floats:
    """The means of a column over the scenarios of each item; the column where each scenario is its own."""
    if not items:
        return column
    places = {item: place for place, item in enumerate(dict.fromkeys(items))}
    of = np.array([places[item] for item in items])
    return np.asarray(np.bincount(of, weights=column) / np.bincount(of))


def _ends(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())
