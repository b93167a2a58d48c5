"""What can be set of `auditfw compare`: words that begin with `compare.`, each number within its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from auditfw.config.choices import parsed
from auditfw.core.errors import UsageError, nearest

PREFIX = "compare."
FIRST, BEST = AGAINST = ("first", "best")
IN_POINTS = ("truths", "scoring", "difference")


@dataclass(frozen=True)
class CompareSettings:
    """How two sides are compared; numbers are percent or percentage points.

    - `on`: the column that says which items are the same (None: it is searched); `by`: columns whose cells are sides;
    - `against`: which of several logs the gaps are to;
    - `truths`, `scoring`: from when on other truths, other labels by both rules mean that two things were measured;
    - `difference`: what difference would matter; `reuse`: whether sides that were run before are used again.
    """

    on: str | None = None
    by: tuple[str, ...] = ()
    against: str = FIRST
    truths: float = 1.0
    scoring: float = 10.0
    difference: float = 2.0
    reuse: bool = True

    def __post_init__(self) -> None:
        for name in IN_POINTS:
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= 100:
                raise UsageError(f"{PREFIX}{name}", "expected a number above 0 and at most 100", number)
        if self.against not in AGAINST:
            raise UsageError(f"{PREFIX}against", "expected first or best", self.against)
        if not isinstance(self.reuse, bool):
            raise UsageError(f"{PREFIX}reuse", "expected true or false", self.reuse)
        if self.on is not None and (not isinstance(self.on, str) or not self.on):
            raise UsageError(f"{PREFIX}on", "expected the name of a column", self.on)


SETTINGS = tuple(one.name for one in fields(CompareSettings))


def compare_settings(words: Sequence[str]) -> CompareSettings:
    """The settings that words of a command write, all of which begin with `compare.`. Raises UsageError."""
    values: dict[str, Any] = {}
    for word in words:
        key, _, text = word.partition("=")
        name = key.removeprefix(PREFIX)
        if name not in SETTINGS:
            raise UsageError(key, "unknown setting", text or None, nearest(key, [f"{PREFIX}{one}" for one in SETTINGS]))
        [one] = parsed([word])
        values[name] = _value(name, key, one.value(), text, one.is_sweep_override())
    return CompareSettings(**values)


def _value(name: str, key: str, value: Any, text: str, several: bool) -> Any:
    if several:
        raise UsageError(key, "has several values", text, "write one")
    if name != "by":
        return str(value) if name == "on" and isinstance(value, int | float) else value
    names = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(one, str) for one in names):
        raise UsageError(key, "expected names", text, "write them as [a,b]")
    return tuple(dict.fromkeys(names))
