"""Features: planes that class the cells of a grid, by position, neighbourhood, lines of sight and parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .boards import NONE, STEPS4, STEPS8, Board, BoardPart, Joined, Plane
from .planes import VALUES, WAYS, Look, along, of_parts, seen, shifted, whole

ABSOLUTE = frozenset(  # places counted from an edge: they fit much, and mean little on a grid of another size
    ("row", "column", "row from below", "column from right", "diagonal number", "antidiagonal number")
)
Measure = Callable[[Board, BoardPart], int]
BETWEEN = {
    "between left and right": ("left", "right"),
    "between up and down": ("up", "down"),
    "between on a diagonal": ("upleft", "downright"),
    "between on an antidiagonal": ("upright", "downleft"),
}


def row_numbers(height: int, width: int) -> Plane:
    return np.broadcast_to(np.arange(height, dtype=np.int32)[:, None], (height, width))


def column_numbers(height: int, width: int) -> Plane:
    return np.broadcast_to(np.arange(width, dtype=np.int32)[None, :], (height, width))


def positions(height: int, width: int) -> dict[str, Callable[[], Plane]]:
    """Features of a cell's place alone, cheap names first."""
    r, c = row_numbers(height, width), column_numbers(height, width)
    up, left = height - 1 - r, width - 1 - c
    return {
        "on the edge": lambda: whole((r == 0) | (c == 0) | (up == 0) | (left == 0)),
        "ring": lambda: np.minimum(np.minimum(r, up), np.minimum(c, left)),
        "row is odd": lambda: r % 2,
        "column is odd": lambda: c % 2,
        "row+column is odd": lambda: (r + c) % 2,
        "row from below is odd": lambda: up % 2,
        "column from right is odd": lambda: left % 2,
        "row": lambda: r,
        "column": lambda: c,
        "row from below": lambda: up,
        "column from right": lambda: left,
        "diagonal": lambda: whole(r == c),
        "antidiagonal": lambda: whole(r == left),
        "diagonal number": lambda: r - c,
        "antidiagonal number": lambda: r + c,
        "upper half": lambda: whole(r < up) + 2 * whole(r == up),
        "left half": lambda: whole(c < left) + 2 * whole(c == left),
        "row mod 3": lambda: r % 3,
        "column mod 3": lambda: c % 3,
        "row+column mod 3": lambda: (r + c) % 3,
        "column mod 4": lambda: c % 4,
        "row mod 4": lambda: r % 4,
    }


def neighbours(board: Board, steps: Sequence[tuple[int, int]], what: str) -> Plane:
    """How many neighbours are filled, or have the cell's own colour."""
    total = np.zeros(board.grid.shape, dtype=np.int32)
    for down, right in steps:
        near = shifted(board, down, right)
        total += (near == board.grid) if what == "same" else (near != NONE) & (near != board.background)
    return total


def sights(board: Board, ways: Sequence[str]) -> Plane:
    """In how many of the directions something filled is seen."""
    total = np.zeros(board.grid.shape, dtype=np.int32)
    for way in ways:
        total += seen(board, way) != NONE
    return total


def between(board: Board, one: str, other: str) -> Plane:
    """The colour seen both ways where it is the same; NONE elsewhere."""
    a, b = seen(board, one), seen(board, other)
    return np.where(a == b, a, NONE)


def is_between(board: Board, one: str, other: str) -> Plane:
    """Whether the same colour is seen both ways."""
    return whole(between(board, one, other) != NONE)


def filled_in_line(board: Board, axis: int) -> Plane:
    return along(board, axis, lambda line: int((line != board.background).sum()))


def uniform_line(board: Board, axis: int) -> Plane:
    return along(board, axis, lambda line: int((line == line[0]).all()))


