"""Logs of Inspect that are spoilt, at the real command, by the rows 86 to 91 of the catalogue of bad inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bad_inputs import Case, check
from inspect_logs import STORED, head, members, sample, zipped
from running import Command

PLAIN = ("by=[]", "report=[console]", "parser=[raw]", "normalizer=[none]", "matcher=containment")
LOG = ("source=inspect", "source.path=a.eval", *PLAIN)
JSON = ("source=inspect", "source.path=a.json", *PLAIN)
GOOD = members([sample(1), sample(2, value="I")])
NAMED = "samples/1_epoch_1.json"


def changed(old: bytes, new: bytes) -> bytes:
    """The good log with other bytes in each of its samples and its head."""
    return zipped([(name, data.replace(old, new)) for name, data in GOOD])


def document(**more: object) -> str:
    return json.dumps({**head(), "samples": [sample(1)], **more}, indent=2)


def case(row: int, what: str, data: bytes | str, code: int, *words: str, more: tuple[str, ...] = ()) -> Case:
    """A case of one log: .eval where it is bytes, else .json."""
    name, argv = ("a.eval", LOG) if isinstance(data, bytes) else ("a.json", JSON)
    return Case(row, what, {name: data}, (*argv, *more), code, words)


def first(data: bytes, **zipping: int) -> bytes:
    """The good log with another first sample."""
    return zipped([(NAMED, data), *GOOD[2:]], **zipping)


MANY = members([sample(number) for number in range(9)])
BOMB = first(b" " * 9_000_000)
LOGS = [
    case(86, "whole log", zipped(GOOD), 0, "baseline"),
    case(86, "cut off", zipped(GOOD)[:-100], 3, "a.eval", "cut off", "zip -FF"),
    case(86, "garbage", b"garbage", 3, "a.eval", "is not a zip file"),
    case(86, "empty", b"", 3, "a.eval", "is not a zip file"),
    case(86, "changed inside", zipped(GOOD, STORED).replace(b"2+2", b"2+3", 1), 3, NAMED, "checksum"),
    case(86, "no log", zipped([("x", b"1")]), 3, "a.eval", "not an Inspect log", "members are x"),
    case(86, "sample cut off", first(b'{"id": 1,'), 3, NAMED, "not JSON"),
    case(86, "sample of another name", changed(b'"id":1', b'"id":3'), 3, NAMED, "does not match the name of its file"),
    case(86, "sample without id", changed(b'"id":1,', b""), 3, NAMED, "no id and epoch"),
    case(86, "sample that is none", first(b'{"id": 1, "epoch": 1, "output": 3}'), 3, NAMED, "not a sample", "$.output"),
    case(86, "head is no JSON", zipped([*GOOD[:-1], ("header.json", b"{")]), 3, "a.eval:header.json", "JSON"),
    case(86, "encrypted", zipped(GOOD, flags=1), 3, "a.eval:", "encrypted"),
    case(86, "unknown method", zipped(GOOD, method=14), 3, "a.eval:", "unknown method", "14"),
    case(87, "zstd", zipped(GOOD), 0),
    case(88, "killed", zipped(GOOD[:-1]), 0, "a.eval", "without writing the log's head", "2 samples are read"),
    case(88, "no sample yet", zipped(GOOD[:1]), 5, "a.eval", "holds no record"),
    case(88, "stopped", changed(b"success", b"cancelled"), 0, "status 'cancelled'", "2 samples are read"),
    case(89, "bomb", BOMB, 3, NAMED, "too large", "9,000,000 bytes, where 1,000,000", "source.max_decoded=BYTES",
         more=("source.max_decoded=1000000",)),
    case(89, "member of 600 MB", zipped(GOOD, sizes={NAMED: 600 << 20}), 3, NAMED, "too large",
         "629,145,600 bytes, where 536,870,912", "source.max_decoded=BYTES"),
    case(89, "bomb of many members", zipped(MANY, sizes=dict.fromkeys((name for name, _ in MANY[:-1]), 500 << 20)), 3,
         "a.eval", "more than is plausible", "source.max_decoded=BYTES"),
    case(89, "bomb that is allowed", BOMB, 3, NAMED, "not JSON"),
    case(89, "bomb that lies", first(b" " * 9_000_000, size=10), 3, "a.eval:", "damaged"),
    case(89, "name that leads out", zipped([("samples/../../x_epoch_1.json", b"1")]), 3, "a.eval", "leads out"),
    case(90, "missing attachment", changed(b"It is 4", b"attachment://ab"), 3, NAMED, "attachment", "raw_text"),
    case(91, "unknown version", changed(b'"version":2', b'"version":5'), 3, "a.eval", "version 5", "1 and 2"),
    case(91, "unknown version as JSON", document(version=7), 3, "a.json", "version 7", "1 and 2"),
    case(91, "another document", '{"a": 1}', 3, "a.json", "not an Inspect log", "keys a"),
    case(91, "a list", "[1]", 3, "a.json", "not an Inspect log"),
    case(91, "document cut off", document()[:-5], 3, "a.json", "cut off"),
    case(91, "empty document", "", 5, "a.json", "is empty"),
    case(91, "several values", changed(b'"value":"C"', b'"value":{"x":1}'), 3, NAMED, "source.key=x"),
    case(91, "no such scorer", zipped(GOOD), 2, "source.scorer", "match", more=("source.scorer=match1",)),
    Case(91, "no such file", {}, LOG, 3, ("a.eval", "no such file")),
    Case(91, "folder without logs", {"a.eval/x.txt": "x"}, LOG, 3, ("a.eval", "no *.eval or *.json in it")),
]  # fmt: skip
QUICK = (
    "whole log", "cut off", "bomb", "killed", "member of 600 MB", "bomb of many members", "missing attachment",
    "unknown version",
)  # fmt: skip


@pytest.mark.parametrize(
    "case", [pytest.param(one, id=str(one), marks=[] if one.what in QUICK else [pytest.mark.slow]) for one in LOGS]
)
def test_bad_log(case: Case, tmp_path: Path, command: Command) -> None:
    check(case, tmp_path, command)
