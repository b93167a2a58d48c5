"""An example plugin: a step that reduces an answer to yes or no, a metric of agreement, and a whole audit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from auditfw import Estimate, LabelCounts, Role, register

from . import recomputed  # noqa: F401 - registers the audit

_WORD = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


@register("step", "yes_or_no")
@dataclass(frozen=True)
class YesOrNo:
    """Keeps the first yes or no, in lower case; empty if there is neither."""

    def __call__(self, text: str) -> str:
        found = _WORD.search(text)
        return found.group().lower() if found else ""


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
