"""The disagreements of the consistency audit as TSV, for other tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any

from auditfw.core.escaping import tsv
from auditfw.core.files import guarded, whole
from auditfw.core.records import Result
from auditfw.core.tables import slices
from auditfw.kinds.registry import register

if TYPE_CHECKING:
    import polars as pl

TABLE = "disagreements"
TSV_FILE = "disagreements.tsv"
ROWS = 65_536
PLAIN = f"{ascii_letters}{digits}_ .:;,#/()-\t\n".encode()


@register("report", "disagreements")
@dataclass(frozen=True)
class DisagreementsReport:
    """Writes disagreements.tsv: a row for each item on which raters differ or an agreement was overruled.

    Columns `qid`, one for each rater, `final` and `why` of the first policy; the header is always there. Tabs, line
    ends and backslashes are escaped; `spreadsheet` puts a ' before what a spreadsheet would take for a formula.
    """

    spreadsheet: bool = False

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        frame = result.tables.get(TABLE)
        if folder is None or frame is None:
            return ()
        file = Path(folder) / TSV_FILE
        with guarded(file), whole(file) as stream:
            for line in _lines(frame, self.spreadsheet):
                stream.write(line.encode("utf-8"))
        return (TSV_FILE,)


def _lines(frame: Any, spreadsheet: bool) -> Iterator[str]:
    """The header, then the rows, a slice at a time; only cells that need it are escaped one by one."""
    import polars as pl

    lazy = frame.lazy()
    names = lazy.collect_schema().names()
    yield "\t".join(tsv(name) for name in names) + "\n"
    for rows in slices(lazy, ROWS):
        part = rows.cast(pl.String)
        text = _text(part)
        if spreadsheet or not _is_plain(text, part.width, part.height):
            text = _text(pl.DataFrame([_escaped(column, spreadsheet) for column in part]))
        yield text


def _text(part: pl.DataFrame) -> str:
    if not part.height:
        return ""
    return part.write_csv(separator="\t", include_header=False, quote_style="never", null_value="")


def _is_plain(text: str, width: int, height: int) -> bool:
    """Whether rows hold nothing that must be escaped: plain characters, and no more tabs and line ends than cells."""
    if not text.isascii() or text.encode().translate(None, PLAIN):
        return False
    return text.count("\t") == (width - 1) * height and text.count("\n") == height


def _escaped(column: pl.Series, spreadsheet: bool) -> pl.Series:
    import polars as pl

    plain = not spreadsheet and column.str.contains("^[A-Za-z0-9_ .:;,#/()-]*$").all(ignore_nulls=True)
    if plain:
        return column
    cells = [None if value is None else tsv(value, spreadsheet) for value in column.to_list()]
    return pl.Series(column.name, cells)
