"""Packages of the field, in an environment of their own: installed when a test asks for them."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest
from places import ROOT

FIELD = "AUDITFW_FIELD_VENV"  # an environment that has them already
EXTRAS = "AUDITFW_EXTRA_VENVS"  # a folder of environments, each by the name of an extra of ours


def python_with(package: str, temporary: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the package is installed."""
    folder = Path(os.environ[FIELD]) if FIELD in os.environ else temporary.getbasetemp().parent / "field-venv"
    return _python(folder, [package], [package])


def python_with_extra(extra: str, temporary: pytest.TempPathFactory) -> Path:
    """The Python of an environment of its own, in which this package is installed with an extra."""
    return _python(_extras(temporary) / extra, ["auditfw", extra], [f"{ROOT}[{extra}]"])


def python_beside(packages: Sequence[str], temporary: pytest.TempPathFactory) -> Path:
    """The Python of an environment with these packages, which finds this one's behind them."""
    python = _python(_extras(temporary) / "-".join(packages), packages, packages)
    inside = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    libraries = Path(subprocess.run(inside, capture_output=True, text=True, check=True).stdout.strip())
    (libraries / "beside.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    return python


def _extras(temporary: pytest.TempPathFactory) -> Path:
    return Path(os.environ[EXTRAS]) if EXTRAS in os.environ else temporary.getbasetemp().parent / "extra-venvs"


def _python(folder: Path, packages: Sequence[str], wanted: Sequence[str]) -> Path:
    """The Python of an environment, made if it is not there; where it lacks these packages, what is wanted goes in."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    show = [python, "-m", "pip", "show", "-q", *packages]
    if subprocess.run(show, capture_output=True, check=False).returncode:
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True, timeout=1200)
    return python
