"""A run of the parsing audit over opened evidence: alone, or with others in one pass over the trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from auditfw.audits.batches import InputSums
from auditfw.audits.parsing.conclusions.origin import search_rule
from auditfw.audits.parsing.conclusions.published_table import table_of
from auditfw.audits.parsing.engine.shared_results import SharedResults, fitted
from auditfw.audits.parsing.kept.row_facts import PLANNED, check_planned
from auditfw.audits.parsing.kept.texts import SCORES, TEXTS, check_samples, further_columns, texts_table
from auditfw.core.memo import Distinct
from auditfw.core.native import kernel_name
from auditfw.core.results.table_files import copied
from auditfw.core.tables import TrialTable
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.evidence import Evidence

from .columns import RunWork, ScoredTrials, work_of
from .outcome import outcome
from .results import ParsingResults
from .scoring import TrialsPass, scorer_of
from .settings import ParsingSettings
from .trials import ITEM, PLACE
from .warnings import itemless_refusal, unmapped_refusal

Shared = Callable[[Context], ScoredTrials | None]


def run_on(
    audit: ParsingSettings, opened: Callable[[], Evidence], context: Context, shared: Shared = lambda context: None
) -> Outcome:
    """The outcome of an audit on the evidence that `opened` gives.

    `shared` gives the run's part of a pass for several, None where it reads its trials by itself.
    """
    kernel_name()  # refuses one that is not there, before anything is read
    if prepare := capability(context.engine, "prepare"):
        prepare()
    further = audit.further_files()
    figures = None if audit.published is None else table_of(audit.published, context.by)
    evidence = opened()
    audit = replace(audit, truth=fitted(audit.truth, evidence))
    if SCORES in context.keeps:
        check_samples(evidence)
    inputs = InputSums.of(context, audit.source, evidence, *further)
    whole = shared(context) or _read(audit, evidence, context)
    context.check_cells(len(whole.table.cells))
    _refuse(audit, whole)
    audit.lossy_in(whole.work.plan, whole.rows.kinds)  # may refuse them
    context.trials.end()
    search = None if whole.over else search_rule(audit, context, evidence, whole)
    names = audit.plan(evidence.columns)[1]
    found = outcome(ParsingResults(audit, context, evidence, whole, names, search, figures), inputs)
    return replace(found, tables={**found.tables, **whole.tables})


def _read(audit: ParsingSettings, evidence: Evidence, context: Context) -> ScoredTrials:
    """What a pass over all batches comes to, for this run alone."""
    scorer = scorer_of(audit, [work_of(audit, evidence.columns, context)], context.by)
    alone = TrialsPass(scorer, context.trials, [audit.errors_allowed(evidence)])
    if TEXTS in context.keeps:
        alone.runs[0].texts = texts_table(scorer.works[0].plan, context.folder)
    alone.read(context, evidence)
    return alone.of(0, context, SharedResults())


def _refuse(audit: ParsingSettings, whole: ScoredTrials) -> None:
    rows = whole.rows
    if rows.unmapped and audit.unknown_stored == "error":
        raise unmapped_refusal(rows, lambda: audit.source.open((), ("id", "stored", PLACE)))
    declared = PLANNED in capability(audit.source, "columns", {})
    if not whole.over:
        check_planned(rows.facts, rows.buckets.total(), audit, declared)
    if rows.without_item:
        raise itemless_refusal(rows, lambda: audit.source.open((), ("id", ITEM, PLACE)))
    if whole.readings.differing:
        raise RuntimeError(f"the planned path differs from the definitions: {whole.readings.differing[:3]}")


class SharedPass:
    """The pass of several runs: made when the first of them asks. `scratch` is a folder for what they share.

    `runs` are the audits with what each runs in, `evidence` what all of them read.
    """

    def __init__(self, runs: Sequence[tuple[Any, Context]], evidence: Evidence, scratch: Path) -> None:
        self.runs, self.evidence, self.scratch = runs, evidence, scratch
        self.shared = SharedResults(runs)
        self._made: TrialsPass | None = None
        self._works: list[int] = []  # of each run the number of its work on batches: what runs ask alike is done once
        self._tried = False

    def of(self, run: int, context: Context) -> ScoredTrials | None:
        """The part of a run; None where there is no common pass: it tries by itself, and reports what is wrong."""
        if not self._tried:
            self._tried = True
            with suppress(Exception):
                self._made = self._read(context)
        if self._made is None:
            return None
        run = self._works[run]
        scored = self._made.of(run, context, self.shared)
        if context.folder is not None:
            scored.tables = {
                name: copied(self._place(run) / f"{name}.parquet", context.folder, name) for name in scored.tables
            }
        return scored

    def opened(self, audit: Any) -> Evidence:
        """The evidence as an audit reads it: whether any row has a stored label is looked at once."""
        evidence: Evidence = self.shared.once(("evidence", audit.reference), lambda: audit.labelled(self.evidence))
        return evidence

    def _place(self, run: int) -> Path:
        return self.scratch / str(run)

    def _read(self, context: Context) -> TrialsPass | None:
        """The pass over all batches; None where a run is over before the last."""
        distinct = Distinct[tuple[RunWork, float | None]]()
        for audit, own in self.runs:
            work = work_of(audit, self.opened(audit).columns, own), audit.errors_allowed(self.evidence)
            self._works.append(distinct.number(work))
        works, errors = zip(*distinct, strict=True)
        self.scratch.mkdir(parents=True, exist_ok=True)
        made = TrialsPass(scorer_of(self.runs[0][0], works, context.by), TrialTable(str(self.scratch)), errors)
        for number, run in enumerate(made.runs):
            if TEXTS in run.work.keeps:
                self._place(number).mkdir()
                run.texts = texts_table(run.work.plan, str(self._place(number)))
        made.read(context, self.evidence)
        return None if any(run.over for run in made.runs) else made


@dataclass(frozen=True)
class SharedAudit:
    """An audit that reads its trials in one pass with others."""

    audit: Any
    number: int
    shared: SharedPass
    name: str = field(default="parsing", init=False)

    def run(self, context: Context) -> Outcome:
        """The audit's outcome."""
        shared = self.shared
        return run_on(self.audit, partial(shared.opened, self.audit), context, partial(shared.of, self.number))

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
        self.shared.evidence.check()


def share_work(runs: Sequence[tuple[Any, Context]], scratch: Path) -> list[Any]:
    """The audits of several runs that read the same trials alike, in order, so that they read them in one pass.

    Equal runs are one audit. Raises what opening the source raises.
    """
    audit, context = runs[0]
    further = further_columns({name for _, run_context in runs for name in run_context.keeps})
    evidence = audit.open(context.by, placed=True, further=further)
    runs = [(replace(own, truth=fitted(own.truth, evidence)), of) for own, of in runs]
    keys = Distinct[Any]()
    distinct: dict[int, tuple[Any, Context]] = {}
    numbers = [keys.number((own, of.seed, of.limits, list(of.claims.items()), of.keeps)) for own, of in runs]
    for number, run in zip(numbers, runs, strict=True):
        distinct.setdefault(number, run)
    shared = SharedPass(list(distinct.values()), evidence, scratch)
    audits = [SharedAudit(own, number, shared) for number, (own, _) in distinct.items()]
    return [audits[number] for number in numbers]
