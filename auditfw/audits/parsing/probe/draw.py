"""The draw for the probe: whole items with their texts, from the one pass over the source.

An item's place in the draw depends on the seed and its name alone. Items are drawn in that order until there are enough
trials or characters. Each process leaves out what others than it cannot draw either: an item before which there are
enough trials in a part of the source has as many before it in the whole. So the draw is the same for any number of
processes, and nothing must be known of the source beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, repeat
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

from auditfw.audits.parsing.engine.reference import Truth
from auditfw.core.imports import np
from auditfw.core.records import Value

MOST_PROBED = 20_000  # trials that may be drawn
CHARACTERS = 60_000_000  # of all texts that are drawn
NAMES_KEPT = 50_000  # of items that are ranked already
PRUNED_FROM = 20_000  # rows that batches let through
PRUNED_CHARACTERS = 3_000_000  # of texts that were let through, where they are of more rows than are drawn
SHARE = 20  # of so many items some trials are drawn, however large they are

Key = tuple[int, str]  # an item's rank and name
Size = tuple[int, int]  # an item's number of trials, at most `each` of them, and the most characters of one


class ProbedTrial(NamedTuple):
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
    asked: tuple[Any, Any] = (None, None)  # the question and its options
    value: str | None = None  # that says which rule the trial has, where rows have rules of their own
    unstored: bool = False  # whether no answer of its own was stored

    @property
    def key(self) -> Key:
        """Its item's place in the draw."""
        return self.rank, self.item


Row = tuple[Any, ...]  # the fields of a drawn trial, as they go from process to process


class ProbeRows(NamedTuple):
    """The rows of a batch that may be drawn, and the most characters of a trial of each of their items.

    `characters` are about those of all rows, never less. `end` is an item that cannot be drawn, nor can those after it.
    """

    rows: list[Row]
    longest: dict[Key, int]
    characters: int = 0
    end: Key | None = None


_PLACE = itemgetter(0, 1, 2, 3)
_KEY = itemgetter(0, 1)
_ITEM = itemgetter(1)
_TEXTS = itemgetter(*map(ProbedTrial._fields.index, ("item", "raw", "parsed")))


def hashes(names: Sequence[str], seed: int | str) -> list[int]:
    """The rank of each name: a cheap one, for most are only ranked.

    A checksum alone would keep names that follow each other in an order of their own, whatever the seed, and truths
    that come again and again in an order would meet their own: its bits are mixed (Appleby, MurmurHash3, `fmix32`).
    """

    start = crc32(str(seed).encode())
    try:
        sums = list(map(crc32, map(str.encode, names), repeat(start)))
    except UnicodeEncodeError:  # half a character
        sums = [crc32(name.encode("utf-8", "replace"), start) for name in names]
    mixed = np.array(sums, np.uint32)
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        mixed = (mixed ^ (mixed >> np.uint32(shift))) * np.uint32(factor)
    ranks: list[int] = (mixed ^ (mixed >> np.uint32(16))).tolist()
    return ranks


def bar(sizes: Mapping[Key, Size], limit: int) -> Key | None:
    """The first item that is not drawn; None where all are. The first of all is drawn however long its texts are."""
    trials = characters = 0
    for key in sorted(sizes):
        n, longest = sizes[key]
        trials, characters = trials + n, characters + n * longest
        if (trials > limit or characters > CHARACTERS) and trials > n:
            return key
    return None


def nearer(one: Key | None, other: Key | None) -> Key | None:
    """The first of two items that are not drawn: what is known of a part holds of the whole, and is not forgotten."""
    return min((end for end in (one, other) if end is not None), default=None)


