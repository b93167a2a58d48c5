"""What must be met: in how many scenarios some outcome of level must was missed, and where first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditfw.audits.alignment.actual import MISSING
from auditfw.audits.alignment.key_scores import KeyScores
from auditfw.core.records import Value

from .weightings import merge_totals

SHOWN = 3


@dataclass(frozen=True)
class Miss:
    """One outcome that had to be met and was not; `actual` is NaN where the simulator did not give it.

    `assumed` says that it declares no tolerance, so that `audit.tolerance` is that of it; `returned` that it came.
    """

    scenario: str
    key: str
    low: float
    high: float
    actual: float
    assumed: bool = False
    returned: bool = True


@dataclass
class MustCounts:
    """Scenarios with an outcome of level must, those that missed one, and the first misses.

    `alone` counts by key the scenarios that missed one of that key only. `items` holds for each item its scenarios and
    those that missed one; it is empty where each is its own item.
    """

    scenarios: int = 0
    missed: int = 0
    first: list[Miss] = field(default_factory=list)
    items: dict[Value, tuple[int, int]] = field(default_factory=dict)
    alone: Counter[str] = field(default_factory=Counter)

    def merge(self, other: MustCounts) -> None:
        """Adds the scenarios that come after."""
        self.scenarios += other.scenarios
        self.missed += other.missed
        self.first = [*self.first, *other.first][:SHOWN]
        self.alone.update(other.alone)
        merge_totals(self.items, other.items)


@dataclass
class Requirements:
    """What must be met, counted in both ways: which of them holds is known when all scenarios have been read.

    Where some intention names its level (`named`), `every` outcome but those of level should must be met; where none
    does, those that say themselves when they are met, by a bound, a tolerance or a direction (`bounded`).
    """

    named: bool = False
    every: MustCounts = field(default_factory=MustCounts)
    bounded: MustCounts = field(default_factory=MustCounts)

    def merge(self, other: Requirements) -> None:
        """Adds the scenarios that come after."""
        self.named = self.named or other.named
        self.every.merge(other.every)
        self.bounded.merge(other.bounded)

    @property
    def counts(self) -> MustCounts:
        """Those that hold; without a scenario where nothing is required."""
        return self.every if self.named else self.bounded

    @property
    def by_bounds(self) -> bool:
        """Whether bounds alone say what must be met."""
        return not self.named and self.bounded.scenarios > 0


def must_flags(one: KeyScores, gave: Any) -> Any:
    """The scenarios in which a key is of level must: those that `gave` anything, whether or not they gave this key."""
    must = (one.codes <= MISSING) & gave
    return must if one.should is None else must & ~one.should


def must_counts(
    keys: Sequence[KeyScores], flags: Sequence[Any], met: Sequence[Any], names: Sequence[str], items: Sequence[Value]
) -> MustCounts:
    """Counts a batch; `flags` and `met` say of each key where it must be met and is, `names` names the scenarios."""
    counts = MustCounts()
    if not keys:
        return counts
    wrong = [own & ~there for own, there in zip(flags, met, strict=True)]
    must, missed = np.any(flags, axis=0), np.any(wrong, axis=0)
    counts.scenarios, counts.missed = int(must.sum()), int(missed.sum())
    once = np.sum(wrong, axis=0) == 1
    counts.alone.update({one.key: n for one, own in zip(keys, wrong, strict=True) if (n := int((own & once).sum()))})
    for i in np.flatnonzero(missed)[:SHOWN].tolist():
        key = next(one for one, own in zip(keys, wrong, strict=True) if own[i])
        change = key.compared.change is not None and bool(key.compared.change[i])
        low, high = (np.nan, np.nan) if change else (key.compared.low[i], key.compared.high[i])
        assumed = key.bounded is None or not key.bounded[i]
        returned = bool(key.codes[i] != MISSING)
        miss = Miss(names[i], key.key, float(low), float(high), float(key.compared.actual[i]), assumed, returned)
        counts.first.append(miss)
    for i in np.flatnonzero(must).tolist() if items else ():
        n, wrong_before = counts.items.get(items[i], (0, 0))
        counts.items[items[i]] = n + 1, wrong_before + int(missed[i])
    return counts
