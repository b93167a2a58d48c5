"""What few stores and web servers do: odd keys, marks of folders, no heads, no ranges, versions that move."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from object_server import ObjectServer

from auditfw import AuditError
from auditfw.core.inputs import file_part
from auditfw.core.remote.places import actual, check_unchanged

pytest.importorskip("obstore", reason="needs the extra remote")

REFUSED = "is no name that a file can have"


def below(path: str) -> dict[str, bytes]:
    """The files of a folder of copies."""
    return {one.relative_to(path).as_posix(): one.read_bytes() for one in Path(path).rglob("*") if one.is_file()}


KEYS = ["a b", "a#b", "a%20b", "50%", "a+b", "a&b=c", "a?b", "a:b", "~", "ünï", "e\u0301", "日本", "a\\b", "'\""]


@pytest.mark.parametrize("key", [*KEYS, "[ab]", "{x}", "a*"])
def test_keys_are_taken_as_they_are(server: ObjectServer, bucket: str, key: str) -> None:
    """Also such as a pattern, or a URL, would have."""
    server.files |= {f"logs/{key}": b"1\n", "logs/a": b"2\n", "logs/a0b": b"2\n"}
    assert Path(actual(f"{bucket}/logs/{key}")).read_bytes() == b"1\n"
    assert below(actual(f"{bucket}/logs/"))[key] == b"1\n"
    assert Path(actual(f"hf://datasets/{bucket[5:]}/name@v/logs/{key}")).read_bytes() == b"1\n"


@pytest.mark.parametrize("key", ["a//b", "../b", "a/./b", "a/..", "/a", "a\tb", "a\nb", "x" * 256])
def test_keys_that_no_file_can_have(server: ObjectServer, bucket: str, key: str) -> None:
    server.files[key] = b"1\n"
    with pytest.raises(AuditError, match=REFUSED) as caught:
        actual(f"{bucket}/{key}")
    assert (caught.value.exit_code, "\n" in str(caught.value)) == (3, False)


def test_such_a_key_in_a_listing(server: ObjectServer, bucket: str) -> None:
    server.files |= {"logs/a": b"1\n", "logs/b\tc": b"1\n"}
    with pytest.raises(AuditError, match=REFUSED) as caught:
        actual(f"{bucket}/logs/")
    assert caught.value.exit_code == 3


def test_marks_of_folders_are_no_files(server: ObjectServer, bucket: str) -> None:
    server.files |= {"f/": b"", "f/a": b"1\n", "f/empty": b"", "f/in/": b"", "f/in/b": b"2\n"}
    there = {"a": b"1\n", "empty": b"", "in/b": b"2\n"}
    assert below(actual(f"{bucket}/f")) == below(actual(f"{bucket}/f/")) == there
    assert sorted(below(actual(f"{bucket}/f/*").removesuffix("/*"))) == ["a", "empty"]
    server.files = {"g/": b""}
    with pytest.raises(AuditError, match="holds no file"):
        actual(f"{bucket}/g/")


def test_a_file_with_the_name_of_a_folder(server: ObjectServer, bucket: str) -> None:
    """On disk there can be one of them."""
    server.files |= {"f/a": b"1\n", "f/a/b": b"2\n"}
    assert Path(actual(f"{bucket}/f/a")).read_bytes() == b"1\n"
    assert below(actual(f"{bucket}/f/a/")) == {"b": b"2\n"}
    with pytest.raises(AuditError, match="f/a: is a file and a folder at once") as caught:
        actual(f"{bucket}/f")
    assert caught.value.exit_code == 3


def test_a_server_that_gives_no_head(server: ObjectServer) -> None:
    """As of an address that is signed for fetching alone."""
    server.files["a"], server.faults["a"] = b"1\n", "no head"
    path = actual(f"{server.address}/any/a?sig=1")
    assert Path(path).read_bytes() == b"1\n"
    check_unchanged([path])
    server.files["a"] = b"2\n"
    with pytest.raises(AuditError, match="changed during the run"):
        check_unchanged([path])


def test_a_server_without_versions(server: ObjectServer) -> None:
    """The size is compared then."""
    server.files["a"], server.faults["a"] = b"1\n", "no versions"
    path = actual(f"{server.address}/any/a")
    check_unchanged([path])
    server.files["a"] = b"12\n"
    with pytest.raises(AuditError, match="2 bytes before, 3 now"):
        check_unchanged([path])


@pytest.mark.parametrize("place", ["{bucket}", "{server}/any"])
def test_a_server_without_ranges(server: ObjectServer, bucket: str, place: str) -> None:
    """A worker has the whole file then, once."""
    server.files["a"] = os.urandom(400_000)
    path = actual(f"{place.format(bucket=bucket, server=server.address)}/a")
    parts = [pickle.loads(pickle.dumps(file_part(path, *span))) for span in ((10, 20), (30, 50))]
    shutil.rmtree("cache")
    server.faults["a"] = "no ranges"
    server.asked.clear()
    for part in parts:
        part.check("/")
    assert Path(path).read_bytes() == server.files["a"]
    assert [word.partition(" ")[0] for word in server.asked] == ["GET", "GET"]


@pytest.mark.parametrize("span", [(10, 20), (0, 400_000), (0, 0)])
def test_other_bytes_under_the_same_version(server: ObjectServer, bucket: str, span: tuple[int, int]) -> None:
    """What a task reads is what the command saw, whatever a server says."""
    server.files["a"] = os.urandom(400_000)
    part = file_part(actual(f"{bucket}/a"), *span)
    shutil.rmtree("cache")
    server.faults["a"] = "other"
    with pytest.raises(AuditError, match="is another file") as caught:
        pickle.loads(pickle.dumps(part)).check("/")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("name", ["a.jsonl", "large.parquet"])
def test_a_revision_that_moves_while_it_is_fetched(server: ObjectServer, bucket: str, name: str) -> None:
    """The listing of a hub has checksums, by which the files are known."""
    server.files[f"logs/{name}"] = b"1\n"
    server.faults[f"logs/{name}"] = "other"
    address = f"hf://datasets/{bucket[5:]}/name@main/logs"
    with pytest.raises(AuditError, match="changed while it was fetched") as caught:
        actual(address)
    assert (caught.value.exit_code, below("cache")) == (3, {})
    server.faults.clear()
    assert below(actual(address)) == {name: b"1\n"}


def test_what_changed_is_not_kept(server: ObjectServer, bucket: str) -> None:
    server.files |= {"logs/a": b"1\n", "logs/b": b"1\n"}
    folder = actual(f"{bucket}/logs/")
    server.files["logs/b"] = b"2\n"
    with pytest.raises(AuditError, match="logs/b: changed during the run"):
        check_unchanged([f"{folder}/a", f"{folder}/b"])
    assert below("cache") == {}
    assert below(actual(f"{bucket}/logs/")) == {"a": b"1\n", "b": b"2\n"}


@pytest.mark.parametrize("name", ["a b.jsonl", "é.jsonl", "日本 #1%.jsonl", "50%.jsonl"])
def test_files_of_this_machine(tmp_path: Path, name: str) -> None:
    for text in (f"file://{tmp_path}/{quote(name)}", f"FILE://localhost{tmp_path}/{quote(name)}"):
        assert actual(text) == f"{tmp_path}/{name}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("file://a%20b.jsonl", "names a file on another machine"),
        ("file://C:/a.jsonl", "names a file on another machine"),
        ("file://me:secret@localhost/a.jsonl", "user and password stand in the address"),
    ],
)
def test_no_files_of_this_machine(text: str, words: str) -> None:
    with pytest.raises(AuditError, match=words) as caught:
        actual(text)
    assert (caught.value.exit_code, "secret" in str(caught.value)) == (2, False)


def test_a_drive_is_no_address() -> None:
    for path in ("C:\\logs\\a.jsonl", "C:/logs/a.jsonl", "C://logs/a.jsonl"):
        assert actual(path) == path
