"""The budget plan: what a run may cost at worst, reported before its first request."""

from __future__ import annotations

import math

from auditfw.core.document import some
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import Stop
from auditfw.kinds.solving import Clock


def budget_plan(problems: int, stop: Stop, clock: Clock) -> list[str]:
    """Lines with the most requests, seconds and cost of so many problems; what nothing bounds is said to be so."""
    each = stop.max_iterations * (1 + stop.retries)
    seconds, setting = worst_seconds(stop)
    most = f"{some(stop.max_iterations, 'iteration')} x {some(1 + stop.retries, 'try', 'tries')}"
    lines = [
        f"clock: {clock}",
        f"requests: at most {problems:,} x {most} = "
        f"{problems * each:,} ({problems * stop.max_iterations:,} if none fails)",
    ]
    if seconds is None:
        lines.append("seconds: not bounded: set stop.request_timeout or stop.max_total_time")
    else:
        lines.append(f"seconds: at most {problems:,} x {seconds:,.6g} = {problems * seconds:,.6g} ({setting})")
    tokens = capability(stop, "max_tokens")
    for name, limit in (("tokens", tokens), ("cost", stop.max_cost)):
        if limit is None:
            lines.append(f"{name}: not bounded: stop.max_{name} is null")
        else:
            lines.append(f"{name}: at most {problems:,} x {limit:,} = {problems * limit:,}, plus one more request each")
    return lines


def worst_seconds(stop: Stop) -> tuple[float | None, str]:
    """The most seconds of one problem, and by which setting; None where nothing bounds them."""
    if stop.max_total_time is not None:
        return stop.max_total_time, "stop.max_total_time"
    if stop.request_timeout is None:
        return None, ""
    pauses = math.fsum(stop.pause(failures, None) for failures in range(1, stop.retries + 1))
    total = stop.max_iterations * ((1 + stop.retries) * stop.request_timeout + pauses)
    return total, "stop.request_timeout, every request at its limit"
