"""Rules over a gap and its parts: each on both sides of its bound, and which parts are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditfw.formulas.clusters import rate
from auditfw.formulas.gaps.intervals import Gap, GapPart
from auditfw.formulas.gaps.parts import PARTS
from auditfw.formulas.gaps.verdict import Conditions, GapBounds, by_size, gap_rules, parts_cancel, status_of

Ends = tuple[float, float, float]  # value, low, high, in points
SMALL = Conditions(None, None)


def part(name: str, *points: float, why: Any = "") -> GapPart:
    value, low, high = (*[one / 100 for one in points], None, None, None)[:3]
    return GapPart(name, value, low, high, None, 100, why)


def gap(whole: Ends, moved: Ends, rest: Ends, common: int = 100, **parts: Ends) -> Gap:
    made = {name: part(name, *parts.get(name, (0.0, -0.1, 0.1))) for name in PARTS} | {"rest": part("rest", *rest)}
    return Gap(part("gap", *whole), made, part("moved", *moved), common, 0, 0)


A_BETTER, B_BETTER, NEITHER = (4.0, 1.0, 7.0), (-4.0, -7.0, -1.0), (1.0, -1.0, 3.0)
NARROW = (0.0, -1.0, 1.0)

TABLE: dict[str, tuple[Ends, Ends, Ends, str]] = {
    "nothing moved": (A_BETTER, (0.2, -0.1, 0.5), A_BETTER, "stable"),
    "moved as much as 3 points": (A_BETTER, (3.0, 2.0, 4.0), A_BETTER, "fragile"),
    "moved by less": (A_BETTER, (2.9, 2.0, 3.8), A_BETTER, "stable"),
    "3 points down": (B_BETTER, (-3.0, -4.0, -2.0), B_BETTER, "fragile"),
    "3 points by chance": (A_BETTER, (3.5, -0.1, 7.1), A_BETTER, "stable"),
    "the rest cannot tell": (A_BETTER, (0.5, 0.1, 0.9), NARROW, "fragile"),
    "the rest says otherwise": (A_BETTER, (1.0, 0.1, 1.9), B_BETTER, "fragile"),
    "of less than half a point": (A_BETTER, (0.4, 0.1, 0.7), NARROW, "stable"),
    "by chance": (A_BETTER, (1.0, 0.0, 2.0), NARROW, "stable"),
    "the gap cannot tell": (NEITHER, (1.0, 0.5, 1.5), A_BETTER, "stable"),
    "the rest may be anything": (NARROW, NARROW, (0.0, -2.1, 1.0), "unknown"),
    "or up": (NARROW, NARROW, (0.5, -1.0, 2.1), "unknown"),
    "which begins at 0": (NARROW, NARROW, (1.0, 0.0, 2.1), "unknown"),
    "which ends at 0": (NARROW, NARROW, (-1.0, -2.1, 0.0), "unknown"),
    "the rest is within 2 points": (NARROW, NARROW, (0.0, -2.0, 2.0), "stable"),
    "the rest is beyond 0": (A_BETTER, NARROW, (2.5, 0.1, 5.0), "stable"),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_status_of_a_gap(name: str) -> None:
    whole, moved, rest, status = TABLE[name]
    assert status_of(gap_rules(gap(whole, moved, rest), SMALL)) == status


def test_truths_and_rules_break_by_the_lower_end() -> None:
    """36 of 1,187 items: 3.0 %, from 2.2 %. 15 of 1,187 may be 0.8 %. 150 of 1,187 trials: 12.6 %, from 10.9 %."""
    sound = gap(A_BETTER, NARROW, A_BETTER)

    def of(changed: int) -> Any:
        return rate([1] * 1187, [1] * changed + [0] * (1187 - changed))

    for conditions, status in (
        (Conditions(of(36), None), "broken"),
        (Conditions(of(15), None), "stable"),
        (Conditions(None, of(150)), "broken"),
        (Conditions(None, of(130)), "stable"),
        (Conditions(of(15), of(130)), "stable"),
    ):
        assert status_of(gap_rules(sound, conditions)) == status
    assert status_of(gap_rules(sound, Conditions(of(36), of(150)), GapBounds(truths=0.03, scoring=0.13))) == "stable"
    at_bound = GapBounds(truths=of(36).low, scoring=of(150).low)
    assert status_of(gap_rules(sound, Conditions(of(36), of(150)), at_bound)) == "stable"
    rule = gap_rules(sound, Conditions(of(36), None))[0]
    assert (rule.name, rule.value, rule.bound, rule.fired) == ("truths_differ", pytest.approx(36 / 1187), 0.01, True)


def test_what_is_not_known() -> None:
    sound = gap(A_BETTER, NARROW, A_BETTER)
    assert status_of(gap_rules(sound, replace(SMALL, recorded=False))) == "unknown"
    assert status_of(gap_rules(gap(A_BETTER, NARROW, A_BETTER, common=20), SMALL)) == "stable"
    assert status_of(gap_rules(gap(A_BETTER, NARROW, A_BETTER, common=19), SMALL)) == "unknown"
    open_rest = replace(sound, parts={**sound.parts, "rest": part("rest", 0.0)})
    assert status_of(gap_rules(open_rest, SMALL)) == "unknown"
    same = replace(sound, parts={**sound.parts, "rest": part("rest", 0.0, why="same")})
    assert status_of(gap_rules(same, SMALL)) == "stable"


def test_the_gravest_is_the_status() -> None:
    worst = gap(A_BETTER, (3.5, 3.0, 4.0), (0.0, -5.0, 5.0), common=5)
    truths = rate([1] * 100, [1] * 50 + [0] * 50)
    rules = gap_rules(worst, Conditions(truths, truths, recorded=False))
    assert all(rule.fired for rule in rules)
    assert [rule.status for rule in rules] == ["broken"] * 2 + ["fragile"] * 2 + ["unknown"] * 3
    assert status_of(rules) == "broken"
    assert status_of(rules[2:]) == "fragile"


def test_bounds_are_settings() -> None:
    of = gap(A_BETTER, (2.0, 1.0, 3.0), (0.0, -1.5, 1.5))
    assert status_of(gap_rules(replace(of, gap=part("gap", *NEITHER)), SMALL)) == "stable"
    other = GapBounds(difference=0.01)
    assert status_of(gap_rules(replace(of, gap=part("gap", *NEITHER)), SMALL, other)) == "unknown"
    assert status_of(gap_rules(replace(of, gap=part("gap", *NEITHER)), SMALL, GapBounds(precision=0.02))) == "fragile"


def test_the_largest_parts_come_first() -> None:
    """The example of the specification: scoring -6.4, cut off +5.9, truths +1.7 of a gap of 2.1."""
    parts: dict[str, Ends] = {"scoring": (-6.4, -7.8, -5.0), "ended": (5.9, 4.8, 7.0), "truths": (1.7, 1.0, 2.4)}
    of = gap((2.1, -0.1, 4.3), (1.5, 0.5, 2.5), (0.6, -0.3, 1.5), **parts)
    assert [part.name for part in by_size(of)] == ["scoring", "ended", "truths", "rest"]
    assert parts_cancel(of)
    assert not parts_cancel(replace(of, gap=part("gap", 3.2, 0.1, 6.3)))
    assert parts_cancel(replace(of, gap=part("gap", -3.1, -6.3, 0.1)))
    by_chance = replace(of, parts={**of.parts, "scoring": part("scoring", -6.4, -13.0, 0.2)})
    assert not parts_cancel(by_chance)


def test_no_part_is_named_of_equal_logs() -> None:
    of = gap(NARROW, NARROW, NARROW)
    assert by_size(of) == []
    assert not parts_cancel(of)
    untold = replace(of, parts={name: replace(part, value=None) for name, part in of.parts.items()})
    assert by_size(untold) == []
