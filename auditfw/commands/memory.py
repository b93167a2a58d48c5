"""Bounded address space (`ulimit -v`, batch systems): libraries that map too much end the process silently."""

from __future__ import annotations

import os
import sys

from auditfw.core.errors import IncompleteError
from auditfw.core.processes import python

AMPLE = 2_500_000_000  # bytes; with less, libraries are kept to one thread and one arena each
LEAST = 450_000_000
SPARING = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def start_sparingly() -> None:
    """Starts this very command again, with `SPARING`, where the address space is bounded; else does nothing.

    Libraries read these once, at their start; so this comes before all else.
    """
    allowed = _allowed()
    if allowed is None or not LEAST <= allowed < AMPLE or SPARING.keys() <= os.environ.keys():
        return
    os.execve(sys.executable, python(*sys.orig_argv[1:]), {**SPARING, **os.environ})  # noqa: S606 - ourselves


def check_address_space() -> None:
    """Raises IncompleteError where even that cannot be enough."""
    allowed = _allowed()
    if allowed is not None and allowed < LEAST:
        what = f"{allowed // 1_000_000:,} MB of address space is too little: libraries map {LEAST // 1_000_000:,} MB"
        raise IncompleteError("ulimit -v", what, None, "raise it; half of that is enough as actual memory")


def _allowed() -> int | None:
    if sys.platform == "win32":  # it knows no such bound
        return None
    try:
        import resource
    except ImportError:
        return None
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if allowed == resource.RLIM_INFINITY else allowed
