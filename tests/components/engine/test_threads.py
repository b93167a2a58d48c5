"""Work by threads: in order, with a work of its own for each; the rest goes to processes when it is no gain."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from auditfw.components.engine.local import Local
from auditfw.components.engine.server import AHEAD, in_threads
from auditfw.core.records import Batch


@dataclass
class Counting:
    """Says of each task who did it; those that are `heavy` are better done by a process."""

    heavy: frozenset[int] = frozenset()
    seen: list[int] = field(default_factory=list)

    def __call__(self, task: Callable[[], Batch]) -> tuple[int, int, bool]:
        number: int = task().columns["id"][0]  # type: ignore[assignment]
        if number < 0:
            raise ValueError("a task that fails")
        self.seen.append(number)
        return number, os.getpid(), sorted(self.seen) == self.seen

    def left_free(self, done: tuple[int, int, bool]) -> bool:
        return done[0] not in self.heavy


@dataclass(frozen=True)
class Numbered:
    number: int

    def __call__(self) -> Batch:
        return Batch({"id": [self.number]})


def tasks(count: int) -> Iterator[Numbered]:
    return map(Numbered, range(count))


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_results_come_in_order_from_this_process(count: int) -> None:
    found = list(Local(3).map(Counting(), tasks(count), None))
    assert found == [(n, os.getpid(), True) for n in range(count)]


def test_what_is_no_gain_goes_to_processes() -> None:
    rest = tasks(60)
    done = list(in_threads(pickle.dumps(Counting(frozenset({4}))), rest, 2, Counting(frozenset({4})).left_free))
    left = [task.number for task in rest]
    assert [n for n, _, _ in done] + left == list(range(60))
    assert len(done) <= 5 + 2 * AHEAD
    assert len(list(in_threads(pickle.dumps(Counting()), tasks(9), 2, lambda done: False))) == 1


def test_a_task_that_fails_fails_the_run_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    several = map(Numbered, [0, 1, 2, -1, *range(4, 90)])
    with pytest.raises(ValueError, match="a task that fails"):
        list(Local(2).map(Counting(), several, None))
    stopped = Local(2).map(Counting(), tasks(90), None)
    assert next(stopped)[0] == 0
    assert next(stopped)[0] == 1
    stopped.close()  # type: ignore[attr-defined]
    assert not set(threading.enumerate()) - before
