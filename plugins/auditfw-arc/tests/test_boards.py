"""Parts of a board cover every filled cell once."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw_arc.boards import STEPS4, Board, label_cells

Grid = list[list[int]]


def rows_of(width: int) -> Any:
    return st.lists(st.integers(0, 3), min_size=width, max_size=width)


GRIDS = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: st.lists(rows_of(shape[1]), min_size=shape[0], max_size=shape[0])
)


@settings(deadline=None, max_examples=examples(20))
@given(GRIDS)
def test_parts_cover_every_filled_cell_once(rows: Grid) -> None:
    board = Board(np.array(rows, dtype=np.int8))
    for joined in ("colour4", "colour8"):
        parts = board.parts(joined)  # type: ignore[arg-type]
        assert sum(part.size for part in parts) == board.filled.sum()
        for part in parts:
            assert len({int(board.grid[r, c]) for r, c in zip(part.rows, part.columns, strict=True)}) == 1
    numbers, count = label_cells(board.grid, STEPS4, None)
    assert set(numbers.ravel().tolist()) == set(range(count))
