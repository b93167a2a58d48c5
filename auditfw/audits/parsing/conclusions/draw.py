"""The draw for the probe: whole items with their texts, from the one pass over the source.

An item's place in the draw depends on the seed and its name alone. Items are drawn in that order until there are enough
trials or characters. Each process leaves out what others than it cannot draw either: an item before which there are
enough trials in a part of the source has as many before it in the whole. So the draw is the same for any number of
processes, and nothing must be known of the source beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, repeat
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from auditfw.audits.parsing.engine.reference import Truth
from auditfw.core.records import Value

T = TypeVar("T")

MOST = 20_000  # trials that may be drawn
CHARACTERS = 60_000_000  # of all texts that are drawn
RANKS = 2**32  # above every rank
SHARE = 20  # of so many items some trials are drawn, however large they are

Key = tuple[int, str]  # an item's rank and name
Size = tuple[int, int]  # an item's number of trials, at most `each` of them, and the most characters of one
Hashes = tuple[list[str], list[int]]  # distinct names, and their ranks


class DrawnTrial(NamedTuple):
    """A trial that is drawn, with its texts; the first four say its place in the draw."""

    rank: int
    item: str
    order: int
    id: str
    cell: tuple[Value, ...]
    truth: Truth
    stored: int
    raw: str | None
    parsed: str | None
    question: Any = None
    options: Any = None

    @property
    def key(self) -> Key:
        """Its item's place in the draw."""
        return self.rank, self.item

    @property
    def characters(self) -> int:
        """How long its texts are; one that is there twice is kept once."""
        raw, parsed = self.raw or "", self.parsed or ""
        return len(raw) + (0 if raw is parsed else len(parsed))


Row = tuple[Any, ...]  # the fields of a drawn trial, as they go from process to process


class BatchDraw(NamedTuple):
    """The rows of a batch that may be drawn, and the most characters of a trial of each of their items."""

    rows: list[Row]
    longest: dict[Key, int]


_PLACE = itemgetter(0, 1, 2, 3)
_KEY = itemgetter(0, 1)


def hashes(names: Iterable[str], seed: int) -> Hashes:
    """The distinct names and the rank of each: cheap, for most are only ranked."""
    start, distinct = crc32(str(seed).encode()), list(dict.fromkeys(names))
    try:
        return distinct, list(map(crc32, map(str.encode, distinct), repeat(start)))
    except UnicodeEncodeError:  # half a character
        return distinct, [crc32(name.encode("utf-8", "replace"), start) for name in distinct]


def bar(sizes: Mapping[Key, Size], limit: int) -> Key | None:
    """The first item that is not drawn; None where all are. The first of all is drawn however long its texts are."""
    trials = characters = 0
    for key in sorted(sizes):
        n, longest = sizes[key]
        trials, characters = trials + n, characters + n * longest
        if (trials > limit or characters > CHARACTERS) and trials > n:
            return key
    return None


def each_of(limit: int) -> int:
    """The most trials of one item that are drawn: those first by a hash of their ids."""
    return max(1, limit // SHARE)


@dataclass
class DrawSieve:
    """Lets those trials of batch after batch through that may be drawn, as far as this process can tell."""

    limit: int
    _sizes: dict[Key, Size] = field(default_factory=dict)
    _bar: Key | None = None
    _new: int = 0

    def low(self, names: Hashes) -> dict[str, int]:
        """The items up to the bar, with their ranks."""
        most = RANKS if self._bar is None else self._bar[0]
        return {name: rank for name, rank in zip(*names, strict=True) if rank <= most}

    def of(self, rows: list[Row]) -> BatchDraw:
        """Those of a batch's rows that may be drawn; all rows of items below the bar are among them."""
        rows = [row for row in rows if self._bar is None or row[:2] < self._bar]
        each, longest = each_of(self.limit), _longest(rows)
        kept = _capped(rows, each)
        for key, n in Counter(map(_KEY, kept)).items():
            before, most = self._sizes.get(key, (0, 0))
            self._sizes[key] = min(before + n, each), max(most, longest[key])
        self._new += len(kept)
        if self._new > self.limit // 4:
            self._new, self._bar = 0, bar(self._sizes, self.limit) or self._bar
            self._sizes = _below(self._bar, self._sizes)
        kept = [row for row in kept if self._bar is None or row[:2] < self._bar]
        return BatchDraw(kept, _below(self._bar, longest))


@dataclass
class ProbeDraw:
    """What the batches let through, of which the draw is made."""

    limit: int = 0
    _rows: list[Row] = field(default_factory=list)
    _longest: dict[Key, int] = field(default_factory=dict)
    _prune_at: int = 0

    def take(self, batch: BatchDraw) -> None:
        """Adds a batch's rows; those that cannot be drawn any more go."""
        self._rows += batch.rows
        for key, most in batch.longest.items():
            self._longest[key] = max(most, self._longest.get(key, 0))
        if len(self._rows) > max(self._prune_at, 2 * self.limit):
            self._prune()
            self._prune_at = 2 * len(self._rows)

    def trials(self) -> list[DrawnTrial]:
        """The draw, in its order."""
        self._prune()
        return [DrawnTrial(*row) for row in self._rows]

    def _prune(self) -> None:
        kept = _capped(self._rows, each_of(self.limit))
        times = Counter(map(_KEY, kept))
        end = bar({key: (n, self._longest[key]) for key, n in times.items()}, self.limit)
        self._rows = [row for row in kept if end is None or row[:2] < end]
        self._longest = _below(end, self._longest)


def _below(end: Key | None, values: dict[Key, T]) -> dict[Key, T]:
    return values if end is None else {key: value for key, value in values.items() if key < end}


def _longest(rows: Sequence[Row]) -> dict[Key, int]:
    longest: dict[Key, int] = {}
    for row in rows:
        longest[row[:2]] = max(longest.get(row[:2], 0), DrawnTrial(*row).characters)
    return longest


def _capped(rows: Sequence[Row], each: int) -> list[Row]:
    """Rows in the order of the draw, of each item the first `each`; equal ones stay in the order of the input."""
    ordered = sorted(rows, key=_PLACE)
    if len(ordered) <= each:
        return ordered
    return [row for _, group in groupby(ordered, _KEY) for row, _ in zip(group, range(each), strict=False)]
