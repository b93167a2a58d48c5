"""Which columns of a table are likely to be cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CELLS = ("model", "model_id", "model_name", "task", "subject", "category", "dataset", "temperature", "variant")
MOST_STRATA, EACH, MOST_CELLS = 20, 5, 2  # values of a column, records of a value, columns


def cells(
    columns: Sequence[str], records: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None = None
) -> list[str]:
    """The columns that are likely to be cells: of a usual name, with more than one value.

    `last` is the file's last record: in a table that is sorted by a column it differs from the first ones.
    """
    rows = [*records, last] if last else records
    usual = [name for name in CELLS if name in columns]
    return [name for name in usual if len({str(row.get(name)) for row in rows}) > 1]


def strata(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of judgements that are likely to be cells: two to twenty values, each of five records on average."""
    few: list[str] = []
    for name in columns:
        values = [row.get(name) for row in records]
        distinct = {str(value) for value in values}
        plain = all(isinstance(value, str | int | bool) for value in values)
        if plain and 1 < len(distinct) <= min(MOST_STRATA, len(values) // EACH):
            few.append(name)
    return few[:MOST_CELLS]
