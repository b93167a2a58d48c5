"""How often the intervals hold the truth, on made populations: slow."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from auditfw.formulas.clusters import rate
from auditfw.formulas.people.corrections import Validation, corrected_share, prediction_powered, rogan_gladen
from auditfw.formulas.people.shares import GroupCounts, domain_share
from auditfw.formulas.people.strata import labels_by_class

pytestmark = pytest.mark.slow
RATES = (0.02, 0.05, 0.1, 0.2, 0.4)


def population(share: float, hidden: float, differ: float, trials: int = 3000) -> tuple[list[int], list[int]]:
    """Trials and wrong ones by class: `hidden` is the part of the wrong ones that all readings call right."""
    wrong, split = round(share * trials), round(differ * trials)
    in_split = min(split // 2, round((1 - hidden) * wrong / 2))
    left = round((1 - hidden) * wrong) - in_split
    low = round(left / 0.95)
    sizes = [trials - low - split, low, split - split // 2, split // 2]
    return sizes, [wrong - left - in_split, left, in_split // 2, in_split - in_split // 2]


@pytest.mark.parametrize(("labels", "mean", "half_width"), [(50, 0.978, 8.73), (100, 0.975, 5.71), (200, 0.974, 3.74)])
def test_the_rate_by_people(labels: int, mean: float, half_width: float) -> None:
    """45 populations: the least coverage is at least .93, the mean .96 to .985, the half-width within 3 %."""
    rng, draws = np.random.default_rng(1), 1000
    held, widths = [], []
    for share, hidden, differ in product(RATES, (0.05, 0.3, 0.8), (0.03, 0.2, 0.5)):
        sizes, wrong = population(share, hidden, differ)
        n = labels_by_class(sizes, labels)
        yes = [rng.hypergeometric(k, size - k, m, draws) for size, k, m in zip(sizes, wrong, n, strict=True)]
        made = [domain_share(map(GroupCounts, sizes, n, ks)) for ks in np.stack(yes, 1).tolist()]
        ends = np.array([(one.low, one.high) for one in made if one is not None])
        truth = sum(wrong) / sum(sizes)
        held.append(((ends[:, 0] <= truth + 1e-12) & (truth <= ends[:, 1] + 1e-12)).mean())
        widths.append((ends[:, 1] - ends[:, 0]).mean() / 2)
    assert min(held) >= 0.93
    assert 0.96 <= np.mean(held) <= 0.985
    assert np.mean(held) == pytest.approx(mean, abs=0.005)
    assert 100 * np.mean(widths) == pytest.approx(half_width, rel=0.03)


@pytest.mark.parametrize(
    ("labels", "ppi", "half_widths"),
    [(50, (0.5, 0.9), (7.64, 5.92)), (100, (0.8, 0.95), (5.14, 4.51)), (200, (0.8, 0.97), (3.58, 3.36))],
)
def test_a_corrected_judge(labels: int, ppi: tuple[float, float], half_widths: tuple[float, float]) -> None:
    """1,500 items, four judges: post-strata cover .92 at least, PPI++ much less of 50 labels; neither is far wider."""
    rng, trials = np.random.default_rng(2), 1500
    held: dict[str, list[float]] = {"corrected": [], "ppi": [], "rogan_gladen": []}
    wide: dict[str, list[float]] = {name: [] for name in held}
    for share, (sensitivity, specificity) in product(RATES, ((0.95, 0.95), (0.85, 0.95), (0.9, 0.8), (0.7, 0.7))):
        hits: dict[str, list[bool]] = {name: [] for name in held}
        for _ in range(400):
            truth = rng.random(trials) < share
            said = np.where(truth, rng.random(trials) < sensitivity, rng.random(trials) > specificity)
            people, judge = truth[:labels], said[:labels]
            positive = GroupCounts(int(said.sum()), int(judge.sum()), int((people & judge).sum()))
            others = (trials - positive.trials, labels - positive.labels, int((people & ~judge).sum()))
            right = (int(people.sum()), positive.yes, int((~people).sum()), int((~people & ~judge).sum()))
            made = {
                "corrected": corrected_share([positive, GroupCounts(*others)], trials),
                "ppi": prediction_powered(people.astype(float), judge.astype(float), said[labels:].astype(float)),
                "rogan_gladen": rogan_gladen(positive.trials, trials, Validation(*right)),
            }
            for name, one in made.items():
                if one is not None:
                    hits[name].append(one.low <= share <= one.high)
                    wide[name].append(50 * (min(one.high, 1.0) - max(one.low, 0.0)))
        for name, values in hits.items():
            held[name].append(float(np.mean(values)))
    assert min(held["corrected"]) >= 0.92
    assert min(held["rogan_gladen"]) >= 0.9
    assert ppi[0] <= min(held["ppi"]) <= ppi[1]
    assert [np.mean(wide[name]) for name in ("corrected", "ppi")] == pytest.approx(half_widths, rel=0.03)


@pytest.mark.parametrize("error", [0.01, 0.03, 0.1])
@pytest.mark.parametrize(
    "items", [[[2]] * 100, [[6, 3], [5, 4]] * 50, [[30, 15, 5], [40, 8, 2]] * 20], ids=["pairs", "groups", "large"]
)
def test_same_answers_with_two_grades(items: list[list[int]], error: float) -> None:
    rng, truth, held = np.random.default_rng(3), 2 * error * (1 - error), []
    pairs = [sum(m * (m - 1) // 2 for m in groups) for groups in items]
    for _ in range(400):
        wrong = [[int(rng.binomial(m, error)) for m in groups] for groups in items]
        made = rate(
            pairs, [sum(k * (m - k) for k, m in zip(*one, strict=True)) for one in zip(wrong, items, strict=True)]
        )
        held.append(made.low <= truth <= made.high)
    assert np.mean(held) >= 0.92
