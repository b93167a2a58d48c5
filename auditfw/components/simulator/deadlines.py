"""Running scenarios one after the other in this process, each with a deadline where that can be kept.

An interval timer looks every quarter of the deadline whether the scenario is still the same; the one that is, is
interrupted at the next bytecode. That costs a scenario nothing. It works in the main thread, for code that comes back
to the interpreter; for code that does not, see `isolated`.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .replies import Failed, explain, plain

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
