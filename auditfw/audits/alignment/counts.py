"""What is kept of scored scenarios for one cell: mergeable counts and moments, key by key and over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditfw.core.records import Value
from auditfw.core.statistics import Moments, Ratio

Cell = tuple[Value, ...]


@dataclass
class KeyTally:
    """One outcome key in one cell; `further` are the moments of further metrics by their place in the run."""

    counts: Counter[int] = field(default_factory=Counter)
    direction: Moments = field(default_factory=Moments)
    magnitude: Moments = field(default_factory=Moments)
    combined: Moments = field(default_factory=Moments)
    further: dict[int, Moments] = field(default_factory=dict)
    levels: Counter[str] = field(default_factory=Counter)
    variance: Moments = field(default_factory=Moments)
    loss: Moments = field(default_factory=Moments)
    zeros: int = 0
    unit: str = ""

    def merge(self, other: KeyTally) -> None:
        """Adds another's scenarios."""
        self.counts.update(other.counts)
        for name in ("direction", "magnitude", "combined", "variance", "loss"):
            getattr(self, name).merge(getattr(other, name))
        for place, moments in other.further.items():
            self.further.setdefault(place, Moments()).merge(moments)
        self.levels.update(other.levels)
        self.zeros += other.zeros
        self.unit = self.unit or other.unit


@dataclass
class AlignmentCounts:
    """One cell: its scenarios, their overall scores, and its keys by first appearance."""

    scenarios: int = 0
    overall: Moments = field(default_factory=Moments)
    direction: Ratio = field(default_factory=Ratio)
    magnitude: Ratio = field(default_factory=Ratio)
    keys: dict[str, KeyTally] = field(default_factory=dict)

    def merge(self, other: AlignmentCounts) -> None:
        """Adds another's scenarios."""
        self.scenarios += other.scenarios
        self.overall.merge(other.overall)
        self.direction.merge(other.direction)
        self.magnitude.merge(other.magnitude)
        for key, tally in other.keys.items():
            self.keys.setdefault(key, KeyTally()).merge(tally)

    @classmethod
    def sum(cls, tallies: Mapping[Cell, AlignmentCounts]) -> AlignmentCounts:
        """All cells together, in the order given."""
        whole = cls()
        for tally in tallies.values():
            whole.merge(tally)
        return whole


@dataclass
class Effect:
    """What an output that nobody intended did against the baseline: how often it moved, which way, how far at most.

    `worst` is the number of the scenario in which it moved most, `ratio` that movement over the baseline's size.
    """

    seen: int = 0
    up: int = 0
    down: int = 0
    change: Moments = field(default_factory=Moments)
    ratio: float = 0.0
    worst: int = -1
    base: float = 0.0
    unit: float = 0.0

    def merge(self, other: Effect) -> None:
        """Adds another's scenarios."""
        self.seen += other.seen
        self.up += other.up
        self.down += other.down
        self.change.merge(other.change)
        self.base, self.unit = other.base, other.unit
        if other.ratio > self.ratio:
            self.ratio, self.worst = other.ratio, other.worst
