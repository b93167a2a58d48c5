"""The blocks of a document as what the template shows: plain lists of words, numbers of shades, pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from auditfw.components.report import wording
from auditfw.components.report.charts.drawing import drawing
from auditfw.components.report.charts.plot import NARROW, WIDE, Paper, points_drawn
from auditfw.components.report.charts.sketch import thinned
from auditfw.core.digits import short
from auditfw.core.document import (
    FEW,
    Chart,
    Exhibit,
    Gallery,
    Grid,
    Matrix,
    Note,
    NumberText,
    Snippet,
    Table,
    some,
    verb,
)

from .content import Fitted, Folded, Items, Linked, Shown
from .marks import cut, mark_names, place_of, shade

SHADES, LONG, WORDY = 9, 40, 24
DENSE = 16  # columns: of more paper shows the shades alone
FEW_SHADE = "few"
CHART_ROWS = 200
STATUSES = frozenset({"pass", "fail", "inconclusive", "none", "error"})
PAPERS = (("drawn-wide", WIDE), ("drawn-narrow", NARROW))

View = dict[str, Any]


def view(block: Shown) -> View:
    """A block as the template takes it; a gallery is for its own module."""
    if isinstance(block, Note):
        return {"kind": "note", "lines": [line for line in block.text.split("\n") if line.strip()]}
    if isinstance(block, Items):
        return {"kind": "items", "lines": block.lines, "tone": block.tone}
    if isinstance(block, Folded):
        return {"kind": "folded", "line": block.line, "table": table_view(block.table)}
    if isinstance(block, Table):
        return table_view(block)
    if isinstance(block, Matrix):
        return matrix_view(block)
    if isinstance(block, Chart):
        return chart_view(block)
    assert not isinstance(block, Gallery)
    return exhibit_view(block)


def table_view(table: Table) -> View:
    """Heads and rows of (text, class, range, target); an interval in brackets becomes the range of its cell."""
    heads, rows, align = wording.squared(table)
    targets = table.targets if isinstance(table, Linked) else ()
    sides = ["number" if side == ">" else "" for side in align]
    status = [head == "status" for head in heads]
    cells = [
        [
            _cell(text, sides[at], status[at], targets[n] if at == 0 and n < len(targets) else "")
            for at, text in enumerate(row)
        ]
        for n, row in enumerate(rows)
    ]
    left = wording.left_out(table.left_out)
    return {
        "kind": "table",
        "caption": table.caption,
        "label": table.caption or f"table: {', '.join(heads[:3])}",
        "lead": len(heads) > 1 and not sides[0],
        "fits": isinstance(table, Fitted),
        "heads": list(zip(heads, sides, strict=True)),
        "rows": cells,
        "left": left,
    }


def _cell(text: str, side: str, status: bool, target: str) -> tuple[str, str, str, str]:
    if status:
        return text, f"status status-{text}" if text in STATUSES else "status", "", target
    if isinstance(text, NumberText):
        return text.shown, side, text.ends, target
    return text, side or ("long" if _is_long(text) else "wordy" if len(text) > WORDY else ""), "", target


def _is_long(text: str) -> bool:
    """Whether a text, or one of its words, asks for a line break wherever it ends."""
    return len(text) > LONG and (len(text) > 4 * LONG or max(map(len, text.split()), default=0) > LONG)


def matrix_view(matrix: Matrix) -> View:
    """Cells as (text, class of its shade), with the ends of the shades."""
    counts = matrix.counts or [[FEW] * len(row) for row in matrix.values]
    pairs = [pair for rows in zip(matrix.values, counts, strict=True) for pair in zip(*rows, strict=True)]
    known = [value for value, n in pairs if value is not None and n >= FEW]
    low, high = matrix.ends or (min(known, default=0.0), max(known, default=0.0))
    most = max(abs(low), abs(high))
    diverging, sign = matrix.diverging and matrix.better is not None, -1 if matrix.better == "higher" else 1

    def shaded(value: float | None) -> str:
        return _shade(value if value is None or not diverging else sign * value, low, high, most, diverging)

    rows = [
        (
            name,
            [(text, FEW_SHADE if n < FEW and text else shaded(value)) for value, text, n in zip(*cells, strict=True)],
        )
        for name, cells in zip(matrix.rows, zip(matrix.values, matrix.shown, counts, strict=True), strict=True)
    ]
    ends = (short(-most), short(most)) if diverging else (short(low), short(high))
    left = wording.left_out(matrix.left_out)
    return {
        "kind": "matrix",
        "matrix": matrix,
        "rows": rows,
        "wordy": WORDY,
        "dense": len(matrix.columns) > DENSE,
        "ends": ends,
        "scale": _scale(diverging, sign) if known else [],
        "left": left,
    }


def _shade(value: float | None, low: float, high: float, most: float, diverging: bool) -> str:
    """The class of a number's shade: h0 to h9 for one colour, d1 to d9 (worse) and e1 to e9 for the two sides of 0."""
    if value is None:
        return "hole"
    if diverging:
        size = _level(abs(value), 0.0, most)
        return f"{'e' if value < 0 else 'd'}{size}" if size else "h0"
    return f"h{_level(value, low, high)}"


