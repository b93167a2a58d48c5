"""Coefficients of agreement: published values, other libraries, definitions item by item, and the laws they keep."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import CASES
from searching import examples
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from auditfw.formulas.agreement import Judged, Ratings, coefficients, groups, scorer
from auditfw.formulas.agreement.estimates import bowker
from auditfw.formulas.agreement.intervals import Kinds, standard_error

TABLES: dict[str, Any] = json.loads((CASES / "data/classic_kappa/tables.json").read_text("utf-8"))
COUNTS = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k)
)
ITEMS = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(-1, 3), min_size=m, max_size=m), min_size=2, max_size=25)
)
FEW = settings(max_examples=examples(60), deadline=None)
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section D: 12 units, 4 observers, gaps.
KRIPPENDORFF = [
    [1, 1, 0, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [0, 5, 5, 5],
    [0, 0, 1, 1],
    [0, 0, 3, 0],
]


def pairs_of(table: Any) -> tuple[list[int], list[int]]:
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [i for i, _ in cells], [j for _, j in cells]


def rated(items: Any, labels: int, first: int = 0) -> Ratings:
    """Ratings of items whose labels are numbers from `first` on; smaller ones are missing."""
    patterns = Counter(tuple(max(code - first, -1) for code in item) for item in items)
    return Ratings.of([f"{first + i}" for i in range(labels)], [f"r{i}" for i in range(len(items[0]))], patterns)


def vectors(ratings: Ratings) -> tuple[Any, Any]:
    whole = groups.vectors_of(ratings)
    return np.asarray(whole.counts, dtype=float), np.asarray(whole.vectors, dtype=float)


def same(found: Any, expected: float, tolerance: float = 1e-9) -> bool:
    number = math.nan if found is None else float(found)
    return (math.isnan(number) and math.isnan(expected)) or number == pytest.approx(expected, abs=tolerance)


def cohen_error(table: Any, weights: Any = None) -> float:
    """The error of Cohen's kappa by the delta method."""
    k = len(table)
    cells = tuple(int(n) for n in np.asarray(table).ravel())
    return standard_error(lambda t: coefficients.cohen(t.reshape(*t.shape[:-1], k, k), weights), Kinds(cells))


def test_published_sas_table() -> None:
    told = TABLES["sas_table10"]
    table, linear = told["contingency"], coefficients.agreement_weights([0, 1, 2], "linear")
    assert scorer.kappa(table) == pytest.approx(told["published"]["kappa"], abs=5e-5)
    error = cohen_error(table)
    assert error == pytest.approx(told["published"]["ase"], abs=5e-5)
    ends = scorer.kappa(table) - 1.959964 * error, scorer.kappa(table) + 1.959964 * error
    assert ends == pytest.approx(told["published"]["ci95"], abs=5e-5)
    weighted = told["weighted_linear_published"]
    assert float(coefficients.cohen(table, linear)) == pytest.approx(weighted["kappa"], abs=5e-5)
    assert cohen_error(table, linear) == pytest.approx(weighted["ase"], abs=5e-5)


def test_published_fleiss() -> None:
    diagnoses = rated(TABLES["fleiss1971_diagnoses"]["ratings"], 5, 1)
    assert float(groups.fleiss(*vectors(diagnoses))) == pytest.approx(0.4302445, abs=5e-8)
    counts = np.asarray(TABLES["wikipedia_fleiss_table1"]["counts"], dtype=float)
    assert float(groups.fleiss(np.ones(len(counts)), counts)) == pytest.approx(0.210, abs=5e-4)


def test_published_anxiety() -> None:
    told = TABLES["irr_anxiety"]["published"]
    ratings = rated(TABLES["irr_anxiety"]["ratings"], 6, 1).only(["r1", "r2"]).in_use()
    table = ratings.table("r1", "r2")
    assert ratings.labels == ("1", "2", "3", "4", "6"), "R weighs by the place among the labels in use"
    assert scorer.kappa(table) == pytest.approx(told["kappa_rater2_rater3_unweighted"], abs=5e-9)
    for weights in ("linear", "quadratic"):
        found = coefficients.cohen(table, coefficients.agreement_weights(range(5), weights))
        assert float(found) == pytest.approx(told[f"kappa_rater2_rater3_{weights}"], abs=5e-8)


