"""The pieces of a grid: what is between lines, halves, thirds and quarters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .boards import Board, Grid


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
    """What is between lines: begin and end."""
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