def line_rank(board: Board, axis: int) -> Plane:
    """1 in the lines with most filled cells, 2 in those with fewest (that have any), 0 elsewhere."""
    counts = (board.filled.sum(axis=axis)).tolist()
    some = [n for n in counts if n]
    most, fewest = (max(some), min(some)) if some else (0, 0)
    numbers = np.array([0 if not n else 1 if n == most else 2 if n == fewest else 0 for n in counts], dtype=np.int32)
    return np.broadcast_to(numbers[:, None] if axis == 1 else numbers[None, :], board.grid.shape).copy()


def distance(board: Board) -> Plane:
    """King's moves to the nearest filled cell."""
    distances = np.where(board.filled, 0, 99).astype(np.int32)
    for step in range(1, max(board.grid.shape)):
        padded = np.pad(distances, 1, constant_values=99)
        near = np.minimum.reduce([padded[1 + d : 1 + d + board.height, 1 + r : 1 + r + board.width] for d, r in STEPS8])
        grown = np.where((distances == 99) & (near == step - 1), step, distances)
        if (grown == distances).all():
            break
        distances = grown
    return distances


def in_box(board: Board, joined: Joined) -> Plane:
    """Whether a cell is in the bounding box of a part: 0 no, 1 on the box's rim, 2 deeper inside."""
    plane = np.zeros(board.grid.shape, dtype=np.int32)
    for part in board.parts(joined):
        top, left, bottom, right = part.box
        area = plane[top:bottom, left:right]
        np.maximum(area, 1, out=area)
        if part.height > 2 and part.width > 2:
            area[1:-1, 1:-1] = 2
    return plane


def rank(numbers: Sequence[int], reverse: bool) -> list[int]:
    order = sorted(set(numbers), reverse=reverse)
    return [order.index(n) for n in numbers]


def touches(board: Board, part: BoardPart) -> int:
    top, left, bottom, right = part.box
    return int(top == 0 or left == 0 or bottom == board.height or right == board.width)


def symmetric(_: Board, part: BoardPart) -> int:
    return int((part.mask == np.fliplr(part.mask)).all()) + 2 * int((part.mask == np.flipud(part.mask)).all())


def across(board: Board, part: BoardPart) -> int:
    """Does the part reach from one edge of the grid to the opposite one?"""
    return int(part.height == board.height) + 2 * int(part.width == board.width)


MEASURES: dict[str, Measure] = {
    "size": lambda b, p: p.size,
    "touches edge": touches,
    "holes": lambda b, p: p.holes,
    "height": lambda b, p: p.height,
    "width": lambda b, p: p.width,
    "full box": lambda b, p: int(p.size == p.height * p.width),
    "square box": lambda b, p: int(p.height == p.width),
    "upright": lambda b, p: int(p.height > p.width) - int(p.height < p.width),
    "colours": lambda b, p: len(set(p.colours)),
    "symmetry": symmetric,
    "size is odd": lambda b, p: p.size % 2,
    "across": across,
    "single cell": lambda b, p: int(p.size == 1),
}
RANKED = ("size", "holes", "height", "width", "colours")
EMPTY = ("size", "touches edge", "height", "width", "full box", "square box", "size is odd", "single cell", "upright")


def measured(board: Board, joined: Joined, name: str) -> Plane:
    return of_parts(board, joined, [MEASURES[name](board, part) for part in board.parts(joined)])


def ranked(board: Board, joined: Joined, name: str, reverse: bool) -> Plane:
    numbers = [MEASURES[name](board, part) for part in board.parts(joined)]
    return of_parts(board, joined, rank(numbers, reverse))


def number(board: Board, joined: Joined, key: Callable[[BoardPart], int]) -> Plane:
    """The part's place in an order by position."""
    return of_parts(board, joined, rank([key(part) for part in board.parts(joined)], False))


def alike(board: Board, joined: Joined, free: bool) -> Plane:
    """How many parts have the same shape (in any rotation or reflection, if `free`)."""
    keys = [part.free_key if free else part.shape_key for part in board.parts(joined)]
    counts = Counter(keys)
    return of_parts(board, joined, [counts[key] for key in keys])


