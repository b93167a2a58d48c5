"""Frames: how the shape of the output follows from a grid, and what can be said of each of the output's cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .boards import COLOURS, NONE, Board, Grid, Plane
from .features import FEATURES, positions
from .pieces import halves, pieces
from .planes import VALUES, main_filled, whole

Thunk = Callable[[], Plane]
Shape = tuple[int, int]
MOST_SIDE = 40


@dataclass(frozen=True)
class Canvas:
    """The output's cells of one grid: the shape, the planes colours may be taken from, and the planes to class by."""

    shape: Shape
    values: dict[str, Thunk]
    features: dict[str, Thunk]


@dataclass(frozen=True)
class Frame:
    """A way to lay out the output, with its canvas for every grid (training first, then test)."""

    name: str
    canvases: Sequence[Canvas]


def constants(shape: Shape) -> dict[str, Thunk]:
    return {f"colour {c}": partial(np.full, shape, c, dtype=np.int32) for c in range(COLOURS)}


def same(board: Board) -> Canvas:
    """The grid's own cells."""
    looks: dict[str, Thunk] = {
        name: partial(_remembered, board, name, look) for name, look in {**VALUES, **FEATURES}.items()
    }
    places = positions(board.height, board.width)
    features = {name: looks[name] for name in FEATURES}
    return Canvas(board.grid.shape, {name: looks[name] for name in VALUES}, _first(features, places, "own"))


def _first(features: dict[str, Thunk], places: dict[str, Thunk], name: str) -> dict[str, Thunk]:
    return {name: features[name], **places, **features}


def _remembered(board: Board, name: str, look: Callable[[Board], Plane]) -> Plane:
    if name not in board.planes:
        board.planes[name] = look(board)
    plane: Plane = board.planes[name]
    return plane


