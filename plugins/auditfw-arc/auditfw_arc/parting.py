"""Transforms that choose among the parts of a grid: connected parts, pieces between lines, halves and thirds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .boards import Board, BoardPart, Grid, Joined
from .transforms import MOST, Transform

Choice = Callable[[Board, Sequence[BoardPart]], Sequence[Any]]


def frequency(keys: Sequence[Any]) -> list[int]:
    counts = Counter(keys)
    return [counts[key] for key in keys]


CHOICES: dict[str, Choice] = {
    "largest": lambda b, ps: [-p.size for p in ps],
    "smallest": lambda b, ps: [p.size for p in ps],
    "biggest box": lambda b, ps: [-p.height * p.width for p in ps],
    "smallest box": lambda b, ps: [p.height * p.width for p in ps],
    "most colours": lambda b, ps: [-len(set(p.colours)) for p in ps],
    "fewest colours": lambda b, ps: [len(set(p.colours)) for p in ps],
    "rarest colour": lambda b, ps: frequency([p.main_colour for p in ps]),
    "rarest shape": lambda b, ps: frequency([p.shape_key for p in ps]),
    "rarest shape, turned": lambda b, ps: frequency([p.free_key for p in ps]),
    "rarest size": lambda b, ps: frequency([p.size for p in ps]),
    "commonest shape": lambda b, ps: [-n for n in frequency([p.shape_key for p in ps])],
    "commonest look": lambda b, ps: [-n for n in frequency([p.shape_key + bytes(p.colours) for p in ps])],
    "most holes": lambda b, ps: [-p.holes for p in ps],
    "fewest holes": lambda b, ps: [p.holes for p in ps],
    "symmetric": lambda b, ps: [-_symmetries(b, p) for p in ps],
    "asymmetric": lambda b, ps: [_symmetries(b, p) for p in ps],
    "most of its second colour": lambda b, ps: [-(p.size - max(Counter(p.colours).values())) for p in ps],
    "least of its second colour": lambda b, ps: [p.size - max(Counter(p.colours).values()) for p in ps],
    "topmost": lambda b, ps: [p.box[0] for p in ps],
    "lowest": lambda b, ps: [-p.box[2] for p in ps],
    "leftmost": lambda b, ps: [p.box[1] for p in ps],
    "rightmost": lambda b, ps: [-p.box[3] for p in ps],
    "densest": lambda b, ps: [-p.size / (p.height * p.width) for p in ps],
}


def _symmetries(board: Board, part: BoardPart) -> int:
    top, left, bottom, right = part.box
    area = board.grid[top:bottom, left:right]
    return int((area == np.fliplr(area)).all()) + int((area == np.flipud(area)).all())


def chosen(board: Board, joined: Joined, choice: str) -> BoardPart | None:
    """The part that a choice puts first, alone; None where there is no such one."""
    key = f"chosen {joined} {choice}"
    if key not in board.planes:
        board.planes[key] = _chosen(board, board.parts(joined), choice)
    part: BoardPart | None = board.planes[key]
    return part


def _chosen(board: Board, parts: Sequence[BoardPart], choice: str) -> BoardPart | None:
    if len(parts) < 2:
        return None
    keys = list(CHOICES[choice](board, parts))
    least = min(keys)
    return parts[keys.index(least)] if keys.count(least) == 1 or choice == "commonest look" else None


def crop_part(board: Board, joined: Joined, choice: str, alone: bool) -> Grid | None:
    """Cuts out the box of the chosen part, with or without what else is there."""
    part = chosen(board, joined, choice)
    if part is None:
        return None
    top, left, bottom, right = part.box
    area = board.grid[top:bottom, left:right]
    return np.where(part.mask, area, board.background).astype(np.int8) if alone else area


def keep_part(board: Board, joined: Joined, choice: str, keep: bool) -> Grid | None:
    """Empties all but the chosen part, or just that."""
    part = chosen(board, joined, choice)
    if part is None:
        return None
    mask = np.zeros(board.grid.shape, dtype=bool)
    mask[part.rows, part.columns] = True
    return np.where(mask == keep, board.grid, board.background).astype(np.int8)


def drop_small(board: Board, joined: Joined, least: int) -> Grid | None:
    """Empties parts with fewer cells than that."""
    grid = board.grid.copy()
    for part in board.parts(joined):
        if part.size < least:
            grid[part.rows, part.columns] = board.background
    return grid


def crop_frame(board: Board, inside: bool) -> Grid | None:
    """Cuts out the largest rectangle of one colour drawn as a frame, with its frame or without."""
    frames = [
        p for p in board.parts("colour4") if p.height > 2 and p.width > 2 and p.size >= 2 * (p.height + p.width) - 4
        and p.mask[0].all() and p.mask[-1].all() and p.mask[:, 0].all() and p.mask[:, -1].all()
    ]  # fmt: skip
    if not frames:
        return None
    top, left, bottom, right = max(frames, key=lambda p: p.height * p.width).box
    return board.grid[top + 1 : bottom - 1, left + 1 : right - 1] if inside else board.grid[top:bottom, left:right]


def crop_colour(board: Board, place: int, inside: bool) -> Grid | None:
    """Cuts out the box of all cells of one colour, by its rank in frequency."""
    ranked = board.ranked()
    if not -len(ranked) <= place < len(ranked) or len(ranked) < 2:
        return None
    rows, columns = np.nonzero(board.grid == ranked[place])
    rim = int(inside)
    top, bottom, left, right = rows.min() + rim, rows.max() + 1 - rim, columns.min() + rim, columns.max() + 1 - rim
    return board.grid[top:bottom, left:right] if top < bottom and left < right else None


def stacked(board: Board, joined: Joined, axis: int, key: str) -> Grid | None:
    """The boxes of all parts of one height (or width) next to each other, in an order."""
    parts = board.parts(joined)
    if not 1 < len(parts) <= MOST:
        return None
    keys = list(CHOICES[key](board, parts))
    areas = [
        board.grid[p.box[0] : p.box[2], p.box[1] : p.box[3]]
        for _, p in sorted(enumerate(parts), key=lambda i: (keys[i[0]], i[0]))
    ]
    if len({area.shape[1 - axis] for area in areas}) != 1 or sum(area.shape[axis] for area in areas) > MOST:
        return None
    return np.concatenate(areas, axis=axis)


def colours_in_order(board: Board, joined: Joined, key: str, upright: bool) -> Grid | None:
    """One cell for each part, of its main colour, in an order."""
    parts = board.parts(joined)
    if not 0 < len(parts) <= 30:
        return None
    keys = list(CHOICES[key](board, parts))
    line = [[parts[i].main_colour for i in sorted(range(len(parts)), key=lambda i: (keys[i], i))]]
    grid = np.array(line, dtype=np.int8)
    return grid.T if upright else grid


def hollow(board: Board, joined: Joined) -> Grid | None:
    """Empties the inside of every part's box."""
    grid = board.grid.copy()
    for part in board.parts(joined):
        top, left, bottom, right = part.box
        grid[top + 1 : bottom - 1, left + 1 : right - 1] = board.background
    return grid


