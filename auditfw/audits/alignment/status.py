"""The buckets an outcome can end in, as small numbers: the larger one wins where replicates differ."""

from __future__ import annotations

from collections.abc import Mapping

SCORED, NONFINITE, MISSING, ERROR, TIMEOUT, OUT_OF_BOUNDS = range(6)
NOT_MEANT = 255
STATUS = ("scored", "nonfinite", "missing", "error", "timeout", "out_of_bounds")
FAILED = (ERROR, TIMEOUT, OUT_OF_BOUNDS)
BASELINE = 6  # of a scenario only: nothing is meant of it, others are compared with it
SCENARIO_STATUS = (*STATUS, "baseline")

OF_SIMULATION: Mapping[str, int] = {"ok": SCORED, "error": ERROR, "timeout": TIMEOUT, "out_of_bounds": OUT_OF_BOUNDS}
