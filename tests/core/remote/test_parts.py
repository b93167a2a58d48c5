"""Parts of a table on shared storage: what a worker leaves there, what the command makes of it, and what is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from object_server import ObjectServer

from auditfw.audits.batches import BatchesOrSum, SentTasks
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.masking import Mask, mask, masked, masking_as
from auditfw.core.remote.parts import LaidRows, SharedFolder, check_parts, remove_open, shared_folder
from auditfw.core.tables import PackedRows

ROWS = {"id": ["a", "b"], "text": ["the s3cret-k3y", None]}
SHARE = "name a folder that all machines have under this path"
AGAIN = "run again, and let nothing else write or remove files there"


class Packing:
    """Work whose outcomes are rows."""

    def __call__(self, task: dict[str, Any]) -> Any:
        return task

    def pack(self, outcomes: list[Any], lay: Callable[[PackedRows], Any]) -> list[Any]:
        """All rows as one."""
        return [lay(PackedRows.of(outcomes))]


def laid(place: SharedFolder, number: int = 17) -> LaidRows:
    """One part of two rows."""
    part: LaidRows
    (part,) = BatchesOrSum[Any, Any](Packing(), place)(SentTasks(number, [ROWS]))  # type: ignore[misc]
    return part


@pytest.mark.parametrize("remote", [False, True])
def test_a_part_comes_back_and_at_the_end_nothing_is_left(
    remote: bool, server: ObjectServer, bucket: str, tmp_path: Path
) -> None:
    where = f"{bucket}/some/folder/" if remote else "."
    with shared_folder(where, mask()) as place:
        assert place is not None
        part = laid(place)
        assert (part.names, part.height, part.place) == (["id", "text"], 2, f"{place.place}/part-00017.parquet")
        assert part == laid(place)  # a task that is done again
        packed = part.packed()
        assert pl.read_parquet(BytesIO(packed.data)).to_dict(as_series=False) == ROWS
        assert server.files if remote else list(tmp_path.glob("auditfw-parts-*/part-00017.parquet"))
        with shared_folder(where, mask()) as other:
            assert other is not None
            assert other.place != place.place
    assert (server.files, list(tmp_path.iterdir())) == ({}, [])
    with pytest.raises(AuditError) as refused:  # a worker that comes late
        laid(place)
    what = "the run is over, or this machine sees another bucket" if remote else "is not there on this machine"
    where = f"{place.place}/part-00017.parquet" if remote else place.place
    assert str(refused.value) == f"{where}: {what} - {SHARE}"
    assert (refused.value.exit_code, server.files, list(tmp_path.iterdir())) == (4, {}, [])


def test_nothing_is_left_at_an_address_where_the_process_is_ended(server: ObjectServer, bucket: str) -> None:
    with shared_folder(f"{bucket}/x", mask()) as place:
        assert place is not None
        laid(place)
        assert len(server.files) == 2
        remove_open()
        assert server.files == {}


def changed(data: bytes, case: str) -> bytes | None:
    """Bytes of a part as something else left them."""
    return {"cut": data[:-1], "another": data[:-1] + b"?", "longer": data + b"?", "missing": None}[case]


def failing(where: str) -> None:
    """A run that ends in an error."""
    with shared_folder(where, mask()) as place:
        assert place is not None
        laid(place)
        raise KeyError


def test_nothing_is_left_of_a_run_that_fails(server: ObjectServer, bucket: str, tmp_path: Path) -> None:
    for where in (bucket + "/x", "."):
        with pytest.raises(KeyError):
            failing(where)
    assert (server.files, list(tmp_path.iterdir())) == ({}, [])


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize(
    ("case", "line"),
    [
        ("cut", r"is not what a worker wrote \(\d+ bytes, wanted \d+\) - " + AGAIN),
        ("another", r"is not what a worker wrote \(other bytes\) - " + AGAIN),
        ("longer", r"is not what a worker wrote \(other bytes\) - " + AGAIN),
        ("missing", r"a worker wrote it, and it is not there - " + SHARE),
    ],
)
def test_a_part_that_is_another(case: str, line: str, remote: bool, server: ObjectServer, bucket: str) -> None:
    with shared_folder(f"{bucket}/x" if remote else ".", mask()) as place:
        assert place is not None
        part = laid(place)
        key = part.place.removeprefix(f"{bucket}/")
        data = changed(server.files.pop(key) if remote else Path(part.place).read_bytes(), case)
        if remote and data is not None:
            server.files[key] = data
        elif not remote:
            Path(part.place).unlink() if data is None else Path(part.place).write_bytes(data)
        with pytest.raises(AuditError, match=re.escape(f"{part.place}: ") + line) as refused:
            part.packed()
        assert refused.value.exit_code == 4


def test_what_the_command_masks_is_masked_where_it_is_written(tmp_path: Path) -> None:
    other = Mask(frozenset({"s3cret-k3y"}), {}, str(tmp_path))
    with shared_folder(str(tmp_path), other) as place:
        assert place is not None
        part = laid(place)
        assert pl.read_parquet(part.place)["text"].to_list() == ["the [masked]", None]
        assert masked("the s3cret-k3y") == "the s3cret-k3y"  # it is no secret of this process
        assert part.packed().masked
    with masking_as(other):  # a cell of the user's may have a name that no mask covers
        rows = PackedRows.of([{"by.reading": ["the s3cret-k3y"]}], [pl.col("by.reading").alias("reading")])
    assert pl.read_parquet(BytesIO(rows.data))["reading"].to_list() == ["the [masked]"]


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("", "parts: names no folder ('') - write engine.parts=FOLDER, or null"),
        *(
            (
                where,
                f"parts: parts cannot be written to an address of this kind ({where}) - write s3://, gs://, az:// or a "
                "folder that all machines share",
            )
            for where in ("https://host/x", "hf://datasets/a/b")
        ),
        (
            "s3://me:pass-w0rd@bucket/x",
            "s3://bucket/x: user and password stand in the address - leave them out: credentials come from the "
            "environment alone",
        ),
    ],
)
def test_places_that_can_be_none_of_parts(place: str, line: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_parts(place)
    assert str(refused.value) == line


def opening(place: str) -> AuditError:
    with pytest.raises(AuditError) as refused, shared_folder(place, mask()):
        pass
    return refused.value


def test_a_folder_that_is_not_there_or_cannot_be_written(tmp_path: Path) -> None:
    error = opening(str(tmp_path / "none"))
    assert str(error) == f"engine.parts: no such folder ({tmp_path}/none) - make it, where all machines see it"
    assert error.exit_code == 2
    (tmp_path / "file").touch()
    assert opening(str(tmp_path / "file")).exit_code == 2
    why = r"\((No such file or directory|Permission denied)\)"  # nobody makes a folder there
    do = "let the command write there, and its workers"
    assert re.fullmatch(f"/proc: parts cannot be written there {why} - {do}", str(opening("/proc")))


@pytest.mark.parametrize(
    ("fault", "code", "line"),
    [
        ("PUT tried", 3, r"the server refuses access \(403\) - set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        ("DELETE tried", 3, r"the server refuses access \(403\) - set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_a_bucket_that_refuses(fault: str, code: int, line: str, server: ObjectServer, bucket: str) -> None:
    server.faults[fault] = "403"
    error = opening(f"{bucket}/x")
    assert re.fullmatch(rf"{bucket}/x/auditfw-parts-[0-9a-f]{{16}}/tried: {line}", str(error))
    assert error.exit_code == code


def test_a_bucket_in_safe_mode_or_without_the_library(
    server: ObjectServer, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditfw.core.remote.stores.find_spec", lambda name: None)
    assert str(opening(bucket)).endswith(": needs the extra remote - pip install 'auditfw[remote]'")
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    line = rf"switched off by AUDITFW_SAFE: parts of the table are written to {bucket}/\S+ - unset AUDITFW_SAFE .*"
    assert re.fullmatch(line, str(opening(bucket)))
    assert server.asked == []
