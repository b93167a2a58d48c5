"""Runs the real command in a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from forked import Forks

FORKS = Forks()
UNSET = ("HYDRA", "AUDITFW", "COLUMNS", "PYTHONDONTWRITEBYTECODE")
AT_START = ("PYTHON", "LD_", "LC_", "LANG", "POLARS", "PATH", "AUDITFW_KERNEL")  # what is read but once, at the start
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
