"""Many raters against one: adjusted, and what so few items cannot tell is part of the scope."""

from __future__ import annotations

import random
from typing import Any

import pytest
from sentences import consistency as says

import auditfw
from auditfw.core.records import Answer


def study(seed: int, kappas: list[float], items: int, shared: int | None = None) -> Answer:
    """A gold label and one rater for each kappa, two labels as frequent; `shared` items of the first rater."""
    drawn = random.Random(seed)
    gold = [drawn.choice("xy") for _ in range(items)]
    rows: list[dict[str, Any]] = []
    for i, label in enumerate(gold):
        rows.append({"id": i, "gold": label})
        for r, kappa in enumerate(kappas):
            own = label if drawn.random() < (1 + kappa) / 2 else "yx"["xy".index(label)]
            rows[-1][f"r{r}"] = None if r == 0 and shared is not None and i >= shared else own
    names = [*(f"r{r}" for r in range(len(kappas))), "gold"]
    audit = {"raters": names, "reference": "gold", "labels": ["x", "y"], "abstain": [], "coverage": 0.0}
    source = {"use": "frame", "frame": rows}
    run = {"experiment": "cross_agent", "source": source, "gate": [], "metric": ["kappa"], "policy": [], "audit": audit}
    found = auditfw.run(run).answer
    assert found is not None
    return found


def test_forty_raters_are_adjusted_and_it_is_said() -> None:
    drawn = study(1, [0.8] * 40, 20)
    assert drawn.status == "unknown"
    assert "on 20 items" in drawn.headline
    assert says.ADJUSTED_FOR_RATERS_HOLM_OF in drawn.scope


def test_a_poor_rater_of_forty_is_told() -> None:
    drawn = study(2, [0.3, *[0.85] * 39], 150)
    assert drawn.status == "fragile"
    assert "r0 and gold" in drawn.headline
    assert {rule.reading for rule in drawn.rules if rule.fired and rule.rule == "kappa_missed"} == {"r0"}


def test_a_rater_of_two_shared_items_decides_nothing() -> None:
    """Both labels differ from gold: on their own a kappa of 0, or -1."""
    drawn = study(3, [-1.0, 0.9, 0.9], 300, shared=2)
    assert drawn.status == "stable"
    assert "r0" not in {rule.reading for rule in drawn.rules if rule.rule.startswith("kappa")}


def test_one_rater_goes_by_its_interval() -> None:
    drawn = study(4, [0.2], 200)
    assert (drawn.status, [rule.p for rule in drawn.rules if rule.rule == "kappa_missed"]) == ("fragile", [None])
    assert "Adjusted" not in drawn.scope


@pytest.mark.slow
@pytest.mark.parametrize(("kappas", "most"), [((0.68, 0.92), 1), ((0.6, 0.6), 14)])
def test_healthy_studies_are_not_fragile(kappas: tuple[float, float], most: int) -> None:
    """300 studies of 40 raters × 20 items; those at the bound are fragile in 5 % at most."""
    drawn = random.Random(5)
    statuses = [study(seed, [drawn.uniform(*kappas) for _ in range(40)], 20).status for seed in range(300)]
    assert sum(status in ("fragile", "broken") for status in statuses) <= most
