"""What one run wants of every batch of trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.audits.parsing.conclusions.tracing import CauseTracer, RowTracer
from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.kept.flips import FlipSettings, Tracer
from auditfw.audits.parsing.kept.samples import SCORES
from auditfw.kinds.context import Context, ReportLimits

from .settings import ParsingSettings


@dataclass(frozen=True)
class RunWork:
    """What one run wants of every batch: its readings, and which trials are kept with their texts.

    `baseline` is the number of a reading, `verify` the share of trials that are computed again, `probe` how many are
    drawn for the probe, `near` how many for other forms of their truths; `keeps` is what reports need of each trial.
    """

    plan: ReadingPlan
    seed: int
    baseline: int | None
    flips: FlipSettings
    keep_text: bool = False
    verify: float = 0.0
    probe: int = 0
    keeps: frozenset[str] = frozenset()
    near: int = 0

    def tracer(self, signs: Signs) -> Tracer | None:
        """What says why labels changed; None where that is not wanted."""
        flips = self.flips
        if not flips.causes:
            return None
        own = flips.reference, self.baseline, flips.candidates, flips.undefined, signs
        if self.plan.ruled is None:
            return CauseTracer(self.plan, *own)
        return RowTracer(lambda value: CauseTracer(self.plan.under(value), *own))


def work_of(audit: ParsingSettings, columns: Sequence[str], context: Context) -> RunWork:
    """What an audit's run wants of every batch, for the columns at hand."""
    plan, names = audit.plan(columns)
    reference = audit.reference_in(plan, columns)
    return RunWork(
        plan=plan,
        seed=context.seed,
        baseline=audit.baseline_in(plan, columns),
        flips=FlipSettings(len(names), shown_of(context.limits, len(names)), audit.causes, audit.undefined, reference),
        keep_text=audit.keep_text or SCORES in context.keeps,
        verify=audit.verify,
        probe=audit.probe or 0,
        keeps=context.keeps,
        near=0 if audit.near is None else audit.near.trials,
    )


def shown_of(limits: ReportLimits, candidates: int) -> int:
    """How many flips of each reading and direction may be shown: those of a page, or of a section."""
    page = max(1, limits.max_exhibits // candidates) if limits.max_exhibits and candidates else 0
    return max(page, limits.max_examples)
