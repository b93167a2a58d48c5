"""The draw of trials for people to label: which, in which order, and how many of each class; the same from its seed.

A draw may have several rounds: cells, classes and readings stay those of the first, and a later round adds trials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from auditfw.core.imports import np
from auditfw.core.records import Value, sorted_cells
from auditfw.core.sampling import ranked, ranks
from auditfw.formulas.people.strata import CLASSES, classes_of, labels_by_cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int8]

MOST_READINGS = 62
SHORT_KEY, LONG_KEY = 11, 15  # hexadecimal digits
SPARE = 64  # rows that are kept beyond twice as many as are drawn
Cell = tuple[Value, ...]


@dataclass(frozen=True)
class DrawRows:
    """The trials of a run that may be drawn: ids, cells, and the labels of each reading (1 right, 0 wrong, -1 none).

    The reference comes first; readings that say the same of every trial are there once.
    """

    ids: list[str]
    cells: list[Cell]
    labels: dict[str, Codes]

    def classes(self) -> Codes:
        """The class of each trial; -1 where no reading has a label."""
        return classes_of(list(self.labels.values()))


class PageTrial(NamedTuple):
    """A trial that was drawn: its row, its cell's and class's number, its place on the page of its round from 0."""

    row: int
    cell: int
    kind: int
    position: int


@dataclass(frozen=True)
class CellClasses:
    """One cell with its trials, and the labels drawn so far, by class."""

    cell: Cell
    trials: tuple[int, ...]
    drawn: tuple[int, ...]


def distinct(labels: dict[str, Codes]) -> dict[str, Codes]:
    """The readings, but none whose labels (missing ones too) equal those of an earlier one."""
    kept: dict[bytes, str] = {}
    for name, codes in labels.items():
        kept.setdefault(blake2b(codes.tobytes()).digest(), name)
    return {name: labels[name] for name in kept.values()}


def sizes(rows: DrawRows, classes: Codes) -> list[CellClasses]:
    """The cells in order with their trials by class, none drawn; trials without any label are left out."""
    counts: dict[Cell, list[int]] = {}
    for cell, kind in zip(rows.cells, classes.tolist(), strict=True):
        if kind >= 0:
            counts.setdefault(cell, [0] * len(CLASSES))[kind] += 1
    none = (0,) * len(CLASSES)
    return [CellClasses(cell, tuple(counts[cell]), none) for cell in sorted_cells(counts)]


def draw(rows: DrawRows, groups: Sequence[CellClasses], n: int, seed: int) -> tuple[list[CellClasses], list[PageTrial]]:
    """n further trials: the cells with what is drawn now, and the new trials in the order of their page."""
    before = [group.drawn for group in groups]
    total = sum(map(sum, before)) + n
    labels = labels_by_cell([group.trials for group in groups], total, before)
    numbers = {group.cell: number for number, group in enumerate(groups)}
    kinds = rows.classes()
    cells = np.fromiter((numbers.get(cell, -1) for cell in rows.cells), np.int64, len(kinds))
    by_cell = np.argsort(cells, kind="stable")
    ends = np.searchsorted(cells[by_cell], np.arange(len(groups) + 1))
    page = []
    for number, group in enumerate(groups):
        inside = by_cell[ends[number] : ends[number + 1]]
        for kind, (first, last) in enumerate(zip(group.drawn, labels[number], strict=True)):
            if first < last:
                there = inside[kinds[inside] == kind].tolist()
                chosen = _first_ranked(rows.ids, there, last, seed)[first:]
                page += [(place, rows.ids[row], row, number, kind) for place, row in _places(rows, chosen, seed)]
    drawn = [PageTrial(row, number, kind, at) for at, (_, _, row, number, kind) in enumerate(sorted(page))]
    return [CellClasses(g.cell, g.trials, tuple(now)) for g, now in zip(groups, labels, strict=True)], drawn


def _first_ranked(ids: list[str], rows: list[int], n: int, seed: int) -> list[tuple[bytes, int]]:
    """The first n of some rows by rank; of many rows those alone are kept that have a rank about as low."""
    part = (2 * n + SPARE) / len(rows)
    bar = int(part * 2**64).to_bytes(8, "big") if part < 1 else None
    low = ranked((seed, "label"), ids, rows, bar)
    return sorted(low if len(low) >= n else ranked((seed, "label"), ids, rows, None))[:n]


def _places(rows: DrawRows, chosen: Sequence[tuple[bytes, int]], seed: int) -> Iterator[tuple[float, int]]:
    """Where on the page each comes: the t-th of n at (t - v)/n, so that any beginning of a page is a fair draw."""
    rank = ranks(seed, "page")
    for t, (_, row) in enumerate(chosen, 1):
        yield (t - int.from_bytes(rank(rows.ids[row]), "big") / 2**64) / len(chosen), row


def keys_of(ids: Sequence[str], seed: int) -> list[str]:
    """The keys of trials on pages and in files (ids often name the model); longer where two would be equal."""
    rank = ranks(seed, "key")
    digests = [rank(name).hex() for name in ids]
    times = Counter(digest[:SHORT_KEY] for digest in digests)
    return [f"k{digest[: SHORT_KEY if times[digest[:SHORT_KEY]] == 1 else LONG_KEY]}" for digest in digests]


def pages(trials: Sequence[PageTrial], people: int, overlap: int) -> list[list[PageTrial]]:
    """The pages of a round: the first `overlap` trials are on each of them, the others are dealt in turn."""
    shared, others = trials[:overlap], trials[overlap:]
    return [[*shared, *others[person::people]] for person in range(people)]
