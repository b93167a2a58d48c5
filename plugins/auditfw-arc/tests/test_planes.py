"""Planes: what is seen from a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw_arc.boards import NONE, Board
from auditfw_arc.planes import seen

Grid = list[list[int]]


def rows_of(width: int) -> Any:
    return st.lists(st.integers(0, 3), min_size=width, max_size=width)


GRIDS = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: st.lists(rows_of(shape[1]), min_size=shape[0], max_size=shape[0])
)


@settings(deadline=None, max_examples=examples(30))
@given(
    GRIDS, st.sampled_from([("left", 0, -1), ("right", 0, 1), ("up", -1, 0), ("downright", 1, 1), ("upright", -1, 1)])
)
def test_seen_is_the_first_filled_cell_that_way(rows: Grid, way: tuple[str, int, int]) -> None:
    board = Board(np.array(rows, dtype=np.int8))
    name, down, right = way
    found = seen(board, name)
    for r in range(board.height):
        for c in range(board.width):
            y, x = r + down, c + right
            while 0 <= y < board.height and 0 <= x < board.width and not board.filled[y, x]:
                y, x = y + down, x + right
            inside = 0 <= y < board.height and 0 <= x < board.width
            assert found[r, c] == (board.grid[y, x] if inside else NONE)
