"""The parts of a gap: planted differences by hand, laws, and the orders of change against their enumeration."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.gaps.intervals import Gap, gap_of
from auditfw.formulas.gaps.parts import PARTS, changes, contributions
from auditfw.formulas.gaps.two_logs import TwoLogs

A, B = 0, 1
ALL = np.ones((2, 2, 2), bool)
OWN, NEVER, RULE_A, RULE_B, TRUTH_B, NOT_B_A = "1111", "0000", "1100", "0011", "0101", "1101"
Row = tuple[int, int, str, int]  # item, side, labels by rule and truth (AA, AB, BA, BB), end


def logs(*rows: Row, **more: Any) -> TwoLogs:
    items, sides, labels, ends = zip(*rows, strict=True)
    right = np.array([[int(flag) for flag in label] for label in labels], bool).reshape(-1, 2, 2)
    return TwoLogs(np.array(items), np.array(sides), right, np.array(ends), **more)


def side(which: int, *trials: tuple[int, str], end: int = 0) -> list[Row]:
    return [(item, which, label, end) for item, label in trials]


def points(gap: Gap) -> list[float | None]:
    return [gap.parts[name].value for name in PARTS]


def mean_right(of: TwoLogs, which: int) -> float:
    rows = of.sides == which
    return float(of.labels[rows, which, which].mean())


PLANTED = {
    # Items 0 and 1 are common, right and wrong on both sides; 2 and 3 are only in A and right: 3/4 - 1/2.
    "items": ([*side(A, (0, OWN), (1, NEVER), (2, OWN), (3, OWN)), *side(B, (0, OWN), (1, NEVER))], 0.25),
    # Only in B, and right: 1/2 - 3/4.
    "items of B": ([*side(A, (0, OWN), (1, NEVER)), *side(B, (0, OWN), (1, NEVER), (2, OWN), (3, OWN))], -0.25),
    # A asks the item that is right three times, the other once: 3/4 of trials, 1/2 of items.
    "repeats": ([*side(A, *[(0, OWN)] * 3, (1, NEVER)), *side(B, (0, OWN), (1, NEVER))], 0.25),
    # Item 0 has another truth in B, by which its answer is wrong.
    "truths": ([*side(A, (0, "1010"), (1, OWN)), *side(B, (0, "1010"), (1, OWN))], 0.5),
    # The rule of B takes three of four answers, that of A one.
    "scoring": (
        [row for s in (A, B) for row in side(s, (0, OWN), (1, RULE_B), (2, RULE_B), (3, NEVER))],
        -0.5,
    ),
    # Half of B is cut off and wrong, all that finished is right: (0 - 1/2) × (0 - 1).
    "ended": ([*side(A, (0, OWN), (1, OWN)), *side(B, (0, OWN)), *side(B, (1, NEVER), end=1)], 0.5),
    "ended in loops": ([*side(A, (0, OWN), (1, OWN)), *side(B, (0, OWN)), *side(B, (1, NEVER), end=2)], 0.5),
    # Cut off as often, and right as often: the ends explain nothing.
    "rest": ([*side(A, (0, OWN), (1, OWN), end=1), *side(B, (0, OWN), (1, NEVER), end=1)], 0.5),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_difference_is_its_part_and_the_others_are_0(name: str) -> None:
    rows, value = PLANTED[name]
    gap = gap_of(logs(*rows))
    part = name.split(maxsplit=1)[0]
    assert points(gap) == pytest.approx([value if one == part else 0.0 for one in PARTS], abs=1e-12)
    assert gap.gap.value == pytest.approx(value)


def test_two_ends_by_hand() -> None:
    """A: 3 of 4 finish, 2 of them right, the cut one right. B: 1 of 4 finishes, right; of 3 that are cut 1 is right.

    ρ(cut) = (1 + 1/3)/2 = 2/3, ρ(finished) = (2/3 + 1)/2 = 5/6: (1/4 - 3/4) × (2/3 - 5/6) = 1/12 of a gap of 1/4.
    """
    a = [*side(A, (0, OWN), (1, OWN), (2, NEVER)), *side(A, (3, OWN), end=1)]
    b = [*side(B, (0, OWN)), *side(B, (1, OWN), (2, NEVER), (3, NEVER), end=1)]
    assert points(gap_of(logs(*a, *b))) == pytest.approx([0, 0, 0, 0, 1 / 12, 1 / 4 - 1 / 12], abs=1e-12)


def test_items_are_counted() -> None:
    a = [*side(A, (0, "1010"), (1, RULE_B), (2, OWN), (5, OWN)), *side(A, (3, NEVER), end=1)]
    b = [*side(B, (0, "1010"), (1, RULE_B), (2, RULE_B), (3, OWN), (7, OWN)), *side(B, (7, OWN), end=2)]
    gap = gap_of(logs(*a, *b))
    assert (gap.common, gap.only_a, gap.only_b) == (4, 1, 1)
    counts = {name: part.items for name, part in gap.parts.items()}
    assert counts == {"items": 2, "repeats": 4, "truths": 1, "scoring": 2, "ended": 1, "rest": 4}


ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 1), st.sampled_from(["".join(p) for p in product("01", repeat=4)]),
              st.integers(0, 2)),
    max_size=24,
)  # fmt: skip
COMMON: list[Row] = [(0, A, OWN, 0), (0, B, RULE_A, 1), (1, A, TRUTH_B, 0), (1, B, NEVER, 0)]


@given(ROWS)
def test_the_parts_and_what_items_contribute_add_up_to_the_gap(rows: list[Row]) -> None:
    both = logs(*COMMON, *rows)
    gap = gap_of(both)
    assert gap.gap.value == pytest.approx(mean_right(both, A) - mean_right(both, B), abs=1e-12)
    assert sum(value or 0.0 for value in points(gap)) == pytest.approx(gap.gap.value, abs=1e-12)
    assert contributions(both).sum(1) == pytest.approx(points(gap), abs=1e-12)
    assert (gap.moved.value or 0.0) + (gap.parts["rest"].value or 0.0) == pytest.approx(gap.gap.value, abs=1e-12)


@given(ROWS)
def test_the_other_log_first_changes_the_signs(rows: list[Row]) -> None:
    both = logs(*COMMON, *rows)
    turned = replace(both, sides=1 - both.sides, right=both.right[:, ::-1, ::-1])
    one, other = gap_of(both), gap_of(turned)
    for name in PARTS:
        there, back = one.parts[name], other.parts[name]
        assert (there.value, there.error) == pytest.approx((-(back.value or 0.0), back.error), abs=1e-9)
        if there.low is not None:
            assert (there.low, there.high) == pytest.approx((-(back.high or 0.0), -(back.low or 0.0)), abs=1e-9)
    assert contributions(both) == pytest.approx(-contributions(turned), abs=1e-12)


@given(ROWS, st.randoms(use_true_random=False))
def test_no_order_can_be_seen(rows: list[Row], drawn: Any) -> None:
    every = [*COMMON, *rows]
    names = list(range(0, 70, 10))
    drawn.shuffle(names)
    other = [(names[item], *rest) for item, *rest in every]
    drawn.shuffle(other)
    assert gap_of(logs(*every)) == gap_of(logs(*other))  # type: ignore[arg-type]


@given(ROWS)
def test_items_by_cause(rows: list[Row]) -> None:
    """An item on one side contributes its trials × what its mean is off the common rate, over the side's trials."""
    both = logs(*COMMON, *rows)
    made = dict(zip(np.unique(both.items).tolist(), contributions(both)[0], strict=True))
    common = np.intersect1d(both.items[both.sides == A], both.items[both.sides == B])
    for item in set(made):
        where = set(both.sides[both.items == item].tolist())
        if len(where) == 2:
            assert made[item] == pytest.approx(0.0)
            continue
        (which,) = where
        own = both.right[:, which, which]
        of_side = both.sides == which
        rate = own[of_side & np.isin(both.items, common)].mean()
        here = of_side & (both.items == item)
        off = here.sum() * (own[here].mean() - rate) / of_side.sum()
        assert made[item] == pytest.approx(off if which == A else -off)


