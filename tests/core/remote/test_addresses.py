"""Addresses: what they are, which keys a pattern may mean, and the way from a copy back to its address."""

from __future__ import annotations

import pytest

from auditfw import AuditError
from auditfw.core.remote.addresses import address_at, address_of, addresses, inside, is_remote, visible
from auditfw.core.remote.places import shown

MARK = "0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("s3://bucket/a/b.jsonl", True),
        ("ftp://server/a", True),
        ("a/b.jsonl", False),
        ("C:/a/b.jsonl", False),
        ("sample:arc/tasks", False),
        ("[s3://a/b,s3://c/d]", False),
        ("it says s3://a/b", False),
    ],
)
def test_which_paths_are_addresses(text: str, known: bool) -> None:
    assert is_remote(text) == known


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("s3://bucket/a/b?.jsonl", ("s3", "bucket", "a/b?.jsonl", "")),
        ("S3://bucket", ("s3", "bucket", "", "")),
        ("https://host:8/a%20b.csv?sig=1&x#part", ("https", "host:8", "a%20b.csv", "sig=1&x")),
        ("hf://datasets/o/n@r/p.jsonl", ("hf", "datasets", "o/n@r/p.jsonl", "")),
    ],
)
def test_parts(text: str, parts: tuple[str, ...]) -> None:
    address = address_of(text)
    assert (address.scheme, address.host, address.key, address.query) == parts


@pytest.mark.parametrize("text", ["ftp://a/b", "s3:///b", "hf://spaces/a/b", "hf://datasets/a", "http://example.com/a"])
def test_no_address(text: str) -> None:
    with pytest.raises(AuditError) as caught:
        address_of(text)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("pattern", "folder", "keys"),
    [
        ("logs/*.jsonl", "logs/", ["logs/a.jsonl", "logs/b.jsonl"]),
        ("logs/[ab].jsonl", "logs/", ["logs/a.jsonl", "logs/b.jsonl"]),
        ("logs/{model}.jsonl", "logs/", ["logs/a.jsonl", "logs/b.jsonl"]),
        ("logs/**/*.jsonl", "logs/", ["logs/a.jsonl", "logs/b.jsonl", "logs/in/c.jsonl"]),
        ("*/a.jsonl", "", ["logs/a.jsonl"]),
        ("logs/?.csv", "logs/", []),
    ],
)
def test_patterns(pattern: str, folder: str, keys: list[str]) -> None:
    address = address_of(f"s3://bucket/{pattern}")
    there = ["logs/a.jsonl", "logs/b.jsonl", "logs/in/c.jsonl"]
    assert (address.is_pattern, address.folder) == (True, folder)
    assert [key for key in there if address.matches(key)] == keys


def test_the_way_back() -> None:
    path = f"/home/me/.cache/auditfw/remote/{MARK}/{inside(address_of('s3://bucket/a b/c.jsonl'))}"
    assert address_at(path) == "s3://bucket/a b/c.jsonl"
    assert shown(f"{path}:7") == "s3://bucket/a b/c.jsonl:7"
    assert shown("a/b.jsonl") == "a/b.jsonl"


@pytest.mark.parametrize("key", ["a//b", "../b", "a/./b", "x" * 256])
def test_names_that_no_file_can_have(key: str) -> None:
    with pytest.raises(AuditError, match="is no name that a file can have"):
        inside(address_of(f"s3://bucket/{key}"))


def test_hidden_files_and_markers_of_folders_are_left_out() -> None:
    assert visible(["logs/a", "logs/.b", "logs/.c/d", "logs/e/", "other/f"], "logs/") == ["logs/a"]


def test_addresses_in_settings() -> None:
    settings = {
        "source": {"use": "raters", "paths": {"a": "s3://b/a.csv", "b": "b.csv"}},
        "solver": {"base_url": "https://api.example.com/v1"},
        "scenarios": {"files": [{"path": "https://h/x.csv"}, {"path": "file:///x.csv"}]},
    }
    assert addresses(settings) == ["s3://b/a.csv", "https://h/x.csv"]
