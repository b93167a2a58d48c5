"""Tiers and rank intervals of several logs, from the differences of all pairs.

Source: Holm 1979, Scand. J. Stat. 6 (all pairs are one family). No transitivity is claimed: of two logs in one tier
the better may be resolved against a third and the other not; each has a rank interval beside its tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from auditfw.formulas.multiple import ALPHA, holm
from auditfw.formulas.two_rates import PairSums


@dataclass(frozen=True)
class Ranked:
    """A log by its place in the list: its rate, its tier from 1, and the best and worst rank that it can have."""

    log: int
    rate: float
    tier: int
    best: int
    worst: int


@dataclass(frozen=True)
class Tiers:
    """The logs, the best rate first, in the order of the list where rates are equal; adjusted p-values of pairs a < b.

    `p` has every pair; None where a side has fewer than two items: such a pair is not resolved, nor in the family.
    """

    logs: Sequence[Ranked]
    p: dict[tuple[int, int], float | None]

    @property
    def resolved(self) -> int:
        """How many pairs are resolved."""
        return sum(p is not None and p <= ALPHA for p in self.p.values())

    @property
    def lead(self) -> int:
        """How many logs tie for the lead."""
        return sum(log.tier == 1 for log in self.logs)


def tiers(sums: PairSums) -> Tiers:
    """The tiers of cells that are logs: tier 1 is the best and all that are not resolved against it, and so on.

    Raises ValueError where a log has no trial.
    """
    logs = range(len(sums.cells))
    if not all(cell.trials for cell in sums.cells):
        raise ValueError("a tier needs a trial of each log")
    rates = [cell.successes / cell.trials for cell in sums.cells]
    p: dict[tuple[int, int], float | None] = {pair: sums.p_value(*pair) for pair in combinations(logs, 2)}
    family = {pair: value for pair, value in p.items() if value is not None}
    p |= dict(zip(family, holm(list(family.values())), strict=True))
    resolved = {pair for pair, value in p.items() if value is not None and value <= ALPHA}
    beaten = {(b, a) if rates[a] > rates[b] else (a, b) for a, b in resolved if rates[a] != rates[b]}  # loser, winner
    order = sorted(logs, key=lambda log: -rates[log])
    of: dict[int, int] = {}
    while left := [log for log in order if log not in of]:
        tier = max(of.values(), default=0) + 1
        of |= {log: tier for log in left if (log, left[0]) not in beaten}
    ranked = []
    for log in order:
        better, worse = (sum(pair[at] == log for pair in beaten) for at in (0, 1))
        ranked.append(Ranked(log, rates[log], of[log], 1 + better, len(rates) - worse))
    return Tiers(ranked, p)