def rates_of(both: TwoLogs) -> Any:
    """f by rule, truth and texts: means over common items of item means."""
    f = np.zeros((2, 2, 2))
    common = np.intersect1d(both.items[both.sides == A], both.items[both.sides == B])
    for r, t, m in np.ndindex(2, 2, 2):
        rows = [(both.items == item) & (both.sides == m) for item in common]
        f[r, t, m] = np.mean([both.right[one, r, t].mean() for one in rows])
    return f


@given(ROWS)
def test_the_shapley_values_are_the_means_over_six_orders(rows: list[Row]) -> None:
    both = replace(logs(*COMMON, *rows), ends=None)
    f, gap = rates_of(both), gap_of(both)
    of = {"scoring": 0, "truths": 1, "rest": 2}
    for part, axis in of.items():
        total = 0.0
        for order in permutations(range(3)):
            before = [A if order.index(one) < order.index(axis) else B for one in range(3)]
            after = [A if one == axis else at for one, at in enumerate(before)]
            total += f[tuple(after)] - f[tuple(before)]
        assert gap.parts[part].value == pytest.approx(total / 6, abs=1e-12)


def test_the_weights_of_shapley() -> None:
    """1/3 where the two others are of one side, else 1/6."""
    for part, axis in (("scoring", 0), ("truths", 1), ("rest", 2)):
        steps = changes(ALL).steps[part]
        assert len(steps) == 4
        for weight, before, after in steps:
            others = {corner for at, corner in enumerate(before) if at != axis}
            assert weight == pytest.approx(1 / 3 if len(others) == 1 else 1 / 6)
            assert (before[axis], after[axis]) == (B, A)


