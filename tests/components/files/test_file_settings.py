"""Settings of files that cannot be meant, and what reading them imports."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"path": "a", "files": ({"path": "b"},)}, "files"),
        ({"encoding": "klingon"}, "encoding"),
        ({"encoding": "utf-16"}, "encoding"),
        ({"encoding": "rot13"}, "encoding"),
        ({"encoding": "idna"}, "encoding"),
        ({"encoding": "a\0"}, "encoding"),
        ({"limit": 0}, "limit"),
        ({"max_decoded": 0}, "max_decoded"),
        ({"duplicates": "some"}, "duplicates"),
        ({"unpivot": {"into": "m", "values": (), "columns": {}}}, "unpivot.values"),
    ],
)
def test_settings_refused(settings: dict[str, Any], where: str) -> None:
    with pytest.raises(UsageError) as caught:
        JsonLines(**settings)
    assert caught.value.where == where


def test_the_least_of_numbers_is_one() -> None:
    made = JsonLines(path="a", limit=1, max_decoded=1)
    assert (made.limit, made.max_decoded) == (1, 1)


def test_sources_import_no_polars() -> None:
    code = "import sys, auditfw.components.source as _; print({'polars', 'numpy', 'backports.zstd'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
