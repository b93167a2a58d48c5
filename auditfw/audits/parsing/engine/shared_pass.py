"""Several runs over the same trials at once: each batch is read once, and each reading computed once, whoever asks.

Every run gets the very partial results that its own work would have given, in the same order, from a file; whatever
could make a difference (a component that fails on a row) sends a batch through each run's own work instead.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from auditfw.audits.parsing.counts import STATUS
from auditfw.audits.parsing.kept.samples import further_columns
from auditfw.audits.parsing.scored_batch import BatchMemo
from auditfw.audits.parsing.scoring import ParsingScorer
from auditfw.core.records import Batch
from auditfw.core.tables import TrialTable
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.context import Context, Engine, Outcome, Task
from auditfw.kinds.evidence import Evidence

from .kernels import Column, Kernel, Scores, kernel, sound
from .plan import ReadingPlan
from .reference import Truth
from .shared_results import SharedResults, repeated

S = TypeVar("S")
T = TypeVar("T")


class _OwnWorkError(Exception):
    """A batch that each run has to work on by itself."""


@dataclass
class Family:
    """Works that differ in parsers, normalizers and matchers only, as one plan of all their readings."""

    works: list[ParsingScorer]
    _scored: Scores | None = None
    memo: BatchMemo = field(default_factory=BatchMemo)

    @cached_property
    def parts(self) -> tuple[list[Any], list[Any], list[tuple[int, int]]]:
        """The distinct parsers, pairs of a normalizer and a matcher, and readings."""
        parsers: list[Any] = []
        ends: list[Any] = []
        for work in self.works:
            _add(parsers, [named.part for named in work.plan.parsers])
            _add(ends, ends_of(work))
        readings: dict[tuple[int, int], None] = {}
        for work in self.works:
            own = ends_of(work)
            for p, n in work.plan.scored.readings:
                readings[parsers.index(work.plan.parsers[p].part), ends.index(own[n])] = None
        return parsers, ends, list(readings)

    @cached_property
    def kernel(self) -> Kernel:
        parsers, ends, readings = self.parts
        normalizers, matchers = zip(*ends, strict=True)
        named = [
            tuple(Named(str(i), part) for i, part in enumerate(parts)) for parts in (parsers, normalizers, matchers)
        ]
        first = self.works[0]
        plan = ReadingPlan(named[0], named[1], first.plan.matcher, tuple(readings), named[2])
        return kernel(first.kernel, plan, first.signs)

    def begin(self) -> None:
        """Forgets the last batch."""
        self._scored, self.memo = None, BatchMemo()

    def scores(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        """The scores of this batch for all works."""
        if self._scored is None:
            scores = self.kernel.score(raw, parsed, truths)
            self._scored = replace(scores, answers=lru_cache(maxsize=None)(scores.answers))
        if self._scored.problems or not all(sound(self._scored.labels, len(truths))):
            raise _OwnWorkError
        return self._scored

    def __getstate__(self) -> dict[str, Any]:
        return {"works": self.works, "_scored": None, "memo": BatchMemo()}


def _add(known: list[Any], parts: Sequence[Any]) -> None:
    known += [part for i, part in enumerate(parts) if part not in known and part not in parts[:i]]


def ends_of(work: ParsingScorer) -> list[tuple[Any, Any]]:
    """What a work compares by: for each of its normalizers that and its matcher."""
    return [(named.part, work.plan.matcher_of(n)) for n, named in enumerate(work.plan.normalizers)]


class _Paths:
    """The paths of one work's normalizers."""

    def __init__(self, family: Family, numbers: Sequence[int]) -> None:
        self._family, self._numbers = family, numbers

    def path(self, number: int, /) -> str:
        return self._family.kernel.scorer.path(self._numbers[number])


