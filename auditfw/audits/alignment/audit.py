"""The alignment audit: from scenarios to what was meant, what came and how that scores, and to the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.batches import Batches, InputSums, collect
from auditfw.audits.findings import looked_for
from auditfw.core.errors import UsageError, nearest
from auditfw.core.inputs import watch
from auditfw.kinds.capabilities import capability, files_read
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .conclusions.partners import Partners
from .settings import PARAM, AlignmentSettings
from .trials import numbered

if TYPE_CHECKING:
    from auditfw.kinds.simulation import ScenarioBatch

    from .trials import Numbered

OWN_COLUMNS = ("intended", "params")


@register("audit", "alignment")
@dataclass(frozen=True)
class Alignment(AlignmentSettings):
    """Compares the outcomes of a simulator in each scenario with those intended, one by one.

    - `weights` of direction and magnitude, `key_weights` of keys (1 where not named), `floor` and `zero_slope`: the
      constants of the formulas;
    - `no_data`: a scenario that gave nothing has no score and leaves the verdict open ("undefined"), or scores 0;
    - `tolerance`: a number that declares none is met within this share of it (for `must_met`, `should_met`);
    - `bool_as_number`: an outcome true or false counts as 1 or 0, else as missing;
    - `out_of_bounds`: a parameter outside the simulator's bounds stops the run before it begins ("error"), is moved to
      its bound ("clip") or used as it is ("allow");
    - `baseline`: the label of the scenario that others are compared with;
    - `replicates`: how often each scenario runs, under seeds of its own; the mean outcome is scored;
    - `unintended`: when an output that nobody intended counts as moved;
    - `try_again`: whether some scenarios run twice, and the first once more at the end of the run, to find a simulator
      that is not deterministic;
    - `draw`: on how many scenarios null simulators, unit check and explanations are computed;
    - `other_weights`: further weights by name, each a reading `actual.NAME`; those of `weights` decide;
    - `aligned`, `most_missed`, `least_scenarios`: the bounds of the answer: the score from which a purpose counts as
      met, the share of scenarios that may miss a must before it is broken, the scenarios it needs;
    - `known`: findings that are known already, `{KIND: {value: N, why: WORDS}}`;
    - `sensitivity`: whether the sensitivity of each outcome to the parameters is computed (extra `sensitivity`).
    """

    name: ClassVar[str] = "alignment"

    def _open(self, by: Sequence[str]) -> Evidence:
        """Opens the scenarios. Raises UsageError for a `by` column that they do not have."""
        evidence = self.scenarios.open()
        for name in by:
            known = [column for column in evidence.columns if column not in OWN_COLUMNS]
            if name not in known and not name.startswith(PARAM):
                own = f"a parameter is broken down in the report already: by=[] (for a row a value: by=[{PARAM}{name}])"
                do = f"{nearest(name, known)}; {own}"
                raise UsageError("by", f"the scenarios have no column '{name}'", None, do)
            if name == "key":
                do = "give the column another name: scenarios.columns={NAME: key}"
                raise UsageError("by", "'key' is a column of the audit's own: each key is measured anyway", None, do)
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
            ranges = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in limits.items())
            lines.append(f"parameters: {ranges}")
        lines += ["readings: actual against intended", *looked_for(self.name, evidence.columns)]
        return [line for line in lines if line] + [f"warning: {warning}" for warning in evidence.warnings]

    def run(self, context: Context) -> Outcome:
        """Simulates, scores and counts every scenario."""
        from .baseline import ReadFirst, first_look  # these need NumPy and Polars, which a check does without
        from .conclusions.sensitivity import MOST, check_installed
        from .counts import AlignmentResults
        from .outcome import outcome_of
        from .scenario_sample import ScenarioDraw
        from .scoring import scorer_of

        if self.sensitivity:
            check_installed()
        watched = watch(files_read(self.simulator))
        self.simulator.check()
        evidence = self._open(context.by)
        look = ReadFirst(scorer_of(self, context))
        if not self.recorded or self.baseline is not None:
            look = first_look(look.work, evidence)
        counts = AlignmentResults(context, look.work, self.draw)
        counts.every = ScenarioDraw(MOST) if self.sensitivity else None
        counts.partners = Partners.of(capability(self.simulator, "record_labels"), files_read(self.simulator))
        inputs = InputSums(evidence, watched)
        tasks: Iterable[Numbered | ScenarioBatch] = chain(numbered(evidence, look.starts), look.again)
        collect(context, look.work, Batches(tasks, evidence.rows), counts.taker(look.starts is not None))
        return outcome_of(self, counts, evidence, inputs())
