"""The one loop over batches that all audits share: work on each, take in what it came to, in the order of the input."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from auditfw.core.background import BackgroundTask
from auditfw.core.inputs import FileSum
from auditfw.core.masking import mask, masking_as
from auditfw.core.records import Input
from auditfw.core.remote.parts import LaidRows, SharedFolder, shared_folder
from auditfw.core.tables import PackedRows
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Task
from auditfw.kinds.evidence import Evidence, one_pass_of

SENT = 8  # batches that are sent to another machine at once

S = TypeVar("S")
T = TypeVar("T")
Lay = Callable[[PackedRows], PackedRows | LaidRows]  # where packed rows are left


def as_they_are(outcome: T, *_: object) -> T:
    """What is neither packed nor laid down elsewhere."""
    return outcome


class TakenBatch(NamedTuple):
    """What taking in a batch came to: how many rows it was, how many cells there are by now, whether to stop."""

    rows: int
    cells: int = 1
    stop: bool = False


class Batches(NamedTuple, Generic[S]):
    """The tasks of a run: how many rows they have in all (None: unknown), and what the work on them is worth.

    `weight` is a number of rows of a cheap audit, where it is not `rows`: engines start processes by it. `unsummed` are
    files whose checksums a cluster computes.
    """

    tasks: Iterable[S]
    rows: int | None
    weight: int | None = None
    unsummed: Callable[[], Sequence[FileSum]] = tuple


class Checked(Protocol):
    """Files that are read: evidence, or what a component reads besides."""

    @property
    def inputs(self) -> Callable[[], list[Input]]: ...

    @property
    def check(self) -> Callable[[], None]: ...


def collect(context: Context, work: Callable[[S], T], batches: Batches[S], take: Callable[[T], TakenBatch]) -> int:
    """Has the engine do the work on every batch, takes in each outcome, and reports progress; returns the rows taken.

    `take` gets the outcomes in the order of the batches: it adds their rows to the tables and merges their counts.
    Raises UsageError for too many cells, and whatever the work raises.
    """
    done, rows = 0, batches.rows
    with closing(_outcomes(context, work, batches)) as outcomes:
        for outcome in outcomes:
            taken = take(outcome)
            done += taken.rows
            context.check_cells(taken.cells)
            context.progress(done, rows)
            if taken.stop:
                break
    return done


def _outcomes(context: Context, work: Callable[[S], T], batches: Batches[S]) -> Generator[T, None, None]:
    """The outcomes in the order of the batches; a cluster's workers pack them, and sum the files besides."""
    tasks, rows, weight, unsummed = batches
    map_beside: Callable[..., Iterator[list[T] | FileSum]] | None = capability(context.engine, "map_beside")
    if map_beside is None:
        yield from context.engine.map(work, tasks, rows if weight is None else weight)
        return
    with shared_folder(capability(context.engine, "parts"), mask()) as folder:
        for outcomes in map_beside(BatchesOrSum(work, folder), map(SentTasks, count(), several(tasks)), unsummed()):
            if isinstance(outcomes, FileSum):
                outcomes.keep()
            else:
                yield from outcomes


@dataclass(frozen=True)
class BatchesOrSum(Generic[S, T]):
    """The work on some batches, or the checksum of a file, on another machine: what it sends is packed there."""

    work: Callable[[S], T]
    folder: SharedFolder | None = None

    def __call__(self, tasks: SentTasks[S] | FileSum) -> Sequence[T] | FileSum:
        if isinstance(tasks, FileSum):
            return tasks.summed()
        pack: Callable[..., list[T]] = getattr(self.work, "pack", as_they_are)
        outcomes = [self.work(task) for task in tasks.tasks]
        if self.folder is None:
            return pack(outcomes)
        with masking_as(self.folder.mask):
            return pack(outcomes, partial(self.folder.lay, tasks.number))


@dataclass(frozen=True)
class SentTasks(Generic[S]):
    """Tasks that are sent at once, and which of such they are."""

    number: int
    tasks: Sequence[S]


def several(tasks: Iterable[S]) -> Iterator[list[S]]:
    """The tasks, so many at a time as are sent to another machine at once."""
    rest = iter(tasks)
    while some := list(islice(rest, SENT)):
        yield some


@dataclass(frozen=True)
class Noting(Generic[S, T]):
    """The work on a task, and what the task notes for the check of all of them."""

    work: Callable[[S], T]

    def __call__(self, task: S) -> tuple[T, bytes]:
        return self.work(task), getattr(task, "note", b"")

    def pack(self, outcomes: list[tuple[T, bytes]], *lay: Lay) -> list[tuple[T, bytes]]:
        """The same outcomes as they are sent from another machine, their rows as `lay` leaves them."""
        pack: Callable[..., list[T]] = getattr(self.work, "pack", as_they_are)
        parts, notes = zip(*outcomes, strict=True)
        return list(zip(pack(list(parts), *lay), notes, strict=True))


def collect_checked(
    context: Context, work: Callable[[Task], T], batches: Batches[Task], take: Callable[[T], TakenBatch]
) -> int:
    """The same for tasks that may be checked while the work goes on, and not before: for work that costs little.

    Raises DataError after the last batch, for an id that is there twice.
    """
    once = one_pass_of(batches.tasks)
    if once is None:
        return collect(context, work, batches, take)

    def taken(outcome: tuple[T, bytes]) -> TakenBatch:
        once.take(outcome[1])
        return take(outcome[0])

    rows = collect(context, Noting(work), batches._replace(tasks=once.tasks), taken)
    once.finish()
    return rows


class InputSums:
    """The inputs of some files with their checksums, computed by a thread while the audit goes on.

    Without `ahead` they are computed when they are asked for: by sources that sum what they read.
    """

    @classmethod
    def of(cls, context: Context, source: object, evidence: Evidence, *further: Checked) -> InputSums:
        """Those of evidence and of further files: no thread sums what the source or a cluster's workers sum."""
        beside = capability(context.engine, "map_beside") is not None and evidence.unsummed()
        return cls(evidence, *further, ahead=not (capability(source, "summed", False) or beside))

    def __init__(self, *files: Checked, ahead: bool = True) -> None:
        self._files = files
        self._inputs: Callable[[], list[Input]] = BackgroundTask(self._sum) if ahead else self._sum

    def _sum(self) -> list[Input]:
        return [one for file in self._files for one in file.inputs()]

    def __call__(self) -> list[Input]:
        """Waits for the checksums, then looks whether a file changed meanwhile. Raises DataError."""
        inputs = self._inputs()
        for file in self._files:
            file.check()
        return inputs
