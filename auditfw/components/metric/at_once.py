"""What a coefficient of two raters gives for each of many samples: pairs in the same labels are measured at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from auditfw.core.records import Estimate
from auditfw.formulas.agreement.ratings import Abstain, Judged, Matrix, Pair

Exact = Callable[[Matrix], float | None]


def each(
    metric: Any, samples: Sequence[Any], how: Abstain, formula: Callable[..., Any], exact: Exact | None = None
) -> list[Estimate | None]:
    """As calling the metric on each; `exact` gives a value to the last digit from a table of counts."""
    from auditfw.formulas.agreement import estimates

    estimated: list[Estimate | None] = [None] * len(samples)
    alike: dict[int, list[tuple[int, Pair]]] = {}
    for i, sample in enumerate(samples):
        many = isinstance(sample, Judged) and sample.many and metric.interval.method != "none"
        pair = sample.pair(how, getattr(metric, "categories", "") == "used") if many else None
        if pair is None or pair.clusters or not pair.n or pair.agreed == pair.n:
            estimated[i] = metric(sample)
        else:
            alike.setdefault(len(pair.labels), []).append((i, pair))
    for group in alike.values():
        pairs = [pair for _, pair in group]
        values = [None if exact is None else exact(pair.table) for pair in pairs]
        measured = estimates.of_pairs(pairs, formula, metric.interval, values)
        for (i, _), estimate in zip(group, measured, strict=True):
            estimated[i] = estimate
    return estimated
