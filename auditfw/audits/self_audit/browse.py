"""Which problems a page shows, chosen as they end: some of every kind to look through, and the lowest scores."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.ledger import StopReason, Ties
from auditfw.records import Cell
from auditfw.strata import fair

MOST_ROWS = 200
ROOM = 4  # so many times what is kept may wait to be sorted


@dataclass(frozen=True)
class Seen:
    """How a problem's loop ended; `score` is the best attempt's, `rank` its place in a seeded draw."""

    id: str
    cell: Cell
    reason: StopReason | None
    solved: bool | None
    score: float | None
    rank: bytes

    @property
    def place(self) -> tuple[bool, float, bytes]:
        """Unsolved ones first, then by score, those of which nothing could be evaluated before all others."""
        return bool(self.solved), -1.0 if self.score is None else self.score, self.rank


@dataclass
class Browsed:
    """Keeps at most `most` problems to look through, and the MOST_ROWS of the lowest scores; of `most` 0 none."""

    most: int
    _drawn: list[Seen] = field(default_factory=list)
    _lowest: list[Seen] = field(default_factory=list)

    def add(self, seen: Seen) -> None:
        """Looks at one problem."""
        self._drawn.append(seen)
        self._lowest.append(seen)
        if len(self._drawn) > ROOM * self.most:
            self._drawn = _fair(self._drawn, self.most)
        if len(self._lowest) > ROOM * MOST_ROWS:
            self._lowest = self.lowest()

    def lowest(self) -> list[Seen]:
        """The problems of the lowest scores, the lowest first."""
        return heapq.nsmallest(MOST_ROWS, self._lowest, key=lambda seen: seen.place)

    def drawn(self) -> list[Seen]:
        """The problems drawn, in turns from each cell and ending, the lowest scores first."""
        return sorted(_fair(self._drawn, self.most), key=lambda seen: seen.place)


def _fair(seen: Iterable[Seen], most: int) -> list[Seen]:
    strata = (((one.solved, one.reason, one.cell), (one.rank, one.id), one) for one in seen)
    return [one for _, _, one in fair(strata, most)]


@dataclass
class Traced:
    """What the journal tells of one problem: the score of each attempt, and the best one as it was written down."""

    scores: dict[int, float | None] = field(default_factory=dict)
    best: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    def add(self, record: dict[str, Any], ties: Ties) -> None:
        """Takes in an attempt; attempts come in their order."""
        score = record["score"]
        self.scores[record["attempt"]] = score
        self.why = record["why"] or self.why
        held = self.best.get("score", -1.0)
        if score is not None and (score > held or (score == held and ties == "latest")):
            self.best = record


def traced(records: Iterable[dict[str, Any]], ties: Ties, ids: Sequence[str]) -> dict[str, Traced]:
    """The attempts of each of these problems, from lines of a journal."""
    found = {name: Traced() for name in ids}
    for record in records:
        found[record["problem"]].add(record, ties)
    return found
