"""Transforms that choose among the pieces of a grid: what lies between lines, halves, thirds and quarters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from .boards import Board, Grid
from .parting import frequency
from .transforms import Transform


def line_colour(board: Board) -> tuple[list[int], list[int]] | None:
    """The rows and columns that are one colour throughout, that colour being the same and no background; or None."""
    grid = board.grid
    rows = [r for r in range(board.height) if (grid[r] == grid[r, 0]).all() and grid[r, 0] != board.background]
    columns = [c for c in range(board.width) if (grid[:, c] == grid[0, c]).all() and grid[0, c] != board.background]
    colours = {int(grid[r, 0]) for r in rows} | {int(grid[0, c]) for c in columns}
    if len(colours) != 1 or len(rows) == board.height:
        return None
    return rows, columns


def spans(lines: Sequence[int], length: int) -> list[tuple[int, int]]:
    """What lies between lines: begin and end."""
    edges = [-1, *lines, length]
    return [(a + 1, b) for a, b in pairwise(edges) if b - a > 1]


def pieces(board: Board) -> list[list[Grid]] | None:
    """The rows of pieces that lines of one colour cut the grid into; None where there are no such lines."""
    lines = line_colour(board)
    if lines is None:
        return None
    down, right = spans(lines[0], board.height), spans(lines[1], board.width)
    if len(down) * len(right) < 2:
        return None
    return [[board.grid[a:b, c:d] for c, d in right] for a, b in down]


def halves(board: Board) -> list[list[Grid]] | None:
    """Two or more equal squares side by side, else two halves."""
    height, width = board.grid.shape
    for n in (2, 3, 4):
        if width == n * height or (n == 2 and width > height and width % 2 == 0):
            return [[board.grid[:, i * width // n : (i + 1) * width // n] for i in range(n)]]
        if height == n * width or (n == 2 and height > width and height % 2 == 0):
            return [[board.grid[i * height // n : (i + 1) * height // n]] for i in range(n)]
    return None


def flat_pieces(board: Board) -> list[Grid] | None:
    """All pieces in reading order: between lines, or halves and thirds."""
    rows = pieces(board) or halves(board)
    return [piece for row in rows for piece in row] if rows else None


PIECES: dict[str, Callable[[Board, Sequence[Grid]], Sequence[Any]]] = {
    "fullest": lambda b, gs: [-int((g != b.background).sum()) for g in gs],
    "emptiest": lambda b, gs: [int((g != b.background).sum()) for g in gs],
    "most colours": lambda b, gs: [-len(np.unique(g)) for g in gs],
    "rarest look": lambda b, gs: frequency([bytes(g.shape) + g.tobytes() for g in gs]),
    "rarest shape": lambda b, gs: frequency([bytes(g.shape) + (g != b.background).tobytes() for g in gs]),
    "rarest count": lambda b, gs: frequency([int((g != b.background).sum()) for g in gs]),
    "symmetric": lambda b, gs: [-int((g == np.fliplr(g)).all()) - int((g == np.flipud(g)).all()) for g in gs],
    "asymmetric": lambda b, gs: [int((g == np.fliplr(g)).all()) + int((g == np.flipud(g)).all()) for g in gs],
}


def choose_piece(board: Board, choice: str) -> Grid | None:
    """The piece that a choice puts first, alone."""
    found = flat_pieces(board)
    if not found:
        return None
    keys = list(PIECES[choice](board, found))
    least = min(keys)
    return found[keys.index(least)] if keys.count(least) == 1 else None


def nth_piece(board: Board, number: int) -> Grid | None:
    """The piece at a place in reading order."""
    found = flat_pieces(board)
    return found[number] if found and -len(found) <= number < len(found) else None


def overlaid(board: Board, reverse: bool) -> Grid | None:
    """All pieces laid over each other, the first (or last) on top."""
    found = flat_pieces(board)
    if not found or len({g.shape for g in found}) != 1:
        return None
    grid = np.full(found[0].shape, board.background, dtype=np.int8)
    for piece in found if reverse else found[::-1]:
        grid = np.where(piece != board.background, piece, grid).astype(np.int8)
    return grid


def piece_transforms() -> dict[str, Transform]:
    """The transforms that choose among pieces, the plainest first."""
    found: dict[str, Transform] = {f"piece {choice}": partial(choose_piece, choice=choice) for choice in PIECES}
    found |= {f"piece {n}": partial(nth_piece, number=n) for n in (0, 1, 2, -1)}
    found["pieces over each other"] = partial(overlaid, reverse=False)
    found["pieces under each other"] = partial(overlaid, reverse=True)
    return found
