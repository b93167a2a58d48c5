"""The loops of a run as a table, and what is asked of them: what the metrics read, and what the report shows."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from auditfw.audits.batches import TakenBatch
from auditfw.core.records import Cell, Reading
from auditfw.core.sampling import fair, ranks
from auditfw.formulas.loop_counts import LoopCounts, LoopView, Traits
from auditfw.kinds.context import Context

from .conclusions.paying import Point
from .conclusions.records import RecordCounts
from .conclusions.stopping import Stopping
from .journal import Streak
from .readings import LIVE, RUN_ALL, STORED
from .scoring import LoopDone, rows, types_of
from .trials import StoredProblem

PROBLEMS, MOST_ROWS = 3, 200  # of the failed ones, and those of the lowest scores, that are shown


def rank_of(done: LoopDone) -> int:
    """Where a problem is in the table: errors, wrong on its tests, unsolved or unknown, solved."""
    if done.status == "error":
        return 0
    if done.solved:
        return 1 if done.live.tests is False else 3
    return 2


@dataclass
class LoopTable:
    """The loops of a run in the order of the problems; all that is counted of them is asked of these.

    `most` unsolved problems of the lowest scores are shown with their attempts (`worst`), `rows_kept` in the table of
    problems, `browsed` in the gallery of a page. `loops` are counted by reading and cell, `stopping` has the costs of
    each rule by problem, `curve` what so many iterations give, `records` what records of the solver say. `left`
    problems were not run, because of the faults of `streak`.
    """

    readings: Sequence[Reading]
    by: Sequence[str]
    seed: int
    most: int
    rows_kept: int
    browsed: int = 0
    done: list[LoopDone] = field(default_factory=list)
    worst: list[LoopDone] = field(default_factory=list)
    loops: dict[tuple[str, Cell | None], LoopCounts] = field(default_factory=dict)
    stopping: Stopping = field(init=False)
    curve: list[Point] = field(default_factory=list)
    records: RecordCounts = field(default_factory=RecordCounts)
    streak: Streak = field(default_factory=Streak)
    left: int = 0

    def __post_init__(self) -> None:
        self.stopping = Stopping(self.seed)

    def taker(
        self, context: Context, problems: Sequence[StoredProblem], most_errors: float
    ) -> Callable[[list[LoopDone]], TakenBatch]:
        """What takes in some problems after others: their rows go to the table of trials.

        The same error over and over ends a run of these `problems`, unless `most_errors` of them may fail.
        """
        context.trials.types = types_of(self.readings)
        failed = 0

        def take(done: list[LoopDone]) -> TakenBatch:
            nonlocal failed
            stored = problems[len(self.done) : len(self.done) + len(done)]
            context.trials.add(rows(done, stored, context.by, self.readings))
            self.worst = heapq.nsmallest(
                self.most, [*self.worst, *(one for one in done if one.exhibit is not None)], key=self._place
            )
            for one in done:
                self._measure(one)
                self.streak.add(one.faults)
                self.records.add(one.records)
                self.done.append(one.bare())
                failed += one.status == "error"
            stop = self.streak.over and failed > most_errors * len(problems)
            if self.streak.over and not stop:
                self.streak = Streak()
            return TakenBatch(len(done), stop=stop)

        return take

    def _measure(self, done: LoopDone) -> None:
        """Counts what is asked of every reading of a loop: of a run's loops these are too many to be held."""
        if done.status == "error":
            return
        self.stopping.add(done.views, done.to_success, done.live)
        for reading in self.readings:
            name = reading.name
            view = LoopView(done.traits.stored, measured=False) if name == STORED else done.views[name]
            known = done.traits if name == LIVE else Traits()
            for cell in (None, done.cell) if self.by else (None,):
                self.loops.setdefault((name, cell), _no_loops(name)).add(view, done.views[RUN_ALL], known)
        self.curve += [Point() for _ in range(len(done.curve) - len(self.curve))]
        for point, allowed in zip(self.curve, done.curve, strict=False):
            point.add(allowed)

    @cached_property
    def counts(self) -> Counter[str]:
        """How many problems are in which bucket."""
        return Counter(one.status for one in self.done)

    @cached_property
    def sound(self) -> list[LoopDone]:
        """The loops that did not fail."""
        return [one for one in self.done if one.status != "error"]

    @property
    def problems(self) -> list[str]:
        """Why the first loops failed."""
        return [f"{one.id}: {one.why}" for one in self.done if one.status == "error"][:PROBLEMS]

    @property
    def reopened(self) -> list[str]:
        """The problems with a request that was open when a run was killed."""
        return [one.id for one in self.done if one.reopened]

    @property
    def requested(self) -> int:
        """How many requests this run sent."""
        return sum(one.requested for one in self.done)

    @cached_property
    def attempts(self) -> int:
        """How many attempts were made."""
        return sum(one.attempts for one in self.done)

    @cached_property
    def unscored(self) -> Counter[str]:
        """The attempts without a score, by the reason why."""
        return Counter(why for one in self.done for _, why in one.unscored)

    def of(self, reading: str, cell: Cell | None) -> LoopCounts:
        """The loops of one reading in one cell, None for all of them."""
        return self.loops.get((reading, cell)) or _no_loops(reading)

    @cached_property
    def endings(self) -> dict[str, list[LoopDone]]:
        """The loops by the reason why they ended."""
        endings: dict[str, list[LoopDone]] = {}
        for one in self.done:
            endings.setdefault(one.reason or "stored attempts end", []).append(one)
        return endings

    @cached_property
    def used(self) -> Counter[tuple[Cell, int, bool]]:
        """How many loops there are by cell, number of attempts and whether they solved their problem."""
        return Counter((one.cell, one.attempts, bool(one.solved)) for one in self.sound)

    @cached_property
    def contradictions(self) -> list[LoopDone]:
        """The loops with another result than recorded."""
        return [one for one in self.sound if one.traits.stored not in (None, one.solved)]

    @property
    def shown(self) -> list[LoopDone]:
        """The first rows of the table of problems: those that failed before those that did not."""
        return sorted(self.done, key=rank_of)[: self.rows_kept]

    @property
    def lowest(self) -> list[LoopDone]:
        """The problems of the lowest scores, the lowest first."""
        return heapq.nsmallest(MOST_ROWS, self.done, key=self._place)

    @property
    def drawn(self) -> list[LoopDone]:
        """The problems of the gallery, in turns from each cell and ending, the lowest scores first."""
        strata = (((one.solved, one.reason, one.cell), (self._rank(one.id), one.id), one) for one in self.done)
        return sorted((one for _, _, one in fair(strata, self.browsed)), key=self._place)

    @cached_property
    def _rank(self) -> Callable[[str], bytes]:
        return ranks(self.seed)

    def _place(self, one: LoopDone) -> tuple[bool, float, bytes]:
        """Unsolved ones first, then by score, those of which nothing could be evaluated before all others."""
        return bool(one.solved), -1.0 if one.score is None else one.score, self._rank(one.id)


def _no_loops(reading: str) -> LoopCounts:
    return LoopCounts(measured=reading != STORED, traced=reading == LIVE)
