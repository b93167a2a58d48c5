"""Work by threads: in order, with a work of its own for each; the rest goes to processes when it is no gain."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from auditfw.components.engine.local import Local
from auditfw.components.engine.threads import AHEAD, in_threads
from auditfw.components.source import judgement_lines as judged
from auditfw.components.source.pairs import PairsSource, Quick
from auditfw.core.errors import DataError
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
    before = threading.active_count()
    several = map(Numbered, [0, 1, 2, -1, *range(4, 90)])
    with pytest.raises(ValueError, match="a task that fails"):
        list(Local(2).map(Counting(), several, None))
    stopped = Local(2).map(Counting(), tasks(90), None)
    assert next(stopped)[0] == 0
    assert next(stopped)[0] == 1
    stopped.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


LINE = '{"qid": "q%d", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}\n'
WANTED: tuple[Any, ...] = ((), ("id", "scholar", "auditor", "#fault", "#place"))


def lines(path: Path, count: int) -> PairsSource:
    path.write_text("".join(LINE % n for n in range(count)), encoding="utf-8")
    return PairsSource(path=str(path), duplicates="all")


def test_a_checksum_comes_of_reading_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "STRETCH", 1_000)
    found = lines(tmp_path / "whole.jsonl", 500).open(*WANTED)
    assert len(list(found.tasks)) > 9
    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", None)
        [told] = found.inputs()
    assert told.sha256 == hashlib.sha256((tmp_path / "whole.jsonl").read_bytes()).hexdigest()


def test_a_file_that_was_read_in_part_is_read_again_and_one_that_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judged, "STRETCH", 1_000)
    part, other = (lines(tmp_path / name, 500).open(*WANTED) for name in ("part.jsonl", "changed.jsonl"))
    next(iter(part.tasks))
    tasks = iter(other.tasks)
    next(tasks)
    (tmp_path / "changed.jsonl").write_bytes((tmp_path / "changed.jsonl").read_bytes().replace(b"q1", b"p1"))
    list(tasks)
    assert part.inputs()[0].sha256 == hashlib.sha256((tmp_path / "part.jsonl").read_bytes()).hexdigest()
    with pytest.raises(DataError, match="changed during the run"):
        other.inputs()


def test_blocks_are_at_hand_in_this_process_only(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    [task] = lines(path, 50).open(*WANTED).tasks
    assert isinstance(task, Quick)
    block: Any = task.reading.block
    sent: Any = pickle.loads(pickle.dumps(task)).reading.block
    assert block.near == path.read_bytes()
    assert sent.near is None
    assert sent.bytes() == block.bytes()
    assert list(task().columns["id"]) == [f"q{n}" for n in range(50)]