def blown_up(board: Board, down: int, right: int) -> Canvas:
    """Every cell a block: what is said of the block's cell, of the place within it, and of the grid as a tile there."""
    height, width = board.grid.shape
    shape = (height * down, width * right)
    rows, columns = np.indices(shape)
    block, inner = (rows // down, columns // right), (rows % height, columns % width)
    odd_row, odd_column = rows // height % 2 == 1, columns // width % 2 == 1
    mirrored = (
        np.where(odd_row, height - 1 - inner[0], inner[0]),
        np.where(odd_column, width - 1 - inner[1], inner[1]),
    )
    half = (np.where(odd_row, height - 1 - inner[0], inner[0]), inner[1])
    other = (inner[0], np.where(odd_column, width - 1 - inner[1], inner[1]))
    grid = whole(board.grid)
    values: dict[str, Thunk] = {"block": lambda: grid[block], "tile": lambda: grid[inner]}
    values |= constants(shape)
    values |= {"mirrored tile": lambda: grid[mirrored], "tile mirrored down": lambda: grid[half]}
    values |= {"tile mirrored across": lambda: grid[other], "turned tile": lambda: grid[::-1, ::-1][inner]}
    if height == width:
        values["quarter turned tile"] = lambda: np.rot90(grid)[inner]
        values["tile turned back"] = lambda: np.rot90(grid, 3)[inner]
    ranked = board.ranked()
    values["most frequent colour"] = lambda: np.full(shape, ranked[0] if ranked else NONE, dtype=np.int32)
    features: dict[str, Thunk] = {name: look for name, look in values.items() if not name.startswith("colour ")}
    features |= {
        "block is filled": lambda: whole(board.filled[block]),
        "tile is filled": lambda: whole(board.filled[inner]),
        "block has most frequent colour": lambda: whole(board.grid == board.counts.argmax())[block],
        "block has least frequent colour": lambda: whole(board.grid == (board.ranked() or [NONE])[-1])[block],
        "tile's row": lambda: whole(rows // height),
        "tile's column": lambda: whole(columns // width),
        "row in block": lambda: whole(rows % down),
        "column in block": lambda: whole(columns % right),
    }
    return Canvas(shape, values, features | positions(*shape))


def overlays(board: Board, find: Callable[[Board], list[list[Grid]] | None]) -> Canvas | None:
    """The pieces of a grid laid on top of each other."""
    rows = find(board)
    layers = [piece for row in rows for piece in row] if rows else []
    if len(layers) < 2 or len(layers) > 16 or len({layer.shape for layer in layers}) != 1:
        return None
    shape: Shape = layers[0].shape
    cube = np.stack([whole(layer) for layer in layers])
    filled = cube != board.background
    values: dict[str, Thunk] = {f"piece {n}": partial(_layer, cube, n) for n in range(len(layers))}
    values |= constants(shape)
    values["first filled"] = lambda: np.take_along_axis(cube, filled.argmax(axis=0)[None], axis=0)[0]
    features: dict[str, Thunk] = {
        "filled pieces": lambda: whole(filled.sum(axis=0)),
        "all alike": lambda: whole((cube == cube[0]).all(axis=0)),
        **{name: look for name, look in values.items() if not name.startswith("colour ")},
        **{f"piece {n} is filled": partial(_layer, whole(filled), n) for n in range(len(layers))},
    }
    return Canvas(shape, values, features | positions(*shape))


def _layer(cube: Plane, number: int) -> Plane:
    plane: Plane = cube[number]
    return plane


def mosaic(board: Board, blocks: list[list[Grid]] | None) -> Canvas | None:
    """One output cell for each piece of a grid."""
    if not blocks or len({len(row) for row in blocks}) != 1:
        return None
    shape = (len(blocks), len(blocks[0]))
    background = board.background

    def each(look: Callable[[Grid], int]) -> Thunk:
        return lambda: np.array([[look(piece) for piece in row] for row in blocks], dtype=np.int32)

    filled = np.array([[int((piece != background).sum()) for piece in row] for row in blocks], dtype=np.int32)
    values: dict[str, Thunk] = {
        "main colour": each(lambda g: main_filled(background, g.ravel())),
        **constants(shape),
        "largest colour": each(lambda g: int(np.bincount(g.ravel(), minlength=COLOURS).argmax())),
        "least colour": each(lambda g: int(min(g.ravel(), key=lambda c: ((g == c).sum(), c)))),
        "middle cell": each(lambda g: int(g[g.shape[0] // 2, g.shape[1] // 2])),
    }
    features: dict[str, Thunk] = {
        **{name: look for name, look in values.items() if not name.startswith("colour ")},
        "filled cells": lambda: filled,
        "fullest": lambda: whole(filled == filled.max()),
        "emptiest": lambda: whole(filled == filled.min()),
        "all filled": each(lambda g: int((g != background).all())),
        "colours": each(lambda g: len(np.unique(g))),
        "of one colour": each(lambda g: int((g == g[0, 0]).all())),
        "symmetric": each(lambda g: int((g == np.fliplr(g)).all()) + 2 * int((g == np.flipud(g)).all())),
    }
    return Canvas(shape, values, features | positions(*shape))


def cut(board: Board, shape: Shape) -> list[list[Grid]] | None:
    """A grid cut into equal blocks, as many as the shape says."""
    high, wide = board.height // shape[0], board.width // shape[1]
    if high * shape[0] != board.height or wide * shape[1] != board.width or high * wide < 2:
        return None
    return [
        [board.grid[r * high : (r + 1) * high, c * wide : (c + 1) * wide] for c in range(shape[1])]
        for r in range(shape[0])
    ]


def fixed(board: Board, shape: Shape) -> Canvas:
    """An output of one shape whatever the grid: by place, and by what the whole grid is like."""
    rows, columns = np.indices(shape)
    ranked = board.ranked()

    def everywhere(number: int) -> Thunk:
        return lambda: np.full(shape, number, dtype=np.int32)

    facts = {f"colour of rank {n}": ranked[n] if len(ranked) > n else NONE for n in range(3)}
    facts["colour of last rank"] = ranked[-1] if ranked else NONE
    values: dict[str, Thunk] = {**constants(shape), **{name: everywhere(n) for name, n in facts.items()}}
    order = whole(rows * shape[1] + columns)
    features: dict[str, Thunk] = {name: everywhere(n) for name, n in facts.items()}
    features["number of colours"] = everywhere(len(ranked))
    for joined in ("any8", "colour8", "colour4"):
        parts = board.parts(joined)
        features[f"number of {joined}"] = everywhere(len(parts))
        features[f"below number of {joined}"] = partial(_below, order, len(parts))
        features[f"below number of larger {joined}"] = partial(_below, order, sum(part.size > 1 for part in parts))
        features[f"shapes of {joined}"] = everywhere(len({part.shape_key for part in parts}))
    features["below number of cells"] = partial(_below, order, int(board.filled.sum()))
    grid = board.grid
    features |= {
        "symmetric left-right": everywhere(int((grid == np.fliplr(grid)).all())),
        "symmetric up-down": everywhere(int((grid == np.flipud(grid)).all())),
        "filled cells": everywhere(int(board.filled.sum())),
        "filled by place": lambda: board.filled[
            np.minimum(rows, board.height - 1), np.minimum(columns, board.width - 1)
        ].astype(np.int32),
    }
    return Canvas(shape, values, features | positions(*shape))


def _below(order: Plane, number: int) -> Plane:
    return whole(order < number)


def frames(boards: Sequence[Board], wanted: Sequence[Shape]) -> Iterator[Frame]:
    """The frames that give every training output its shape: `wanted`, one for each of the first boards."""
    trained = boards[: len(wanted)]
    if all(b.grid.shape == shape for b, shape in zip(trained, wanted, strict=True)):
        yield Frame("each cell", [same(board) for board in boards])
    ratios = {(s[0] / b.height, s[1] / b.width) for b, s in zip(trained, wanted, strict=True)}
    if len(ratios) == 1:
        down, right = ratios.pop()
        whole_ratio = down == int(down) and right == int(right) and down * right > 1
        if whole_ratio and max(max(b.height * down, b.width * right) for b in boards) <= MOST_SIDE:
            yield Frame(
                f"each cell of {int(down)} x {int(right)}", [blown_up(b, int(down), int(right)) for b in boards]
            )
    squares = [(b.height, b.width) for b in trained]
    if all(s == (h * h, w * w) for s, (h, w) in zip(wanted, squares, strict=True)) and len(set(squares)) > 1:
        yield Frame("each cell of itself times itself", [blown_up(b, b.height, b.width) for b in boards])
    kinds: dict[str, Callable[[Board], Canvas | None]] = {
        "each cell of pieces over each other": partial(overlays, find=pieces),
        "each cell of halves over each other": partial(overlays, find=halves),
        "a cell for each piece": lambda b: mosaic(b, pieces(b)),
    }
    if len(set(wanted)) == 1:
        shape = wanted[0]
        kinds[f"a cell for each of {shape[0]} x {shape[1]} blocks"] = lambda b: mosaic(b, cut(b, shape))
        if shape[0] * shape[1] <= 100:
            kinds[f"{shape[0]} x {shape[1]} cells"] = lambda b: fixed(b, shape)
    for name, make in kinds.items():
        canvases = [make(board) for board in boards]
        known = [canvas for canvas in canvases if canvas is not None]
        if len(known) == len(boards) and all(c.shape == s for c, s in zip(known, wanted, strict=False)):
            yield Frame(name, known)
