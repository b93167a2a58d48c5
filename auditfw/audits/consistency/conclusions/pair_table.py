"""The table `pairs` of a run of many raters: every two of them, which the report shows only the worst of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditfw.formulas.agreement import Ratings, diagnosis
from auditfw.kinds.context import Context

TABLE = "pairs"


def pair_table(ratings: Ratings, context: Context) -> Mapping[str, Any]:
    """The table by its name; none where the report shows all pairs."""
    size = len(ratings.raters)
    if size < 3 or size * (size - 1) // 2 <= context.limits.max_rows:
        return {}
    pairs = ratings.once(diagnosis.pairwise)
    table = context.table(TABLE)
    table.add(
        {
            "rater": [pair.one for pair in pairs],
            "other": [pair.other for pair in pairs],
            "n": [pair.n for pair in pairs],
            "percent_agreement": [pair.percent for pair in pairs],
            "kappa": [pair.kappa for pair in pairs],
        }
    )
    return {TABLE: table.close()}