def without(*corners: tuple[int, int, int]) -> Any:
    known = ALL.copy()
    for corner in corners:
        known[corner] = False
    return known


@given(ROWS, st.integers(0, 1))
def test_a_rule_that_only_one_side_has_is_seen_on_the_texts_of_the_other(rows: list[Row], judged: int) -> None:
    """Where A's rule is a judge, B's texts have only the label of B: scoring is what the rules make of A's texts."""
    known = without((judged, 0, 1 - judged), (judged, 1, 1 - judged))
    both = logs(*COMMON, *rows, known=known)
    f, gap = rates_of(both), gap_of(both)
    weights = {judged: 2 / 3, 1 - judged: 1 / 3}
    value = sum(w * (f[A, t, judged] - f[B, t, judged]) for t, w in weights.items())
    assert gap.parts["scoring"].value == pytest.approx(value, abs=1e-12)
    assert {name for name, part in gap.parts.items() if part.why == "not separable"} == set()
    assert sum(part.value or 0.0 for part in gap.parts.values()) == pytest.approx(gap.gap.value, abs=1e-12)


NO_RULE = [(A, 0, B), (A, 1, B), (B, 0, A), (B, 1, A)]
NO_TRUTH = [(r, 1 - m, m) for r in (A, B) for m in (A, B)]
NOT_APART = {
    "rules of neither side": (NO_RULE, {"scoring"}),
    "truths of neither side": (NO_TRUTH, {"truths"}),
    "stored labels alone": ([*NO_RULE, *NO_TRUTH], {"scoring", "truths"}),
    "one corner lacking": ([(A, B, A)], set()),
}


@pytest.mark.parametrize("case", NOT_APART)
@given(ROWS)
def test_what_is_not_separable_is_in_the_rest(case: str, rows: list[Row]) -> None:
    corners, parts = NOT_APART[case]
    both = logs(*COMMON, *rows, known=without(*corners))
    gap = gap_of(both)
    assert {name for name, part in gap.parts.items() if part.why == "not separable"} == parts
    assert {name for name, part in gap.parts.items() if part.value is None} == parts
    assert sum(part.value or 0.0 for part in gap.parts.values()) == pytest.approx(gap.gap.value, abs=1e-12)
    changed = both.right.copy()  # labels at corners that are not known are not looked at
    for r, t, m in corners:
        changed[both.sides == m, r, t] ^= True
    assert gap_of(replace(both, right=changed)) == gap


