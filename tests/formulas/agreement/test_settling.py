"""Settled disagreements: who takes which label, in which order, and that nothing else changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from judged_pairs import ABSTAIN, NONE, REJECT, SCHOLAR, THREE, VALID

from auditfw.formulas.agreement import Judged, Ratings, coefficients
from auditfw.formulas.agreement.items import Clusters
from auditfw.formulas.agreement.settling import Settling

LABELS = ("1", "2", "3", "4")
Pair = tuple[int, int]


def two(counts: dict[Pair, int], clusters: Clusters[Pair] = ()) -> Judged:
    ratings = Ratings.of(LABELS, ("a", "b"), counts, clusters=clusters)
    return Judged(ratings, candidate="a", reference="b")


def counted(judged: Judged) -> dict[tuple[int, ...], int]:
    return dict(judged.ratings.items())


def test_a_candidate_takes_the_label_of_its_reference() -> None:
    order = Settling(SCHOLAR)
    assert order.n == 10
    after = counted(order.after(10))
    assert (after[REJECT, REJECT, REJECT], after[VALID, VALID, REJECT]) == (15, 3)
    assert (after[ABSTAIN, ABSTAIN, REJECT], after[VALID, NONE, NONE], after[NONE, VALID, NONE]) == (2, 8, 2)
    assert order.after(0).ratings == SCHOLAR.ratings


def test_of_a_group_all_take_the_most_frequent_label() -> None:
    order = Settling(Judged(THREE, group="all", raters=THREE.raters))
    assert order.settled == {(2, 1, -1): (1, 1, -1), (0, 0, 1): (0, 0, 0)}, "a half apart are two of two, then of three"
    assert counted(order.after(2)) == {(0, 0, 0): 6, (0, 0, 1): 1, (1, 1, 1): 4, (1, 1, -1): 1, (-1, -1, 2): 1}


def test_the_dearest_come_first() -> None:
    """What is far apart on a scale costs most."""
    counts = {(0, 0): 40, (1, 1): 30, (3, 3): 5, (0, 1): 6, (0, 3): 6, (1, 0): 6}
    assert next(iter(Settling(two(counts), "linear").settled)) == (0, 3)
    assert list(Settling(two(counts), "linear", dearest=False).settled)[-1] == (0, 3)
    after = counted(Settling(two(counts), "linear").after(7))
    assert ((0, 3) in after, sum(after[key] for key in ((0, 1), (1, 0)))) == (False, 11)


@given(st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 9), min_size=3), st.booleans())
def test_the_order_is_that_of_what_one_item_changes(counts: dict[Pair, int], ordered: bool) -> None:
    """Of many items the change of kappa by one is its influence."""
    many = {key: 100_000 * n for key, n in counts.items()}
    weights = coefficients.agreement_weights(range(4), "linear" if ordered else "none")

    def kappa(change: Pair | None) -> float:
        table = np.zeros((4, 4))
        for key, n in many.items():
            table[key] = n
        if change is not None:
            table[change] -= 1
            table[change[1], change[1]] += 1
        return float(coefficients.cohen(table, weights))

    settled = list(Settling(two(many), "linear" if ordered else "none").settled)
    rises = [kappa((one[0], one[1])) - kappa(None) for one in settled]
    if np.isfinite(rises).all():
        assert np.all(np.diff(rises) < 1e-9)


@given(
    st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1), st.integers(0, 5)), min_size=1, max_size=30), st.data()
)
def test_items_stay_whole(trials: list[tuple[int, int, int]], data: st.DataObject) -> None:
    held: dict[int, Counter[Pair]] = {}
    for one, other, item in trials:
        held.setdefault(item, Counter())[one, other] += 1
    clusters = tuple(sorted(Counter(tuple(sorted(own.items())) for own in held.values()).items()))
    judged = two(Counter((one, other) for one, other, _ in trials), clusters)
    order = Settling(judged)
    n = data.draw(st.integers(0, order.n))
    after = order.after(n)
    assert Settling(after).n == order.n - n
    assert (after.ratings.n, after.missing) == (judged.ratings.n, judged.missing)
    if after.ratings.clusters:
        inside = Counter[tuple[int, ...]]()
        for own, times in after.ratings.clusters:
            inside.update({key: m * times for key, m in own})
        assert inside == Counter(counted(after))
        assert sum(times for _, times in after.ratings.clusters) == len(held)
        assert replace(after.ratings, clusters=()).n == len(trials)


def test_without_a_disagreement_there_is_nothing_to_settle() -> None:
    same = two({(0, 0): 3, (1, -1): 2})
    assert (Settling(same).n, Settling(same).after(0).ratings) == (0, same.ratings)