def turn_parts(board: Board, joined: Joined, turn: Callable[[Grid], Grid]) -> Grid | None:
    """Turns or mirrors every part's box where it is."""
    grid = board.grid.copy()
    for part in board.parts(joined):
        top, left, bottom, right = part.box
        area = turn(board.grid[top:bottom, left:right])
        if area.shape != (bottom - top, right - left):
            return None
        grid[top:bottom, left:right] = area
    return grid


def part_transforms() -> dict[str, Transform]:
    """The transforms that choose among parts, the plainest first."""
    return crops() | cleared() | lists()


def crops() -> dict[str, Transform]:
    """Cuts out one part, or the box of a frame or of a colour."""
    transforms: dict[str, Transform] = {}
    kinds: tuple[Joined, ...] = ("any8", "colour8", "colour4", "any4")
    for joined in kinds:
        for choice in CHOICES:
            transforms[f"crop {joined} {choice}"] = partial(crop_part, joined=joined, choice=choice, alone=False)
            if joined in ("any8", "colour8"):
                transforms[f"cut out {joined} {choice}"] = partial(crop_part, joined=joined, choice=choice, alone=True)
    transforms |= {
        "crop frame": partial(crop_frame, inside=False),
        "crop inside frame": partial(crop_frame, inside=True),
    }
    for n in (0, 1, -1):
        transforms[f"crop box of colour {n}"] = partial(crop_colour, place=n, inside=False)
        transforms[f"crop inside box of colour {n}"] = partial(crop_colour, place=n, inside=True)
    return transforms


def cleared() -> dict[str, Transform]:
    """Empties or turns parts where they are."""
    transforms: dict[str, Transform] = {}
    for joined in ("any8", "colour8"):
        for choice in ("largest", "smallest", "rarest shape", "rarest colour", "symmetric"):
            transforms[f"keep {joined} {choice}"] = partial(keep_part, joined=joined, choice=choice, keep=True)
            transforms[f"drop {joined} {choice}"] = partial(keep_part, joined=joined, choice=choice, keep=False)
    for n in (2, 3, 4):
        transforms[f"drop any8 smaller than {n}"] = partial(drop_small, joined="any8", least=n)
        transforms[f"drop colour4 smaller than {n}"] = partial(drop_small, joined="colour4", least=n)
    transforms["hollow boxes"] = partial(hollow, joined="colour8")
    for name, turn in (("left-right", np.fliplr), ("up-down", np.flipud), ("half", lambda g: np.rot90(g, 2))):
        transforms[f"turn each part {name}"] = partial(turn_parts, joined="any8", turn=turn)
    return transforms


def lists() -> dict[str, Transform]:
    """Puts parts, or a cell for each, in an order."""
    transforms: dict[str, Transform] = {}
    for joined in ("colour8", "colour4"):
        for key in ("largest", "smallest", "leftmost", "topmost", "most holes"):
            for upright in (True, False):
                name = f"colours of {joined} {key} first {'down' if upright else 'across'}"
                transforms[name] = partial(colours_in_order, joined=joined, key=key, upright=upright)
    for key in ("leftmost", "topmost", "largest", "smallest"):
        for axis, side in ((1, "across"), (0, "down")):
            transforms[f"parts {side}, {key} first"] = partial(stacked, joined="any8", axis=axis, key=key)
    return transforms
