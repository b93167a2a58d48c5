"""The house style, as far as tools can see it: ruff and mypy find nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest
from places import ROOT


@pytest.mark.parametrize("words", [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)], ids=" ".join)
def test_tool_finds_nothing(words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
