"""Scenarios as every set yields them: what was intended and the parameters, checked and with a place for messages."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from auditfw.core.errors import DataError, UsageError, brief, kind_of_value, nearest

from .evidence import Evidence

PLACED = "scenarios"
PLAIN, LARGEST = (int, float), sys.float_info.max
OURS = ("label", "intended", "params", "group", "place")


def checked(value: Any, kind: str, place: str, sparse: bool = False) -> dict[str, Any]:
    """The intended outcomes or parameters of a scenario: finite numbers by name. Raises DataError.

    An intended outcome may be a mapping or a list (a band, a direction): the audit reads those. With `sparse` null
    means that there is none, and a text that spells a number is one.
    """
    if not isinstance(value, Mapping):
        raise DataError(
            place,
            f"expected a mapping of numbers in '{kind}'",
            kind_of_value(value),
            f'write "{kind}": {{"NAME": 0.5}}',
        )
    outcomes: dict[str, Any] = {}
    for name, one in value.items():
        if type(one) in PLAIN and -LARGEST <= one <= LARGEST:
            outcomes[str(name)] = one
        elif one is not None or not sparse:
            outcomes[str(name)] = _unusual(one, f"{kind}.{name}", kind, place, sparse)
    return outcomes


def _unusual(value: Any, name: str, kind: str, place: str, sparse: bool) -> Any:
    read = spelled(value) if sparse and isinstance(value, str) else None
    if read is not None:
        return read
    if kind == "intended" and isinstance(value, Mapping | list):
        return value
    do = "leave it out if there is none" if value is None or value == "" else ""
    got = "null" if value is None else brief(repr(value), 40)
    raise DataError(place, f"expected a finite number in '{name}'", got, do)


def spelled(text: str) -> float | None:
    """The finite number that a text spells, or None."""
    try:
        read = float(text)
    except ValueError:
        return None
    return read if math.isfinite(read) else None


def outcomes(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Recorded outcomes of a table's cells: a text that spells a number is that number."""
    return {name: _number_or_text(cell) for name, cell in cells.items()}


def _number_or_text(cell: Any) -> Any:
    number = spelled(cell) if isinstance(cell, str) else None
    return cell if number is None else number


def group_text(value: Any) -> str | None:
    """A group as text."""
    return value if value is None or isinstance(value, str) else str(value)


Change = Literal["", "up", "down", "same"]
Level = Literal["must", "should"]

KINDS = ("value", "between", "at_least", "at_most", "direction", "unchanged")
FURTHER = ("unit", "level", "weight", "tolerance")


@dataclass(frozen=True)
class Intention:
    """A band `low` to `high` (one number where both are equal), or a `change` from the baseline within `tolerance`.

    `declared` says that its level was written, and is not must by default; `bounded` that it says itself when it is
    met, by a bound, a tolerance or a direction.
    """

    low: float = -math.inf
    high: float = math.inf
    change: Change = ""
    level: Level = "must"
    weight: float = 1.0
    unit: str = ""
    tolerance: float = 0.0
    declared: bool = field(default=False, compare=False)
    bounded: bool = field(default=False, compare=False)


def intention(document: Any) -> Intention:
    """Reads what is written for one key. Raises ValueError saying what is wrong."""
    if not isinstance(document, Mapping):
        value = number(document)
        return Intention(value, value)
    unknown = [str(name) for name in document if name not in KINDS + FURTHER]
    if unknown:
        raise ValueError(f"has '{unknown[0]}', {nearest(unknown[0], KINDS + FURTHER)}")
    kinds = {name for name in KINDS if document.get(name) is not None}
    if len(kinds) != 1 and kinds != {"at_least", "at_most"}:
        raise ValueError(f"needs one of {', '.join(KINDS)}")
    level: Level = "should" if document.get("level") == "should" else "must"
    if document.get("level") not in (None, "must", "should"):
        raise ValueError(f"has level {brief(document['level'])}: must or should")
    tolerance = _not_negative(document, "tolerance", 0.0)
    low, high, change = _meant(document, kinds, tolerance)
    if low > high:
        raise ValueError(f"has a lower bound {low:g} above its upper bound {high:g}")
    unit = str(document.get("unit") or "")
    weight, declared = _not_negative(document, "weight", 1.0), document.get("level") is not None
    bounded = document.get("tolerance") is not None or not kinds <= {"value", "unchanged"}
    return Intention(low, high, change, level, weight, unit, tolerance, declared, bounded)


def _meant(fields: Mapping[str, Any], kinds: set[str], tolerance: float) -> tuple[float, float, Change]:
    if "value" in kinds:
        value = number(fields["value"])
        return value - tolerance, value + tolerance, ""
    if "between" in kinds:
        ends = fields["between"]
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise ValueError(f"has between: {brief(ends)}, which is not a pair of numbers")
        return number(ends[0]) - tolerance, number(ends[1]) + tolerance, ""
    if "direction" in kinds:
        if fields["direction"] not in ("up", "down"):
            raise ValueError(f"has direction {brief(fields['direction'])}: up or down")
        return -math.inf, math.inf, fields["direction"]
    if "unchanged" in kinds:
        if fields["unchanged"] is not True:
            raise ValueError(f"has unchanged: {brief(fields['unchanged'])}, which can only be true")
        return -math.inf, math.inf, "same"
    low = number(fields["at_least"]) - tolerance if "at_least" in kinds else -math.inf
    high = number(fields["at_most"]) + tolerance if "at_most" in kinds else math.inf
    return low, high, ""


def number(written: Any) -> float:
    """A finite float of what is written: a number, or a text that reads as one. Raises ValueError."""
    try:
        value = float(written)
    except (TypeError, ValueError, OverflowError):
        shown = "nothing" if written is None else brief(written)
        raise ValueError(f"is not a number ({shown})") from None
    if not math.isfinite(value):
        raise ValueError(f"is not finite ({value})")
    return value


def _not_negative(fields: Mapping[str, Any], name: str, default: float) -> float:
    if fields.get(name) is None:
        return default
    value = number(fields[name])
    if value < 0:
        raise ValueError(f"has a negative {name} ({value:g})")
    return value


class ScenarioSet(Protocol):
    """Yields scenarios: batches with the columns `label`, `intended`, `params`, `group` and any others.

    `intended` and `params` are mappings, `label` and `group` text or None. It may also declare `by`: the columns of a
    run's cells where the run itself names none.
    """

    def open(self) -> Evidence: ...


@dataclass(frozen=True)
class Weights:
    """What direction and magnitude weigh in the combined score; only their ratio matters."""

    direction: float = 0.5
    magnitude: float = 0.5

    def __post_init__(self) -> None:
        for name in ("direction", "magnitude"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(name, "expected a weight of 0 or more", getattr(self, name))
        if self.direction + self.magnitude <= 0:
            raise UsageError("", "the weights add up to zero", None, "give direction or magnitude some weight")

    @property
    def words(self) -> str:
        """The weights in words: `balanced`, `magnitude alone`, `direction 1 : magnitude 3`."""
        if self.direction == self.magnitude:
            return "balanced"
        if 0 in (self.direction, self.magnitude):
            return "magnitude alone" if self.magnitude else "direction alone"
        return f"direction {self.direction:g} : magnitude {self.magnitude:g}"
