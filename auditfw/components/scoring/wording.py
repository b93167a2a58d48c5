"""What scorings say alike, and a score that is no success."""

from __future__ import annotations

import math
import reprlib
from typing import Any

from auditfw.core.errors import brief

NEARLY = math.nextafter(1.0, 0.0)
ELSE = "choose the scoring that fits: scoring=... (auditfw list scoring)"


def shown(value: Any) -> str:
    """A value on one line, long and deep ones cut short."""
    return brief(reprlib.repr(value))


def unfinished(score: float) -> float:
    """A score that is no success, however near: below 1."""
    return min(max(score, 0.0), NEARLY)
