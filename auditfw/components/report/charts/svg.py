"""A picture as SVG, for a file or for the page: lines, paths and texts, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from auditfw.core.escaping import visible

from .names import Box, Place, short_name

TITLE, ABOVE = 14, 18  # the size of a title, and the room that it takes
MARGIN = 8  # the reader's fonts may be wider than those we count with
FONT = "sans-serif"
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5e3c99", "#666666"]
CATEGORIES = [COLOURS[n] for n in (0, 3, 6, 4, 5, 7, 1, 2)]  # those of better and worse come last
ROLES = {"candidate": COLOURS[0], "reference": COLOURS[7], "better": COLOURS[2], "worse": COLOURS[1]}
INK, AXIS, GRID = "#000", "#888", "#ddd"
INKS = {
    **{colour: f"var(--c{n})" for n, colour in enumerate(COLOURS, 1)},
    **{INK: "currentColor", AXIS: "var(--axis)", GRID: "var(--grid)"},
}


class Drawing:
    """A picture being made: its `title`, what it `tells` those who do not see it, and its size in pixels.

    The title has its room at the top; on a page it stands beside the picture.
    """

    def __init__(self, title: str, tells: str, width: int) -> None:
        self.title, self.width, self.height = title, width, 0.0
        self._told, self._parts = f"<desc>{escape(visible(tells))}</desc>", list[str]()

    def line(self, ends: Box, stroke: str, width: float = 1, **more: object) -> None:
        """Draws a line from x and y to x and y."""
        places = dict(zip(("x1", "y1", "x2", "y2"), ends, strict=True))
        self._add("line", "", **places, stroke=stroke, stroke_width=width, **more)

    def path(self, at: Place, shape: str, says: str = "", **more: object) -> None:
        """Draws a path from a point; `says` is shown to a reader who points at it."""
        start = f"M{_written(at[0])},{_written(at[1])}"
        self._add("path", f"<title>{escape(says)}</title>" if says else "", d=start + shape, **more)

    def lines(self, places: Sequence[Place], says: str = "", **more: object) -> None:
        """Draws a line through these points, or what lies between them."""
        if places:
            further = "".join(f"L{_written(x)},{_written(y)}" for x, y in places[1:])
            self.path(places[0], further, says, **more)

    def text(self, at: Place, words: str, anchor: str = "start", size: int = 11, turned: int = 0) -> None:
        """Draws a text, `turned` by so many degrees."""
        place = f"translate({_written(at[0])},{_written(at[1])}){f' rotate({turned})' if turned else ''}"
        self._add("text", escape(words), transform=place, text_anchor=anchor, font_size=size, fill=INK)

    def document(self) -> str:
        """The picture as a file, with its title."""
        title = escape(short_name(self.title))
        paper = f'<rect x="-{MARGIN}" width="100%" height="100%" fill="white"></rect>'
        above = f'<text y="{TITLE}" font-size="{TITLE}" font-weight="bold">{title}</text>'
        head = f'{self._head(0)} font-family="{FONT}"><title>{title}</title>'
        return f"{head}{self._told}{paper}{above}{''.join(self._parts)}</svg>"

    def inlined(self, name: str = "") -> str:
        """The picture for a page, in the page's own colours; `name` is a class of the page's for it."""
        parts = "".join(self._parts)
        for colour, own in INKS.items():  # no text of ours or the data's holds a quotation mark
            parts = parts.replace(f'"{colour}"', f'"{own}"')
        words = f'aria-label="{escape(visible(self.title))}" class="{f"chart {name}".rstrip()}"'
        return f"{self._head(ABOVE)} {words}>{self._told}{parts}</svg>"

    def _add(self, name: str, inside: str, /, **attributes: object) -> None:
        words = "".join(f' {key.replace("_", "-")}="{_written(value)}"' for key, value in attributes.items())
        self._parts.append(f"<{name}{words}>{inside}</{name}>")

    def _head(self, top: int) -> str:
        width, height = self.width + 2 * MARGIN, _written(self.height - top)
        box = f'viewBox="-{MARGIN} {top} {width} {height}" width="{width}" height="{height}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img"'


def _written(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
