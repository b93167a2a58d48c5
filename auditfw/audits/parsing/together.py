"""Several runs over the same trials at once: each batch is read once, and each reading computed once, whoever asks.

Every run gets the very partial results that its own work would have given, in the same order, from a file; whatever
could make a difference (a component that fails on a row) sends a batch through each run's own work instead.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from auditfw.bench import Bench, Engine, Outcome, Task
from auditfw.kinds import Evidence, Named
from auditfw.records import Batch

from .kernels import Column, Kernel, Scores, kernel, sound
from .plan import Plan
from .reference import Truth
from .work import Work

T = TypeVar("T")


class _OwnWorkError(Exception):
    """A batch that each run has to work on by itself."""


@dataclass
class Family:
    """Works that differ in parsers and normalizers only, as one plan of all their readings."""

    works: list[Work]
    _scored: Scores | None = None

    @cached_property
    def parts(self) -> tuple[list[Any], list[Any], list[tuple[int, int]]]:
        """The distinct parsers, normalizers and readings."""
        parsers: list[Any] = []
        normalizers: list[Any] = []
        for work in self.works:
            _add(parsers, [named.part for named in work.plan.parsers])
            _add(normalizers, [named.part for named in work.plan.normalizers])
        readings: dict[tuple[int, int], None] = {}
        for work in self.works:
            for p, n in work.plan.readings:
                one = work.plan.parsers[p].part, work.plan.normalizers[n].part
                readings[parsers.index(one[0]), normalizers.index(one[1])] = None
        return parsers, normalizers, list(readings)

    @cached_property
    def kernel(self) -> Kernel:
        parsers, normalizers, readings = self.parts
        named = [tuple(Named(str(i), part) for i, part in enumerate(found)) for found in (parsers, normalizers)]
        first = self.works[0]
        return kernel(first.kernel, Plan(named[0], named[1], first.plan.matcher, tuple(readings)), first.signs)

    def begin(self) -> None:
        """Forgets the last batch."""
        self._scored = None

    def scores(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        """The scores of this batch for all works."""
        if self._scored is None:
            self._scored = self.kernel.score(raw, parsed, truths)
        if self._scored.problems or not all(sound(self._scored.labels, len(truths))):
            raise _OwnWorkError
        return self._scored

    def __getstate__(self) -> dict[str, Any]:
        return {"works": self.works, "_scored": None}


def _add(known: list[Any], parts: Sequence[Any]) -> None:
    known += [part for i, part in enumerate(parts) if part not in known and part not in parts[:i]]


class _Paths:
    """The paths of one work's normalizers."""

    def __init__(self, family: Family, numbers: Sequence[int]) -> None:
        self.path: Callable[[int], str] = lambda n: family.kernel.scorer.path(numbers[n])


