"""Planes: what can be said of every cell of a grid, as one whole number a cell. Some of them are colours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .boards import COLOURS, NONE, STEPS8, Board, Grid, Joined, Plane

Look = Callable[[Board], Plane]
WAYS = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
    "upleft": (-1, -1),
    "upright": (-1, 1),
    "downleft": (1, -1),
    "downright": (1, 1),
}


def whole(plane: np.ndarray) -> Plane:
    """Any plane of numbers or truth values as 32-bit whole numbers."""
    return plane.astype(np.int32)


def seen(board: Board, way: str) -> Plane:
    """The first filled cell's colour in a direction, the cell itself left out; NONE where there is none."""
    key = f"seen {way}"
    if key not in board.planes:
        board.planes[key] = _seen(board, *WAYS[way])
    plane: Plane = board.planes[key]
    return plane


def _seen(board: Board, down: int, right: int) -> Plane:
    height, width = board.height, board.width
    padded = np.full((height + 2, width + 2), NONE, dtype=np.int32)
    own = np.where(board.filled, whole(board.grid), NONE)
    rows = range(height) if down <= 0 else range(height - 1, -1, -1)
    if down:
        for r in rows:
            before = r + 1 + down
            last = padded[before, 1 + right : 1 + right + width]
            if 0 <= r + down < height:
                near = np.full(width + 2, NONE, dtype=np.int32)
                near[1:-1] = own[r + down]
                near = near[1 + right : 1 + right + width]
                last = np.where(near != NONE, near, last)
            padded[r + 1, 1:-1] = last
        return padded[1:-1, 1:-1]
    columns = range(1, width) if right < 0 else range(width - 2, -1, -1)
    for c in columns:
        near = own[:, c + right]
        padded[1:-1, c + 1] = np.where(near != NONE, near, padded[1:-1, c + 1 + right])
    return padded[1:-1, 1:-1]


def shifted(board: Board, down: int, right: int) -> Plane:
    """The colour of the cell at an offset; NONE outside."""
    padded = np.full((board.height + 2 * abs(down), board.width + 2 * abs(right)), NONE, dtype=np.int32)
    padded[abs(down) : abs(down) + board.height, abs(right) : abs(right) + board.width] = board.grid
    top, left = abs(down) + down, abs(right) + right
    return padded[top : top + board.height, left : left + board.width]


def turned(board: Board, turn: Callable[[Grid], Grid]) -> Plane:
    """The grid turned or mirrored onto itself; NONE where the shape does not allow it."""
    turned_grid = turn(board.grid)
    return (
        whole(turned_grid) if turned_grid.shape == board.grid.shape else np.full(board.grid.shape, NONE, dtype=np.int32)
    )


def constant(board: Board, value: int) -> Plane:
    return np.full(board.grid.shape, value, dtype=np.int32)


def ranked_colour(board: Board, place: int) -> Plane:
    """The colour at a place of the ranking by frequency (-1: the least frequent), in every cell."""
    ranked = board.ranked()
    return constant(board, ranked[place] if -len(ranked) <= place < len(ranked) else NONE)


def along(board: Board, axis: int, pick: Callable[[np.ndarray], int]) -> Plane:
    """One number for each row (axis 1) or column (axis 0), in all its cells."""
    lines = board.grid if axis == 1 else board.grid.T
    numbers = np.array([pick(line) for line in lines], dtype=np.int32)
    return np.broadcast_to(numbers[:, None] if axis == 1 else numbers[None, :], board.grid.shape).copy()


def main_filled(background: int, line: np.ndarray) -> int:
    counts = np.bincount(line, minlength=COLOURS)
    counts[background] = 0
    return int(counts.argmax()) if counts.any() else NONE


def line_colour(board: Board, axis: int) -> Plane:
    return along(board, axis, partial(main_filled, board.background))


def nearest(board: Board) -> Plane:
    """The colour of the nearest filled cell by steps along rows and columns; of several, in reading order."""
    colours = np.where(board.filled, whole(board.grid), NONE)
    while (colours == NONE).any() and (colours != NONE).any():
        grown = colours.copy()
        for down, right in ((1, 0), (0, 1), (0, -1), (-1, 0)):
            moved = _moved(colours, down, right)
            grown = np.where((grown == NONE) & (moved != NONE), moved, grown)
        colours = grown
    return colours


