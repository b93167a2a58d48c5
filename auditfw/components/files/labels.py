"""What files of scenarios and files of recorded outcomes share: labels, and values by name, nested or flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.columns.columns import SeenColumns, every_column
from auditfw.core.errors import DataError, brief

from .file_settings import ROW_NUMBER
from .file_source import FileSource

LABEL = "label"
TOLERANCE = ".tolerance"  # behind the name of an outcome: the column of its tolerances


@dataclass(frozen=True)
class Layout:
    """Where the records of a source have a kind of values: nested under its name, or flat in `kind.NAME` columns.

    `absent` says that no record has any.
    """

    kind: str
    flat: Mapping[str, str]
    absent: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.flat) if self.flat else () if self.absent else (self.kind,)

    def values(self, columns: Mapping[str, Sequence[Any]]) -> Sequence[Any]:
        """The values of each record: as they are, or a mapping of those flat ones that are there."""
        if not self.flat and not self.absent:
            return columns[self.kind]
        rows: list[dict[str, Any]] = [{} for _ in next(iter(columns.values()))]
        for column, name in self.flat.items():
            for row, value in zip(rows, columns[column], strict=True):
                if value is not None and value != "":
                    row[name] = value
        return rows


def names_of(source: FileSource) -> tuple[str, ...]:
    """All columns that the files of a source have at their start, by our names. Raises AuditError."""
    return every_column(source, [SeenColumns(file, glance) for file, glance in source.glances()])


def layout(kind: str, names: Iterable[str]) -> Layout:
    """Nested where there is a column of that name (or neither), else flat."""
    known = list(names)
    start = f"{kind}."
    flat = {} if kind in known else {name: name.removeprefix(start) for name in known if name.startswith(start)}
    return Layout(kind, flat)


def label_of(names: Iterable[str]) -> str:
    """The column that names a record: `label`, else `id`, else the number of its row."""
    known = set(names)
    return LABEL if LABEL in known else "id" if "id" in known else ROW_NUMBER


def labels(column: Sequence[Any] | None, numbers: Sequence[str], places: Sequence[str]) -> list[str]:
    """Each record's label as text: its own, or the number of its row. Raises DataError for what is no text."""
    if column is None:
        return list(numbers)
    if set(map(type, column)) == {str} and "" not in column:
        return list(column)
    texts = []
    for value, number, place in zip(column, numbers, places, strict=True):
        if value is None or value == "":
            texts.append(number)
        elif isinstance(value, str | int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124 - NaN
            texts.append(str(value))
        else:
            raise DataError(place, "the label is not text", brief(value), "write a text or a number, or leave it out")
    return texts


Labelled = Iterable[tuple[Sequence[str], Sequence[str]]]


def check_unique(batches: Callable[[], Labelled], do: str) -> None:
    """Raises DataError for the first duplicate label. `batches` gives labels with their places, anew.

    Eight bytes a label are kept; the labels themselves are read again only where two hashes are equal.
    """
    import polars as pl

    hashes = [pl.Series("", labels, dtype=pl.String).hash() for labels, _ in batches()]
    if not hashes:
        return
    column = pl.concat(hashes)
    suspects = set(column.filter(column.is_duplicated()).to_list())
    first: dict[str, str] = {}
    for (labels, places), hashed in zip(batches() if suspects else (), hashes, strict=False):
        for word, place, value in zip(labels, places, hashed.to_list(), strict=True):
            if value in suspects and word in first:
                raise DataError(place, f"duplicate label '{brief(word)}'", f"first at {first[word]}", do)
            first[word] = place
