"""Blocks of judgements read by threads: checksums, files that changed, blocks at hand in this process only."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from typing import Any

import pytest

from auditfw.components.files import judgement_lines as judged
from auditfw.components.source.pairs import PairsSource, Quick
from auditfw.core.errors import DataError

LINE = '{"qid": "q%d", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}\n'
WANTED: tuple[Any, ...] = ((), ("id", "scholar", "auditor", "#fault", "#place"))


def lines(path: Path, count: int) -> PairsSource:
    path.write_text("".join(LINE % n for n in range(count)), encoding="utf-8")
    return PairsSource(path=str(path), duplicates="all")


def test_a_checksum_comes_of_reading_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "SLICE", 1_000)
    found = lines(tmp_path / "whole.jsonl", 500).open(*WANTED)
    assert len(list(found.tasks)) > 9
    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", None)
        [told] = found.inputs()
    assert told.sha256 == hashlib.sha256((tmp_path / "whole.jsonl").read_bytes()).hexdigest()


def test_a_file_that_was_read_in_part_is_read_again_and_one_that_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judged, "SLICE", 1_000)
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
    assert block.piece.near == path.read_bytes()
    assert sent.piece.near is None
    assert sent.piece.content() == block.piece.content()
    assert list(task().columns["id"]) == [f"q{n}" for n in range(50)]
