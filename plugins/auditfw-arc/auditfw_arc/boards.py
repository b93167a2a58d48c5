"""A grid with what can be seen on it: its background, its connected parts and their properties."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.int8]
Plane = NDArray[np.int32]
Joined = Literal["colour4", "colour8", "any4", "any8", "empty4"]

COLOURS = 10
NONE = -1
LABEL_SECONDS, PART_SECONDS = 0.9e-6, 20e-6
STEPS4 = ((-1, 0), (1, 0), (0, -1), (0, 1))
STEPS8 = (*STEPS4, (-1, -1), (-1, 1), (1, -1), (1, 1))


def read_grid(rows: Any, most: int = 64) -> Grid | None:
    """A grid of whole numbers 0 to 9, at most `most` cells high and wide; None for anything else."""
    if not isinstance(rows, list | tuple) or not 0 < len(rows) <= most:
        return None
    if not all(isinstance(row, list | tuple) and 0 < len(row) == len(rows[0]) <= most for row in rows):
        return None
    if not all(type(cell) is int and 0 <= cell < COLOURS for row in rows for cell in row):
        return None
    return np.array(rows, dtype=np.int8)


@dataclass(frozen=True)
class BoardPart:
    """A connected part: its cells (rows, columns), its bounding box (top, left, bottom, right; ends excluded)."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    colours: tuple[int, ...]

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        return int(self.rows.min()), int(self.columns.min()), int(self.rows.max()) + 1, int(self.columns.max()) + 1

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def height(self) -> int:
        return self.box[2] - self.box[0]

    @property
    def width(self) -> int:
        return self.box[3] - self.box[1]

    @cached_property
    def main_colour(self) -> int:
        return self.colours[0] if len(set(self.colours)) == 1 else Counter(self.colours).most_common(1)[0][0]

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        """The part's cells within its bounding box."""
        cells = np.zeros((self.height, self.width), dtype=bool)
        cells[self.rows - self.box[0], self.columns - self.box[1]] = True
        return cells

    @cached_property
    def holes(self) -> int:
        """Empty regions within the bounding box that do not touch its edge."""
        if min(self.height, self.width) < 3 or self.size == self.height * self.width:
            return 0
        numbers, count = label_cells((~self.mask).astype(np.int8), STEPS4, skip=0)
        edge = {*numbers[0], *numbers[-1], *numbers[:, 0], *numbers[:, -1]} - {NONE}
        return count - len(edge)

    @cached_property
    def shape_key(self) -> bytes:
        """One key for parts of one shape."""
        return bytes([self.height, self.width]) + self.mask.tobytes()

    @cached_property
    def free_key(self) -> bytes:
        """One key for a shape in all its rotations and reflections."""
        if self.size == self.height * self.width:
            return bytes(sorted((self.height, self.width)))
        mask = self.mask
        ways = [turned[::down, ::right] for turned in (mask, mask.T) for down in (1, -1) for right in (1, -1)]
        return min(bytes(way.shape) + way.tobytes() for way in ways)


def label_cells(keys: Grid, steps: tuple[tuple[int, int], ...], skip: int | None) -> tuple[Plane, int]:
    """Numbers connected cells of one key from 0, in reading order of their first cell; `skip` cells get NONE."""
    height, width = keys.shape
    flat: list[int] = keys.ravel().tolist()
    numbers = [NONE] * len(flat)
    count = 0
    for start, key in enumerate(flat):
        if numbers[start] != NONE or key == skip:
            continue
        numbers[start] = count
        todo = [start]
        while todo:
            row, column = divmod(todo.pop(), width)
            for down, right in steps:
                r, c = row + down, column + right
                if 0 <= r < height and 0 <= c < width:
                    at = r * width + c
                    if numbers[at] == NONE and flat[at] == key:
                        numbers[at] = count
                        todo.append(at)
        count += 1
    return np.array(numbers, dtype=np.int32).reshape(height, width), count


class Board:
    """A grid and, each computed when first asked for, what is seen on it; `work` counts the costly ones, in seconds."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.height, self.width = grid.shape
        self.work = 0.0
        self._labels: dict[str, tuple[Plane, int]] = {}
        self._parts: dict[str, list[BoardPart]] = {}
        self.planes: dict[str, Any] = {}

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        return np.bincount(self.grid.ravel(), minlength=COLOURS)

    @cached_property
    def background(self) -> int:
        """Black where there is any, else the most frequent colour."""
        return 0 if self.counts[0] else int(self.counts.argmax())

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        return np.not_equal(self.grid, self.background)

    def ranked(self) -> list[int]:
        """The colours other than the background, the most frequent first."""
        others = [c for c in range(COLOURS) if self.counts[c] and c != self.background]
        return sorted(others, key=lambda c: (-int(self.counts[c]), c))

    def labels(self, joined: Joined) -> tuple[Plane, int]:
        """Numbers of connected parts: of one colour, of any colours but the background, or of the background."""
        if joined not in self._labels:
            keys, skip = self.grid, self.background
            if joined.startswith("any"):
                keys, skip = self.filled.astype(np.int8), 0
            elif joined.startswith("empty"):
                keys, skip = self.filled.astype(np.int8), 1
            self.work += LABEL_SECONDS * self.grid.size
            self._labels[joined] = label_cells(keys, STEPS8 if joined.endswith("8") else STEPS4, skip)
        return self._labels[joined]

    def parts(self, joined: Joined) -> list[BoardPart]:
        """The connected parts in reading order."""
        if joined not in self._parts:
            numbers, count = self.labels(joined)
            flat = numbers.ravel()
            order = np.argsort(flat, kind="stable")
            ends = np.searchsorted(flat[order], np.arange(count + 1))
            parts = []
            for i in range(count):
                cells = order[ends[i] : ends[i + 1]]
                rows, columns = np.divmod(cells, self.width)
                self.work += PART_SECONDS
                parts.append(BoardPart(rows, columns, tuple(self.grid[rows, columns].tolist())))
            self._parts[joined] = parts
        return self._parts[joined]
