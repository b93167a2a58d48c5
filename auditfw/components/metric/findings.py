"""Metrics of findings: how many rows, items … each kind has. `auditfw list finding` says what each is."""

from __future__ import annotations

from auditfw.core.records import Estimate, Role
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.component_index import FAMILIES
from auditfw.kinds.metric_styles import metric

REFERENCE: frozenset[Role] = frozenset({"reference"})
UNASKED = "this audit does not look for it"


def _counter(kind: str) -> None:
    """Registers the metric of a kind of findings."""

    def count(sample: LabelCounts) -> Estimate | None:
        if sample.findings is None:
            return None  # of a cell
        value = sample.findings.get(kind, UNASKED)
        if isinstance(value, str):
            return Estimate(None, sample.counted, sample.missing, undefined=value)
        return Estimate(value, sample.counted, sample.missing)

    count.__doc__ = f"Counts what the finding {kind} counts: auditfw list finding."
    count.__name__ = count.__qualname__ = kind
    metric(kind, REFERENCE, takes=LabelCounts, better="lower", title=kind.replace("_", " "))(count)


for _kind in FAMILIES["metric"]["findings"].split():
    _counter(_kind)
