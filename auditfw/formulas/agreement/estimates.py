"""From judgements to estimates: value, interval, what it is based on, and why it is undefined where it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from auditfw.core.records import Estimate
from auditfw.core.statistics import mcnemar_exact, wilson
from auditfw.formulas.clusters import ItemSums

from . import coefficients, groups
from .coefficients import Array
from .intervals import NO_WIDTH, Kinds, ends, normal, standard_errors, with_unseen
from .items import changed, clustered_wilson, sums_of, symmetry_by_items
from .ratings import Pair, Ratings
from .settings import FEWEST_TO_TELL, Interval, Sampling

PairFormula = Callable[[Array], Array]
GroupFormula = Callable[[Array, Array], Array]

NO_PAIR = "no item that both labelled"
NO_GROUP = "no item with two labels or more"
NO_ROW = "no item that all labelled"


def of_pair(
    pair: Pair, formula: PairFormula, sampling: Sampling, value: float | None = None, agrees: bool = True
) -> Estimate:
    """A coefficient of two raters.

    `formula` takes tables (..., k, k); `value` is its value where it is known to the last digit. `agrees` says that
    full agreement makes it 1, so that its interval is bounded there. It is estimated once.
    """
    asked = (formula, sampling, value, agrees)
    if asked not in pair.estimated:
        pair.estimated[asked] = _of_pair(pair, formula, sampling, value, agrees)
    estimate: Estimate = pair.estimated[asked]
    return estimate


def _of_pair(pair: Pair, formula: PairFormula, sampling: Sampling, value: float | None, agrees: bool) -> Estimate:
    if value is not None and sampling.interval.method == "none":
        return Estimate(value, pair.n, pair.missing)
    if pair_kinds not in pair.estimated:
        pair.estimated[pair_kinds] = pair_kinds(pair)
    kinds: Kinds = pair.estimated[pair_kinds]
    k = len(pair.labels)

    def coefficient(weights: Array) -> Array:
        return formula(weights.reshape(*weights.shape[:-1], k, k))

    number = value if value is not None else (float(coefficient(kinds.weights)) if kinds.n else np.nan)
    if not np.isfinite(number):
        return Estimate(None, pair.n, pair.missing, undefined=why_undefined(pair))
    seen = kinds if agrees else Kinds(kinds.counts, clusters=kinds.clusters)
    low, high = ends(coefficient, seen, sampling)
    return Estimate(number, pair.n, pair.missing, low, high)


def of_pairs(
    pairs: Sequence[Pair], formula: PairFormula, how: Interval, values: Sequence[float | None]
) -> list[Estimate]:
    """A coefficient of many pairs of separate trials in the same labels, each with its large-sample error.

    `values` are those known to the last digit, None where the formula gives them. There must be an item in each, and a
    disagreement.
    """
    tables = np.asarray([pair.table for pair in pairs], dtype=float)
    k = tables.shape[-1]

    def coefficient(weights: Array) -> Array:
        return formula(weights.reshape(*weights.shape[:-1], k, k))

    weights = tables.reshape(len(pairs), k * k)
    numbers = [float(n) if v is None else v for n, v in zip(coefficient(weights), values, strict=True)]
    halves = normal(how.confidence) * standard_errors(coefficient, weights)
    unseen = unseen_agreement(tables).reshape(weights.shape)
    most = with_unseen(coefficient, weights, unseen, weights.sum(-1), how.confidence)
    return [_with_error(*row) for row in zip(pairs, numbers, halves.tolist(), most.tolist(), strict=True)]


def _with_error(pair: Pair, value: float, half: float, most: float) -> Estimate:
    if not np.isfinite(value):
        return Estimate(None, pair.n, pair.missing, undefined=why_undefined(pair))
    if pair.n < FEWEST_TO_TELL or not half > NO_WIDTH:
        return Estimate(value, pair.n, pair.missing)
    return Estimate(value, pair.n, pair.missing, value - half, max(value + half, most))


def percent_of(pair: Pair, how: Interval) -> Estimate:
    """The share of items with the same label, with its Wilson interval."""
    if not pair.n:
        return Estimate(None, 0, pair.missing, undefined=NO_PAIR)
    sums = sums_of(pair.clusters, lambda place: place[0] == place[1]) if pair.clusters else None
    return share(pair.agreed, pair.n, pair.missing, how, sums)


def share(part: int, n: int, missing: int, how: Interval, sums: ItemSums | None = None) -> Estimate:
    """A share with its Wilson interval; n must be positive. `sums` are those of items that have several trials."""
    if how.method == "none":
        return Estimate(part / n, n, missing)
    z = normal(how.confidence)
    low, high = wilson(part, n, z) if sums is None else clustered_wilson(sums, z)
    return Estimate(part / n, n, missing, low, high)


def of_group(ratings: Ratings, formula: GroupFormula, sampling: Sampling, fewest: int = 2) -> Estimate:
    """A coefficient of all raters; `formula` takes weights (..., p) and vectors p × k.

    Items of fewer than `fewest` labels do not enter; those of two labels or more are counted.
    """
    whole = groups.vectors_of(ratings)
    used = whole.at_least(fewest)
    counted = whole.at_least(max(2, fewest)).n
    missing = ratings.n - counted
    if not counted:
        return Estimate(None, 0, missing, undefined=NO_GROUP if fewest <= 2 else NO_ROW)
    kinds, vectors = group_kinds(used, len(ratings.raters))
    coefficient = partial(_with_vectors, formula, vectors)
    value = float(coefficient(kinds.weights))
    if not np.isfinite(value):
        return Estimate(None, counted, missing, undefined=_one_label(np.asarray(used.counts) @ used.vectors, ratings))
    return Estimate(value, counted, missing, *ends(coefficient, kinds, sampling))


def _with_vectors(formula: GroupFormula, vectors: Array, weights: Array) -> Array:
    return formula(weights, vectors)


def pair_kinds(pair: Pair) -> Kinds:
    """The k × k kinds of item of two raters, row by row."""
    astray = np.outer(np.asarray(pair.rows) + 0.5, np.asarray(pair.columns) + 0.5)
    np.fill_diagonal(astray, 0.0)
    total = astray.sum()
    spread = tuple(map(float, (astray / total).ravel())) if total else ()
    k = len(pair.labels)
    clusters = changed(pair.clusters, lambda place: place[0] * k + place[1])
    agreeing = tuple(i == j for i in range(k) for j in range(k))
    unseen = unseen_agreement(np.asarray(pair.table, dtype=float).reshape(k, k)).ravel()
    counts = tuple(n for row in pair.table for n in row)
    never = tuple(map(float, unseen)) if unseen.any() else ()
    return Kinds(counts, pair.agreed == pair.n, spread, clusters, agreeing, never)


def unseen_agreement(tables: Array) -> Array:
    """How agreement on labels that both give, never both for one item, is spread by chance; 0 without any."""
    never = tables.sum(-1) * tables.sum(-2) * (np.diagonal(tables, axis1=-2, axis2=-1) == 0)
    total = never.sum(-1)[..., None]
    return np.asarray(np.eye(tables.shape[-1]) * np.divide(never, total, out=0.0 * never, where=total > 0)[..., None])


def group_kinds(whole: groups.Vectors, raters: int) -> tuple[Kinds, Array]:
    """The kinds of item of several raters, with those where one rater alone differs; and their vectors P × k."""
    k = len(whole.vectors[0])
    alone = {
        tuple((raters - 1) * (i == c) + (i == d) for i in range(k)): (c, d)
        for c in range(k)
        for d in range(k)
        if c != d and raters > 1
    }
    added = [vector for vector in alone if vector not in whole.vectors]
    used = np.asarray(whole.counts) @ np.asarray(whole.vectors) + 0.5
    chance = {vector: float(used[c] * used[d]) for vector, (c, d) in alone.items()}
    total = math.fsum(chance.values())
    vectors = [*whole.vectors, *added]
    astray = tuple(chance.get(vector, 0.0) / total for vector in vectors) if total else ()
    agreed = all(max(vector) == sum(vector) for vector in whole.vectors)
    place = {vector: i for i, vector in enumerate(vectors)}
    clusters = changed(whole.clusters, place.__getitem__)
    agreeing = tuple(max(vector) == sum(vector) for vector in vectors)
    kinds = Kinds((*whole.counts, *(0 for _ in added)), agreed, astray, clusters, agreeing)
    return kinds, np.asarray(vectors, dtype=float)


def why_undefined(pair: Pair) -> str:
    """Why a coefficient of two raters has no value."""
    if not pair.n:
        return NO_PAIR
    labels = [label for label, r, c in zip(pair.labels, pair.rows, pair.columns, strict=True) if r or c]
    if len(labels) == 1:
        return f"both gave every item the same label: {labels[0]}"
    return "these counts do not allow a comparison"


def _one_label(totals: Array, ratings: Ratings) -> str:
    labels = [label for label, n in zip(ratings.labels, totals, strict=True) if n]
    if len(labels) == 1:
        return f"all gave every item the same label: {labels[0]}"
    return "these counts do not allow a comparison"


def bowker(pair: Pair) -> Estimate:
    """Bowker's test of symmetry (1948) as a p-value: small where the raters differ more often in one direction.

    Pairs of labels that nobody confused count no degree of freedom. With one confused pair it is the exact McNemar
    test; without any it is 1.0. Where items have several trials the same is tested by items: exact sign flips with one
    confused pair, else the sums of items and their squares in place of the counts.
    """
    if not pair.n:
        return Estimate(None, 0, pair.missing, undefined=NO_PAIR)
    k = range(len(pair.labels))
    crossed = [
        (pair.table[i][j], pair.table[j][i]) for i in k for j in k if i < j and pair.table[i][j] + pair.table[j][i]
    ]
    if pair.clusters:
        return Estimate(symmetry_by_items(pair.clusters), pair.n, pair.missing)
    if len(crossed) < 2:
        return Estimate(mcnemar_exact(*crossed[0]) if crossed else 1.0, pair.n, pair.missing)
    from scipy.special import chdtrc

    square = math.fsum((a - b) ** 2 / (a + b) for a, b in crossed)
    return Estimate(float(chdtrc(len(crossed), square)), pair.n, pair.missing)


def specific(pair: Pair, label: str, sampling: Sampling) -> Estimate:
    """The agreement on one label: of all times it was given, the share where both gave it (Dice 1945)."""
    i = pair.labels.index(label)
    given_by_either = pair.rows[i] + pair.columns[i]
    if not given_by_either:
        return Estimate(None, pair.n, pair.missing, undefined=f"no rater used the label {label}")

    def formula(tables: Array) -> Array:
        total = tables[..., i, :].sum(-1) + tables[..., :, i].sum(-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(total > 0, 2 * tables[..., i, i] / total, np.nan)

    return of_pair(pair, formula, sampling)


def prevalence(pair: Pair, label: str, sampling: Sampling) -> Estimate:
    """The prevalence index (Byrt, Bishop and Carlin 1993) of one label against the rest: (both - neither) / n."""
    i = pair.labels.index(label)

    def formula(tables: Array) -> Array:
        n = tables.sum((-2, -1))
        totals = tables[..., i, :].sum(-1) + tables[..., :, i].sum(-1)
        return np.asarray((totals - n) / n)

    return of_pair(pair, formula, sampling, agrees=False)


def bias(pair: Pair, label: str, sampling: Sampling) -> Estimate:
    """The bias index (Byrt, Bishop and Carlin 1993) of one label: how much more often the candidate gives it."""
    i = pair.labels.index(label)

    def formula(tables: Array) -> Array:
        more = tables[..., i, :].sum(-1) - tables[..., :, i].sum(-1)
        return np.asarray(more / tables.sum((-2, -1)))

    return of_pair(pair, formula, sampling, agrees=False)


def maximum_kappa(pair: Pair, sampling: Sampling) -> Estimate:
    """The largest kappa that the raters' marginals allow."""
    return of_pair(pair, coefficients.maximum, sampling, agrees=False)
