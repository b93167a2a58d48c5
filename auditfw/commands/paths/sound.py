"""Whether readings that are to be proposed accept wrong numbers or letters."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.probe.pairs import lossy_readings, readings_asked
from auditfw.config.schema import load
from auditfw.core.errors import AuditError
from auditfw.kinds.capabilities import Named


def sound(kind: str, parsers: Sequence[str], normalizer: str, matcher: str) -> bool:
    """Whether none of the parsers does under a normalizer and a matcher, as shipped, where truths are of this kind.

    Parts that need a setting are not asked.
    """
    try:
        named = tuple(Named(name, load("parser", name)) for name in parsers)
        ends = (Named(normalizer, load("normalizer", normalizer)),)
        plan = ReadingPlan(named, ends, load("matcher", matcher), tuple((p, 0) for p in range(len(named))))
    except AuditError:
        return True
    return not lossy_readings(plan, readings_asked(plan, kind), kind)
