"""Replies of simulations, made plain: numbers stay, anything else becomes a small stand-in that names its type."""

from __future__ import annotations

import math
import numbers
import signal
import sys
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from auditfw.core.errors import brief
from auditfw.kinds.simulation import Simulated, SimulationStatus

MOST_KEYS = 1_000_000
TEXT = 100
PLAIN = (str, int, float, bool, complex, type(None))


class OutcomeError(ValueError):
    """A simulator gave something that is not a mapping of outcomes."""


class Failed:
    """A scenario without outcomes: its status and why."""

    __slots__ = ("status", "why")

    def __init__(self, status: SimulationStatus, why: str) -> None:
        self.status, self.why = status, why


@dataclass(frozen=True)
class NoNumber:
    """Replaces a value that is not a number: only the name of its type is kept."""

    sort: str

    def __str__(self) -> str:
        return f"a {self.sort}"


@dataclass(frozen=True)
class Replies:
    """What some scenarios gave: columns of floats by key where all have the same keys, else `rows`; who failed."""

    size: int
    failed: Mapping[int, Failed] = field(default_factory=dict)
    columns: Mapping[str, Any] | None = None
    rows: Sequence[Any] = ()

    def each(self) -> list[Any]:
        """The outcomes of each scenario, None where it failed."""
        if self.columns is None:
            return list(self.rows)
        names = list(self.columns)
        values = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        rows = [dict(zip(names, row, strict=True)) for row in values] if names else [{} for _ in range(self.size)]
        return [None if i in self.failed else row for i, row in enumerate(rows)]


def explain(error: BaseException) -> str:
    """What an exception says, on one short line."""
    if isinstance(error, OutcomeError):
        return str(error)
    if isinstance(error, SystemExit):
        return f"it asked to exit (code {brief(error.code, 40)})"
    try:
        message = str(error).strip()
    except Exception:
        message = ""
    return brief(f"{type(error).__name__}: {message}" if message else type(error).__name__, 200)


def plain(outcomes: Any) -> dict[str, Any]:
    """Outcomes by key, numbers as Python's own. Raises OutcomeError for what is not a mapping."""
    if not isinstance(outcomes, Mapping):
        sort = "nothing" if outcomes is None else f"a {type(outcomes).__name__}"
        raise OutcomeError(f"it gave {sort}, not a mapping of outcomes")
    if len(outcomes) > MOST_KEYS:
        raise OutcomeError(f"it gave {len(outcomes):,} outcomes, more than {MOST_KEYS:,}")
    return {str(key): _value(value) for key, value in outcomes.items()}


def _value(value: Any) -> Any:
    if type(value) in (float, int, bool):
        return value
    if isinstance(value, str):
        return value[:TEXT]
    masked, truth = hasattr(value, "mask"), type(value).__name__ in ("bool", "bool_")
    if getattr(value, "shape", None) == () and not masked and not truth:
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, numbers.Real) and type(value).__module__ == "numpy":
        return float(value)
    return NoNumber(type(value).__name__)


def answers(outcomes: Sequence[dict[str, Any] | Failed]) -> Replies:
    """The answers of scenarios: as columns where all that succeeded have the same keys and only floats and ints."""
    failed = {i: row for i, row in enumerate(outcomes) if type(row) is Failed}
    columns = _columns(outcomes, failed)
    if columns is not None:
        return Replies(len(outcomes), failed, columns)
    rows: list[Any] = []
    for i, row in enumerate(outcomes):
        answer = row if isinstance(row, Failed) else _plain_or_failed(row)
        if isinstance(answer, Failed):
            failed[i] = answer
        rows.append(None if isinstance(answer, Failed) else answer)
    return Replies(len(outcomes), failed, None, rows)


def _plain_or_failed(row: Mapping[str, Any]) -> dict[str, Any] | Failed:
    try:
        return plain(row)
    except Exception as error:
        return Failed("error", explain(error))


def _columns(outcomes: Sequence[Any], failed: Mapping[int, Failed]) -> dict[str, Any] | None:
    rows = outcomes if not failed else [row for i, row in enumerate(outcomes) if i not in failed]
    if not rows:
        return None
    names = list(rows[0])
    if not 0 < len(names) <= MOST_KEYS or set(map(type, names)) != {str} or set(map(len, rows)) != {len(names)}:
        return None
    try:
        picked = map(itemgetter(*names), rows)
        columns = dict(zip(names, zip(*picked, strict=True) if len(names) > 1 else [tuple(picked)], strict=True))
    except KeyError:
        return None
    if not all({float, int}.issuperset(map(type, column)) for column in columns.values()):
        return None
    try:
        return {name: array("d", _spread(column, failed, len(outcomes))) for name, column in columns.items()}
    except OverflowError:
        return None


