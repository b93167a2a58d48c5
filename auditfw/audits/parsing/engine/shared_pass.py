"""Several runs over the same trials at once: each batch is read once, and each reading computed once, whoever asks.

Every run gets the very partial results that its own work would have given, in the same order, from a file; whatever
could make a difference (a component that fails on a row) sends a batch through each run's own work instead.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from auditfw.audits.parsing.conclusions.origin import early_draw
from auditfw.audits.parsing.conclusions.rule_passes import DrawTrials, EarlyDraw, TrialDraw
from auditfw.audits.parsing.counts import ParsingCounts
from auditfw.audits.parsing.kept.samples import further_columns
from auditfw.audits.parsing.probe.draw import LEFT_OUT, ProbeDraw
from auditfw.audits.parsing.scoring import ParsingScorer
from auditfw.core.tables import TrialTable
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Engine, Outcome
from auditfw.kinds.evidence import Evidence

from .shared_results import SharedResults, repeated
from .shared_scorer import Family, SharedDraw, SharedScorer, labels_of

S = TypeVar("S")
T = TypeVar("T")


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
    shared: SharedResults
    draws: Sequence[tuple[int, DrawTrials]] = ()  # with the number of the work that may need each
    _written: bool | None = None
    _common: list[list[bool]] = field(default_factory=list)  # of each batch, which families did it as one
    _probes: dict[int, ProbeDraw] = field(default_factory=dict)  # by the number of the family

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
        early = self._early()
        drawn: list[TrialDraw | None] = [TrialDraw(one.early.draws.most) for one in early]
        try:
            scorer = SharedScorer(families, early)
            for batch in self.engine.map(scorer, self.evidence.tasks, self.evidence.rows):
                for file, result in zip(files, batch.results, strict=True):
                    file.write(result)
                drawn = [known and known.with_batch(one) for known, one in zip(drawn, batch.drawn, strict=True)]
                self._common.append(batch.common)
        finally:
            for file in files:
                file.close()
        for one, draw in zip(early, drawn, strict=True):
            if draw is not None:
                self.shared.keep(("draw", one.early.draws), draw)

    def _family_of(self, work: int) -> int:
        return next(i for i, numbers in enumerate(self.families) if work in numbers)

    def _early(self) -> list[SharedDraw]:
        """The draws that batches give while they are scored, each once."""
        early: list[SharedDraw] = []
        for number, draws in self.draws:
            family = self._family_of(number)
            reading = self.works[number].reading_of(draws.plan)
            if draws not in [one.early.draws for one in early] and (draws.plan is None or reading is not None):
                numbers = family, self.families[family].index(number), reading or 0
                early.append(SharedDraw(EarlyDraw(draws), numbers))
        return early

    def _read(self, number: int) -> Iterator[ParsingCounts]:
        """The partial results of a work; what the probe of others is drawn from only the first of a family has."""
        family = self._family_of(number)
        first = number == self.families[family][0]
        draw = self._probes[family] = ProbeDraw(self.works[number].probe) if first else self._probes[family]
        left = draw.rows() if not first else None
        for part, common in zip(self._parts(number), self._common, strict=True):
            if first and common[family] and part.probe_rows is not None:
                draw.take(part.probe_rows)
            elif part.probe_rows is not None and part.probe_rows.characters == LEFT_OUT.characters:
                part.probe_rows, left = left, None
            yield part

    def _parts(self, number: int) -> Iterator[ParsingCounts]:
        with (self.scratch / str(number)).open("rb") as file:
            while file.peek(1):
                yield pickle.load(file)  # noqa: S301 - written by this process a moment ago


def _same_family(one: ParsingScorer, other: ParsingScorer) -> bool:
    """Whether two works may be computed as one plan."""
    return _family_key(one) == _family_key(other)


def _family_key(work: ParsingScorer) -> tuple[Any, ...]:
    signs = {name: scan.markers for name, scan in work.signs.markers.items()}
    left_out = labels_of(work) if work.counted or work.row_rules else None
    return work.truth, signs, work.signs.delimiter, work.kernel, work.plan.needs, left_out


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
    evidence = repeated(audit.open(context.by, placed=True, further=further))
    distinct: list[tuple[Any, Context]] = []
    numbers = []
    for own, run_context in runs:
        key = (own, _own(run_context))
        known = [(other, _own(other_context)) for other, other_context in distinct]
        if key not in known:
            distinct.append((own, run_context))
            known.append(key)
        numbers.append(known.index(key))
    labelled = [own.labelled(evidence) for own, _ in distinct]
    works = [own.work(one, its) for (own, one), its in zip(distinct, labelled, strict=True)]
    draws = [early_draw(own, one, its) for (own, one), its in zip(distinct, labelled, strict=True)]
    wanted = [(number, draw) for number, draw in enumerate(draws) if draw is not None]
    shared = SharedResults(distinct)
    spools = Spools(works, evidence, context.engine, scratch, shared, wanted) if len(works) > 1 else None
    audits = [SharedAudit(own, i, spools, evidence, shared) for i, (own, _) in enumerate(distinct)]
    return [audits[number] for number in numbers]
