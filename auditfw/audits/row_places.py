"""Where what a finding speaks of is: cells, items, FILE:LINE, and how far rows are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditfw.core.document import some
from auditfw.core.results.findings import CELLS, ITEMS, PLACES, CellCount
from auditfw.kinds.questions import LabelRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def cell_counts(rows: LabelRows, chosen: NDArray[np.bool_]) -> list[CellCount]:
    """How many of the chosen rows are in which cell, those with most first; nothing where the run has no cells."""
    if not rows.by or not chosen.any():
        return []
    import polars as pl

    names = [name.removeprefix("cell.") for name in rows.by]
    mask = pl.Series(chosen)
    columns = [column.filter(mask) for column in rows.frame(rows.by)]  # column by column: by this thread alone
    counted = Counter(zip(*columns, strict=True))
    return [CellCount(dict(zip(names, cell, strict=True)), n) for cell, n in counted.most_common(CELLS)]


def located(rows: LabelRows, numbers: Sequence[int] | NDArray[np.intp]) -> dict[str, list[str]]:
    """The items, without any the ids, and the places of the first of some rows, by their numbers, for a finding."""
    first = [int(number) for number in numbers[: 10 * ITEMS]]
    ascending = sorted(set(first))
    known = dict(zip(ascending, rows.rows(["id", "row.item", "row.place"], ascending), strict=True))
    picked = [known[number] for number in first]
    names = (str(id) if item is None else item for id, item, _ in picked)
    places = [place for *_, place in picked if place is not None]
    return {"items": list(dict.fromkeys(names))[:ITEMS], "places": list(dict.fromkeys(places))[:PLACES]}


def place(rows: LabelRows, row: int) -> str:
    """Where a row stands: FILE:LINE, else its number."""
    [(known,)] = rows.rows(["row.place"], [row])
    return f"row {row + 1:,}" if known is None else str(known)


def rows_on(lag: int) -> str:
    """How far rows are apart: `one row`, `2 rows`."""
    return "one row" if abs(lag) == 1 else some(abs(lag), "row")
