"""Metrics of stored repeats: the chance that any, or all, of k repeats of an item are right (pass@k and pass^k)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.records import PERCENT, Estimate, Role
from auditfw.formulas.label_counts import LabelCounts
from auditfw.formulas.repeats.of_k import MOST_K, all_of_k, any_of_k
from auditfw.formulas.repeats.repeated import asked
from auditfw.kinds.metric_styles import metric

EVERY: frozenset[Role] = frozenset({"reference", "candidate"})
NO_TRIAL = "no trial with a label"


class _OfRepeats:
    """What any and all of k share: how many repeats, and what the audit is to count for them."""

    k: int
    _chance: ClassVar[Callable[..., Any]]

    def __post_init__(self) -> None:
        if type(self.k) is not int or not 1 <= self.k <= MOST_K:
            raise UsageError("k", f"expected a whole number from 1 to {MOST_K:,}", self.k)

    @property
    def keeps(self) -> tuple[str, ...]:
        return (asked(self._chance, self.k),)

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        known, k, every = sample.repeats, self.k, sample.counted + sample.missing
        if known is None:
            return None
        why = known if isinstance(known, str) else known.why_not(k)
        if isinstance(known, str) or why is not None:
            return Estimate(None, 0, every, undefined=why)
        rate = known.rate(self._chance, k)
        if rate is None:
            return Estimate(None, 0, every, undefined=NO_TRIAL)
        bounds = known.bounds(self._chance, k) if known.much_is_lost else None
        between = None if bounds is None else (100 * bounds[0], 100 * bounds[1])
        return Estimate(100 * rate.share, rate.items, rate.missing, 100 * rate.low, 100 * rate.high, between=between)


@metric("any_of_k", EVERY, takes=LabelCounts, better="higher", range=PERCENT, title="any of k", unit="%", digits=2)
class AnyOfK(_OfRepeats):
    """Computes the chance that any of k repeats of an item is right (pass@k), in percent, unbiased, with its interval.

    By item, of n scored repeats under one condition, c of them right: 1 - C(n-c, k)/C(n, k); the mean over items.
    Items with fewer than k are missing. Run errors leave n.
    """

    k: int
    _chance: ClassVar[Callable[..., Any]] = staticmethod(any_of_k)


@metric("all_of_k", EVERY, takes=LabelCounts, better="higher", range=PERCENT, title="all of k", unit="%", digits=2)
class AllOfK(_OfRepeats):
    """Computes the chance that all of k repeats of an item are right (pass^k), in percent, unbiased, with its interval.

    By item, of n scored repeats under one condition, c of them right: C(c, k)/C(n, k); the mean over items. Items with
    fewer than k are missing. Run errors leave n.
    """

    k: int
    _chance: ClassVar[Callable[..., Any]] = staticmethod(all_of_k)
