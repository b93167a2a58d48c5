"""The work of several runs on one batch: it is read once, and each reading computed once, whoever asks."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from auditfw.audits.parsing.conclusions.rule_passes import BatchDraw, EarlyDraw
from auditfw.audits.parsing.probe.draw import LEFT_OUT
from auditfw.audits.parsing.scored_batch import STATUS, BatchMemo
from auditfw.audits.parsing.scoring import ParsingScorer
from auditfw.audits.parsing.trials import Labels
from auditfw.core.records import Batch
from auditfw.kinds.capabilities import Named
from auditfw.kinds.context import Task

from .kernels import Column, Kernel, Scores, kernel, sound
from .plan import ReadingPlan
from .reference import Truth


class _OwnWorkError(Exception):
    """A batch that each run has to work on by itself."""


@dataclass
class Family:
    """Works that differ in parsers, normalizers and matchers only, as one plan of all their readings."""

    works: list[ParsingScorer]
    _scored: Scores | None = None
    memo: BatchMemo = field(default_factory=BatchMemo)
    own_work: bool = False  # whether each work did the last batch by itself

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
        self._scored, self.memo, self.own_work = None, BatchMemo(), False

    def scores(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        """The scores of this batch for all works."""
        if self._scored is None:
            scores = self.kernel.score(raw, parsed, truths)
            self._scored = replace(scores, answers=lru_cache(maxsize=None)(scores.answers))
        if self._scored.problems or not all(sound(self._scored.labels, len(truths))):
            raise _OwnWorkError
        return self._scored

    def labels_of(self, kernel: SharedKernel, reading: int) -> bytearray:
        """The label codes that this batch has under a reading of one of the works."""
        assert self._scored is not None
        return self._scored.labels[kernel.readings[reading]]

    def __getstate__(self) -> dict[str, Any]:
        return {"works": self.works, "_scored": None, "memo": BatchMemo(), "own_work": False}


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
class SharedDraw:
    """The draw for a search of the rule of the labels, from the batches that a work is done on anyway.

    `numbers` are those of a family, of one of its works, and of the reading of that which is the configured rule.
    """

    early: EarlyDraw
    numbers: tuple[int, int, int]

    def of(self, family: Family, view: SharedKernel, batch: Batch) -> BatchDraw | None:
        """What the batch adds to the draw, if anything."""
        work = family.works[self.numbers[1]]
        if family.own_work or work.plan.needs:
            return None
        trials = family.memo.trials_of(batch, work.truth, work.by, labels_of(work), work.plan.needs)
        plan = self.early.draws.plan
        return self.early.of(trials, None if plan is None else family.labels_of(view, self.numbers[2]))


class SharedBatch(NamedTuple):
    """What a batch came to: the bytes of each work's partial result, the draws, and which families did it as one."""

    results: list[bytes]
    drawn: list[BatchDraw | None]
    common: list[bool]


@dataclass
class SharedScorer:
    """The work of several runs on one batch."""

    families: list[Family]
    draws: list[SharedDraw] = field(default_factory=list)

    @cached_property
    def _views(self) -> list[tuple[Family, list[SharedKernel]]]:
        return [(family, [SharedKernel(family, work) for work in family.works]) for family in self.families]

    def __call__(self, task: Task) -> SharedBatch:
        batch = task()
        results = [result for family, views in self._views for result in self._results(family, views, batch)]
        drawn = [self._drawn(draw, batch) for draw in self.draws]
        return SharedBatch(results, drawn, [not family.own_work for family, _ in self._views])

    def _drawn(self, draw: SharedDraw, batch: Batch) -> BatchDraw | None:
        family, views = self._views[draw.numbers[0]]
        return draw.of(family, views[draw.numbers[1]], batch)

    def _results(self, family: Family, views: list[SharedKernel], batch: Batch) -> list[bytes]:
        family.begin()
        try:
            pairs = zip(family.works, views, strict=True)
            done = [work.on(batch, view, family.memo) for work, view in pairs]
        except _OwnWorkError:
            family.own_work = True
            done = [work(lambda: batch) for work in family.works]
        for work, one in zip(family.works[1:], done[1:], strict=True):
            if one.probe_rows is not None and one.probe_rows is done[0].probe_rows:
                one.probe_rows = LEFT_OUT
            one.rows |= dict.fromkeys(_alike(family.works[0], work), None)  # type: ignore[arg-type]  # TrialTable knows
        return [pickle.dumps(one, pickle.HIGHEST_PROTOCOL) for one in done]

    def __getstate__(self) -> dict[str, Any]:
        return {"families": self.families, "draws": self.draws}


def _alike(one: ParsingScorer, other: ParsingScorer) -> list[str]:
    """The columns of trials that two works have in common, whatever their readings."""
    stored = labels_of(one) == labels_of(other)
    return [name for name in ("id", *one.by, *(["stored"] if stored else [])) if name != STATUS]


def labels_of(work: ParsingScorer) -> Labels:
    """What stored labels are read by."""
    return Labels(work.stored_true, work.stored_false, work.counted, work.row_rules)
