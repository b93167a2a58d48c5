"""Transforms that complete a pattern of which one colour hides a part."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .boards import COLOURS, NONE, Board, Grid
from .transforms import Transform

Mask = NDArray[np.bool_]
MIRRORS: tuple[tuple[Callable[[np.ndarray], np.ndarray], int, int], ...] = (
    (np.fliplr, 0, 1),
    (np.flipud, 1, 0),
    (np.transpose, 0, 0),
)


def fill_period(board: Board, hidden: int, slope: bool) -> Grid | None:
    """Completes a repeating pattern of which one colour hides a part; the smallest repetition that holds."""
    grid = board.grid
    known = grid != hidden
    if known.all() or not known.any():
        return None
    for height, width, shift in _periods(grid, known, slope):
        filled = _repeated(grid, known, height, width, shift)
        if filled is not None:
            return filled
    return None


def _periods(grid: Grid, known: Mask, slope: bool) -> list[tuple[int, int, int]]:
    """Heights, widths and shifts of blocks that no two known cells one step away from each other contradict."""
    high, wide = min(grid.shape[0], 14), min(grid.shape[1], 14)
    across = [w for w in range(1, wide) if _agrees(grid, known, 0, w)]
    if slope:
        return [(1, w, s) for w in across[:3] if w > 1 for s in range(1, w) if _agrees(grid, known, 1, -s)]
    down = [h for h in range(1, high) if _agrees(grid, known, h, 0)]
    return sorted(((h, w, 0) for h in down for w in across if h * w > 1), key=lambda p: p[0] * p[1])[:12]


def _agrees(grid: Grid, known: Mask, down: int, right: int) -> bool:
    """Do all known cells equal those at an offset, where these are known?"""
    width = grid.shape[1]
    here = (slice(down, None), slice(max(right, 0), width + min(right, 0)))
    there = (slice(0, grid.shape[0] - down), slice(max(-right, 0), width + min(-right, 0)))
    return bool(((grid[here] == grid[there]) | ~known[here] | ~known[there]).all())


def _repeated(grid: Grid, known: Mask, height: int, width: int, shift: int) -> Grid | None:
    rows, columns = np.arange(grid.shape[0])[:, None], np.arange(grid.shape[1])[None, :]
    cell = (rows % height) * width + (columns + shift * rows) % width
    low, high = np.full(height * width, COLOURS), np.full(height * width, NONE)
    np.minimum.at(low, cell[known], grid[known])
    np.maximum.at(high, cell[known], grid[known])
    if ((low != high) & (high != NONE)).any() or (high[cell[~known]] == NONE).any():
        return None
    return np.where(known, grid, high[cell]).astype(np.int8)


def fill_mirror(board: Board, hidden: int) -> Grid | None:
    """Completes a pattern that is symmetric about some axis, of which one colour hides a part."""
    grid = board.grid.copy()
    known = grid != hidden
    if known.all() or known.mean() < 0.3:
        return None
    mirrored = False
    for _ in range(2):
        for turn, down, right in MIRRORS:
            best = _best_offset(grid, known, turn, (down, right))
            if best is not None:
                other, sure = best
                take = ~known & sure
                grid[take], known = other[take], known | sure
                mirrored = True
    return grid if mirrored and known.all() else None


def _best_offset(
    grid: Grid, known: Mask, turn: Callable[[np.ndarray], np.ndarray], step: tuple[int, int]
) -> tuple[Grid, Mask] | None:
    """The reflected grid laid over the grid, moved as little as can be, with no contradiction and enough overlap."""
    flipped, sure = turn(grid), turn(known)
    if flipped.shape != grid.shape:
        return None
    reach = min(5, *grid.shape) if any(step) else 1
    for away in sorted(range(1 - reach, reach), key=lambda n: (abs(n), n)):
        down, right = step[0] * away, step[1] * away
        other, there = _offset(flipped, NONE, down, right), _offset(sure, False, down, right)
        both = known & there
        if both.sum() > grid.size // 3 and (grid[both] == other[both]).all():
            return other, there
    return None


def _offset(plane: np.ndarray, empty: int, down: int, right: int) -> np.ndarray:
    moved = np.full_like(plane, empty)
    height, width = plane.shape
    moved[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = plane[
        max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)
    ]
    return moved


def pattern_transforms() -> dict[str, Transform]:
    """Each way to complete a pattern, for each colour that may hide it."""
    transforms: dict[str, Transform] = {}
    transforms |= {
        f"complete repetition under {c}": partial(fill_period, hidden=c, slope=False) for c in range(COLOURS)
    }
    transforms |= {f"complete slope under {c}": partial(fill_period, hidden=c, slope=True) for c in range(COLOURS)}
    transforms |= {f"complete mirror under {c}": partial(fill_mirror, hidden=c) for c in range(COLOURS)}
    return transforms
