"""What the reports and metrics of a run need of its audit: what it keeps for them, a reading by its name."""

from __future__ import annotations

from collections.abc import Mapping

from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Audit
from auditfw.kinds.metrics import Metric, Report


def kept_for(*parts: Mapping[str, Metric | Report]) -> frozenset[str]:
    """What the audit is to keep beyond its counts, for these parts of a run."""
    return frozenset(name for named in parts for part in named.values() for name in capability(part, "keeps", ()))


def check_reports(reports: Mapping[str, Report], audit: Audit) -> None:
    """Refuses a report that needs what the audit does not keep, or a reading that it has not. Raises UsageError."""
    kept, readings = capability(audit, "keeps", ()), capability(audit, "named_readings")
    for name, part in reports.items():
        lacking = [one for one in capability(part, "keeps", ()) if one not in kept]
        if lacking:
            what = f"needs the {lacking[0]} of trials, which the {audit.name} audit does not keep"
            raise UsageError(f"reports.{name}", what, None, "leave it out of report=[...]")
        reading = capability(part, "reading")
        if reading is not None and readings is not None and reading not in readings():
            do = nearest(reading, readings())
            raise UsageError(f"reports.{name}.reading", f"no reading '{reading}' in this run", None, do)
