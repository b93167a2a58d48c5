"""Logs as files: which samples a task reads, by the file alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inspect_logs import STORED, eval_log, head, json_log, sample, text, zipped

from auditfw.components.files.files import File
from auditfw.components.source.inspect_log import logs
from auditfw.components.source.inspect_log.logs import JsonLog, log_of
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")

SIZE = len(text(sample(1)))  # of each of nine samples, whose numbers have one digit


def counts(path: str, size: int) -> list[int]:
    groups = list(log_of(File(path)).groups(size))
    numbers = [one.number for group in groups for one in group.samples()]
    assert numbers == list(range(1, len(numbers) + 1))
    return [group.count for group in groups]


@pytest.mark.parametrize(
    ("size", "groups"),
    [(10 * SIZE, [7, 2]), (4 * SIZE, [3, 3, 3]), (SIZE, [1] * 9), (1, [1] * 9), (1 << 20, [9])],
)
def test_groups_of_an_archive(size: int, groups: list[int]) -> None:
    eval_log(*(sample(n) for n in range(1, 10)), method=STORED)
    held = counts("a.eval", size)
    assert sum(held) == 9
    assert len(held) == len(groups)
    assert all(n * SIZE <= max(size, SIZE) for n in held)


def test_groups_of_many_small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "GROUP_SAMPLES", 4)
    eval_log(*(sample(n) for n in range(1, 10)))
    assert counts("a.eval", 1 << 20) == [4, 4, 1]
    json_log(*(sample(n) for n in range(1, 10)))
    assert counts("a.json", 1 << 20) == [4, 4, 1]
    json_log(*(sample(n) for n in range(1, 10)), indent=None)
    assert counts("a.json", 1 << 20) == [4, 4, 1]
    assert counts("a.json", SIZE) == [1] * 9


def test_samples_far_apart_are_read_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    named = [(f"samples/{n}_epoch_1.json", text(sample(n))) for n in (1, 2, 3)]
    far = [*named[:2], ("_journal/x.json", b" " * 5000), named[2], ("header.json", text(head()))]
    Path("a.eval").write_bytes(zipped(far, STORED))
    assert counts("a.eval", 1 << 20) == [3]
    monkeypatch.setattr(logs, "GAP", 5000)
    assert counts("a.eval", 1 << 20) == [2, 1]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.eval", b"{}", "is not a zip file"),
        ("a.zip", zipped([("x", b"")]), "is a zip file and not an Inspect log"),
        ("a.json", zipped([("x", b"")]), "is a zip file and not an Inspect log"),
        ("a.json", b'{"version": 2, "eval": {}, "samples": 3}', "the samples are not a list"),
        ("a.json", b"null", "is not an Inspect log"),
    ],
)
def test_what_a_file_is_by_its_content(name: str, data: bytes, words: str) -> None:
    Path(name).write_bytes(data)
    with pytest.raises(DataError, match=words):
        log_of(File(name))


@pytest.mark.parametrize(("samples", "groups"), [(1, [1] * 9), (3, [3, 3, 3]), (4, [4, 4, 1]), (9, [9])])
def test_groups_of_a_document_hold_so_many_bytes(samples: int, groups: list[int]) -> None:
    json_log(*(sample(n) for n in range(1, 10)))
    log = log_of(File("a.json"))
    assert isinstance(log, JsonLog)
    [length] = {end - begin for begin, end in log.spans}
    assert counts("a.json", samples * length) == groups
    texts = [one.data for group in log.groups(samples * length) for one in group.samples()]
    assert [json.loads(one)["id"] for one in texts] == [sample(n)["id"] for n in range(1, 10)]
