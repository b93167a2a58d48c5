"""Shares of trials by item from Python columns: the same as those of the columns of whole numbers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from auditfw.formulas import clusters, shifts
from auditfw.formulas.probe_rates import rate_by_item, rate_of_items, shift_by_item

TRIALS = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.sampled_from([-1, 0, 1])), min_size=1, max_size=40)


def by_item(items: list[int], values: list[int]) -> tuple[list[int], list[int]]:
    names = sorted(set(items))
    pairs = list(zip(items, values, strict=True))
    return [items.count(name) for name in names], [sum(v for i, v in pairs if i == name) for name in names]


@settings(deadline=None)  # the first imports NumPy
@given(TRIALS)
def test_the_same_as_by_columns(trials: list[tuple[int, bool, int]]) -> None:
    items, flags, changes = (list(column) for column in zip(*trials, strict=True))
    assert rate_by_item(items, flags) == clusters.rate(*by_item(items, flags))
    assert rate_of_items(*by_item(items, flags)) == clusters.rate(*by_item(items, flags))
    assert shift_by_item(items, changes) == shifts.shift(*by_item(items, changes))


def test_no_trial() -> None:
    assert rate_by_item([], []) is None
    assert rate_of_items([], []) is None
    assert shift_by_item([], []) is None
