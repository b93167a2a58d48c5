"""Safe mode: what `AUDITFW_SAFE` switches off."""

from __future__ import annotations

import os

from .errors import UsageError


def safe_mode() -> bool:
    """Whether `AUDITFW_SAFE` switches off the current folder's conf/, plugins/ and importable code."""
    return os.environ.get("AUDITFW_SAFE", "") not in ("", "0")


def refuse_if_safe(what: str) -> None:
    """Raises UsageError in safe mode; `what` says what would run, as in "the simulator 'python' runs your code"."""
    if safe_mode():
        raise UsageError("", f"switched off by AUDITFW_SAFE: {what}", None, "unset AUDITFW_SAFE where you trust it")
