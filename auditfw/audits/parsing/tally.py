"""What batches came to, and how they are merged: exact, whatever the number of processes."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from auditfw.document import Exhibit
from auditfw.records import Value

MISMATCHES_SHOWN = 10

# For each reading (its number in the plan; -1: the stored label) and cell: how often which two label codes met.
Joint = dict[tuple[int, tuple[Value, ...]], Counter[tuple[int, int]]]


@dataclass
class Partial:
    """What one batch came to."""

    counts: Counter[str] = field(default_factory=Counter)
    joint: Joint = field(default_factory=dict)
    facts: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)
    suspects: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    paths: Counter[str] = field(default_factory=Counter)
    rows: dict[str, list[Any]] = field(default_factory=dict)
    exhibits: dict[str, list[tuple[bytes, str, Exhibit]]] = field(default_factory=dict)
    mismatches: list[Exhibit] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    def merge(self, other: Partial, most: int) -> None:
        """Adds the outcome of a later batch; `most` exhibits a section are kept, the ones of least rank."""
        for name in ("counts", "facts", "notes", "unmapped", "suspects", "paths"):
            getattr(self, name).update(getattr(other, name))
        for key, counter in other.joint.items():
            known = self.joint.setdefault(key, counter)
            for pair, n in counter.items() if known is not counter else ():
                known[pair] += n
        for section, shown in other.exhibits.items():
            both = [*self.exhibits.get(section, []), *shown]
            self.exhibits[section] = heapq.nsmallest(most, both, key=lambda e: e[:2])
        self.problems = (self.problems + other.problems)[:3]
        self.mismatches = (self.mismatches + other.mismatches)[:MISMATCHES_SHOWN]
        self.differing = (self.differing + other.differing)[:MISMATCHES_SHOWN]
