"""A seeded draw of each reading's flips, whose causes are looked for when the draw is complete.

A process cannot know which of its flips stay in the draw: several times as many pass as are drawn. So their texts go
back with a batch's counts, which is cheap, and only those drawn are traced, which is not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from auditfw.audits.parsing.engine.reference import Truth, alternatives

NO_STEP = "no step"
MOST = 2_000  # flips of a reading
SLACK = 2  # how many times more than wanted are kept before the rest is dropped
CHARACTERS = 20_000_000  # of texts that wait; beyond, the causes of those drawn so far are looked for


class FlipTexts(NamedTuple):
    """A trial whose label changes: its texts, truth, and label codes, that of the stored label first.

    Where rows have rules of their own, `value` says which.
    """

    raw: str | None
    parsed: str | None
    truth: Truth
    codes: bytes
    value: str | None = None

    @property
    def truths(self) -> tuple[str, ...]:
        return alternatives(self.truth)

    @property
    def size(self) -> int:
        """The characters of the texts."""
        return len(self.raw or "") + len(self.parsed or "")


class FlipCause(NamedTuple):
    """Why a label changed: the step, whether it alone did, the direction, and the signs in the texts."""

    step: str
    sufficient: bool
    right: bool
    signs: tuple[str, ...]


def cause_text(cause: FlipCause) -> str:
    """A cause in words."""
    if cause.step == NO_STEP:
        return f"{NO_STEP}: the reference reads a different text"
    return f"{cause.step} ({'sufficient' if cause.sufficient else 'with other steps'})"


class Tracer(Protocol):
    """Says why labels changed under a reading, by its number in the plan."""

    def trace(self, reading: int, flips: Sequence[FlipTexts]) -> list[FlipCause]: ...


class DrawnFlip(NamedTuple):
    """A flip by its rank in the draw and its trial's id, with what its cause is looked for in."""

    rank: bytes
    id: str
    texts: FlipTexts


class DrawnCause(NamedTuple):
    """The cause of a flip by its rank in the draw and its trial's id."""

    rank: bytes
    id: str
    cause: FlipCause


@dataclass
class DrawnCauses:
    """The causes of the flips with the least ranks, `most` of each reading, by its number in the plan."""

    most: int = 0
    tracer: Tracer | None = None
    _waiting: dict[int, list[DrawnFlip]] = field(default_factory=dict)
    _traced: dict[int, list[DrawnCause]] = field(default_factory=dict)
    _characters: int = 0

    def take(self, part: Mapping[int, Sequence[DrawnFlip]]) -> None:
        """Adds the flips of a batch."""
        for reading, flips in part.items():
            waiting = self._waiting.setdefault(reading, [])
            waiting.extend(flips)
            self._characters += sum(flip.texts.size for flip in flips)
            if len(waiting) > SLACK * self.most:
                self._characters -= sum(flip.texts.size for flip in waiting)
                waiting[:] = sorted(waiting, key=_place)[: self.most]
                self._characters += sum(flip.texts.size for flip in waiting)
        if self._characters > CHARACTERS:
            for reading in list(self._waiting):
                self.of(reading)

    def of(self, reading: int) -> list[DrawnCause]:
        """Those of a reading, in the order of the draw."""
        waiting = self._waiting.pop(reading, [])
        traced = self._traced.get(reading, [])
        if waiting and self.tracer is not None:
            self._characters -= sum(flip.texts.size for flip in waiting)
            places = sorted([*map(_place, traced), *map(_place, waiting)])
            bar = places[: self.most][-1]
            waiting = [flip for flip in waiting if _place(flip) <= bar]
            causes = self.tracer.trace(reading, [flip.texts for flip in waiting])
            new = [DrawnCause(flip.rank, flip.id, cause) for flip, cause in zip(waiting, causes, strict=True)]
            traced = self._traced[reading] = sorted([*traced, *new], key=_place)[: self.most]
        return traced


def _place(drawn: DrawnFlip | DrawnCause) -> tuple[bytes, str]:
    """Where a flip is in the draw; rows of one id stay in the order of the input."""
    return drawn.rank, drawn.id


@dataclass
class Bar:
    """Lets those rows of batch after batch through that can still be among the `most` of least rank."""

    most: int
    _least: list[bytes] = field(default_factory=list)

    def under(self, ranked: Iterable[tuple[bytes, int]]) -> list[tuple[bytes, int]]:
        """Those of these rows, by rank. Equal ranks are of one id, and stay together."""
        least = self._least
        passed = sorted(pair for pair in ranked if len(least) < self.most or pair[0] <= least[-1])
        if len(passed) > self.most:
            last = passed[self.most - 1][0]
            passed = [pair for pair in passed if pair[0] <= last]
        for rank, _ in passed:
            at = bisect_left(least, rank)
            if least[at : at + 1] != [rank]:
                least.insert(at, rank)
        del least[self.most :]
        return passed
