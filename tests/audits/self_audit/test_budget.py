"""The worst case of a run in seconds."""

from __future__ import annotations

from auditfw.audits.self_audit.audit import worst_seconds
from auditfw.components.stop.budgets import Budgets


def test_worst_case() -> None:
    assert worst_seconds(Budgets(max_total_time=300.0)) == (300.0, "stop.max_total_time")
    each, _ = worst_seconds(Budgets(max_iterations=10, retries=2, request_timeout=60, retry_delay=5, retry_factor=2))
    assert each == 10 * (3 * 60 + 5 + 10)
    assert worst_seconds(Budgets(request_timeout=None))[0] is None
