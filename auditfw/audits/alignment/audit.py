"""The alignment audit's settings, and its run: from scenarios to samples."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from auditfw.core.errors import NothingAudited, UsageError, nearest
from auditfw.core.inputs import watch
from auditfw.core.records import Input
from auditfw.formulas.alignment import FLOOR, ZERO_SLOPE, AlignmentRule, Weights, checked_weight
from auditfw.formulas.bounds import OutOfBounds
from auditfw.formulas.outcome_columns import EachMetric
from auditfw.kinds.capabilities import capability, files_read
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.metrics import Metric
from auditfw.kinds.registry import register
from auditfw.kinds.scenarios import ScenarioSet
from auditfw.kinds.simulation import Simulator

if TYPE_CHECKING:
    from .gathering import AlignmentResults
    from .work import AlignmentScorer

OWN_COLUMNS = ("intended", "params")
PARAM = "param."


@dataclass(frozen=True)
class Unintended:
    """When an output that nobody intended counts as moved from the baseline.

    By more than `units` noise units (the standard error of a difference between replicates; 0 without replicates) and
    by more than `share` of the baseline's size (at least `audit.floor`).
    """

    units: float = 3.0
    share: float = 0.05

    def __post_init__(self) -> None:
        for name in ("units", "share"):
            if getattr(self, name) < 0:
                raise UsageError(name, "must not be negative", getattr(self, name))


@register("audit", "alignment")
@dataclass(frozen=True)
class Alignment:
    """Holds what a simulator does in each scenario against what was meant, outcome by outcome.

    - `weights` of direction and magnitude, `key_weights` of keys (1 where not named), `floor` and `zero_slope`: the
      constants of the formulas;
    - `no_data`: a scenario that gave nothing has no score and leaves the verdict open ("undefined"), or scores 0;
    - `tolerance`: a number is met within this share of it (for `must_met`, `should_met`);
    - `bool_as_number`: an outcome true or false counts as 1 or 0, else as missing;
    - `out_of_bounds`: a parameter outside the simulator's bounds stops the run before it begins ("error"), is moved to
      its bound ("clip") or used as it is ("allow");
    - `baseline`: the label of the scenario that others are compared with;
    - `replicates`: how often each scenario runs, under seeds of its own; the mean outcome is scored;
    - `unintended`: when an output that nobody intended counts as moved;
    - `try_again`: whether some scenarios run twice, to find a simulator that is not deterministic;
    - `draw`: on how many scenarios null simulators, unit check and explanations are computed.
    """

    name: ClassVar[str] = "alignment"

    scenarios: ScenarioSet
    simulator: Simulator
    metrics: dict[str, Metric] = field(default_factory=dict)
    weights: Weights = field(default_factory=Weights)
    key_weights: dict[str, float] = field(default_factory=dict)
    floor: float = FLOOR
    zero_slope: float = ZERO_SLOPE
    no_data: Literal["undefined", "zero"] = "undefined"
    tolerance: float = 0.05
    bool_as_number: bool = True
    out_of_bounds: OutOfBounds = "error"
    baseline: str | None = None
    replicates: int = 1
    unintended: Unintended = field(default_factory=Unintended)
    try_again: bool = True
    draw: int = 2_000
    max_error_rate: float = 0.0

    def __post_init__(self) -> None:
        for key, weight in self.key_weights.items():
            checked_weight(key, weight)
        if self.key_weights and sum(self.key_weights.values()) <= 0:
            raise UsageError("key_weights", "the weights add up to zero", None, "give some key a weight above 0")
        self._rule()
        if not 0.0 <= self.max_error_rate <= 1.0:
            raise UsageError("max_error_rate", "must lie between 0 and 1", self.max_error_rate)
        if self.tolerance < 0:
            raise UsageError("tolerance", "must not be negative", self.tolerance)
        for name, least in (("replicates", 1), ("draw", 0)):
            if getattr(self, name) < least:
                raise UsageError(name, f"must be {least} or more", getattr(self, name))

    def _rule(self) -> AlignmentRule:
        """The formulas with their constants."""
        return AlignmentRule(self.weights, self.floor, self.zero_slope)

    @property
    def _recorded(self) -> bool:
        """Whether the simulator runs nothing: what is wrong with the scenarios then shows as they are read."""
        return bool(capability(self.simulator, "recorded", False))

    def _open(self, by: Sequence[str]) -> Evidence:
        """Opens the scenarios. Raises UsageError for a `by` column that they do not have."""
        evidence = self.scenarios.open()
        for name in by:
            known = [column for column in evidence.columns if column not in OWN_COLUMNS]
            if name not in known and not name.startswith(PARAM):
                raise UsageError("by", f"the scenarios have no column '{name}'", None, nearest(name, known))
        return evidence

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do, for `auditfw check`: opens scenarios and simulator, and runs neither."""
        self.simulator.check()
        evidence = self._open(by)
        size = evidence.counted()
        lines = [f"scenarios: {size}", f"columns: {', '.join(evidence.columns)}", f"by: {', '.join(by) or 'nothing'}"]
        lines.append(f"simulations: {size.short} x {self.replicates} replicates" if self.replicates > 1 else "")
        limits = self.simulator.limits()
        if limits:
            told = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in limits.items())
            lines.append(f"parameters: {told}")
        lines.append("readings: actual against intended")
        return [line for line in lines if line] + [f"warning: {warning}" for warning in evidence.warnings]

    def run(self, bench: Context) -> Outcome:
        """Simulates, scores and counts every scenario."""
        from .gathering import AlignmentResults, first_look

        watched = watch(files_read(self.simulator))
        self.simulator.check()
        evidence = self._open(bench.by)
        work = self._work(bench)
        starts: list[int] | None = None
        if not self._recorded or self.baseline is not None:
            work, starts = first_look(work, evidence)
        whole = AlignmentResults(bench, work, self.draw)
        with ThreadPoolExecutor(1) as aside:
            inputs = aside.submit(lambda: [*evidence.inputs(), *watched.inputs()])
            whole.gather(evidence, starts)
            found = inputs.result()
        evidence.check()
        watched.check()
        return self._outcome(whole, evidence, found, bench)

    def _work(self, bench: Context) -> AlignmentScorer:
        from .counting import Movement
        from .work import AlignmentScorer

        return AlignmentScorer(
            simulator=self.simulator,
            rule=self._rule(),
            key_weights=self.key_weights,
            by=bench.by,
            seed=bench.seed,
            replicates=self.replicates,
            tolerance=self.tolerance,
            no_data_is_zero=self.no_data == "zero",
            bool_as_number=self.bool_as_number,
            further=tuple(metric for metric in self.metrics.values() if isinstance(metric, EachMetric)),
            baseline=self.baseline,
            movement=Movement(self.unintended.units, self.unintended.share, self.floor),
            limits=self.simulator.limits(),
            optional=capability(self.simulator, "optional", frozenset()),
            out_of_bounds=self.out_of_bounds,
            try_again=self.try_again and not self._recorded and not self.simulator.stochastic and self.replicates == 1,
        )

    def _outcome(self, whole: AlignmentResults, evidence: Evidence, inputs: list[Input], bench: Context) -> Outcome:
        from .findings import AlignmentFindings
        from .report import tell
        from .samples import ACTUAL, INTENDED, samples

        counts = whole.counts()
        if not whole.scenarios and not whole.dropped:
            raise NothingAudited("scenarios", "there is not one scenario", None, "look at the path and the filters")
        found = AlignmentFindings.of(whole, self)
        free = max(found.free.values(), default=None)
        taken = samples(whole.tallies, bench.by, whole.work.further, free)
        return Outcome(
            counts=counts,
            readings=[INTENDED, ACTUAL],
            samples=taken,
            inputs=list(dict.fromkeys(inputs)),
            sections=partial(tell, whole, found, bench),
            warnings=[*evidence.warnings, *found.warnings],
            absent={} if found.free else {"free_overall": "needs two scenarios that gave something"},
            incomplete=found.incomplete,
            open=found.open,
            tables={"scenarios": whole.table.close()},
        )
