"""What metrics read of people's labels: the numbers of one reading in one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditfw.core.records import Estimate


@dataclass(frozen=True)
class PeoplesEstimates:
    """The estimates of people, or of a reading that is held against them, by metric, in its unit.

    A metric that is not among them does not apply.
    """

    by_metric: Mapping[str, Estimate]
