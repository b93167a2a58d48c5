"""Pictures inside the page: charts from their SVG, element by element and by an allow-list; grids as paths."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from auditfw.components.report.charts.vega import AXIS, BELOW, COLOURS, GRID, INK, TITLE
from auditfw.core.document import Grid

SPACE = "http://www.w3.org/2000/svg"
ELEMENTS = frozenset({"g", "path", "line", "rect", "circle", "text", "tspan"})
ATTRIBUTES = frozenset(
    {
        *("d", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "r", "cx", "cy", "width", "height", "transform"),
        *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity"),
        *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "text-anchor", "font-size", "font-weight"),
    }
)
INKS = {
    **{colour: f"var(--c{n})" for n, colour in enumerate(COLOURS, 1)},
    INK: "currentColor",
    AXIS: "var(--axis)",
    GRID: "var(--grid)",
    "none": "none",
    "transparent": "none",
}
MARGIN = 8  # the reader's fonts may be wider than those it was drawn with
WITH_TOOLTIP = frozenset({"point", "bar", "line mark"})


def inlined(picture: str, title: str, name: str = "") -> str:
    """A chart drawn for a file, as SVG for the page: in the page's own colours, without its title, marks with tooltips.

    `name` is a class of the page's for it. Only elements and attributes of the lists above come over, colours only
    those we know; text stays text.
    """
    drawn = ET.fromstring(picture)  # noqa: S314 - our own renderer's output
    width, height = (float(drawn.get(name, "0")) for name in ("width", "height"))
    titled = any("role-title" in (node.get("class") or "").split() for node in drawn.iter())
    top = TITLE + BELOW if titled else 0
    box = f"{-MARGIN} {top:g} {width + 2 * MARGIN:g} {height - top:g}"
    root = ET.Element("svg", {"xmlns": SPACE, "viewBox": box, "role": "img", "aria-label": title})
    root.set("class", f"chart {name}".rstrip())
    root.set("width", f"{width + 2 * MARGIN:g}")
    for child in drawn:
        if _local(child) != "rect":  # the white background
            _copy(child, root)
    return ET.tostring(root, "unicode", short_empty_elements=True)


def _copy(node: ET.Element, parent: ET.Element) -> None:
    words = (node.get("class") or "").split()
    if _local(node) not in ELEMENTS or "role-title" in words or node.get("display") == "none":
        return
    if words == ["background"] and node.get("stroke") is None and node.get("fill") is None:
        return
    copy = ET.SubElement(parent, _local(node), {k: v for k, v in node.items() if k in ATTRIBUTES})
    for name in ("fill", "stroke"):
        if name in copy.attrib:
            copy.set(name, INKS.get(copy.attrib[name].lower(), "currentColor"))
    copy.text = node.text
    if node.get("aria-roledescription") in WITH_TOOLTIP and node.get("aria-label"):
        ET.SubElement(copy, "title").text = node.get("aria-label")
    for child in node:
        _copy(child, copy)
    if _local(copy) == "g" and not len(copy):
        parent.remove(copy)


def _local(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2]


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
