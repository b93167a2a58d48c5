"""Files that people filled in, a row each with its place: CSV or TSV, JSON Lines, Parquet, exports of Label Studio.

They are small and come from spreadsheets and pages, so everything is a text here, and any usual separator is taken.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from auditfw.core.errors import DataError
from auditfw.core.escaping import FORMULA
from auditfw.core.files import check, read_text
from auditfw.core.remote.places import actual
from auditfw.core.shapes import json_value

Row = tuple[int, dict[str, str]]  # its line or number from 1, and its cells by column
_GUARDED = re.compile(f"'(?={FORMULA.removeprefix('^')})")


def filled_rows(path: str) -> Iterator[Row]:
    """The rows of a file, whatever its form. Raises DataError, with the line."""
    kind = Path(path).suffix.lower()
    if kind == ".parquet":
        return _parquet(path)
    text = text_of(path)
    if kind == ".jsonl":
        return _json_lines(path, text)
    return _label_studio(path, text) if kind == ".json" else delimited(path, text)


def text_of(path: str, do: str = "name the file with the labels") -> str:
    """The text of a file without a byte order mark. Raises DataError."""
    try:
        return read_text(Path(actual(path)), links=True).removeprefix("\ufeff")
    except FileNotFoundError:
        raise DataError(path, "no such file", do=do) from None
    except UnicodeDecodeError:
        raise DataError(path, "is not UTF-8 text", do="save it as CSV in UTF-8") from None


def delimited(path: str, text: str) -> Iterator[Row]:
    """Rows by the names of the header: commas, semicolons or tabs, any line ends, apostrophes against formulas."""
    head = text.partition("\n")[0]
    lines = csv.reader(StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    names: list[str] = []
    at = 1
    try:
        for cells in lines:
            if not names:
                names = [name.strip() for name in cells]
            elif any(cells):
                if len(cells) != len(names):
                    raise DataError(f"{path}:{at}", f"expected {len(names)} cells", len(cells))
                yield at, {name: unguarded(cell) for name, cell in zip(names, cells, strict=True)}
            at = lines.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}:{at}", "is no row of CSV", str(error)) from None
    if not names:
        raise DataError(path, "is empty", do="save the file with its header")


def unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return _GUARDED.sub("", cell, count=1) if cell[:1] == "'" else cell


def _json_lines(path: str, text: str) -> Iterator[Row]:
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield at, _cells(_object(_json(f"{path}:{at}", line), f"{path}:{at}"))


def _parquet(path: str) -> Iterator[Row]:
    import polars as pl

    try:
        frame = pl.read_parquet(check(Path(path)), glob=False)
    except FileNotFoundError:
        raise DataError(path, "no such file", do="name the file with the labels") from None
    except pl.exceptions.PolarsError as error:
        raise DataError(path, "is no Parquet table", str(error)) from None
    return ((at, _cells(row)) for at, row in enumerate(frame.iter_rows(named=True), 1))


def _label_studio(path: str, text: str) -> Iterator[Row]:
    """Tasks with their annotations (JSON), or a flat object for each annotation (JSON-MIN)."""
    tasks = _json(path, text)
    if not isinstance(tasks, list):
        raise DataError(path, "expected a list of tasks", do="export JSON or JSON-MIN, or write CSV")
    for at, task in enumerate(tasks, 1):
        where = f"{path}: task {at}"
        flat = _object(task, where)
        if "annotations" not in flat:
            yield at, _cells(flat)
            continue
        data = _cells(_object(flat.get("data"), f"{where}: data"))
        for annotation in flat["annotations"] if isinstance(flat["annotations"], list) else []:
            one = _object(annotation, f"{where}: annotations")
            yield at, {**data, "label": _choice(one), "labeller": _name(one.get("completed_by"))}


def _choice(annotation: Mapping[str, Any]) -> str:
    """What was chosen; nothing where the task was skipped."""
    results = annotation.get("result")
    if annotation.get("was_cancelled") is True or not isinstance(results, list):
        return ""
    values = (one.get("value") for one in results if isinstance(one, dict))
    choices = (value.get("choices") for value in values if isinstance(value, dict))
    return next((str(choice[0]) for choice in choices if isinstance(choice, list) and choice), "")


def _name(labeller: Any) -> str:
    """Who completed a task: a number, a text, or an object with an `email` or an `id`."""
    if isinstance(labeller, dict):
        labeller = labeller.get("email", labeller.get("id"))
    return "" if labeller is None else str(labeller)


def _json(where: str, text: str) -> Any:
    try:
        return json_value(text)
    except ValueError as error:
        raise DataError(where, "is not JSON", str(error)) from None


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DataError(where, "expected an object", value)
    return value


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    """Texts as they are, nothing for null, true and false as JSON writes them."""
    return {name: _text(value) for name, value in row.items()}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