def test_every_pair_of_raters() -> None:
    told = TABLES["computed_here_not_published"]["pairs"]
    sets = {"diagnoses": ("fleiss1971_diagnoses", 5), "anxiety": ("irr_anxiety", 6)}
    for name, expected in told.items():
        data, raters = name.split(":")
        one, other = (f"r{int(rater) - 1}" for rater in raters.split("-"))
        stem, k = sets[data]
        table = rated(TABLES[stem]["ratings"], k, 1).table(one, other)
        assert sum(map(sum, table)) == expected["n"]
        assert scorer.percent_agreement(table) == pytest.approx(expected["percent_agreement"], abs=5e-10)
        assert scorer.kappa(table) == pytest.approx(expected["kappa"], abs=5e-10)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_published_alpha(level: Any, alpha: float) -> None:
    assert float(groups.krippendorff(*vectors(rated(KRIPPENDORFF, 5, 1)), level)) == pytest.approx(alpha, abs=5e-4)


def test_published_ac1() -> None:
    """Gwet's own program prints 0.77544 and an agreement of 0.8181818 for the same table (R irrCAC, raw4raters)."""
    weights, counts = vectors(rated(KRIPPENDORFF, 5, 1))
    assert float(groups.gwet(weights, counts)) == pytest.approx(0.77544, abs=5e-6)
    assert float(groups.percent(weights, counts)) == pytest.approx(0.8181818, abs=5e-8)


@FEW
@given(table=COUNTS)
def test_kappa_is_scikit_learns(table: list[list[int]]) -> None:
    one, other = pairs_of(table)
    if not one:
        assert scorer.kappa(table) is None
        return
    k = list(range(len(table)))
    for weights in ("none", "linear", "quadratic"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = cohen_kappa_score(one, other, labels=k, weights=None if weights == "none" else weights)
        ours = coefficients.cohen(table, coefficients.agreement_weights(k, weights))
        if sum(row[i] > 0 for i, row in enumerate(table)) == 1 == len(set(one) | set(other)):
            assert math.isnan(ours)
        else:
            assert same(ours, float(theirs))
    assert same(scorer.kappa(table), float(coefficients.cohen(table)))


@FEW
@given(table=COUNTS)
def test_errors_and_tests_are_statsmodels(table: list[list[int]]) -> None:
    counts = np.asarray(table) + 1
    k = range(len(counts))
    for weights in ("linear", "quadratic"):
        theirs = cohens_kappa(counts, wt=weights, return_results=True)
        ours = coefficients.agreement_weights(k, weights)  # type: ignore[arg-type]
        assert same(coefficients.cohen(counts, ours), theirs.kappa)
        assert cohen_error(counts, ours) == pytest.approx(theirs.std_kappa, rel=1e-6)
    plain = cohens_kappa(counts, return_results=True)
    assert cohen_error(counts) == pytest.approx(plain.std_kappa, rel=1e-6)
    assert same(coefficients.maximum(counts), plain.kappa_max)
    judged = Judged(Ratings.of([*map(str, k)], ["a", "b"], {(i, j): int(counts[i, j]) for i in k for j in k}), "a", "b")
    if len(counts) > 2:
        symmetry = SquareTable(counts, shift_zeros=False).symmetry()
        assert same(bowker(judged.pair()).value, float(symmetry.pvalue))  # type: ignore[arg-type]


@FEW
@given(items=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=25))
def test_fleiss_and_brennan_prediger_are_statsmodels(items: list[list[int]]) -> None:
    weights, counts = vectors(rated(items, 4))
    rows = np.repeat(counts, weights.astype(int), axis=0)
    with np.errstate(all="ignore"):
        theirs = fleiss_kappa(rows, method="fleiss")
    ours = float(groups.fleiss(weights, counts))
    assert math.isnan(ours) if len({code for item in items for code in item}) == 1 else same(ours, float(theirs))
    table = rated(items, 4).table("r0", "r1")
    pairs = np.asarray([[(item[0] == c) + (item[1] == c) for c in range(4)] for item in items])
    assert same(coefficients.brennan_prediger(table), float(fleiss_kappa(pairs, method="randolph")))


