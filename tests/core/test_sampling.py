"""The fair draw: each stratum has its first before any its second, and parts draw what all do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.native import VARIABLE, compiled
from auditfw.core.sampling import FairDraw, fair, ranked, ranks


def test_each_stratum_has_its_first_before_any_its_second() -> None:
    rows = [("many", rank, f"m{rank}") for rank in range(1, 9)] + [("two", 5, "t5"), ("two", 9, "t9"), ("one", 7, "o7")]
    assert [row for _, _, row in fair(rows, 5)] == ["m1", "t5", "o7", "m2", "t9"]
    assert [row for _, _, row in fair(rows, 2)] == ["m1", "t5"]
    assert fair(rows, 0) == []


ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 500)), max_size=60, unique_by=lambda row: row[1])


@given(ROWS, st.integers(0, 9), st.integers(1, 7))
def test_a_draw_of_parts_is_the_draw_of_all(rows: list[tuple[str, int]], most: int, size: int) -> None:
    every = [(stratum, rank, rank) for stratum, rank in rows]
    whole, draw, kept = fair(every, most), FairDraw[int](most), []
    for at in range(0, len(rows), size):
        part = [row for row in every[at : at + size] if (bar := draw.bar(row[0])) is None or row[1] <= bar]
        kept += draw.take(part)
    assert draw.drawn() == fair(kept, most) == whole
    parts = [fair(every[at : at + size], most) for at in range(0, len(every), size)]
    assert fair([row for part in parts for row in part], most) == whole


IDS = st.lists(st.text(st.characters(), max_size=300), max_size=12)  # also half characters, and several blocks


@given(IDS, st.data(), st.text(max_size=40))
def test_both_kernels_rank_alike(ids: list[str], data: st.DataObject, section: str) -> None:
    rows = data.draw(st.lists(st.integers(0, len(ids) - 1), max_size=8)) if ids else []
    rank = ranks(3, section)
    every = [(rank(ids[row]), row) for row in rows]
    bar = data.draw(st.sampled_from([None, b"\x80" + bytes(7), *(one for one, _ in every)]))
    wanted = [pair for pair in every if bar is None or pair[0] <= bar]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("python", *(["native"] if compiled() is not None else [])):
            patch.setenv(VARIABLE, name)
            assert ranked((3, section), ids, rows, bar) == wanted


def test_a_draw_of_many_words_is_ranked_too() -> None:
    section = "long" * 100
    assert ranked((3, section), ["a"], [0], None) == [(ranks(3, section)("a"), 0)]


@pytest.mark.skipif(compiled() is None, reason="the native kernel is not built")
def test_the_kernel_refuses_rows_that_are_not_there() -> None:
    kernel = compiled()
    assert kernel is not None
    for row in (1, -1):
        with pytest.raises(IndexError, match="no such row"):
            kernel.ranked(b"3\0", ["a"], [row], None)
    with pytest.raises(ValueError, match="a rank or None"):
        kernel.ranked(b"3\0", ["a"], [0], b"short")
    with pytest.raises(TypeError, match="expected texts"):
        kernel.ranked(b"3\0", [1], [0], None)
