"""Shared by all tests: the real command in a subprocess, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))

from forked import Forks  # noqa: E402 - it is beside this file

FORKS = Forks()
STATE = tempfile.TemporaryDirectory(prefix="auditfw-state-")  # runs made by tests are remembered there
os.environ["XDG_STATE_HOME"] = STATE.name
UNSET = ("HYDRA", "AUDITFW", "COLUMNS", "PYTHONDONTWRITEBYTECODE")
settings.register_profile("quick", max_examples=40)  # of tests that name no number
settings.register_profile("thorough", max_examples=1000)  # pytest --hypothesis-profile=thorough
settings.register_profile(
    "patient", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # of a slow build
settings.load_profile("quick")
AT_START = ("PYTHON", "LD_", "LC_", "LANG", "POLARS", "PATH")  # what an interpreter or a library reads but once
Command = Callable[..., "subprocess.CompletedProcess[str]"]


def run_auditfw(words: Sequence[str], cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `python -m auditfw` with these words in this folder; `env` adds to the environment."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(UNSET)}
    if hasattr(os, "fork") and not any(name.startswith(AT_START) for name in env or ()):
        return FORKS.run(words, cwd, {**clean, "COLUMNS": "120", **(env or {})})
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


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs `python -m auditfw` with these words in an empty folder; `env` adds to the environment."""

    def run(*words: str, env: dict[str, str] | None = None, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return run_auditfw(words, cwd, env)

    return run


@pytest.fixture(scope="module")
def command_in() -> Command:
    """Runs `python -m auditfw` with these words in the folder given first: for runs that several tests look at."""

    def run(cwd: Path, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return run_auditfw(words, cwd, env)

    return run
