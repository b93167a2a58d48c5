"""Records as columns: rows are made of them where somebody looks at one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ColumnRows(Sequence[Mapping[str, Any]]):
    """Records as columns, which become rows where somebody looks at these.

    `absent` are by column the places of the records that do not have it.
    """

    columns: Mapping[str, Sequence[Any]]
    size: int
    absent: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[at] for at in range(self.size)[i]]
        at = range(self.size)[i]
        return {name: values[at] for name, values in self.columns.items() if at not in self.absent.get(name, ())}

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        names, columns = tuple(self.columns), list(map(list, self.columns.values()))
        if not names:
            return iter([dict[str, Any]() for _ in range(self.size)])
        rows = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
        for name, places in self.absent.items():
            for i in places if name in self.columns else ():
                del rows[i][name]
        return iter(rows)

    def column(self, name: str) -> list[Any]:
        """The values of a column, None where a record has none."""
        return list(self.columns.get(name) or [None] * self.size)

    def first_without(self, name: str) -> int | None:
        """The place of the first record that does not have a column; None where all have it."""
        return min(self.absent.get(name, ()), default=None) if name in self.columns else 0


def columns_of(rows: Sequence[Mapping[str, Any]]) -> ColumnRows:
    """Records as columns."""
    if isinstance(rows, ColumnRows):
        return rows
    columns = {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    absent = {name: frozenset(i for i, row in enumerate(rows) if name not in row) for name in columns}
    return ColumnRows(columns, len(rows), {name: places for name, places in absent.items() if places})


def column_of(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """The value of each row under a key, None where it has none."""
    return rows.column(name) if isinstance(rows, ColumnRows) else [row.get(name) for row in rows]
