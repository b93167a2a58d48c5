"""The loop over batches on an engine whose workers compute the checksums besides: a small engine of these tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from auditfw.audits.batches import SENT, Batches, SentTasks, TakenBatch, collect, collect_checked, several
from auditfw.core.inputs import watch
from auditfw.core.tables import TrialTable
from auditfw.kinds.context import Context, ReportLimits


@dataclass
class Elsewhere:
    """Does all tasks here, and notes how they came."""

    sizes: list[int] = field(default_factory=list)

    def map(self, work: Callable[[Any], Any], tasks: Iterable[Any], rows: int | None) -> Iterator[Any]:
        """Each task by itself."""
        self.sizes.append(0)
        return map(work, tasks)

    def map_beside(self, work: Callable[[Any], Any], tasks: Iterable[Any], others: Iterable[Any]) -> Iterator[Any]:
        """The others, and then tasks that came together."""
        for task in chain(others, tasks):
            self.sizes.append(len(task.tasks) if isinstance(task, SentTasks) else -1)
            yield work(task)


class Doubling:
    """Work whose outcomes are packed where they are sent."""

    def __call__(self, task: int) -> Any:
        return 2 * task

    def pack(self, outcomes: list[Any]) -> list[Any]:
        """Marks them."""
        return [f"packed {outcome}" for outcome in outcomes]


@pytest.mark.parametrize("count", [0, 1, SENT, SENT + 3])
def test_tasks_come_in_their_order_however_many_are_sent_at_once(count: int) -> None:
    assert list(chain.from_iterable(several(range(count)))) == list(range(count))
    assert [len(some) for some in several(range(count))][:-1] == [SENT] * ((count - 1) // SENT)


@pytest.mark.parametrize("loop", [collect, collect_checked])
def test_workers_elsewhere_pack_what_they_send_and_sum_the_files(loop: Callable[..., int], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    watched, engine, taken = watch([str(tmp_path / "a")]), Elsewhere(), list[Any]()

    def take(outcome: Any) -> TakenBatch:
        taken.append(outcome)
        return TakenBatch(1)

    context = Context(engine, (), 0, ReportLimits(), TrialTable(None))
    rows = loop(context, Doubling(), Batches(range(SENT + 2), None, unsummed=lambda: watched.unsummed), take)
    assert (rows, taken) == (SENT + 2, [f"packed {2 * n}" for n in range(SENT + 2)])
    assert engine.sizes == [-1, SENT, 2]
    assert (watched.unsummed, watched.inputs()[0].sha256) == ([], sha256(b"abc").hexdigest())
    assert loop(context, Doubling(), Batches(range(3), None, unsummed=lambda: watched.unsummed), take) == 3
    assert (engine.sizes[3:], taken[-1]) == ([3], "packed 4")  # nothing to sum: packed all the same
