"""No transform or plane of the search fails on any grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw_arc.boards import Board
from auditfw_arc.explore import TRANSFORMS
from auditfw_arc.features import FEATURES
from auditfw_arc.planes import VALUES

Grid = list[list[int]]


def rows_of(width: int) -> Any:
    return st.lists(st.integers(0, 3), min_size=width, max_size=width)


GRIDS = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: st.lists(rows_of(shape[1]), min_size=shape[0], max_size=shape[0])
)


@settings(deadline=None, max_examples=examples(15))
@given(GRIDS)
def test_no_transform_or_plane_fails_on_any_grid(rows: Grid) -> None:
    grid = np.array(rows, dtype=np.int8)
    board = Board(grid)
    for name, transform in TRANSFORMS.items():
        made = transform(board)
        assert made is None or (made.ndim == 2 and made.min(initial=0) >= 0 and made.max(initial=0) < 10), name
    for name, look in {**VALUES, **FEATURES}.items():
        assert look(board).shape == grid.shape, name
    assert (board.grid == np.array(rows)).all(), "a transform changed its input"
