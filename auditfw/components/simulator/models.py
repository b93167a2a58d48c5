"""What simulators have in common: a model as it is opened in the process that runs it, bounds, deadlines."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal, Protocol

from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.remote.places import actual

Isolation = Literal["process", "none"]
Bounds = dict[str, tuple[float | None, ...]]


@dataclass(frozen=True)
class Model:
    """An opened model: `one(params)` gives a mapping, `many(columns, seeds)` columns of the same length.

    One that is `seeded` is called `one(params, seed)`. `bounds` are those that the model itself declares.
    """

    one: Callable[..., Any]
    many: Callable[[dict[str, Any], Any], Any] | None = None
    stochastic: bool = False
    seeded: bool = False
    bounds: Bounds = field(default_factory=dict)


class Opener(Protocol):
    """A simulator's settings, which open its model. They are what goes to another process."""

    @property
    def timeout(self) -> float: ...

    @property
    def isolation(self) -> Isolation: ...

    @property
    def folder(self) -> str | None: ...

    def open(self) -> Model: ...


def check_timeout(timeout: float) -> None:
    """Raises UsageError unless it is a time."""
    if not timeout > 0:
        raise UsageError("timeout", "expected a number of seconds above 0", timeout)


def limits_of(bounds: Mapping[str, tuple[float | None, ...]]) -> dict[str, tuple[float, float]] | None:
    """Bounds with their open ends filled in; None where there are none. Raises UsageError."""
    for name, pair in bounds.items():
        if len(pair) != 2:
            raise UsageError(f"bounds.{name}", "is not [low, high]", list(pair), "null means an open end")
    limits = {
        name: (-math.inf if low is None else float(low), math.inf if high is None else float(high))
        for name, (low, high) in bounds.items()
    }
    for name, (low, high) in limits.items():
        if not low <= high:
            raise UsageError(f"bounds.{name}", "the low bound is above the high bound", [low, high])
    return limits or None


def need(package: str, extra: str, what: str) -> None:
    """Raises UsageError, naming the extra to install, where an optional package is absent."""
    if find_spec(package) is None:
        raise UsageError("simulator", f"{what} needs the package {package}", None, f"pip install 'auditfw[{extra}]'")


def check_file(path: str) -> None:
    """Raises DataError with the nearest name unless there is a file."""
    if not os.path.isfile(actual(path)):
        around = sorted(os.listdir(os.path.dirname(actual(path)) or "."))
        raise DataError(path, "no such file", None, nearest(os.path.basename(path), around))