def _moved(plane: Plane, down: int, right: int) -> Plane:
    moved = np.full_like(plane, NONE)
    height, width = plane.shape
    moved[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = plane[
        max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)
    ]
    return moved


def part_colour(board: Board, joined: Joined, place: int) -> Plane:
    """In each cell of a part its colour at a place of the part's own ranking; NONE elsewhere."""

    def colour(part_colours: tuple[int, ...]) -> int:
        ranked = sorted(set(part_colours), key=lambda c: (-part_colours.count(c), c))
        return ranked[place] if -len(ranked) <= place < len(ranked) else NONE

    return of_parts(board, joined, [colour(part.colours) for part in board.parts(joined)])


def of_parts(board: Board, joined: Joined, numbers: list[int]) -> Plane:
    """In each cell of a part the part's number in the list; NONE elsewhere."""
    labels, _ = board.labels(joined)
    return np.array([*numbers, NONE], dtype=np.int32)[labels]


def box_colour(board: Board) -> Plane:
    """In the bounding box of each part of any colours: its main colour, smaller boxes over larger ones."""
    plane = np.full(board.grid.shape, NONE, dtype=np.int32)
    for part in sorted(board.parts("any8"), key=lambda p: -p.height * p.width):
        top, left, bottom, right = part.box
        plane[top:bottom, left:right] = part.main_colour
    return plane


def around_colour(board: Board) -> Plane:
    """In each empty region: the main colour of the filled cells next to it; NONE in filled cells."""
    numbers = []
    for part in board.parts("empty4"):
        near = np.zeros(board.grid.shape, dtype=bool)
        near[part.rows, part.columns] = True
        grown = near.copy()
        grown[1:] |= near[:-1]
        grown[:-1] |= near[1:]
        grown[:, 1:] |= near[:, :-1]
        grown[:, :-1] |= near[:, 1:]
        rim = board.grid[grown & ~near]
        numbers.append(main_filled(board.background, rim))
    return of_parts(board, "empty4", numbers)


def corner(board: Board, row: int, column: int) -> Plane:
    return constant(board, int(board.grid[row, column]))


def edge_colour(board: Board, axis: int, at: int) -> Plane:
    """The first or last cell of each row (axis 1) or column (axis 0), in all its cells."""
    line = board.grid[:, at] if axis == 1 else board.grid[at]
    return whole(np.broadcast_to(line[:, None] if axis == 1 else line[None, :], board.grid.shape))


def values() -> dict[str, Look]:
    """The planes a cell may take its colour from, the plainest first."""
    looks: dict[str, Look] = {"own": lambda b: whole(b.grid)}
    looks |= {f"colour {c}": partial(constant, value=c) for c in range(COLOURS)}
    looks |= {f"seen {way}": partial(seen, way=way) for way in WAYS}
    turns: dict[str, Callable[[Grid], Grid]] = {
        "mirror left-right": np.fliplr,
        "mirror up-down": np.flipud,
        "half turn": lambda g: np.rot90(g, 2),
        "transpose": np.transpose,
        "quarter turn": np.rot90,
        "quarter turn back": lambda g: np.rot90(g, 3),
    }
    looks |= {name: partial(turned, turn=turn) for name, turn in turns.items()}
    looks |= {f"part's colour {n}": partial(part_colour, joined="any8", place=n) for n in (0, 1)}
    looks |= {"box colour": box_colour, "colour around": around_colour, "nearest colour": nearest}
    looks |= {
        "row's colour": partial(line_colour, axis=1),
        "column's colour": partial(line_colour, axis=0),
        "most frequent colour": partial(ranked_colour, place=0),
        "second colour": partial(ranked_colour, place=1),
        "least frequent colour": partial(ranked_colour, place=-1),
    }
    looks |= {f"{side} of {line}": partial(edge_colour, axis=a, at=at) for side, at in (("start", 0), ("end", -1))
              for line, a in (("row", 1), ("column", 0))}  # fmt: skip
    looks |= {f"offset {d} {r}": partial(shifted, down=d, right=r) for d, r in STEPS8}
    looks |= {
        "top left corner": partial(corner, row=0, column=0),
        "bottom left corner": partial(corner, row=-1, column=0),
    }
    return looks


VALUES = values()
