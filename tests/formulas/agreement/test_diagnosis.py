"""What is told of an agreement: the paradox, what costs most, raters with other labels, small remarks."""

from __future__ import annotations

from typing import Any

import pytest
from judged_pairs import ALL, LABELS, RATERS, REFUSED, REJECT, THREE, VALID

from auditfw.formulas.agreement import Judged, Ratings
from auditfw.formulas.agreement.diagnosis import (
    abstaining_ways,
    cell_costs,
    costs,
    describe_costs,
    gains,
    pairwise,
    paradox,
    same_texts,
    strangers,
    too_few,
)


def test_three_ways_to_treat_an_abstention() -> None:
    three = Judged(
        Ratings.of(("x", "y", "?"), ("a", "b", "c"), {(0, 0, 0): 4, (0, 1, 2): 3, (2, 1, 1): 2}),
        "a",
        "b",
        abstain=("?",),
    )
    assert [(how, pair.n) for how, pair in abstaining_ways(three)] == [("label", 9), ("missing", 7), ("exclude", 4)]
    assert [pair.labels for _, pair in abstaining_ways(three)] == [("x", "y", "?"), ("x", "y"), ("x", "y")]
    assert abstaining_ways(ALL) == []


def pair_of(counts: dict[tuple[int, int], int]) -> Any:
    return Judged(Ratings.of(LABELS, RATERS[:2], counts), "scholar", "auditor").pair()


def test_the_paradox_note() -> None:
    rare = pair_of({(VALID, VALID): 98, (VALID, REJECT): 1, (REJECT, VALID): 1})
    note = paradox(rare, "scholar")
    assert note is not None
    for word in ("98.0 % agree", "kappa is -0.01", "VALID", "AC1 is 0.98", "gwet_ac1"):
        assert word in note
    assert "undefined" in (paradox(pair_of({(VALID, VALID): 20}), "scholar") or "")
    uneven = pair_of({(VALID, VALID): 90, (VALID, REJECT): 8, (REJECT, VALID): 2})  # at most 92 + 2 of 100 alike
    assert f"kappa cannot exceed {(0.94 - 0.9032) / (1 - 0.9032):.2f}. " in (paradox(uneven, "scholar") or "")
    balanced = pair_of({(VALID, VALID): 45, (REJECT, REJECT): 45, (VALID, REJECT): 10})
    assert paradox(balanced, "scholar") is None
    for same, noted in ((80, True), (79, False)):  # at least 80 %
        few = pair_of({(VALID, VALID): same, (VALID, REJECT): 10, (REJECT, VALID): 90 - same})
        assert (paradox(few, "scholar") is not None) is noted
    assert paradox(pair_of({}), "scholar") is None


def test_gains_are_the_costs_and_go_by_weights() -> None:
    """Of steps of a scale one two steps off costs more than one that is one step off."""
    from auditfw.formulas.agreement.coefficients import agreement_weights

    table = pair_of({(VALID, VALID): 50, (REJECT, REJECT): 30, (VALID, REJECT): 8, (REFUSED, VALID): 4})
    known = {(c.candidate, c.reference): c.gain for c in costs(table)}
    plain = gains(table, [(VALID, REJECT), (REFUSED, VALID)])
    assert plain == pytest.approx([known["VALID", "REJECT"], known["NOT_IN_CONTEXT", "VALID"]])
    steps = pair_of(
        {(VALID, VALID): 5, (REJECT, REJECT): 5, (REFUSED, REFUSED): 5, (VALID, REJECT): 2, (VALID, REFUSED): 2}
    )
    far, near = gains(steps, [(VALID, REJECT), (VALID, REFUSED)], agreement_weights(range(4), "linear"))
    assert far is not None
    assert near is not None
    assert far > near > 0
    assert gains(pair_of({(VALID, REJECT): 3}), [(VALID, REJECT)]) == [None]  # then both give one label


def test_what_costs_most_kappa() -> None:
    table = pair_of({(VALID, VALID): 50, (REJECT, REJECT): 30, (VALID, REJECT): 8, (REJECT, REFUSED): 2})
    ranked = costs(table)
    assert [(c.candidate, c.reference, c.n) for c in ranked] == [
        ("VALID", "REJECT", 8),
        ("REJECT", "NOT_IN_CONTEXT", 2),
    ]
    assert ranked[0].gain > ranked[1].gain > 0
    assert "VALID where the reference says REJECT (8 items" in (describe_costs(table, "scholar") or "")
    assert describe_costs(pair_of({(VALID, VALID): 3}), "scholar") is None
    cells = {"one": pair_of({(VALID, VALID): 25, (VALID, REJECT): 8}), "two": pair_of({(REJECT, REFUSED): 2})}
    assert [(cell, n) for cell, n, _ in cell_costs(table, cells)] == [("one", 8), ("two", 2)]


def test_raters_with_other_labels_are_told() -> None:
    shifted = Ratings.of(("0", "1", "2"), ("a", "b"), {(0, 1): 40, (1, 2): 30, (1, 1): 10})
    assert strangers(shifted) == [
        "a and b do not use the same labels: only a uses '0' × 40, only b '2' × 30; map them with audit.aliases "
        "before you trust a coefficient"
    ]
    assert strangers(Ratings.of(("0", "1", "2"), ("a", "b"), {(0, 0): 40, (1, 2): 1, (1, 1): 1})) == []


def test_pairwise_and_small_remarks() -> None:
    rows = {(row.one, row.other): (row.n, row.percent) for row in pairwise(THREE)}
    assert rows == {("a", "b"): (12, 11 / 12), ("a", "c"): (11, 9 / 11), ("b", "c"): (11, 9 / 11)}
    assert same_texts(4, 10, ["a", "b"]) is None
    assert same_texts(5, 26, ["a", "b"]) is None
    assert "5 of 10 items (50.0 %)" in (same_texts(5, 10, ["a", "b"]) or "")
    assert "35 are needed" in (too_few(2) or "")
    assert too_few(3) is None
