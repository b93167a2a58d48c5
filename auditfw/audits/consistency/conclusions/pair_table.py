"""The table `pairs` of a run of many raters: every two of them, which the report shows only the worst of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from auditfw.formulas.agreement import Ratings
from auditfw.kinds.context import Context

if TYPE_CHECKING:
    import polars as pl

TABLE = "pairs"


def pair_table(ratings: Ratings, context: Context, weighted: Any | None = None) -> Mapping[str, Any]:
    """The table by its name, with kappas that are `weighted` where there are any; none where a report shows all."""
    import polars as pl

    from auditfw.formulas.agreement.all_pairs import pair_counts

    size = len(ratings.raters)
    if size < 3 or size * (size - 1) // 2 <= context.limits.max_rows:
        return {}
    counts = pair_counts(ratings)
    i, j = counts.places()
    names = pl.Series(ratings.raters)
    table = context.table(TABLE)
    numbers = {"percent_agreement": counts.percent, "kappa": counts.kappa}
    numbers |= {} if weighted is None else {"quadratic_kappa": weighted}
    columns = [names.gather(i).alias("rater"), names.gather(j).alias("other")]
    columns.append(pl.Series("n", counts.n[i, j].astype("i8")))
    columns += [_without_nan(pl.Series(name, each[i, j])) for name, each in numbers.items()]
    table.take(pl.DataFrame(columns))
    return {TABLE: table.close()}


def _without_nan(numbers: pl.Series) -> pl.Series:
    """A column with null for NaN, made by this thread alone."""
    return numbers.set(numbers.is_nan(), None)
