"""A table of published figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """x"""

    path: str
    reading: str | None = None
