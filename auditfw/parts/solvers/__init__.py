"""Solvers: problem and history to one attempt. The one that replays recorded attempts lies with the sources."""

from . import endpoint, function, search, tune

__all__ = ["endpoint", "function", "search", "tune"]
