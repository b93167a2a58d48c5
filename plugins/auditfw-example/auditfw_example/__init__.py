"""An example plugin: a metric of agreement, and a whole audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from auditfw import Estimate, LabelCounts, Role, register

from . import recomputed  # noqa: F401 - registers the audit


@register("metric", "agreement_percent")
@dataclass(frozen=True)
class AgreementPercent:
    """Gives the share of labels that agree with the reference, in percent."""

    roles: ClassVar[frozenset[Role]] = frozenset({"candidate"})
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "agreement"
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 1

    def __call__(self, sample: LabelCounts) -> Estimate:
        n = sample.paired
        if n == 0:
            return Estimate(None, 0, sample.unpaired, undefined=sample.why_unpaired)
        return Estimate(100 * (sample.kept_right + sample.kept_wrong) / n, n, sample.unpaired)
