"""From single loops to what the metrics read, and what the report shows: counted in the order of the problems."""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from auditfw.audits.batches import TakenBatch
from auditfw.core.document import Exhibit
from auditfw.core.records import Cell, Reading
from auditfw.core.sampling import ranks
from auditfw.core.statistics import ExactSum
from auditfw.formulas.loop_counts import LoopCounts, LoopView, Traits
from auditfw.kinds.context import Context

from .conclusions.records import RecordCounts
from .conclusions.stopping import Stopping
from .exhibits import EndedLoop, GalleryDraw
from .faults import Streak
from .readings import LIVE, NOTHING, RUN_ALL, STORED
from .rows import rows, types_of
from .scoring import LoopDone

CONTRADICTIONS_KEPT = 1_000


@dataclass
class Ending:
    """The problems that ended for one reason; of `untimed` the seconds are not known."""

    problems: int = 0
    solved: int = 0
    attempts: int = 0
    requests: int = 0
    seconds: ExactSum = field(default_factory=ExactSum)
    untimed: int = 0


@dataclass
class Point:
    """The loops of which it is known what so many iterations give: how many, how many solved, the sum of scores."""

    known: int = 0
    solved: int = 0
    score: ExactSum = field(default_factory=ExactSum)


def rank_of(done: LoopDone) -> int:
    """Where a problem is in the table: errors, wrong on its tests, unsolved or unknown, solved."""
    live = done.views.get(LIVE, NOTHING)
    if done.status == "error":
        return 0
    if live.solved:
        return 1 if live.tests is False else 3
    return 2


@dataclass
class SelfAuditCounts:
    """All loops of a run counted.

    `endings` by stop reason, `used` by cell, number of attempts and outcome, `curve` by the iterations allowed,
    `contradictions` with what was recorded and found, `records` those of the solver, `stopping` the costs of each rule
    by problem, `worst` the unsolved problems of the lowest scores, `shown` the first rows of the table of problems,
    `gallery` the problems that a page shows; `left` problems were not run, because of the faults of `streak`. Of
    all `attempts` some are `untimed`, and some `unscored`, by the reason why.
    """

    readings: Sequence[Reading]
    by: Sequence[str]
    seed: int
    most: int
    rows_kept: int
    gallery: GalleryDraw = field(default_factory=lambda: GalleryDraw(0))
    counts: Counter[str] = field(default_factory=Counter)
    loops: dict[tuple[str, Cell | None], LoopCounts] = field(default_factory=dict)
    endings: dict[str, Ending] = field(default_factory=dict)
    used: Counter[tuple[Cell, int, bool]] = field(default_factory=Counter)
    curve: list[Point] = field(default_factory=list)
    contradictions: list[tuple[LoopDone, LoopView]] = field(default_factory=list)
    worst: list[tuple[float, bytes, Exhibit]] = field(default_factory=list)
    shown: list[LoopDone] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    streak: Streak = field(default_factory=Streak)
    records: RecordCounts = field(default_factory=RecordCounts)
    stopping: Stopping = field(init=False)
    left: int = 0
    requested: int = 0
    reopened: list[str] = field(default_factory=list)
    unreported: int = 0
    attempts: int = 0
    untimed: int = 0
    unscored: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.stopping = Stopping(self.seed)

    def taker(self, context: Context, problems: int, most_errors: float) -> Callable[[list[LoopDone]], TakenBatch]:
        """What takes in some problems after others: their rows go to the table of trials.

        The same error over and over ends a run of so many `problems`, unless `most_errors` of them may fail.
        """
        context.trials.types = types_of(self.readings)

        def take(done: list[LoopDone]) -> TakenBatch:
            context.trials.add(rows(done, context.by, self.readings))
            for one in done:
                self.add(one)
            stop = self.streak.over and self.counts["error"] > most_errors * problems
            if self.streak.over and not stop:
                self.streak = Streak()
            return TakenBatch(len(done), stop=stop)

        return take

    def add(self, done: LoopDone) -> None:
        """Counts one problem."""
        self.counts[done.status] += 1
        self.requested += done.requested
        self.unreported += done.unreported
        self.attempts += done.attempts
        self.untimed += done.untimed
        self.unscored.update(done.unscored)
        self.streak.add(done.faults)
        self.records.add(done.records)
        if done.reopened:
            self.reopened.append(done.id)
        self._show(done)
        if done.status == "error":
            self.problems.append(f"{done.id}: {done.why}")
            del self.problems[3:]
        else:
            self._measure(done)
        self._count_ending(done)
        self._exhibit(done)

    def _show(self, done: LoopDone) -> None:
        """Keeps the first rows of the table of problems: those that failed before those that did not."""
        rank = rank_of(done)
        if len(self.shown) < self.rows_kept:
            insort(self.shown, done, key=rank_of)
        elif self.shown and rank < rank_of(self.shown[-1]):
            self.shown.pop()
            insort(self.shown, done, key=rank_of)

    def _measure(self, done: LoopDone) -> None:
        whole = done.views[RUN_ALL]
        self.stopping.add(done.views, done.to_success, done.views[LIVE])
        for reading in self.readings:
            stored = reading.name == STORED
            view = LoopView(done.traits.stored, measured=False) if stored else done.views[reading.name]
            known = done.traits if reading.name == LIVE else Traits()
            for cell in (None, done.cell) if self.by else (None,):
                self.of(reading.name, cell).add(view, whole, known)

    def of(self, reading: str, cell: Cell | None) -> LoopCounts:
        """The loops of one reading in one cell, None for all of them."""
        key = reading, cell
        if key not in self.loops:
            self.loops[key] = LoopCounts(measured=reading != STORED, traced=reading == LIVE)
        return self.loops[key]

    def _count_ending(self, done: LoopDone) -> None:
        live = done.views.get(LIVE, NOTHING)
        ending = self.endings.setdefault(done.reason or "stored attempts end", Ending())
        ending.problems += 1
        ending.solved += bool(live.solved)
        ending.attempts += done.attempts
        ending.requests += done.spent.requests
        ending.seconds.add(done.spent.seconds or 0.0)
        ending.untimed += done.spent.seconds is None
        if done.status == "error":
            return
        self.used[done.cell, done.attempts, bool(live.solved)] += 1
        self._add_curve(done)
        stored = done.traits.stored
        if stored is not None and stored != live.solved and len(self.contradictions) < CONTRADICTIONS_KEPT:
            self.contradictions.append((done, live))

    def _add_curve(self, done: LoopDone) -> None:
        self.curve += [Point() for _ in range(len(done.curve) - len(self.curve))]
        for point, (score, solved) in zip(self.curve, done.curve, strict=False):
            point.known += 1
            point.solved += solved
            point.score.add(score)

    def _exhibit(self, done: LoopDone) -> None:
        if not self.gallery.most and (done.exhibit is None or not self.most):
            return
        rank = ranks(self.seed)(done.id)
        if self.gallery.most:
            solved = done.views.get(LIVE, NOTHING).solved
            self.gallery.add(EndedLoop(done.id, done.cell, done.reason, solved, done.score, rank))
        if done.exhibit is None or not self.most:
            return
        score = -1.0 if done.score is None else done.score
        self.worst = heapq.nsmallest(self.most, [*self.worst, (score, rank, done.exhibit)], key=lambda one: one[:2])
