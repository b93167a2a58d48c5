"""Hundreds of studies: healthy ones raise next to no alarm, a planted fault shows at the strength that is promised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from auditfw.formulas.judges.placeholders import NONE, RatedItems
from auditfw.formulas.judges.scales import renaming
from auditfw.formulas.judges.single_raters import constant, lazy
from auditfw.formulas.judges.tables import counts_table

Draw = np.random.Generator


def study(draw: Draw, items: int = 0, trials: int = 1, labels: int = 0) -> RatedItems:
    """Two to six raters of kappa 0.5 to 0.95, words of uneven frequency, gaps, often a reference."""
    n, k, raters = items or int(draw.integers(12, 600)), labels or int(draw.integers(2, 8)), int(draw.integers(2, 7))
    shares = 0.9 * draw.dirichlet(np.full(k, 2.0)) + 0.1 / k
    truth = np.repeat(draw.choice(k, n, p=shares), trials)
    codes = np.array(
        [
            np.where(draw.random(len(truth)) < draw.uniform(0.5, 0.95), truth, draw.choice(k, len(truth), p=shares))
            for _ in range(raters)
        ]
    )
    codes[draw.random(codes.shape) < draw.choice([0.0, 0.05, 0.2])] = NONE
    names = list("stuvwxyz"[:k]) if draw.random() < 0.5 else list(map(str, range(k)))
    groups = np.repeat(np.arange(n), trials) if trials > 1 else None
    return RatedItems(names, codes, int(draw.integers(raters)) if draw.random() < 0.6 else None, groups)


def changed(rated: RatedItems, rater: int, own: np.ndarray) -> RatedItems:
    codes = rated.codes.copy()
    codes[rater] = np.where(codes[rater] == NONE, NONE, own)
    return RatedItems(rated.names, codes, rated.reference, rated.groups)


def with_renamed(draw: Draw, trials: int = 1) -> RatedItems:
    rated = study(draw, 250, trials, labels=3)
    rater = rated.candidates[0]
    strong = np.where(draw.random(rated.codes.shape[1]) < 0.9, rated.against(rater), rated.codes[rater])
    return changed(rated, rater, (strong + 1) % 3)


def with_constant(draw: Draw) -> RatedItems:
    rated = study(draw, 60)
    return changed(rated, rated.candidates[0], np.zeros(rated.codes.shape[1], int))


def with_lazy(draw: Draw) -> RatedItems:
    """Three labels or more; the one that the rater falls back on is the rarest."""
    rated = study(draw, 120, labels=int(draw.integers(3, 7)))
    rater = rated.candidates[0]
    rare = int(np.argmin(rated.counts.sum(0)))
    lazy_items = draw.random(rated.codes.shape[1]) < 0.75
    return changed(rated, rater, np.where(lazy_items, rare, rated.codes[rater]))


def with_counts(draw: Draw) -> RatedItems:
    total, k = int(draw.integers(2, 9)), int(draw.integers(2, 6))
    rows = draw.multinomial(total, draw.dirichlet(np.ones(k), 30)).T
    return RatedItems(list(map(str, range(total + 1))), rows)


def kinds(rated: RatedItems) -> set[str]:
    """The kinds with an effect, and lazy raters."""
    raters = len(rated.candidates)

    def is_renamed(rater: int) -> bool:
        own, other = rated.codes[rater], rated.against(rater)
        at = (own != NONE) & (other != NONE)
        groups = None if rated.groups is None else rated.groups[at]
        one = renaming(own[at], other[at], len(rated.names), groups=groups)
        return one is not None and one.p * raters <= 0.001

    return {
        *(["renamed"] if any(map(is_renamed, rated.candidates)) else []),
        *(["constant"] if any(one.p * raters <= 0.001 for one in constant(rated)) else []),
        *(["lazy"] if any(one.p * raters <= 0.001 for one in lazy(rated)) else []),
        *(["counts"] if counts_table(rated) else []),
    }


PLANTED: dict[str, Callable[[Draw], RatedItems]] = {
    "renamed": with_renamed,
    "constant": with_constant,
    "lazy": with_lazy,
    "counts": with_counts,
}


@pytest.mark.parametrize("kind", PLANTED)
def test_some_planted(kind: str) -> None:
    assert kind in kinds(PLANTED[kind](np.random.default_rng(3)))


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 4])
def test_healthy_studies(trials: int) -> None:
    """Of 300 at most 2 of a kind; several trials an item are no more."""
    alarms: Counter[str] = Counter()
    for seed in range(300):
        alarms.update(kinds(study(np.random.default_rng([trials, seed]), trials=trials)))
    assert max(alarms.values(), default=0) <= 2, alarms


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*PLANTED, "trials"])
def test_planted_faults(kind: str) -> None:
    made = PLANTED.get(kind, partial(with_renamed, trials=3))
    found = [kinds(made(np.random.default_rng([7, seed]))) for seed in range(100)]
    assert sum(("renamed" if kind == "trials" else kind) in one for one in found) >= 95
