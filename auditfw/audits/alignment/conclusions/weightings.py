"""The same outcomes under other weights of direction and magnitude: a reading for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from auditfw.audits.alignment.intended import Floats
from auditfw.audits.alignment.key_scores import KeyScores
from auditfw.core.records import Value
from auditfw.formulas.alignment import AlignmentRule
from auditfw.formulas.clusters import ClusteredMean, clustered_sums
from auditfw.kinds.scenarios import Weights

Number = TypeVar("Number", int, float)
ItemTotals = dict[Value, tuple[int, float]]  # of each item: how many scores, and their sum


@dataclass
class OtherScores:
    """The scores of a batch under other weights: `combined` of each key, `overall` of each scenario."""

    combined: Sequence[Floats]
    overall: Floats


def other_rules(rule: AlignmentRule, weights: Mapping[str, Weights]) -> dict[str, AlignmentRule]:
    """The formulas under each of several weights, by name."""
    return {name: replace(rule, weights=one) for name, one in weights.items()}


def reweighted(one: KeyScores, rule: AlignmentRule) -> KeyScores:
    """A key's scores under other weights; where only a change is meant, direction stays the score."""
    combined: Any = rule.combine(one.direction, one.magnitude)
    if one.compared.change is not None:
        combined = np.where(one.compared.moves, one.direction, combined)
    return replace(one, combined=np.asarray(combined))


def totals_of(items: Sequence[Value], overall: Floats, rows: Any) -> ItemTotals:
    """The scores of the rows (None: all) added up by item; empty where scenarios have no items."""
    totals: ItemTotals = {}
    if items:
        places = range(len(overall)) if rows is None else rows.tolist()
        for i in (i for i in places if not np.isnan(overall[i])):
            n, total = totals.get(items[i], (0, 0.0))
            totals[items[i]] = n + 1, total + float(overall[i])
    return totals


def merge_totals(into: dict[Value, tuple[int, Number]], other: Mapping[Value, tuple[int, Number]]) -> None:
    """Adds the totals of another block."""
    for item, (n, total) in other.items():
        before = into.get(item, (0, 0))
        into[item] = before[0] + n, before[1] + total


def mean_over_items(items: ItemTotals) -> ClusteredMean:
    """The mean of the scores with its interval over items; there must be a score."""
    return clustered_sums([n for n, _ in items.values()], [total for _, total in items.values()])