def naive_alpha(items: list[list[int]], level: str) -> float:
    """Krippendorff's alpha by its definition: mean squared difference within items over that between all labels."""
    units = [[code for code in item if code >= 0] for item in items]
    units = [unit for unit in units if len(unit) > 1]
    every = [code for unit in units for code in unit]
    uses = Counter(every)

    def apart(a: int, b: int) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        between = sum(n for code, n in uses.items() if low <= code <= high)
        return (between - (uses[a] + uses[b]) / 2) ** 2

    if len(uses) < 2:
        return math.nan
    n = len(every)
    within = sum(sum(apart(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / n
    between = sum(apart(a, b) for a, b in permutations(every, 2)) / (n * (n - 1))
    return 1 - within / between


@FEW
@given(items=ITEMS, level=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_its_definition(items: list[list[int]], level: Any) -> None:
    ratings = rated(items, 4)
    assert same(groups.krippendorff(*vectors(ratings), level), naive_alpha(items, level))
    two = [item[:2] for item in items]
    assert same(coefficients.krippendorff(ratings.table("r0", "r1"), level), naive_alpha(two, level))


def naive_gwet(items: list[list[int]], q: int, weight: Any) -> float:
    """Gwet's AC2 by its definition: pairs of raters within items, chance from the mean share of each label."""
    units = [[code for code in item if code >= 0] for item in items]
    units = [unit for unit in units if unit]
    several = [unit for unit in units if len(unit) > 1]
    if not several:
        return math.nan
    observed = sum(
        sum(weight(a, b) for a, b in permutations(unit, 2)) / (len(unit) * (len(unit) - 1)) for unit in several
    ) / len(several)
    share = [sum(unit.count(c) / len(unit) for unit in units) / len(units) for c in range(q)]
    total = sum(weight(a, b) for a in range(q) for b in range(q))
    chance = total / (q * (q - 1)) * sum(s * (1 - s) for s in share)
    return (observed - chance) / (1 - chance)


@FEW
@given(items=ITEMS, quadratic=st.booleans())
def test_gwet_is_its_definition(items: list[list[int]], quadratic: bool) -> None:
    ratings = rated(items, 4)
    agreement = coefficients.agreement_weights(range(4), "quadratic") if quadratic else None

    def weight(a: int, b: int) -> float:
        return 1 - ((a - b) / 3) ** 2 if quadratic else float(a == b)

    assert same(groups.gwet(*vectors(ratings), agreement), naive_gwet(items, 4, weight))
    two = [item[:2] for item in items if min(item[:2]) >= 0]
    table = ratings.table("r0", "r1")
    assert same(coefficients.gwet(table, agreement), naive_gwet(two, 4, weight) if two else math.nan)


@FEW
@given(items=ITEMS)
def test_group_percent_is_the_mean_over_pairs_of_raters(items: list[list[int]]) -> None:
    full = [item for item in items if min(item) >= 0]
    if full:
        raters = range(len(full[0]))
        by_pair = [sum(item[a] == item[b] for item in full) / len(full) for a, b in combinations(raters, 2)]
        assert same(groups.percent(*vectors(rated(full, 4))), sum(by_pair) / len(by_pair))


@FEW
@given(table=COUNTS, data=st.data())
def test_laws(table: list[list[int]], data: Any) -> None:
    """Nominal coefficients ignore the order of labels; all ignore which rater is which; kappa keeps its maximum."""
    counts = np.asarray(table)
    order = data.draw(st.permutations(range(len(counts))))
    mixed = counts[np.ix_(order, order)]
    nominal = [coefficients.cohen, coefficients.scott, coefficients.gwet]
    for formula in [*nominal, coefficients.brennan_prediger, coefficients.krippendorff, coefficients.maximum]:
        value = float(formula(counts))
        assert same(formula(mixed), value)
        assert same(formula(counts.T), value)
        assert math.isnan(value) or value <= 1 + 1e-12
    kappa, most = float(coefficients.cohen(counts)), float(coefficients.maximum(counts))
    assert math.isnan(kappa) or kappa <= most + 1e-12
    if counts.sum():
        ac1, least = float(coefficients.gwet(counts)), -1 / (2 * len(counts) - 1)
        assert least - 1 <= ac1 <= 1
        assert ac1 >= float(coefficients.brennan_prediger(counts)) - 1e-9, "chance of AC1 is at most one in k"
        assert float(coefficients.scott(counts)) <= kappa + 1e-9 or math.isnan(kappa)


@FEW
@given(
    tables=st.lists(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3), max_size=5)
)
def test_many_tables_at_once_are_each_alone(tables: list[list[list[int]]]) -> None:
    if tables:
        for formula in (coefficients.cohen, coefficients.gwet, coefficients.scott, coefficients.maximum):
            together = formula(np.asarray(tables))
            assert all(same(found, float(formula(table))) for found, table in zip(together, tables, strict=True))
        for level in ("nominal", "ordinal", "interval"):
            together = coefficients.krippendorff(np.asarray(tables), level)  # type: ignore[arg-type]
            alone = [float(coefficients.krippendorff(table, level)) for table in tables]  # type: ignore[arg-type]
            assert all(same(a, b) for a, b in zip(together, alone, strict=True))


@given(table=COUNTS)
def test_only_the_reference_mode_calls_an_undefined_kappa_zero(table: list[list[int]]) -> None:
    one, other = pairs_of(table)
    undefined = len(set(one) | set(other)) <= 1
    assert (scorer.kappa(table) is None) == undefined
    assert scorer.kappa(table, "zero") == (0.0 if undefined else scorer.kappa(table))


def small_tables() -> Any:
    """Every table of two raters and two labels with up to 9 items a cell, but the empty one."""
    cells = np.stack(np.meshgrid(*[np.arange(10)] * 4, indexing="ij"), -1).reshape(-1, 2, 2)
    return cells[cells.sum((1, 2)) > 0]


def test_two_raters_coefficients_are_0_exactly_where_whole_numbers_say_so() -> None:
    tables = small_tables()
    n, agreed = tables.sum((1, 2)), tables[:, 0, 0] + tables[:, 1, 1]
    rows, columns = tables.sum(2), tables.sum(1)
    given = rows + columns
    least = np.minimum(rows, columns).sum(1)
    above = {
        coefficients.cohen: n * agreed - (rows * columns).sum(1),
        coefficients.maximum: n * least - (rows * columns).sum(1),
        coefficients.scott: 4 * n * agreed - (given**2).sum(1),
        coefficients.brennan_prediger: 2 * agreed - n,
        coefficients.gwet: 4 * n * agreed - (given * (2 * n[:, None] - given)).sum(1),
        coefficients.krippendorff: 4 * n * n - (given**2).sum(1) - (2 * n - 1) * 2 * (n - agreed),
    }
    for formula, exact in above.items():
        found = formula(tables)
        known = np.isfinite(found)
        assert ((found == 0) == (exact == 0))[known].all(), formula
        assert (found == 0).sum() > 50
    plain = [scorer.kappa(table.tolist()) for table in tables[:: len(tables) // 500]]
    wanted = above[coefficients.cohen][:: len(tables) // 500]
    assert all((kappa == 0) == (exact == 0) for kappa, exact in zip(plain, wanted, strict=True) if kappa is not None)


def test_three_raters_coefficients_are_0_exactly_where_whole_numbers_say_so() -> None:
    kinds = np.array([[3, 0], [2, 1], [1, 2], [0, 3]])
    counts = np.stack(np.meshgrid(*[np.arange(10)] * 4, indexing="ij"), -1).reshape(-1, 4)[1:]
    n, alike, apart = counts.sum(1), counts @ [6, 2, 2, 6], counts @ [0, 2, 2, 0]
    given, labels = counts @ kinds, 3 * counts.sum(1)
    above = {
        groups.fleiss: alike * labels**2 - 6 * n * (given**2).sum(1),
        groups.gwet: alike * labels**2 - 6 * n * (given * (labels[:, None] - given)).sum(1),
        groups.krippendorff: labels**2 - (given**2).sum(1) - (labels - 1) * apart,
    }
    for formula, exact in above.items():
        found = formula(counts.astype(float), kinds.astype(float))  # type: ignore[operator]
        known = np.isfinite(found)
        assert ((found == 0) == (exact == 0))[known].all(), formula
        assert (found == 0).sum() > 10


@FEW
@given(rows=st.lists(st.integers(0, 40), min_size=2, max_size=5), data=st.data())
def test_raters_who_have_nothing_to_do_with_each_other_have_a_kappa_of_0(rows: list[int], data: Any) -> None:
    columns = data.draw(st.lists(st.integers(0, 40), min_size=len(rows), max_size=len(rows)))
    table = np.outer(rows, columns)
    for weights in (None, "linear", "quadratic"):
        near = None if weights is None else coefficients.agreement_weights(range(len(rows)), weights)  # type: ignore[arg-type]
        kappa = float(coefficients.cohen(table, near))
        assert math.isnan(kappa) or kappa == 0.0
    assert scorer.kappa(table.tolist()) in (0.0, None)