def _spread(column: tuple[float, ...], failed: Mapping[int, Failed], size: int) -> Sequence[float]:
    """A column of those that succeeded with NaN put in for those that failed."""
    if not failed:
        return column
    values = iter(column)
    return [math.nan if i in failed else next(values) for i in range(size)]


def simulated(parts: Sequence[Replies]) -> Simulated:
    """The parts of a batch put together, in order."""
    size = sum(part.size for part in parts)
    status: list[SimulationStatus] = ["ok"] * size
    why = [""] * size
    at = 0
    for part in parts:
        for i, one in part.failed.items():
            status[at + i], why[at + i] = one.status, one.why
        at += part.size
    columns = _joined(parts)
    if columns is not None:
        return Simulated((), status, why, columns)
    return Simulated([row for part in parts for row in part.each()], status, why)


def _joined(parts: Sequence[Replies]) -> dict[str, Any] | None:
    """The columns of all parts as one; None where they differ, or one has none though something succeeded in it."""
    import numpy as np

    names = {tuple(part.columns) for part in parts if part.columns is not None}
    if len(names) != 1 or any(part.columns is None and len(part.failed) < part.size for part in parts):
        return None
    empty = {part.size: np.full(part.size, np.nan) for part in parts if part.columns is None}
    return {
        name: np.concatenate([
            empty[part.size] if part.columns is None else np.asarray(part.columns[name], float) for part in parts
        ])
        for name in names.pop()
    }  # fmt: skip


def tabled(table: Any, size: int) -> dict[str, Any]:
    """Columns of floats from what a batch gave: a mapping or a frame. Raises OutcomeError."""
    import numpy as np

    if not isinstance(table, Mapping):
        if not hasattr(table, "columns"):
            raise OutcomeError(f"it gave a {type(table).__name__}, not columns of outcomes")
        table = {name: table[name] for name in table.columns}
    columns = {}
    for name, values in table.items():
        column = np.asarray(values)
        if column.shape != (size,) or column.dtype.kind not in "iuf":
            raise OutcomeError(f"its column '{name}' is not a column of {size} numbers")
        columns[str(name)] = column.astype(float)
    return columns


# Running scenarios one after the other in this process, each with a deadline where that can be kept.

LOOKS = 4


class _TooLongError(BaseException):
    """A scenario's time is over; no `except Exception` of the simulated code stops it."""


def run_each(
    one: Callable[..., Any], params: Sequence[Any], seeds: Sequence[int] | None, timeout: float, begin: Any = None
) -> list[Any]:
    """Calls `one(params, seed)`, or without seeds `one(params)`, for each scenario: its outcomes, or Failed.

    `begin` is given the place of each scenario before it runs: an array whose first item is set.
    """
    outcomes: list[Any] = []
    begin = [0] if begin is None else begin
    with _watched(outcomes, timeout):
        while len(outcomes) < len(params):
            with _failing(outcomes, timeout):
                for i in range(len(outcomes), len(params)):
                    begin[0] = i
                    gave = one(params[i]) if seeds is None else one(params[i], seeds[i])
                    outcomes.append(gave.copy() if type(gave) is dict else plain(gave))
    return outcomes


def run_at_once(many: Callable[[], Any], timeout: float) -> Any:
    """Calls a function that takes many scenarios together: what it gives, or Failed."""
    outcomes: list[Any] = []
    with _watched(outcomes, timeout), _failing(outcomes, timeout):
        outcomes.append(many())
    return outcomes[0]


@contextmanager
def _failing(outcomes: list[Any], timeout: float) -> Iterator[None]:
    """Turns what is raised within into one more item of `found`; only an interrupt goes on."""
    try:
        yield
    except _TooLongError:
        outcomes.append(Failed("timeout", f"no answer within {timeout:g} s"))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        outcomes.append(Failed("error", explain(error)))


@contextmanager
def _watched(outcomes: Sequence[Any], timeout: float) -> Iterator[None]:
    """Interrupts the code within when `found` does not grow for `timeout` seconds, up to a quarter more."""
    if sys.platform == "win32" or not hasattr(signal, "setitimer"):
        yield
        return
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen, looks = -1, 0

    def look(_number: int, _frame: Any) -> None:
        nonlocal seen, looks
        looks = looks + 1 if len(outcomes) == seen else 0
        seen = len(outcomes)
        if looks >= LOOKS:
            looks = 0
            raise _TooLongError

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, timeout / LOOKS, timeout / LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
