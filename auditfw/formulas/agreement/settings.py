"""How the interval of a coefficient is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from auditfw.core.errors import UsageError

FEWEST = 100
FEWEST_TO_TELL = 6  # below, agreement tells nothing: there are too few different resamples


@dataclass(frozen=True)
class Interval:
    """Draws the counts again `resamples` times (bootstrap), takes the large-sample error (analytic), or none.

    `confidence` is the share of intervals meant to hold the truth.
    """

    method: Literal["bootstrap", "analytic", "none"] = "bootstrap"
    resamples: int = 2000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise UsageError(
                "confidence", "expected a number between 0 and 1", self.confidence, "write for example 0.95"
            )
        if self.resamples < FEWEST:
            raise UsageError(
                "resamples",
                f"expected a whole number of {FEWEST} or more",
                self.resamples,
                "write method: none for no interval",
            )


@dataclass(frozen=True)
class RandomStream:
    """What a random stream is drawn from: the seed, the audit, the reading and the cell; never a position."""

    seed: int
    key: tuple[str, ...]


@dataclass(frozen=True)
class Sampling:
    """How an interval is made, and the random stream it is drawn from."""

    interval: Interval
    stream: RandomStream
