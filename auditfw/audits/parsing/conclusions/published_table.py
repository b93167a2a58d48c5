"""A table of published figures: where it is, which columns it has, and its texts as they are written."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any, Literal

from auditfw.core.errors import DataError, UsageError, kind_of_value, nearest
from auditfw.core.files import check, read_text
from auditfw.formulas.repeats.of_k import MOST_K

MEASURES = ("error_rate", "accuracy", "n", "no_answer")
SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
MOST_ROWS = 1_000_000  # of a Parquet file, which may say so in a few bytes

Row = Mapping[str, str]
_REPEATS = re.compile(r"(any_of_|pass_at_|pass@)(\d{1,4})|(all_of_|pass_k_|pass\^)(\d{1,4})")


def repeats_column(name: str) -> tuple[int, bool] | None:
    """The k of a column of stored repeats, and whether it is of all of them.

    Any of 3: `any_of_3`, `pass_at_3`, `pass@3`; all of 3: `all_of_3`, `pass_k_3`, `pass^3`. None for other names.
    """
    match = _REPEATS.fullmatch(name)
    k = 0 if match is None else int(match[2] or match[4])
    return (k, match[3] is not None) if match is not None and 1 <= k <= MOST_K else None


@dataclass(frozen=True)
class Published:
    """A table of published figures to compare with.

    `columns` names its columns: those of the figures, and those of the cells where they have other names; `on` are the
    columns of the cells (null: all of `by`). `reading` is what is compared (null: the reference). Rates are in percent,
    or with `scale` "share" between 0 and 1.
    """

    path: str
    columns: dict[str, str] = field(default_factory=dict)
    on: tuple[str, ...] | None = None
    reading: str | None = None
    scale: Literal["percent", "share"] = "percent"

    def __post_init__(self) -> None:
        if Path(self.path).suffix.lower() not in SUFFIXES:
            raise UsageError(
                "path", "is of a type that cannot be read", self.path, f"name a file {', '.join(SUFFIXES)}"
            )

    def cells(self, by: Sequence[str]) -> tuple[str, ...]:
        """The columns of the cells. Raises UsageError for one that is not among those of the run."""
        names = tuple(by) if self.on is None else self.on
        for i, name in enumerate(names):
            if name not in by:
                raise UsageError(
                    f"audit.published.on[{i}]", f"the run has no cells by '{name}'", None, nearest(name, by)
                )
        for name in self.columns:
            if name not in (*MEASURES, *names) and repeats_column(name) is None:
                do = nearest(name, [*MEASURES, *names])
                raise UsageError(
                    f"audit.published.columns.{name}", "is neither a figure nor a column of the cells", None, do
                )
        return names


@dataclass(frozen=True)
class PublishedTable:
    """The rows of a table: for each its cell as text, and its figures as text by name; empty ones are left out."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, ...], Row]]


def table_of(published: Published, by: Sequence[str]) -> PublishedTable:
    """Reads the table. Raises UsageError for a setting, DataError for a file or column that is not there."""
    names = published.cells(by)
    rows = _rows(Path(published.path))
    columns = list(dict.fromkeys(column for row in rows for column in row))
    further = dict.fromkeys(name for name in (*published.columns, *columns) if repeats_column(name) is not None)
    every = (*MEASURES, *(name for name in further if name not in names))
    theirs = {name: published.columns.get(name, name) for name in (*names, *every)}
    for name, column in theirs.items():
        if column not in columns and (name in names or name in published.columns):
            raise DataError(published.path, f"has no column '{column}'", None, nearest(column, columns))
    measures = tuple(name for name in every if theirs[name] in columns)
    if not measures:
        do = "name one: audit.published.columns={error_rate: COLUMN}"
        raise DataError(published.path, "has no column of figures", ", ".join(columns), do)
    each = []
    for row in rows:
        figures = {name: row.get(theirs[name], "").strip() for name in measures}
        each.append((tuple(row.get(theirs[name], "") for name in names), {k: v for k, v in figures.items() if v}))
    return PublishedTable(names, measures, each)


def _rows(path: Path) -> list[Row]:
    """The records of a file. Raises DataError for one that is not there, or cannot be read."""
    try:
        if path.suffix.lower() == ".parquet":
            return _parquet(path)
        return _records(path, read_text(path, links=True).removeprefix("\ufeff"))
    except FileNotFoundError:
        raise DataError(str(path), "no such file", None, "check audit.published.path") from None
    except UnicodeDecodeError as error:
        raise DataError(str(path), "is not UTF-8", str(error)) from None


def _records(path: Path, text: str) -> list[Row]:
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return _delimited(path, text, "\t" if suffix == ".tsv" else ",")
    if suffix == ".jsonl":
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        return [_record(f"{path}:{number}", _parsed(f"{path}:{number}", line)) for number, line in lines]
    value = _parsed(str(path), text)
    if not isinstance(value, list):
        raise DataError(str(path), "expected a list of records", kind_of_value(value))
    return [_record(f"{path}[{number}]", one) for number, one in enumerate(value)]


def _delimited(path: Path, text: str, delimiter: str) -> list[Row]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = next(lines, [])
    rows: list[Row] = []
    try:
        for line in lines:
            if not line:
                continue
            if len(line) != len(header):
                count = f"{len(line)} of {len(header)}"
                raise DataError(
                    f"{path}:{lines.line_num}", "a row has a different number of fields from the header", count
                )
            rows.append(dict(zip(header, line, strict=True)))
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num}", "is not valid CSV", str(error)) from None
    return rows


def _parsed(where: str, text: str) -> Any:
    """A JSON value whose numbers are texts, as they are written."""
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise DataError(where, "is not valid JSON", str(error)) from None


def _record(where: str, value: Any) -> Row:
    if not isinstance(value, dict):
        raise DataError(where, "expected a record", kind_of_value(value))
    return {str(name): _text(one) for name, one in value.items()}


def _parquet(path: Path) -> list[Row]:
    import polars

    file = check(path)
    try:
        rows = int(polars.scan_parquet(file, glob=False).select(polars.len()).collect().item())
        if rows > MOST_ROWS:
            raise DataError(str(path), f"holds more than {MOST_ROWS:,} rows", f"{rows:,}")
        records = polars.read_parquet(file, glob=False).to_dicts()
    except (OSError, polars.exceptions.PolarsError) as error:
        raise DataError(str(path), "cannot be read", str(error)) from None
    return [{name: _text(value) for name, value in record.items()} for record in records]


def _text(value: Any) -> str:
    """A value as text; not a number and null are nothing."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
