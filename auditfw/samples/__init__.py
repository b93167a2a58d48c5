"""Small real data, each with its provenance, so that every experiment runs out of the box.

In a config a sample file is written `sample:FOLDER/FILE`; results show it so too, wherever auditfw is installed.
"""

from __future__ import annotations

from pathlib import Path

PREFIX = "sample:"
FOLDER = Path(__file__).resolve().parent


def actual(path: str) -> str:
    """The path a configured path stands for."""
    return str(FOLDER / path.removeprefix(PREFIX)) if path.startswith(PREFIX) else path


def shown(path: str) -> str:
    """A path as it is configured."""
    inside = path.removeprefix(f"{FOLDER}/")
    return path if inside == path else f"{PREFIX}{inside}"
