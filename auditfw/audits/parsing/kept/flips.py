"""Changed labels whose texts are kept while the source is read: those of least rank, of each reading and direction.

A process cannot know which of its flips stay in the draw: several times as many pass as are drawn. Their texts go back
with a batch's labels, which is cheap; what is shown of a trial, and why its label changed, is made of those drawn.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import compress
from typing import NamedTuple, Protocol

from auditfw.audits.parsing.scored_batch import ScoredBatch
from auditfw.audits.parsing.table import STORED, Undefined, label_of
from auditfw.audits.parsing.trials import FlipCause, Trial

RIGHT, WRONG = "→ right", "→ wrong"
DIRECTIONS = (RIGHT, WRONG)
MOST_CAUSES = 2_000  # of a reading
CHARACTERS = 20_000_000  # of texts that wait; beyond, the causes of those drawn so far are looked for
SLACK = 500  # flips beyond twice those that stay

Stratum = tuple[int, str]  # the number of a reading, and the direction of its flips


@dataclass(frozen=True)
class FlipSettings:
    """Which flips are drawn: of the first `candidates` readings, compared with the reading number `reference`.

    `shown` is how many of each reading and direction may be shown, `causes` of how many of each reading causes are
    looked for. `undefined` says how an undefined label counts, as the metrics do.
    """

    candidates: int
    shown: int
    causes: int
    undefined: Undefined
    reference: int

    @property
    def most(self) -> int:
        """How many flips of each reading and direction are kept."""
        return max(self.shown, self.causes)

    def strata(self, trial: Trial) -> Iterator[Stratum]:
        """The readings that change a trial's label, each with the direction."""
        before = label_of(trial.codes[self.reference + 1], self.undefined)
        for reading in range(self.candidates):
            label = label_of(trial.codes[reading + 1], self.undefined)
            if {label, before} == {True, False}:
                yield reading, RIGHT if label else WRONG


NO_FLIPS = FlipSettings(0, 0, 0, "zero", STORED)


class Tracer(Protocol):
    """Says why labels changed under a reading, by its number in the plan."""

    def trace(self, reading: int, flips: Sequence[Trial]) -> list[FlipCause]: ...


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


@dataclass
class FlipBars:
    """The draw of one process: lets those flips of batch after batch through that may be drawn."""

    settings: FlipSettings

    @cached_property
    def _bars(self) -> dict[Stratum, Bar]:
        numbers = range(self.settings.candidates)
        return {(reading, direction): Bar(self.settings.most) for reading in numbers for direction in DIRECTIONS}

    def of(self, scored: ScoredBatch) -> list[Trial]:
        """The trials of a batch that pass, each once."""
        passed: dict[int, None] = {}
        if self.settings.most:
            ranks = scored.ranks
            for stratum, rows in flips_of(self.settings, scored.compared, scored.labels, scored.sound):
                passed |= dict.fromkeys(row for _, row in self._bars[stratum].under((ranks[row], row) for row in rows))
        return [scored.trial(row) for row in sorted(passed)]


def flips_of(
    settings: FlipSettings, reference: bytearray, labels: Sequence[bytearray], sound: bytearray
) -> Iterator[tuple[Stratum, list[int]]]:
    """The rows of a batch that flip under each reading in each direction; those that are not sound do not count.

    Labels go as large whole numbers with a byte for each trial, so that a batch is compared at once.
    """
    whole = int.from_bytes(sound, "little")
    known_there, right_there = _masks(reference, settings.undefined, whole)
    for reading, codes in enumerate(labels[: settings.candidates]):
        known, right = _masks(codes, settings.undefined, whole)
        differ = (right ^ right_there) & known & known_there
        for direction, mask in ((RIGHT, differ & right), (WRONG, differ & right_there)):
            flags = mask.to_bytes(len(sound), "little") if mask else b""
            yield (reading, direction), list(compress(range(len(sound)), flags))


def _masks(codes: bytearray, undefined: Undefined, whole: int) -> tuple[int, int]:
    """The trials with a label by these codes, and those of them with the label right."""
    known, right = _tables(undefined)
    has = int.from_bytes(codes.translate(known), "little") & whole
    return has, int.from_bytes(codes.translate(right), "little") & has


@lru_cache(maxsize=2)
def _tables(undefined: Undefined) -> tuple[bytes, bytes]:
    """For each label code whether it counts as a label, and whether it is right."""
    labels = [label_of(code, undefined) for code in range(256)]
    return bytes(label is not None for label in labels), bytes(label is True for label in labels)


class DrawnFlip(NamedTuple):
    """A trial that is drawn, with the readings and directions of its flips, and whether it may be shown."""

    trial: Trial
    strata: Sequence[Stratum]
    shown: bool


@dataclass
class FlipDraw:
    """The flips drawn from all batches; without a `tracer` nobody asks for causes."""

    settings: FlipSettings
    tracer: Tracer | None = None
    _trials: list[Trial] = field(default_factory=list)
    _order: list[DrawnFlip] | None = None
    _limit: int = SLACK
    _characters: int = 0

    def take(self, trials: Sequence[Trial]) -> None:
        """Adds the flips that a batch let through."""
        self._trials += trials
        self._order = None
        self._characters += sum(trial.size for trial in trials)
        if len(self._trials) > self._limit or self._characters > CHARACTERS:
            self._prune()

    def trials(self) -> list[Trial]:
        """All that may be shown or looked at, by rank; rows of one id stay in the order of the input."""
        return [drawn.trial for drawn in self._ordered()]

    def of(self, reading: int, most: int, directions: Sequence[str] = DIRECTIONS) -> list[Trial]:
        """The first flips of a reading."""
        wanted = {(reading, direction) for direction in directions}
        return [drawn.trial for drawn in self._ordered() if not wanted.isdisjoint(drawn.strata)][:most]

    def causes(self, reading: int) -> list[tuple[Trial, FlipCause]]:
        """The flips of a reading that are looked at, with their causes, in the order of the draw."""
        flips = self.of(reading, self.settings.causes) if self.tracer is not None else []
        return list(zip(flips, self.traced(reading, flips), strict=True))

    def traced(self, reading: int, flips: Sequence[Trial]) -> list[FlipCause]:
        """The causes of flips of a reading, each looked for once."""
        new = [trial for trial in flips if reading not in trial.causes]
        if new and self.tracer is not None:
            for trial, cause in zip(new, self.tracer.trace(reading, new), strict=True):
                trial.causes[reading] = cause
        return [trial.causes[reading] for trial in flips]

    def _ordered(self) -> list[DrawnFlip]:
        """The flips that stay, by rank; made once for all that is asked after the last batch."""
        if self._order is None:
            turns: Counter[Stratum] = Counter()
            self._order = []
            for trial in sorted(self._trials, key=lambda trial: (trial.rank, trial.id)):
                strata = list(self.settings.strata(trial))
                least = min(turns[stratum] for stratum in strata)
                turns.update(strata)
                if least < self.settings.most:
                    self._order.append(DrawnFlip(trial, strata, least < self.settings.shown))
        return self._order

    def _prune(self) -> None:
        """Drops flips that are not drawn any more; of too many long texts those that are not shown."""
        ordered = self._ordered()
        self._trials = [drawn.trial for drawn in ordered]
        self._limit = 2 * len(self._trials) + SLACK
        self._characters = sum(trial.size for trial in self._trials)
        if self._characters > CHARACTERS:
            for reading in range(self.settings.candidates):
                self.causes(reading)
            self._trials = [one.trial if one.shown else replace(one.trial, raw="", parsed="") for one in ordered]
            self._order, self._characters = None, 0
