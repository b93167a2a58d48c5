"""Metrics of findings: how many rows, items … each kind has. `auditfw list finding` says what each is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from auditfw.core.records import Estimate, Role
from auditfw.kinds.component_index import FAMILIES
from auditfw.kinds.metric_styles import metric

WHOLE: frozenset[Role] = frozenset({"reference", "group"})
UNASKED = "this audit does not look for it"


@runtime_checkable
class FoundSample(Protocol):
    """A sample that knows the value of each kind of finding, or why it was not looked for; None: another's."""

    @property
    def findings(self) -> Mapping[str, float | str] | None: ...
    @property
    def counted(self) -> int: ...
    @property
    def missing(self) -> int: ...


def _counter(kind: str) -> None:
    """Registers the metric of a kind of findings."""

    def count(sample: FoundSample) -> Estimate | None:
        if sample.findings is None:
            return None
        value = sample.findings.get(kind, UNASKED)
        if isinstance(value, str):
            return Estimate(None, sample.counted, sample.missing, undefined=value)
        return Estimate(value, sample.counted, sample.missing)

    count.__doc__ = f"Counts what the finding {kind} counts: auditfw list finding."
    count.__name__ = count.__qualname__ = kind
    metric(kind, WHOLE, takes=FoundSample, better="lower", title=kind.replace("_", " "))(count)


for _kind in FAMILIES["metric"]["findings"].split():
    _counter(_kind)