class SharedKernel:
    """A family's kernel as one of its works sees it."""

    def __init__(self, family: Family, work: ParsingScorer) -> None:
        parsers, ends, readings = family.parts
        self.family = family
        self.parsers = [parsers.index(named.part) for named in work.plan.parsers]
        numbers = [ends.index(end) for end in ends_of(work)]
        self.readings = [readings.index((self.parsers[p], numbers[n])) for p, n in work.plan.scored.readings]
        self.scorer = _Paths(family, numbers)

    def score(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        whole = self.family.scores(raw, parsed, truths)

        def answers(row: int) -> list[str | None]:
            every = whole.answers(row)
            return [every[p] for p in self.parsers]

        labels, unread = [whole.labels[r] for r in self.readings], [whole.unread[r] for r in self.readings]
        return Scores(labels, Counter(whole.facts), answers, unread=unread)

    def spread(self, codes: bytearray, values: tuple[Any, ...], places: list[int], rows: int) -> list[Any]:
        return self.family.kernel.spread(codes, values, places, rows)


@dataclass
class SharedScorer:
    """The work of several runs on one batch: for each the bytes of its partial result."""

    families: list[Family]

    @cached_property
    def _views(self) -> list[tuple[Family, list[SharedKernel]]]:
        return [(family, [SharedKernel(family, work) for work in family.works]) for family in self.families]

    def __call__(self, task: Task) -> list[bytes]:
        batch = task()
        return [result for family, views in self._views for result in self._results(family, views, batch)]

    def _results(self, family: Family, views: list[SharedKernel], batch: Batch) -> list[bytes]:
        family.begin()
        try:
            pairs = zip(family.works, views, strict=True)
            done = [work.on(batch, view, family.memo) for work, view in pairs]
        except _OwnWorkError:
            done = [work(lambda: batch) for work in family.works]
        for work, one in zip(family.works[1:], done[1:], strict=True):
            one.rows |= dict.fromkeys(_alike(family.works[0], work), None)  # type: ignore[arg-type]  # TrialTable knows
        return [pickle.dumps(one, pickle.HIGHEST_PROTOCOL) for one in done]

    def __getstate__(self) -> dict[str, Any]:
        return {"families": self.families}


def _alike(one: ParsingScorer, other: ParsingScorer) -> list[str]:
    """The columns of trials that two works have in common, whatever their readings."""
    stored = _labels(one) == _labels(other)
    return [name for name in ("id", *one.by, *(["stored"] if stored else [])) if name != STATUS]


@dataclass
class Spools:
    """The partial results of several works, each in a file of its own; made when the first of them is asked for.

    Of the columns that works have in common only the first of a family has the values; the tables of the others refer
    to its table.
    """

    works: list[ParsingScorer]
    evidence: Evidence
    engine: Engine
    scratch: Path
    _written: bool | None = None

    @cached_property
    def families(self) -> list[list[int]]:
        """The numbers of the works that are computed as one."""
        groups: list[list[int]] = []
        for number, work in enumerate(self.works):
            group = next((numbers for numbers in groups if _same_family(self.works[numbers[0]], work)), None)
            if group is None:
                groups.append([number])
            else:
                group.append(number)
        return groups

    def place(self, number: int, trials: TrialTable) -> None:
        """Gives the table of a work the folder with the parts of its family's first one, or where to write them."""
        [first] = [numbers[0] for numbers in self.families if number in numbers]
        folder = self.scratch / f"trials-{first}"
        if first == number:
            trials.leave_parts(folder)
        else:
            trials.stand_beside(folder)

    def parts(self, number: int) -> Iterator[Any] | None:
        """The partial results of one work; None where they could not be made together, or the first has none."""
        [first] = [numbers[0] for numbers in self.families if number in numbers]
        if first != number and not (self.scratch / f"trials-{first}").is_dir():
            return None
        if self._written is None:
            try:
                self._write()
                self._written = True
            except Exception:
                self._written = False  # each run tries by itself, and reports what is wrong
        return self._read(number) if self._written else None

    def _write(self) -> None:
        families = [Family([self.works[i] for i in numbers]) for numbers in self.families]
        self.scratch.mkdir(parents=True, exist_ok=True)
        files = [(self.scratch / str(i)).open("wb") for numbers in self.families for i in numbers]
        try:
            for results in self.engine.map(SharedScorer(families), self.evidence.tasks, self.evidence.rows):
                for file, result in zip(files, results, strict=True):
                    file.write(result)
        finally:
            for file in files:
                file.close()

    def _read(self, number: int) -> Iterator[Any]:
        with (self.scratch / str(number)).open("rb") as file:
            while file.peek(1):
                yield pickle.load(file)  # noqa: S301 - written by this process a moment ago


def _same_family(one: ParsingScorer, other: ParsingScorer) -> bool:
    """Whether two works may be computed as one plan."""
    return _family_key(one) == _family_key(other)


def _family_key(work: ParsingScorer) -> tuple[Any, ...]:
    signs = {name: scan.markers for name, scan in work.signs.markers.items()}
    left_out = _labels(work) if work.counted or work.row_rules else None
    return work.truth, signs, work.signs.delimiter, work.kernel, work.plan.needs, left_out


def _labels(work: ParsingScorer) -> tuple[Any, ...]:
    """What stored labels are read by."""
    return work.stored_true, work.stored_false, work.counted, work.row_rules


@dataclass(frozen=True)
class ReplayedEngine:
    """An engine whose work is done already, by all runs together."""

    engine: Engine
    spools: Spools
    number: int

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields what `work` gives for each task; any work but scoring is done now."""
        parts = self.spools.parts(self.number) if isinstance(work, ParsingScorer) else None
        yield from self.engine.map(work, tasks, rows) if parts is None else parts


@dataclass(frozen=True)
class OpenedSource:
    """A source that was opened once for several runs, with what these compute alike."""

    evidence: Evidence
    shared: SharedResults

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Gives what was opened."""
        return self.evidence


@dataclass(frozen=True)
class SharedAudit:
    """An audit whose batches are scored together with those of others; `spools` is None where it is the only one."""

    audit: Any
    number: int
    spools: Spools | None
    evidence: Evidence
    shared: SharedResults
    name: str = field(default="parsing", init=False)

    def run(self, context: Context) -> Outcome:
        """The audit's outcome."""
        audit = replace(self.audit, source=OpenedSource(self.evidence, self.shared))
        if self.spools is not None and context.folder is not None:
            self.spools.place(self.number, context.trials)
            context = replace(context, engine=ReplayedEngine(context.engine, self.spools, self.number))
        outcome: Outcome = audit.run(context)
        return outcome

    @property
    def claimed(self) -> tuple[str, ...]:
        """The metrics that claims may be about."""
        names: tuple[str, ...] = capability(self.audit, "claimed", ())
        return names

    @property
    def keeps(self) -> tuple[str, ...]:
        """What the audit keeps for reports."""
        names: tuple[str, ...] = capability(self.audit, "keeps", ())
        return names

    def check(self) -> None:
        """Raises DataError where a file has changed since it was opened."""
        self.evidence.check()


def _own(context: Context) -> tuple[Any, ...]:
    """What of a context must be equal for the outcomes to be."""
    return context.seed, context.limits, list(context.claims.items()), context.keeps


def share_work(runs: Sequence[tuple[Any, Context]], scratch: Path) -> list[Any]:
    """The audits of several runs over equal sources, cells and engines, in order, so that they share their work.

    Raises what opening the source raises.
    """
    audit, context = runs[0]
    further = further_columns({name for _, run_context in runs for name in run_context.keeps})
    evidence = repeated(audit.open(context.by, any(one.limits.max_places for _, one in runs), further))
    distinct: list[tuple[Any, Context]] = []
    numbers = []
    for own, run_context in runs:
        key = (own, _own(run_context))
        known = [(other, _own(other_context)) for other, other_context in distinct]
        if key not in known:
            distinct.append((own, run_context))
            known.append(key)
        numbers.append(known.index(key))
    works = [own.work(run_context, own.labelled(evidence)) for own, run_context in distinct]
    spools = Spools(works, evidence, context.engine, scratch) if len(works) > 1 else None
    shared = SharedResults()
    audits = [SharedAudit(own, i, spools, evidence, shared) for i, (own, _) in enumerate(distinct)]
    return [audits[number] for number in numbers]