def test_all_sets_of_known_corners_have_an_order() -> None:
    for flags in product([False, True], repeat=6):
        known = ALL.copy()
        known.ravel()[1:7] = flags
        of = changes(known)
        assert "rest" in of.apart
        for part in of.apart:
            assert sum(weight for weight, *_ in of.steps[part]) == pytest.approx(1)
        for steps in of.steps.values():
            assert all(known[before] and known[after] for _, before, after in steps)


def test_ends_that_are_not_known_are_in_the_rest() -> None:
    rows, value = PLANTED["ended"]
    gap = gap_of(replace(logs(*rows), ends=None))
    assert (gap.parts["ended"].value, gap.parts["ended"].why) == (None, "not separable")
    assert gap.parts["rest"].value == pytest.approx(value)


def test_what_cannot_differ_is_0_without_an_interval() -> None:
    rows = [row for s in (A, B) for row in side(s, (0, OWN), (1, NEVER), (2, OWN))]
    gap = gap_of(logs(*rows, same=frozenset({"rules", "truths", "texts"})))
    for part in gap.parts.values():
        assert (part.value, part.low, part.high, part.why) == (0.0, None, None, "same")
    assert (gap.gap.value, gap.gap.low, gap.gap.high) == (0.0, 0.0, 0.0)
    loose = gap_of(logs(*rows))
    assert {name for name, part in loose.parts.items() if part.why == "same"} == {"items", "repeats"}
    assert all((loose.parts[name].low or 0.0) < 0 for name in ("truths", "scoring", "ended"))


def test_one_rule_has_one_label_the_stored_one() -> None:
    """A's rule and B's are one: that it calls item 0 of B right, which was stored as wrong, is of the rest."""
    rows = [*side(A, (0, OWN), (1, OWN)), *side(B, (0, RULE_A), (1, OWN))]
    gap = gap_of(logs(*rows, same=frozenset({"rules"})))
    assert (gap.parts["scoring"].value, gap.parts["rest"].value) == (0.0, pytest.approx(0.5))
    assert gap.parts["scoring"].items == 0


def test_one_list_of_truths() -> None:
    rows = [*side(A, (0, OWN), (1, OWN)), *side(B, (0, TRUTH_B), (1, NOT_B_A))]
    gap = gap_of(logs(*rows, same=frozenset({"truths"}), known=without(*NO_TRUTH)))
    assert (gap.parts["truths"].value, gap.parts["truths"].why) == (0.0, "same")
    assert gap.parts["scoring"].why == ""


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no common item": ({"items": np.array([0, 1])}, "common item"),
    "one side": ({"sides": np.array([0, 0])}, "common item"),
    "labels": ({"right": np.ones((2, 2), bool)}, "either rule"),
    "ends": ({"ends": np.zeros(3, int)}, "an end"),
    "same": ({"same": frozenset({"limits"})}, "rules, texts, truths"),
    "stored": ({"known": without((B, B, B))}, "stored labels"),
    "stored of A": ({"known": without((A, A, A))}, "stored labels"),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(name: str) -> None:
    change, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        replace(logs((0, A, OWN, 0), (0, B, OWN, 0)), **change)


def test_rules_that_label_differently() -> None:
    """Of the common items' trials, each by its own truth: the rules differ on two of the seven of items 0 to 2."""
    a = side(A, (0, RULE_A), (0, OWN), (1, OWN), (2, TRUTH_B), (4, RULE_A))
    b = side(B, (0, OWN), (1, "1001"), (2, OWN))
    both = logs(*a, *b)
    of = both.rules_differ()
    assert of is not None
    assert (of.share, of.trials, of.items) == (pytest.approx(2 / 7), 7, 3)
    on_b = replace(both, known=without((B, A, A))).rules_differ()
    assert on_b is not None
    assert (on_b.share, on_b.trials) == (pytest.approx(1 / 3), 3)
    assert replace(both, known=without((B, A, A), (A, B, B))).rules_differ() is None
