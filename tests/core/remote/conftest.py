"""A server and a bucket of their own for each test, in an empty folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from object_server import ObjectServer, serving, without_clouds

NUMBERS = count(1)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ObjectServer]:
    monkeypatch.chdir(tmp_path)
    for name in os.environ.keys() - without_clouds().keys():
        monkeypatch.delenv(name)
    with serving() as one:
        for name, text in {**one.environment(), "XDG_CACHE_HOME": str(tmp_path / "cache")}.items():
            monkeypatch.setenv(name, text)
        yield one


@pytest.fixture
def bucket(server: ObjectServer) -> str:
    """A bucket of a name that no test had before: what was asked a moment ago is not asked again."""
    return f"s3://bucket-{next(NUMBERS)}"