def _level(value: float, low: float, high: float) -> int:
    share = (value - low) / (high - low) if high > low else float(value > 0)
    return min(SHADES, max(0, round(share * SHADES)))


def _scale(diverging: bool, sign: int) -> list[str]:
    up = range(1, SHADES + 1)
    if not diverging:
        return [f"h{n}" for n in (0, *up)]
    return [*(f"e{n}" for n in reversed(up)), "h0", *(f"d{n}" for n in up)][::sign]


def chart_view(chart: Chart) -> View:
    """The picture of what has points, and the numbers as a table."""
    table = chart.as_table()
    rows = thinned(table.rows, CHART_ROWS)
    numbers = table_view(Table(table.columns, rows, table.align))
    count = sum(len(one.x) for one in chart.series)
    return {
        "kind": "chart",
        "title": titled(chart),
        "pictures": [_picture(chart, name, paper, count) for name, paper in PAPERS] if count else [],
        "table": numbers,
        "rows": f"{len(rows):,} of {some(len(table.rows), 'row')}." if len(rows) < len(table.rows) else "",
    }


def titled(chart: Chart) -> str:
    """The title, and which gates the dashed lines are."""
    gates = ", ".join(f"{one.name} at {short(one.y)}" for one in chart.bounds)
    return f"{chart.title} (gates: {gates})" if gates else chart.title


def _picture(chart: Chart, name: str, paper: Paper, count: int) -> View:
    """One drawing of a chart: its SVG, the class for where it shows, what it leaves out."""
    drawn = points_drawn(chart, paper)
    return {
        "class": name,
        "svg": Markup(drawing(chart, paper).inlined(name)),  # noqa: S704 - its texts are escaped
        "drawn": f"{drawn:,} of {some(count, 'point')} {verb(drawn, 'is', 'are')} drawn." if drawn < count else "",
    }


def exhibit_view(exhibit: Exhibit) -> View:
    """An exhibit with its texts cut at their marks and its grids as paths."""
    names = mark_names([exhibit])
    places = {name: n for n, name in enumerate(names)}
    shades = [shade(name, n) for n, name in enumerate(names)]

    def text(one: Snippet) -> View:
        empty = not (one.head or one.tail or one.omitted)
        fields = {"label": one.label, "place": place_of(one), "omitted": one.omitted, "empty": empty}
        return {**fields, **vars(cut(one, places))}

    return {
        "kind": "exhibit",
        "title": exhibit.title,
        "facts": exhibit.facts,
        "names": list(zip(names, shades, strict=True)),
        "texts": [text(one) for one in exhibit.snippets],
        "grids": [_grid(one.title, one.rows, grid_paths(one), differing_path(one)) for one in exhibit.grids],
    }


def _grid(title: str, rows: Sequence[Sequence[int]], paths: Sequence[tuple[str, str]], differs: str) -> View:
    wide = max(map(len, rows), default=0)
    return {"title": title, "wide": wide, "high": len(rows), "paths": paths, "differs": differs}


def grid_paths(grid: Grid) -> list[tuple[str, str]]:
    """A grid as paths, one a colour: the class of the colour, and the runs of cells that have it."""
    paths: dict[str, list[str]] = {}
    for y, row in enumerate(grid.rows):
        for x, length, value in _runs(row):
            paths.setdefault(f"a{value}" if 0 <= value <= 9 else "ax", []).append(f"M{x} {y}h{length}v1h-{length}z")
    return [(name, "".join(paths[name])) for name in sorted(paths)]


def _runs(row: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    start = 0
    for x in range(1, len(row) + 1):
        if x == len(row) or row[x] != row[start]:
            yield start, x - start, row[start]
            start = x


def differing_path(grid: Grid) -> str:
    """The outlines of the cells that differ."""
    return "".join(f"M{x} {y}h1v1h-1z" for y, x in grid.differs)
