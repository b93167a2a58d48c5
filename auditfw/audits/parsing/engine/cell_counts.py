"""Pairs of label codes, a stored one and a reading's, counted by cell a whole batch at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress

from auditfw.core.records import Value

Cell = tuple[Value, ...]
Met = dict[Cell, dict[tuple[int, int], int]]

BITS = 3  # label codes are below 8


class _CellNumbers(dict[Cell, int]):
    """Numbers for cells, in the order in which they are met."""

    def __missing__(self, cell: Cell) -> int:
        place = self[cell] = len(self)
        return place


def numbered(cells: Iterable[Cell], stored: bytes | bytearray) -> tuple[list[Cell], list[int]]:
    """The distinct cells, and for each row its cell's number and its stored label in one number."""
    places = _CellNumbers()
    rows = zip(map(places.__getitem__, cells), stored, strict=True)
    # one whole number a row: the cell above, three bits of the stored label, three bits left for the reading's
    pairs = [place << 2 * BITS | code << BITS for place, code in rows]
    return list(places), pairs


def met(cells: Sequence[Cell], pairs: Sequence[int], readings: Sequence[bytearray], sound: bytearray) -> list[Met]:
    """For each reading how often in each cell which label code met which stored one, in rows that are sound.

    Most rows are equal in all readings: so whole rows are counted first, and their counts then added to each reading.
    """
    rows: Iterable[tuple[int, ...]] = zip(pairs, *readings, strict=True)
    counters: list[dict[int, int]] = [{} for _ in readings]
    for (pair, *codes), n in Counter(rows if all(sound) else compress(rows, sound)).items():
        for counts, code in zip(counters, codes, strict=True):
            counts[pair | code] = counts.get(pair | code, 0) + n
    return [_by_cell(cells, counts) for counts in counters]


def _by_cell(cells: Sequence[Cell], counts: dict[int, int]) -> Met:
    by_cell: Met = {}
    for key in sorted(counts):
        by_cell.setdefault(cells[key >> 2 * BITS], {})[key >> BITS & 7, key & 7] = counts[key]
    return by_cell
