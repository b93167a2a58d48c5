"""Results in the order of their tasks, whoever does these."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from auditfw.core.interrupts import look

S = TypeVar("S")
T = TypeVar("T")


def one_by_one(work: Callable[[S], T], tasks: Iterable[S]) -> Iterator[T]:
    """The results of the tasks, each done here and now."""
    for task in tasks:
        look()
        yield work(task)


def in_order(tasks: Iterable[S], submit: Callable[[S], Any], result: Callable[[Any], Any], ahead: int) -> Iterator[Any]:
    """The results in the order of the tasks, at most `ahead` of them under way."""
    rest = iter(tasks)
    waiting = deque(map(submit, islice(rest, ahead)))
    while waiting:
        done = result(waiting.popleft())
        waiting.extend(map(submit, islice(rest, 1)))
        yield done
