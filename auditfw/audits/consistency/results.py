"""What the sections of the consistency audit are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from auditfw.core.document import some
from auditfw.core.notes import remarks
from auditfw.core.records import Input
from auditfw.formulas.agreement import Judged
from auditfw.formulas.agreement.ratings import JOINED_DIFFER
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import ReportLimits, Sample

from .conclusions.coefficient import Coefficient
from .conclusions.orders import OrderFindings, Placed
from .counts import ConsistencyCounts, Finding
from .decisions import Decider
from .rules import AUDITED, MALFORMED, MISSING, ONE_SIDED, UNKNOWN, Pattern
from .samples import SampleSettings

LISTED = 20
NONE = "(none)"
BUCKET_TEXTS = {
    ONE_SIDED: "labelled by one rater only, not audited",
    MISSING: "without any label, not audited",
    UNKNOWN: "with a label that is not declared, not audited",
    MALFORMED: "malformed, not audited",
    JOINED_DIFFER: "whose joined records differ in a shared column",
    "conflict": "whose records hold different evidence (the first was taken)",
}


@dataclass(frozen=True)
class ConsistencyResults:
    """All that the sections and the answer are made from.

    `coefficients` are the metrics that share one scale of agreement, in words. `by_file` says that raters have
    files of their own.
    """

    whole: ConsistencyCounts
    counts: Mapping[str, int]
    settings: SampleSettings
    decider: Decider
    samples: Sequence[Sample]
    limits: ReportLimits
    validators: tuple[str, ...]
    coefficients: Mapping[str, str] = field(default_factory=dict)
    placed: Placed = field(default_factory=Placed)
    orders: OrderFindings | None = None
    alpha: float = 0.05
    left_out: Mapping[str, str] = field(default_factory=dict)  # metrics that the labels do not fit, and why
    inputs: Sequence[Input] = ()
    by_file: bool = False
    weights: str = ""  # which weights coefficients have, in a sentence
    bounds: Mapping[str, float] = field(default_factory=dict)  # gates and the least that they ask for
    coefficient: Coefficient = field(default_factory=Coefficient)
    truth_files: Collection[str] = ()  # of the rater that labelled a part of the items

    @cached_property
    def patterns(self) -> Counter[Pattern]:
        """All patterns of the run with their counts."""
        return self.placed.every_pattern

    @cached_property
    def overall(self) -> dict[str, Judged]:
        """The overall sample of each reading."""
        return {s.reading.name: s.data for s in self.samples if not s.cell}

    @cached_property
    def audited(self) -> dict[Pattern, int]:
        """The patterns of the items that are audited, with their counts."""
        return {pattern: n for pattern, n in self.patterns.items() if pattern.status == AUDITED}

    @cached_property
    def decisions(self) -> list[Counter[tuple[str, str]]]:
        """For each policy how many items it gives which final label, and why; none where it decides nothing."""
        by_policy: list[Counter[tuple[str, str]]] = [Counter() for _ in self.decider.policies]
        for pattern, n in self.audited.items():
            for counted, (final, why) in zip(by_policy, self.decider.decide(pattern), strict=True):
                if final is not None or why:
                    counted[final or NONE, why] += n
        return by_policy

    @property
    def candidates(self) -> list[str]:
        """The raters held against the reference."""
        return [s.reading.name for s in self.samples if not s.cell and s.reading.role == "candidate"]

    def cells(self, reading: str) -> dict[tuple[tuple[str, object], ...], Judged]:
        """The samples of the cells of one reading."""
        return {tuple(s.cell.items()): s.data for s in self.samples if s.cell and s.reading.name == reading}

    @cached_property
    def shown_candidates(self) -> list[str]:
        """The candidates that the report shows one by one: all, or of very many those with the lowest kappa."""
        if len(self.candidates) <= self.limits.max_rows:
            return self.candidates
        kappas = {name: self.coefficient.bare(self.overall[name]) for name in self.candidates}
        ranked = sorted(self.candidates, key=lambda name: -2.0 if (kappa := kappas[name]) is None else kappa)
        return ranked[: self.limits.max_rows]

    @property
    def part_labelled(self) -> bool:
        """Whether of two raters one labelled a part of the items, as it was meant to."""
        return bool(self.settings.truth) and len(self.settings.raters) == 2

    @property
    def bounds_text(self) -> str:
        """What kappa is, and by which settings the least is set that numbers must be; "" without such a gate."""
        listed = ", ".join(f"gates.{name}.min={least:g}" for name, least in self.bounds.items())
        return f"kappa: 0 as by chance, 1 all alike; bounds are settings: {listed}" if listed else ""

    @property
    def plain_kappa(self) -> str:
        """What kappa without weights is called: of labels in order it says that it has none."""
        return "kappa (unweighted)" if self.coefficient.ordered else "kappa"

    @property
    def many_remark(self) -> list[str]:
        """What is made less exactly, or not shown, because there is so much of it."""
        remarks_on = []
        if any(sample.data.many for sample in self.samples):
            cells = len({tuple(sample.cell.items()) for sample in self.samples if sample.cell})
            remarks_on.append(
                f"{cells:,} cells by {some(len(self.candidates), 'rater')}: their intervals use the large-sample "
                "error, not resampling"
            )
        if len(self.shown_candidates) < len(self.candidates):
            remarks_on.append(
                f"{len(self.candidates):,} raters: the report shows the {len(self.shown_candidates)} with the lowest "
                f"{self.coefficient.words} one by one (report.max_rows)"
            )
        return remarks_on

    def warnings(self) -> list[str]:
        """Rows that were not audited and where they are; notes of the source; policies that do not speak of all."""
        warnings = [*remarks(self.whole.notes), *self.many_remark]
        for bucket, what in BUCKET_TEXTS.items():
            rows = self.whole.findings.get(bucket, [])
            if rows and not (bucket == ONE_SIDED and self.part_labelled):
                warnings.append(f"{some(self.whole.finding_counts[bucket], 'item')} {what}: {_places(rows)}")
        if self.whole.unknown:
            listed = ", ".join(f"{r} '{t}' × {n:,}" for (r, t), n in sorted(self.whole.unknown.items())[:LISTED])
            warnings.append(f"labels that are not declared: {listed}")
        if self.decider.policies and len(self.settings.raters) > 2:
            warnings += [
                f"policy {name} uses only the reference and the first other rater"
                for name, policy in self.decider.policies.items()
                if "candidate" in capability(policy, "names", ())
            ]
        return warnings


def _places(rows: Sequence[Finding]) -> str:
    listed = "; ".join(f"{place} {why}" for place, why in rows[:5])
    return listed + ("; …" if len(rows) > 5 else "")
