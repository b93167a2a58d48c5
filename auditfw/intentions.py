"""What an outcome is meant to be: a number, or a mapping that says more than one point.

| written                       | meant                                                         |
|-------------------------------|---------------------------------------------------------------|
| `0.8`, `{value: 0.8}`         | that number; with `tolerance: t` the band about it            |
| `{between: [a, b]}`           | anything from a to b                                          |
| `{at_least: a}`, `{at_most: b}` | no less, no more (both together: a band)                    |
| `{direction: up}`, `down`     | more, less than in the baseline scenario                      |
| `{unchanged: true}`           | what the baseline scenario gives, within `tolerance`          |

Each may have a `unit` (told, and one for each key), a `level` (`must`, the default, or `should`) and a `weight`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from auditfw.errors import brief, nearest

Change = Literal["", "up", "down", "same"]
Level = Literal["must", "should"]

KINDS = ("value", "between", "at_least", "at_most", "direction", "unchanged")
FURTHER = ("unit", "level", "weight", "tolerance")


@dataclass(frozen=True)
class Intention:
    """A band `low` to `high` (one number where both are equal), or a `change` from the baseline within `tolerance`."""

    low: float = -math.inf
    high: float = math.inf
    change: Change = ""
    level: Level = "must"
    weight: float = 1.0
    unit: str = ""
    tolerance: float = 0.0


def intention(given: Any) -> Intention:
    """Reads what is written for one key. Raises ValueError saying what is wrong."""
    if not isinstance(given, Mapping):
        value = number(given)
        return Intention(value, value)
    unknown = [str(name) for name in given if name not in KINDS + FURTHER]
    if unknown:
        raise ValueError(f"has '{unknown[0]}', {nearest(unknown[0], KINDS + FURTHER)}")
    kinds = {name for name in KINDS if given.get(name) is not None}
    if len(kinds) != 1 and kinds != {"at_least", "at_most"}:
        raise ValueError(f"needs one of {', '.join(KINDS)}")
    level: Level = "should" if given.get("level") == "should" else "must"
    if given.get("level") not in (None, "must", "should"):
        raise ValueError(f"has level {brief(given['level'])}: must or should")
    tolerance = _not_negative(given, "tolerance", 0.0)
    low, high, change = _meant(given, kinds, tolerance)
    if low > high:
        raise ValueError(f"leaves nothing between {low:g} and {high:g}")
    unit = str(given.get("unit") or "")
    return Intention(low, high, change, level, _not_negative(given, "weight", 1.0), unit, tolerance)


def _meant(given: Mapping[str, Any], kinds: set[str], tolerance: float) -> tuple[float, float, Change]:
    if "value" in kinds:
        value = number(given["value"])
        return value - tolerance, value + tolerance, ""
    if "between" in kinds:
        ends = given["between"]
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise ValueError(f"has between: {brief(ends)}, which is no pair of numbers")
        return number(ends[0]) - tolerance, number(ends[1]) + tolerance, ""
    if "direction" in kinds:
        if given["direction"] not in ("up", "down"):
            raise ValueError(f"has direction {brief(given['direction'])}: up or down")
        return -math.inf, math.inf, given["direction"]
    if "unchanged" in kinds:
        if given["unchanged"] is not True:
            raise ValueError(f"has unchanged: {brief(given['unchanged'])}, which can only be true")
        return -math.inf, math.inf, "same"
    low = number(given["at_least"]) - tolerance if "at_least" in kinds else -math.inf
    high = number(given["at_most"]) + tolerance if "at_most" in kinds else math.inf
    return low, high, ""


def number(given: Any) -> float:
    """A finite float of what is written: a number, or a text that reads as one. Raises ValueError."""
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        found = "nothing" if given is None else brief(given)
        raise ValueError(f"is no number ({found})") from None
    if not math.isfinite(value):
        raise ValueError(f"is not finite ({value})")
    return value


def _not_negative(given: Mapping[str, Any], name: str, default: float) -> float:
    if given.get(name) is None:
        return default
    value = number(given[name])
    if value < 0:
        raise ValueError(f"has a negative {name} ({value:g})")
    return value