def each_of(limit: int) -> int:
    """The most trials of one item that are drawn: those first by a hash of their ids."""
    return max(1, limit // SHARE)


@dataclass
class DrawSieve:
    """Lets those trials of batch after batch through that may be drawn, as far as this process can tell.

    `longest` gives the most characters of a row of each item.
    """

    limit: int
    longest: Callable[[Sequence[Row]], dict[str, int]] = field(default_factory=lambda: _longest)
    _sizes: dict[Key, Size] = field(default_factory=dict)
    _bar: Key | None = None
    _new: int = 0
    _low: dict[str, int] = field(default_factory=dict)
    _ranked: set[str] = field(default_factory=set)

    def low(self, names: Sequence[str], seed: int | str) -> dict[str, int]:
        """The items below the bar, with their ranks: those of these names, and maybe others."""
        new = set(names).difference(self._ranked)
        if len(self._ranked) > NAMES_KEPT:  # each id is an item of its own
            new, self._low, self._ranked = set(names), {}, set()
        distinct = list(new)
        self._low |= self._lowest(zip(distinct, hashes(distinct, seed), strict=True))
        self._ranked |= new
        return self._low

    def of(self, rows: list[Row]) -> ProbeRows:
        """Those of a batch's rows, all of items below the bar, that may be drawn."""
        each, longest, characters = each_of(self.limit), self.longest(rows), 0
        times = Counter(map(_ITEM, rows))
        for name, most in longest.items():
            key, n = (self._low[name], name), times[name]
            before, most_before = self._sizes.get(key, (0, 0))
            self._sizes[key] = min(before + n, each), max(most_before, most)
            characters += n * most
            self._new += min(n, each)
        if self._new > self.limit // 4:
            self._new, self._bar = 0, nearer(bar(self._sizes, self.limit), self._bar)
            self._low = self._lowest(self._low.items())
            self._sizes = {key: size for key, size in self._sizes.items() if key[1] in self._low}
            rows = [row for row in rows if row[1] in self._low]
        low = {(self._low[name], name): most for name, most in longest.items() if name in self._low}
        kept = _capped(rows, each) if max(times.values(), default=0) > each else rows
        return ProbeRows(kept, low, characters, self._bar)

    def _lowest(self, ranked: Iterable[tuple[str, int]]) -> dict[str, int]:
        """Those of the names that are below the bar."""
        if self._bar is None:
            return dict(ranked)
        end, last = self._bar
        return {name: rank for name, rank in ranked if rank < end or (rank == end and name < last)}


@dataclass
class ProbeDraw:
    """What the batches let through, of which the draw is made."""

    limit: int = 0
    _rows: list[Row] = field(default_factory=list)
    _longest: dict[Key, int] = field(default_factory=dict)
    _most_rows: int = 0
    _characters: int = 0
    _end: Key | None = None

    def take(self, batch: ProbeRows) -> None:
        """Adds a batch's rows; those that cannot be drawn any more go when there are many, or long ones."""
        self._rows += batch.rows
        for key, most in batch.longest.items():
            if most > self._longest.get(key, -1):
                self._longest[key] = most
        self._characters += batch.characters
        self._end = nearer(self._end, batch.end)
        long = self._characters > PRUNED_CHARACTERS and len(self._rows) > 2 * self.limit
        if len(self._rows) > max(self._most_rows, PRUNED_FROM) or long or self._characters > 4 * CHARACTERS:
            self._prune()
            self._most_rows, self._characters = 2 * len(self._rows), 0

    def copy(self) -> ProbeDraw:
        """The same draw, to go on with apart."""
        return replace(self, _rows=list(self._rows), _longest=dict(self._longest))

    def trials(self) -> list[ProbedTrial]:
        """The draw, in its order."""
        return [ProbedTrial(*row) for row in self.rows()]

    def rows(self) -> list[Row]:
        """The same as the rows that were let through."""
        self._prune()
        return self._rows

    @property
    def end(self) -> Key | None:
        """The first item that is not drawn; None where all are."""
        self._prune()
        return self._end

    def _prune(self) -> None:
        each, times = each_of(self.limit), Counter(map(_KEY, self._rows))
        here = bar({key: (min(n, each), self._longest[key]) for key, n in times.items()}, self.limit)
        end = self._end = nearer(here, self._end)
        kept = [row for row in self._rows if end is None or row[:2] < end]
        self._rows = _capped(kept, each)
        self._longest = {key: most for key, most in self._longest.items() if end is None or key < end}


def _longest(rows: Sequence[Row]) -> dict[str, int]:
    """The most characters of a row of each item; a text that is there twice counts once."""
    longest: dict[str, int] = {}
    for name, raw, parsed in map(_TEXTS, rows):
        characters = (len(raw) if raw else 0) + (len(parsed) if parsed and parsed is not raw else 0)
        if characters >= longest.get(name, 0):
            longest[name] = characters
    return longest


def _capped(rows: list[Row], each: int) -> list[Row]:
    """Rows, of each item at most `each`: in the order of the draw, equal ones in the order of the input."""
    groups = groupby(sorted(rows, key=_PLACE), _KEY)
    return [row for _, group in groups for row in islice(group, each)]
