"""Tables and charts as files to take away: CSV, LaTeX, SVG. The script of the page makes the same (page/export.js)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from auditfw.components.report import wording
from auditfw.components.report.charts.drawing import drawing
from auditfw.core.document import Chart, NumberText, Table
from auditfw.core.errors import UsageError
from auditfw.core.escaping import csv_field, latex

from .exhibits import Exported

ENDINGS: dict[str, str] = {"csv": "csv", "latex": "tex", "svg": "svg"}
NEEDS = r"by auditfw; needs \usepackage{booktabs}"


def csv_text(table: Table) -> str:
    """A table as CSV with a header; a column of numbers with intervals becomes three: the number, low, high."""
    heads, rows, _ = wording.squared(table)
    wide = [any(isinstance(row[at], NumberText) for row in rows) for at in range(len(heads))]
    lines = [chain.from_iterable(_head(head, w) for head, w in zip(heads, wide, strict=True))]
    lines += [chain.from_iterable(_parts(cell, w) for cell, w in zip(row, wide, strict=True)) for row in rows]
    return "".join(f"{','.join(map(csv_field, line))}\n" for line in lines)


def _head(head: str, wide: bool) -> list[str]:
    return [head, f"{head} low", f"{head} high"] if wide else [head]


def _parts(cell: str, wide: bool) -> list[str]:
    """The text of a cell; in a `wide` column without its interval, whose two ends come after it."""
    if not wide or not isinstance(cell, NumberText):
        return [str(cell), *["", ""] * wide]
    low, _, high = cell.ends.strip("[]").partition(", ")
    return [cell.shown, low, high]


def latex_text(table: Table, caption: str, name: str) -> str:
    """A table as LaTeX by booktabs, with caption and label."""
    heads, rows, align = wording.squared(table)
    return "\n".join(_latex_lines([heads, *rows], align.replace("<", "l").replace(">", "r"), caption, name)) + "\n"


def _latex_lines(rows: Sequence[Sequence[str]], align: str, caption: str, name: str) -> Iterator[str]:
    lines = [f"{' & '.join(map(latex, row))} \\\\" for row in rows]
    yield from (
        f"% {name} {NEEDS}",
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{latex(caption)}}}",
        f"\\label{{tab:{name}}}",
    )
    yield from (f"\\begin{{tabular}}{{{align}}}", r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule")
    yield from (r"\end{tabular}", r"\end{table}")


def file_text(one: Exported, form: str) -> str:
    """The text of a file. Raises UsageError for the picture of a table."""
    if form == "csv":
        return csv_text(one.table)
    if form == "latex":
        return latex_text(one.table, one.caption, one.name)
    if not isinstance(one.block, Chart):
        raise UsageError(one.name, "is a table and has no picture", "format=svg", "write format=csv or format=latex")
    return f"{drawing(one.block).document()}\n"