def _ring(part: BoardPart) -> NDArray[Any]:
    top, left, bottom, right = part.box
    upright = np.minimum(part.rows - top, bottom - 1 - part.rows)
    return np.minimum(upright, np.minimum(part.columns - left, right - 1 - part.columns))


def _is_corner(part: BoardPart) -> NDArray[Any]:
    top, left, bottom, right = part.box
    upright = (part.rows == top) | (part.rows == bottom - 1)
    sideways = (part.columns == left) | (part.columns == right - 1)
    both: NDArray[np.bool_] = np.logical_and(upright, sideways)
    return both


IN_PART: dict[str, Callable[[BoardPart], NDArray[Any]]] = {
    "row": lambda part: part.rows - part.box[0],
    "column": lambda part: part.columns - part.box[1],
    "ring": _ring,
    "corner": _is_corner,
}


def in_part(board: Board, joined: Joined, what: str) -> Plane:
    """A cell's place in its part's box: from the top, from the left, as a ring from outside, or whether in a corner."""
    plane = np.full(board.grid.shape, NONE, dtype=np.int32)
    for part in board.parts(joined):
        plane[part.rows, part.columns] = IN_PART[what](part)
    return plane


def part_features(joined: Joined) -> dict[str, Look]:
    names = EMPTY if joined == "empty4" else tuple(MEASURES)
    looks: dict[str, Look] = {f"{joined} {name}": partial(measured, joined=joined, name=name) for name in names}
    for name in ("size",) if joined == "empty4" else RANKED:
        looks[f"{joined} {name} rank"] = partial(ranked, joined=joined, name=name, reverse=True)
        looks[f"{joined} {name} rank from least"] = partial(ranked, joined=joined, name=name, reverse=False)
    looks[f"{joined} from left"] = partial(number, joined=joined, key=lambda p: p.box[1])
    looks[f"{joined} from top"] = partial(number, joined=joined, key=lambda p: p.box[0])
    looks[f"{joined} alike"] = partial(alike, joined=joined, free=False)
    looks[f"{joined} alike turned"] = partial(alike, joined=joined, free=True)
    if joined != "empty4":
        looks |= {f"{joined} inner {what}": partial(in_part, joined=joined, what=what) for what in IN_PART}
    return looks


def features() -> dict[str, Look]:
    """The features of a grid's cells, the plainest first."""
    looks: dict[str, Look] = {"own": VALUES["own"]}
    looks |= {
        "filled around (4)": partial(neighbours, steps=STEPS4, what="filled"),
        "filled around (8)": partial(neighbours, steps=STEPS8, what="filled"),
        "alike around (4)": partial(neighbours, steps=STEPS4, what="same"),
        "alike around (8)": partial(neighbours, steps=STEPS8, what="same"),
        "filled up, down, left, right": partial(sights, ways=tuple(WAYS)[:4]),
        "filled on all diagonals": partial(sights, ways=tuple(WAYS)[4:]),
        **{name: partial(between, one=a, other=b) for name, (a, b) in BETWEEN.items()},
        **{f"is {name}": partial(is_between, one=a, other=b) for name, (a, b) in BETWEEN.items()},
        "filled in row": partial(filled_in_line, axis=1),
        "filled in column": partial(filled_in_line, axis=0),
        "row of one colour": partial(uniform_line, axis=1),
        "column of one colour": partial(uniform_line, axis=0),
        "fullest row": partial(line_rank, axis=1),
        "fullest column": partial(line_rank, axis=0),
        "distance": distance,
        "in a box (any8)": partial(in_box, joined="any8"),
        "in a box (colour8)": partial(in_box, joined="colour8"),
    }
    kinds: tuple[Joined, ...] = ("empty4", "any8", "colour4", "colour8")
    for joined in kinds:
        looks |= part_features(joined)
    looks |= {f"sees {way}": partial(_sees, way=way) for way in WAYS}
    looks |= {name: look for name, look in VALUES.items() if name != "own" and not name.startswith("colour ")}
    return looks


def _sees(board: Board, way: str) -> Plane:
    return whole(seen(board, way) != NONE)


FEATURES = features()
