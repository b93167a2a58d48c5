"""Blank lines by the megabyte, and a line of a gigabyte, which is refused before it is held."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bounded_reading import read, refused

from auditfw.components.files.formats import csv as csv_text
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.config.schema import load

pytestmark = pytest.mark.usefixtures("here")


def test_megabytes_of_newlines_take_no_time() -> None:
    rows = [json.dumps({"id": n}) for n in (1, 2)]
    gap = "\n" * 4_000_000
    Path("a.jsonl").write_text(f"{gap}{rows[0]}{gap}{rows[1]}", "utf-8")
    begun = time.monotonic()
    evidence = JsonLines(path="a.jsonl").open((), ("id", "#place"))
    places = [place for task in evidence.tasks for place in task().columns["#place"]]
    assert places == ["a.jsonl:4000001", "a.jsonl:8000001"]
    Path("a.json").write_text(f"{gap}[{gap}{rows[0]},{gap}{rows[1]}]{gap}", "utf-8")
    assert read(load("source", {"use": "json", "path": "a.json"})) == ["1", "2"]
    assert time.monotonic() - begun < 20


def test_blank_lines_of_delimited_text_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "MOST_BLANK", 1_000)
    Path("a.csv").write_text("id\n" + "\n" * 1_000 + "1\n", "utf-8")
    assert read(load("source", {"use": "csv", "path": "a.csv"})) == ["1"]
    Path("a.csv").write_text("id\n" + "\n" * 1_001 + "1\n", "utf-8")
    refused(load("source", {"use": "csv", "path": "a.csv"}), "a.csv:1002: too many blank lines (over 1,000)")


LONG = """
import resource, sys
from auditfw.config.schema import load
from auditfw.core.errors import DataError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load("source", {"use": sys.argv[1], "path": sys.argv[2]}).open((), None)
except DataError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""
LINES = {  # how a file begins that is one line, and the megabytes that may be taken before it is refused
    "jsonl": ("a.jsonl", b'{"id": "', 60),
    "json": ("a.json", b'[{"id": "', 900),
    "csv": ("a.csv", b"id\n", 900),
}


@pytest.mark.slow
@pytest.mark.parametrize("use", LINES)
def test_a_line_of_a_gigabyte_is_refused_before_it_is_held(use: str) -> None:
    path, start, most = LINES[use]
    with open(path, "wb") as file:
        file.write(start)
        for _ in range(1_024):
            file.write(b"x" * (1 << 20))
    done = subprocess.run([sys.executable, "-c", LONG, use, path], capture_output=True, text=True, check=True)
    os.remove(path)
    message, taken = done.stdout.splitlines()
    assert "too long" in message
    assert int(taken) < most
