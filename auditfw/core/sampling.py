"""Seeded draws: what ranks a row, and a fair draw from strata of very different sizes; the random numbers of others."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from auditfw.core.native import native_kernel

T = TypeVar("T")
Drawn = tuple[Hashable, Any, T]  # the stratum, the rank in the draw, the row


@contextmanager
def random_state_restored() -> Iterator[None]:
    """Gives the global random numbers of Python, and of NumPy if that was imported before, back as they were."""
    state = random.getstate()
    numpy = sys.modules.get("numpy")
    arrays = numpy.random.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(state)
        if numpy is not None:
            numpy.random.set_state(arrays)


def words(*draw: object) -> bytes:
    """What a draw's ranks begin with."""
    return "".join(f"{word}\0" for word in draw).encode("utf-8", "replace")


def ranks(*draw: object) -> Callable[[str], bytes]:
    """What ranks an id in a draw (seed, section): 8 bytes made of these words and the id, not of its position."""
    begun = blake2b(words(*draw), digest_size=8)

    def rank(name: str) -> bytes:
        own = begun.copy()
        own.update(name.encode("utf-8", "replace"))
        return own.digest()

    return rank


def trial_key(seed: int, name: str) -> str:
    """The key of a trial in files that people fill in: a letter first, so that no spreadsheet makes it a number."""
    return f"k{ranks(seed, 'key')(name).hex()[:11]}"


def ranked(draw: Sequence[object], ids: list[str], rows: list[int], bar: bytes | None) -> list[tuple[bytes, int]]:
    """Some rows of these ids with their ranks in a draw, in their order: those whose rank is not above the bar."""
    kernel = native_kernel()
    if kernel is not None:
        known: list[tuple[bytes, int]] = kernel.ranked(words(*draw), ids, rows, bar)
        return known
    rank = ranks(*draw)
    pairs = ((rank(ids[row]), row) for row in rows)
    return [pair for pair in pairs if bar is None or pair[0] <= bar]


def fair(rows: Iterable[Drawn[T]], most: int) -> list[Drawn[T]]:
    """At most `most` rows: each stratum has its first drawn before any has its second, in each turn by rank.

    Of parts first and then of what is left it is the same as of all rows at once: a row that is not drawn from some
    of them is not drawn from more of them.
    """
    turns: Counter[Hashable] = Counter()
    placed = []
    for row in sorted(rows, key=lambda row: row[1]):
        placed.append((turns[row[0]], row))
        turns[row[0]] += 1
    return [row for _, row in sorted(placed, key=lambda one: one[0])[:most]]


@dataclass
class FairDraw(Generic[T]):
    """A fair draw of at most `most` rows from batch after batch, in whatever process.

    Some more are held than that: what is held is drawn from anew when as many have come again.
    """

    most: int
    _held: list[Drawn[T]] = field(default_factory=list)
    _bars: dict[Hashable, Any] = field(default_factory=dict)

    def bar(self, stratum: Hashable) -> Any:
        """The largest rank with which a row of a stratum may still be drawn; None: any rank."""
        return self._bars.get(stratum)

    def take(self, rows: Iterable[Drawn[T]]) -> list[Drawn[T]]:
        """Adds the rows of a batch, and gives those that may be drawn."""
        drawn = fair(rows, self.most)
        self._held += drawn
        if len(self._held) > 2 * self.most:
            self._held = self.drawn()
            self._bars = self._raised()
        return drawn

    def drawn(self) -> list[Drawn[T]]:
        """The rows that are drawn of all so far, turn by turn."""
        return fair(self._held, self.most)

    def _raised(self) -> dict[Hashable, Any]:
        """For each stratum that can lose its turn the largest rank that may still be drawn."""
        if not self._held:
            return {}
        turns = Counter(stratum for stratum, _, _ in self._held)
        own = {stratum: rank for stratum, rank, _ in self._held}
        last, lost = max(turns.values()), self._held[-1][1]
        bars = {stratum: own[stratum] for stratum, n in turns.items() if n == last}
        return bars | {stratum: max(own[stratum], lost) for stratum, n in turns.items() if n == last - 1}