class View:
    """A family's kernel as one of its works sees it."""

    def __init__(self, family: Family, work: Work) -> None:
        parsers, normalizers, readings = family.parts
        self.family = family
        self.parsers = [parsers.index(named.part) for named in work.plan.parsers]
        numbers = [normalizers.index(named.part) for named in work.plan.normalizers]
        self.readings = [readings.index((self.parsers[p], numbers[n])) for p, n in work.plan.readings]
        self.scorer: Any = _Paths(family, numbers)

    def score(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        whole = self.family.scores(raw, parsed, truths)

        def answers(row: int) -> list[str | None]:
            given = whole.answers(row)
            return [given[p] for p in self.parsers]

        return Scores([whole.labels[r] for r in self.readings], Counter(whole.facts), answers)

    def spread(self, codes: bytearray, values: tuple[Any, ...], places: list[int], rows: int) -> list[Any]:
        return self.family.kernel.spread(codes, values, places, rows)


@dataclass
class Together:
    """The work of several runs on one batch: for each the bytes of its partial result."""

    families: list[Family]

    @cached_property
    def _views(self) -> list[tuple[Family, list[View]]]:
        return [(family, [View(family, work) for work in family.works]) for family in self.families]

    def __call__(self, task: Task) -> list[bytes]:
        batch = task()
        return [told for family, views in self._views for told in self._told(family, views, batch)]

    def _told(self, family: Family, views: list[View], batch: Batch) -> list[bytes]:
        family.begin()
        try:
            done = [work.on(batch, cast(Kernel, view)) for work, view in zip(family.works, views, strict=True)]
        except _OwnWorkError:
            done = [work(lambda: batch) for work in family.works]
        return [pickle.dumps(one, pickle.HIGHEST_PROTOCOL) for one in done]

    def __getstate__(self) -> dict[str, Any]:
        return {"families": self.families}


@dataclass
class Spools:
    """The partial results of several works, each in a file of its own; made when the first of them is asked for."""

    works: list[Work]
    evidence: Evidence
    engine: Engine
    scratch: Path
    _made: bool | None = None

    def parts(self, number: int) -> Iterator[Any] | None:
        """The partial results of one work; None where they could not be made together."""
        if self._made is None:
            try:
                self._make()
                self._made = True
            except Exception:
                self._made = False  # each run tries by itself, and tells what is wrong
        return self._read(number) if self._made else None

    def _make(self) -> None:
        families: list[Family] = []
        for work in self.works:
            kin = next((f for f in families if _kin(f.works[0], work)), None)
            if kin is None:
                families.append(kin := Family([]))
            kin.works.append(work)
        placed = [_place(self.works, work) for family in families for work in family.works]
        self.scratch.mkdir(parents=True, exist_ok=True)
        files = [(self.scratch / str(i)).open("wb") for i in placed]
        try:
            for told in self.engine.map(Together(families), self.evidence.tasks, self.evidence.rows):
                for file, one in zip(files, told, strict=True):
                    file.write(one)
        finally:
            for file in files:
                file.close()

    def _read(self, number: int) -> Iterator[Any]:
        with (self.scratch / str(number)).open("rb") as file:
            while file.peek(1):
                yield pickle.load(file)  # noqa: S301 - written by this process a moment ago


def _place(works: Sequence[Work], work: Work) -> int:
    return next(i for i, one in enumerate(works) if one is work)


def _kin(one: Work, other: Work) -> bool:
    """Whether two works may be computed as one plan."""
    return _given(one) == _given(other)


def _given(work: Work) -> tuple[Any, ...]:
    signs = {name: scan.markers for name, scan in work.signs.markers.items()}
    return work.plan.matcher, work.truth, signs, work.signs.delimiter, work.kernel


@dataclass(frozen=True)
class Replayed:
    """An engine whose work is done already, by all runs together."""

    engine: Engine
    spools: Spools
    number: int

    def map(self, work: Callable[[Task], T], tasks: Iterable[Task], rows: int | None) -> Iterator[T]:
        """Yields what `work` gives for each task."""
        parts = self.spools.parts(self.number)
        yield from self.engine.map(work, tasks, rows) if parts is None else parts


@dataclass(frozen=True)
class Opened:
    """A source that was opened once for several runs."""

    evidence: Evidence

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Gives what was opened."""
        return self.evidence


@dataclass
class Once:
    """An audit that several runs ask for: it runs for the first; the others get the same outcome and tables."""

    audit: Any
    number: int
    spools: Spools | None
    evidence: Evidence
    outcome: Outcome | None = None
    trials: Path | None = None
    name: str = field(default="parsing", init=False)

    def run(self, bench: Bench) -> Outcome:
        """The audit's outcome."""
        known = self.outcome if self.trials is not None and self.trials.is_file() else None
        if known is not None and self.trials is not None and bench.folder is not None:
            self.evidence.check()
            bench.trials.adopt(self.trials)
            return known
        audit = replace(self.audit, source=Opened(self.evidence))
        if self.spools is not None:
            bench = replace(bench, engine=Replayed(bench.engine, self.spools, self.number))
        outcome: Outcome = audit.run(bench)
        if bench.folder is not None:
            self.outcome, self.trials = outcome, Path(bench.folder) / f"{bench.trials.name}.parquet"
        return outcome


def together(runs: Sequence[tuple[Any, Bench]], scratch: Path) -> list[Any]:
    """The audits of several runs over equal sources, cells and engines, in order, so that they share their work.

    Raises what opening the source raises.
    """
    audit, bench = runs[0]
    evidence = audit.open(bench.by)
    distinct: list[tuple[Any, Bench]] = []
    numbers = []
    for one, at in runs:
        key = (one, at.seed, at.limits)
        known = [(other, his.seed, his.limits) for other, his in distinct]
        if key not in known:
            distinct.append((one, at))
            known.append(key)
        numbers.append(known.index(key))
    works = [one.work(at, evidence) for one, at in distinct]
    spools = Spools(works, evidence, bench.engine, scratch) if len(works) > 1 else None
    once = [Once(one, i, spools, evidence) for i, (one, _) in enumerate(distinct)]
    return [once[number] for number in numbers]
