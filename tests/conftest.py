"""Shared by all tests: the real command in a subprocess, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs `python -m auditfw` with these words in an empty folder; `env` adds to the environment."""

    def run(*words: str, env: dict[str, str] | None = None, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("HYDRA", "AUDITFW", "COLUMNS"))}
        return subprocess.run(
            [sys.executable, "-m", "auditfw", *words],
            cwd=cwd,
            env={**clean, "COLUMNS": "120", **(env or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run
