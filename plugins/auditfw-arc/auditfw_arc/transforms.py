"""Transforms: a grid to a grid, or to None where they do not apply."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .boards import COLOURS, Board, Grid

Transform = Callable[[Board], Grid | None]
MOST = 64


def on_grid(change: Callable[[Grid], Grid]) -> Transform:
    """A transform from a function of the bare grid."""

    def applied(board: Board) -> Grid | None:
        return change(board.grid)

    return applied


def crop_filled(board: Board) -> Grid | None:
    """Keeps the smallest box that holds all filled cells."""
    rows, columns = np.flatnonzero(board.filled.any(axis=1)), np.flatnonzero(board.filled.any(axis=0))
    if not len(rows):
        return None
    return board.grid[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def crop_rim(board: Board) -> Grid | None:
    """Cuts one cell off every side."""
    return board.grid[1:-1, 1:-1] if min(board.grid.shape) > 2 else None


def scale(board: Board, down: int, right: int) -> Grid | None:
    """Makes every cell a block."""
    if board.height * down > MOST or board.width * right > MOST:
        return None
    return board.grid.repeat(down, axis=0).repeat(right, axis=1)


def scale_by_colours(board: Board) -> Grid | None:
    """Makes every cell a square block, as wide as there are colours besides the background."""
    n = len(board.ranked())
    return scale(board, n, n) if n > 1 else None


def tile(board: Board, down: int, right: int) -> Grid | None:
    """Repeats the grid."""
    if board.height * down > MOST or board.width * right > MOST:
        return None
    return np.tile(board.grid, (down, right))


def join(board: Board, one: Callable[[Grid], Grid], other: Callable[[Grid], Grid], axis: int) -> Grid | None:
    """Puts two versions of the grid side by side or one below the other."""
    a, b = one(board.grid), other(board.grid)
    if a.shape[1 - axis] != b.shape[1 - axis] or a.shape[axis] + b.shape[axis] > MOST:
        return None
    return np.concatenate((a, b), axis=axis)


def unrepeated(grid: Grid) -> Grid:
    """Keeps one of equal rows that follow each other, and of equal columns."""
    rows = np.concatenate(([True], (grid[1:] != grid[:-1]).any(axis=1)))
    columns = np.concatenate(([True], (grid[:, 1:] != grid[:, :-1]).any(axis=0)))
    return grid[rows][:, columns]


def drop_empty_lines(board: Board) -> Grid | None:
    """Leaves out rows and columns that hold nothing."""
    rows, columns = board.filled.any(axis=1), board.filled.any(axis=0)
    return board.grid[rows][:, columns] if rows.any() else None


def drop_uniform_lines(board: Board) -> Grid | None:
    """Leaves out rows and columns of one colour throughout."""
    grid = board.grid
    rows, columns = (grid != grid[:, :1]).any(axis=1), (grid != grid[:1]).any(axis=0)
    return grid[rows][:, columns] if rows.any() and columns.any() else None


def smallest_tile(board: Board) -> Grid | None:
    """Finds the smallest block whose repetition is the grid."""
    grid = board.grid
    height = next(p for p in range(1, board.height + 1) if (grid[p:] == grid[: board.height - p]).all())
    width = next(p for p in range(1, board.width + 1) if (grid[:, p:] == grid[:, : board.width - p]).all())
    return grid[:height, :width]


def fall(board: Board, way: str) -> Grid | None:
    """Lets every filled cell fall to one side."""
    turn = {"down": 0, "left": 1, "up": 2, "right": 3}[way]
    grid = np.rot90(board.grid, turn)
    keep = grid != board.background
    order = np.argsort(keep, axis=0, kind="stable")
    return np.rot90(np.take_along_axis(grid, order, axis=0), -turn)


def keep_colour(board: Board, place: int) -> Grid | None:
    """Keeps the cells of one colour by its rank in frequency."""
    ranked = board.ranked()
    if not -len(ranked) <= place < len(ranked) or len(ranked) < 2:
        return None
    return np.where(board.grid == ranked[place], board.grid, board.background).astype(np.int8)


def drop_colour(board: Board, place: int) -> Grid | None:
    """Empties the cells of one colour by its rank in frequency."""
    ranked = board.ranked()
    if not -len(ranked) <= place < len(ranked) or len(ranked) < 2:
        return None
    return np.where(board.grid == ranked[place], board.background, board.grid).astype(np.int8)


def clear_colour(board: Board, colour: int) -> Grid | None:
    """Empties the cells of one given colour."""
    if colour == board.background or not board.counts[colour]:
        return None
    return np.where(board.grid == colour, board.background, board.grid).astype(np.int8)


def negative(board: Board) -> Grid | None:
    """Swaps the background with the only other colour."""
    ranked = board.ranked()
    if len(ranked) != 1:
        return None
    return np.where(board.filled, board.background, ranked[0]).astype(np.int8)


def overlay(board: Board, turns: tuple[Callable[[Grid], Grid], ...]) -> Grid | None:
    """Fills empty cells from turned or mirrored copies of the grid."""
    grid = board.grid.copy()
    for turn in turns:
        other = turn(grid)
        if other.shape != grid.shape:
            return None
        grid = np.where(grid == board.background, other, grid).astype(np.int8)
    return grid


def by_rank(board: Board, upright: bool) -> Grid | None:
    """The colours from the most to the least frequent, as one column or row."""
    ranked = board.ranked()
    line = np.array([ranked], dtype=np.int8)
    return None if not ranked else line.T if upright else line


def bars(board: Board) -> Grid | None:
    """A bar for each colour, as long as its cells are many, the longest first."""
    ranked = board.ranked()
    if not ranked or board.counts[ranked[0]] > MOST:
        return None
    drawn = np.full((len(ranked), int(board.counts[ranked[0]])), board.background, dtype=np.int8)
    for row, colour in enumerate(ranked):
        drawn[row, : board.counts[colour]] = colour
    return drawn


def one_cell(board: Board, place: int) -> Grid | None:
    """One cell of a colour by its rank in frequency."""
    ranked = board.ranked()
    if not -len(ranked) <= place < len(ranked):
        return None
    return np.array([[ranked[place]]], dtype=np.int8)


def sort_lines(board: Board, axis: int, reverse: bool) -> Grid | None:
    """Sorts rows or columns by how many cells are filled."""
    counts = board.filled.sum(axis=axis)
    order = np.argsort(-counts if reverse else counts, kind="stable")
    return board.grid[order] if axis == 1 else board.grid[:, order]


def _identity(grid: Grid) -> Grid:
    return grid


TURNS: dict[str, Callable[[Grid], Grid]] = {
    "mirror left-right": np.fliplr,
    "mirror up-down": np.flipud,
    "half turn": partial(np.rot90, k=2),
    "quarter turn": np.rot90,
    "quarter turn back": partial(np.rot90, k=3),
    "transpose": np.transpose,
    "antitranspose": lambda g: np.rot90(g, 2).T,
}


def plain_transforms() -> dict[str, Transform]:
    """The transforms that need no parts, the plainest first."""
    transforms: dict[str, Transform] = {name: on_grid(turn) for name, turn in TURNS.items()}
    transforms |= {"crop filled": crop_filled, "crop rim": crop_rim, "drop repeated lines": on_grid(unrepeated)}
    transforms |= {
        "drop empty lines": drop_empty_lines,
        "drop uniform lines": drop_uniform_lines,
        "tile": smallest_tile,
    }
    transforms |= {f"fall {way}": partial(fall, way=way) for way in ("down", "up", "left", "right")}
    transforms |= {f"keep colour {n}": partial(keep_colour, place=n) for n in (0, 1, -1)}
    transforms |= {f"drop colour {n}": partial(drop_colour, place=n) for n in (0, -1)}
    transforms |= {f"clear {c}": partial(clear_colour, colour=c) for c in range(COLOURS)}
    transforms |= {"negative": negative, "colours down": partial(by_rank, upright=True)}
    transforms |= {"colours across": partial(by_rank, upright=False), "bars": bars}
    transforms |= {f"cell of colour {n}": partial(one_cell, place=n) for n in (0, 1, -1)}
    transforms |= {f"scale {n}": partial(scale, down=n, right=n) for n in (2, 3)}
    transforms |= {"scale by colours": scale_by_colours}
    transforms |= {f"repeat {d} x {r}": partial(tile, down=d, right=r) for d, r in ((1, 2), (2, 1), (2, 2), (3, 3))}
    for name, turn in {"itself": _identity, **TURNS}.items():
        for axis, side in ((1, "right"), (0, "below")):
            transforms[f"{side} of it {name}"] = partial(join, one=_identity, other=turn, axis=axis)
            if name in ("mirror left-right", "mirror up-down", "half turn"):
                transforms[f"before it {name} ({axis})"] = partial(join, one=turn, other=_identity, axis=axis)
    pairs: dict[str, tuple[str, ...]] = {
        "left-right": ("mirror left-right",),
        "up-down": ("mirror up-down",),
        "diagonal": ("transpose",),
        "both": ("mirror left-right", "mirror up-down"),
        "by quarter turns": ("quarter turn", "half turn"),
    }
    transforms |= {f"symmetric {n}": partial(overlay, turns=tuple(TURNS[t] for t in ts)) for n, ts in pairs.items()}
    for axis, line in ((1, "rows"), (0, "columns")):
        transforms |= {
            f"sort {line} {w}": partial(sort_lines, axis=axis, reverse=r) for w, r in (("up", False), ("down", True))
        }
    return transforms
