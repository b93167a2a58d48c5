"""The table `pairs` of a run of many raters: every two of them, which the report shows only the worst of."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

from auditfw.formulas.agreement import Ratings
from auditfw.kinds.context import Context

TABLE = "pairs"


def pair_table(ratings: Ratings, context: Context, weighted: Any | None = None) -> Mapping[str, Any]:
    """The table by its name, with kappas that are `weighted` where there are any; none where a report shows all."""
    import numpy as np

    from auditfw.formulas.agreement.all_pairs import pair_counts

    size = len(ratings.raters)
    if size < 3 or size * (size - 1) // 2 <= context.limits.max_rows:
        return {}
    counts = pair_counts(ratings)
    i, j = counts.places()
    names = np.asarray(ratings.raters, dtype=object)
    table = context.table(TABLE)
    numbers = {"percent_agreement": counts.percent, "kappa": counts.kappa}
    numbers |= {} if weighted is None else {"quadratic_kappa": weighted}
    table.add(
        {
            "rater": names[i].tolist(),
            "other": names[j].tolist(),
            "n": list(map(int, counts.n[i, j].tolist())),
            **{name: [None if isnan(x) else x for x in each[i, j].tolist()] for name, each in numbers.items()},
        }
    )
    return {TABLE: table.close()}
