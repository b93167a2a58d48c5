"""What a sample of an Inspect log says of itself as an attempt: its seconds and its tokens."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

PROBLEM, ATTEMPT = "problem", "attempt"
TIMES = ("working_time", "total_time")  # the first is without what was waited for


def seconds_of(sample: Any) -> float | None:
    """The seconds that a sample took, without pauses where the log says so; None where it says nothing."""
    times = (getattr(sample, name) for name in TIMES)
    return next((float(time) for time in times if _is_amount(time)), None)


def tokens_of(usage: Mapping[str, Any]) -> int | None:
    """The tokens of all models that a sample used; None where the log counts none, as that of a failed request."""
    known = [int(one.total_tokens) for one in usage.values() if one is not None and _is_amount(one.total_tokens)]
    return sum(known) if known else None


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max
