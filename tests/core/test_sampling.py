"""The fair draw: each stratum has its first before any its second, and parts draw what all do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.sampling import Sieve, fair


def test_each_stratum_has_its_first_before_any_its_second() -> None:
    rows = [("many", rank, f"m{rank}") for rank in range(1, 9)] + [("two", 5, "t5"), ("two", 9, "t9"), ("one", 7, "o7")]
    assert [row for _, _, row in fair(rows, 5)] == ["m1", "t5", "o7", "m2", "t9"]
    assert [row for _, _, row in fair(rows, 2)] == ["m1", "t5"]
    assert fair(rows, 0) == []


ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 500)), max_size=60, unique_by=lambda row: row[1])


@given(ROWS, st.integers(0, 9), st.integers(1, 7))
def test_a_draw_of_parts_is_the_draw_of_all(rows: list[tuple[str, int]], most: int, size: int) -> None:
    every = [(stratum, rank, rank) for stratum, rank in rows]
    whole, sieve, kept = fair(every, most), Sieve(most), []
    for at in range(0, len(rows), size):
        part = every[at : at + size]
        kept += [part[i] for i in sieve.of([row[0] for row in part], [(i, row[1]) for i, row in enumerate(part)])]
    assert fair(kept, most) == whole
    parts = [fair(every[at : at + size], most) for at in range(0, len(every), size)]
    assert fair([row for part in parts for row in part], most) == whole
