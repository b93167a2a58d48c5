"""How often the intervals of parts hold the truth, and how often pairs are called fragile, on drawn logs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from auditfw.formulas.gaps.intervals import gap_of
from auditfw.formulas.gaps.parts import PARTS
from auditfw.formulas.gaps.two_logs import TwoLogs
from auditfw.formulas.gaps.verdict import Conditions, gap_rules

pytestmark = pytest.mark.slow

BAR, FALSE_ALARMS = 0.925, 0.05
LARGE, DRAWS_OF_TRUTH = 40_000, 12
HARDNESS = (0.8, 1.2)  # mean and deviation of the log odds of an item
LOST = 0.8  # of the right answers that are cut off


@dataclass(frozen=True)
class World:
    """Two logs, of each: repeats, the share on its side alone, answers that its rule misses, those cut off.

    Of both: items, the share of changed truths; `skill` is what A is better by, in log odds.
    """

    items: int
    repeats: tuple[int, int] = (1, 1)
    alone: tuple[float, float] = (0.1, 0.05)
    truths: float = 0.02
    misses: tuple[float, float] = (0.01, 0.08)
    cut: tuple[float, float] = (0.02, 0.15)
    skill: float = 0.3


def drawn(world: World, random: np.random.Generator) -> TwoLogs:
    """The first items are only in A, the last ones only in B; hard items are cut off more often."""
    level, changed = random.normal(*HARDNESS, world.items), random.random(world.items) < world.truths
    sides: list[list[Any]] = []
    for side in (0, 1):
        there = np.ones(world.items, bool)
        if side:
            there[: int(world.alone[0] * world.items)] = False
        else:
            there[world.items - int(world.alone[1] * world.items) :] = False
        items = np.repeat(np.flatnonzero(there), world.repeats[side])
        odds = np.exp(level + (0 if side else world.skill))[items]
        right = random.random(items.size) < odds / (1 + odds)
        hard = 2 / (1 + np.exp(level[items]))
        cut = random.random(items.size) < np.clip(world.cut[side] * hard, 0, 1)
        right &= ~(cut & (random.random(items.size) < LOST))
        labels = np.zeros((items.size, 2, 2), bool)
        for rule in (0, 1):
            labels[:, rule, 0] = right & (random.random(items.size) >= world.misses[rule])
            labels[:, rule, 1] = labels[:, rule, 0] & ~changed[items]
        sides.append([items, np.full(items.size, side), labels, cut.astype(int)])
    return TwoLogs(*(np.concatenate(column) for column in zip(*sides, strict=True)))


def estimates(logs: TwoLogs) -> list[float]:
    gap = gap_of(logs)
    return [float(gap.parts[name].value or 0.0) for name in PARTS] + [float(gap.gap.value or 0.0)]


WORLDS = {
    "50 items": (World(50), 1000),
    "200 items": (World(200), 1000),
    "1,000 items": (World(1000), 600),
    "5 and 2 repeats": (World(200, repeats=(5, 2)), 800),
    "little is changed": (World(200, truths=0.005, misses=(0.0, 0.01), cut=(0.0, 0.01)), 1000),
    "little is changed in 50": (World(50, truths=0.005, misses=(0.0, 0.01), cut=(0.0, 0.01)), 1000),
    "nothing is changed": (World(1000, (1, 1), (0, 0), 0.0, (0, 0), (0, 0), 0.0), 400),
}


@pytest.mark.parametrize("name", WORLDS)
def test_coverage(name: str) -> None:
    world, draws = WORLDS[name]
    random = np.random.default_rng([44, *name.encode()])
    large = replace(world, items=LARGE)
    truth = np.mean([estimates(drawn(large, random)) for _ in range(DRAWS_OF_TRUTH)], axis=0)
    held = np.zeros(len(truth))
    for _ in range(draws):
        gap = gap_of(drawn(world, random))
        for at, part in enumerate([*(gap.parts[name] for name in PARTS), gap.gap]):
            low, high = (0.0, 0.0) if part.low is None or part.high is None else (part.low, part.high)
            held[at] += low - 1e-12 <= truth[at] <= high + 1e-12
    assert (held / draws >= BAR).all(), dict(zip((*PARTS, "gap"), held / draws, strict=True))


def fragile(world: World, draws: int) -> float:
    """How often a rule fires by which a gap is fragile."""
    random = np.random.default_rng(44)
    count = 0
    for _ in range(draws):
        rules = gap_rules(gap_of(drawn(world, random)), Conditions(None, None))
        count += any(rule.fired and rule.status == "fragile" for rule in rules)
    return count / draws


HEALTHY = World(300, (1, 1), (0.03, 0.03), 0.0, (0.005, 0.005), (0.005, 0.005), 0.0)


@pytest.mark.parametrize("items", [100, 300, 1319])
@pytest.mark.parametrize("skill", [0.0, 0.2, 0.4])
def test_healthy_pairs_are_rarely_fragile(items: int, skill: float) -> None:
    assert fragile(replace(HEALTHY, items=items, skill=skill), 500) <= FALSE_ALARMS


HALF_LACKING_DRAWS = 1500


@pytest.mark.parametrize("items", [300, 1000, 1319])
def test_half_the_items_lacking_at_random_is_fragile_as_often_as_by_chance(items: int) -> None:
    """The rate is the level of the interval, 5 %, where chance alone makes 3 points: 5.0 % of 12,000 draws of 1,000.

    The bound is that level and two standard errors of the draws.
    """
    chance = 2 * math.sqrt(FALSE_ALARMS * (1 - FALSE_ALARMS) / HALF_LACKING_DRAWS)
    world = replace(HEALTHY, items=items, skill=0.3, alone=(0.5, 0.03))
    assert fragile(world, HALF_LACKING_DRAWS) <= FALSE_ALARMS + chance


@pytest.mark.parametrize(
    ("change", "items", "least"),
    [
        ({"misses": (0.005, 0.08)}, 300, 0.92),
        ({"misses": (0.005, 0.08)}, 1000, 0.99),
        ({"cut": (0.005, 0.12)}, 300, 0.82),
        ({"cut": (0.005, 0.12)}, 1000, 0.88),
        ({"cut": (0.005, 0.12)}, 1319, 0.9),
    ],
)
def test_a_gap_of_scoring_or_ends_is_fragile(change: dict[str, Any], items: int, least: float) -> None:
    assert fragile(replace(HEALTHY, items=items, **change), 400) >= least
