"""How often the answer is which, on made runs: labels of people that are drawn as `auditfw label` draws them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from adjudicated import Trials, results_of

from auditfw.audits.adjudication.answer import answer_of
from auditfw.formulas.people.strata import classes_of, labels_by_class

pytestmark = pytest.mark.slow
TRIALS, RUNS = 1_000, 100


def answers(wrong: float, errors: tuple[tuple[float, float], ...], labels: int) -> Counter[str]:
    """The statuses of runs with this share of wrong answers; of each reading the shares of the right and of the wrong
    answers that it labels falsely."""
    counts: Counter[str] = Counter()
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        truth = rng.permutation(TRIALS) >= round(wrong * TRIALS)
        readings = [np.where(rng.random(TRIALS) < np.where(truth, *pair), ~truth, truth) for pair in errors]
        kinds = classes_of([one.astype(np.int8) for one in readings])
        sizes = [int((kinds == kind).sum()) for kind in range(4)]
        chosen = np.zeros(TRIALS, bool)
        for kind, n in enumerate(labels_by_class(sizes, labels)):
            chosen[rng.permutation(np.flatnonzero(kinds == kind))[:n]] = True
        groups = Counter(
            (int(kind), "".join(str(int(one[i])) for one in readings), bool(chosen[i]), bool(truth[i]))
            for i, kind in enumerate(kinds.tolist())
        )
        counts[answer_of(results_of(_groups(groups))).status] += 1
    return counts


def _groups(counts: Counter[tuple[int, str, bool, bool]]) -> list[Trials]:
    """Each group's trials; people label within the four classes, whatever the readings say there."""
    made = []
    for kind, said in sorted({(kind, said) for kind, said, *_ in counts}):
        part = {key[2:]: n for key, n in counts.items() if key[:2] == (kind, said)}
        right, wrong = part.get((True, True), 0), part.get((True, False), 0)
        made.append(Trials(said, sum(part.values()), right, wrong, stratum=kind))
    return made


SLIGHT = (0.02, 0.045)  # as many right ones called wrong as wrong ones right, where 30 % are wrong


@pytest.mark.parametrize("labels", [150, 300])
def test_a_sound_reference_is_not_accused(labels: int) -> None:
    found = answers(0.3, (SLIGHT, (0.04, 0.09), (0.05, 0.1), (0.03, 0.07)), labels)
    assert found["broken"] == 0
    assert found["fragile"] <= 0.08 * RUNS
    assert found["stable"] >= (0.9 if labels == 300 else 0.4) * RUNS


def test_a_rate_that_is_off() -> None:
    """8 points one way are fragile; 20 are broken."""
    assert answers(0.3, ((0.115, 0.0), (0.04, 0.09), (0.05, 0.1), SLIGHT), 150)["fragile"] >= 0.85 * RUNS
    assert answers(0.3, ((0.29, 0.0), (0.04, 0.09), (0.05, 0.1), SLIGHT), 150)["broken"] >= 0.8 * RUNS


def test_labels_by_coin_say_little() -> None:
    found = answers(0.3, ((0.5, 0.5), (0.5, 0.5), (0.5, 0.5), (0.5, 0.5)), 300)
    assert found["stable"] == 0
    assert found["broken"] >= 0.85 * RUNS


def test_a_reading_that_is_better() -> None:
    """It is right on about 60 of the 1,000 trials on which the reference is not."""
    assert answers(0.3, ((0.06, 0.14), (0.01, 0.02), (0.06, 0.14), (0.06, 0.14)), 300)["fragile"] >= 0.85 * RUNS
