"""The words of a picture: names cut short or broken into lines, and where those beside points go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from auditfw.core.escaping import visible

NAME = 60
INSIDE = re.compile(r"[^ _/.,;:=+-]*[ _/.,;:=+-]+|[^ _/.,;:=+-]+")
LETTER, LINE = 5.6, 12  # pixels that a letter and a line of a label take
AWAY = 7  # pixels from the point
POINT = 3  # half of a point's width
EDGE = 30  # pixels left of the leftmost point that are still within the plot
SIDES: tuple[Mapping[str, Any], ...] = (
    {"dx": AWAY, "dy": -AWAY, "align": "left"},
    {"dx": AWAY, "dy": AWAY + 4, "align": "left"},
    {"dx": -AWAY, "dy": -AWAY, "align": "right"},
    {"dx": -AWAY, "dy": AWAY + 4, "align": "right"},
)

Point = dict[str, Any]
Box = tuple[float, float, float, float]


def short_names(texts: Iterator[str] | Sequence[str]) -> dict[str, str]:
    """What each of these names is called in a picture: cut short, and different ones still different."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text in names:
            continue
        short, number = short_name(text), 1
        while short in taken:
            number += 1
            short = f"{short_name(text)} ({number})"
        names[text] = short
        taken.add(short)
    return names


def short_name(text: str) -> str:
    """A name as it is drawn: without what cannot be seen, and cut short."""
    seen = visible(text)
    return seen if len(seen) <= NAME else seen[: NAME - 1] + "…"


def broken_name(name: str, most: int, parts: re.Pattern[str] = INSIDE, size: Callable[[str], int] = len) -> str:
    """A name on lines of at most so many letters, broken where one of its parts ends."""
    lines = [""]
    for part in parts.findall(name):
        if lines[-1] and size(lines[-1] + part) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


class LabelRoom(Protocol):
    """How large the plot is, and how long a label at most, in pixels."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def label(self) -> int: ...


def placed(points: Sequence[Point], room: LabelRoom) -> list[tuple[Mapping[str, Any], list[Point]]]:
    """The labelled points by the side on which their label has room; a label without any is left to the tooltip."""
    if any(isinstance(point["x"], str) for point in points):
        return [(SIDES[0], list(points))]
    pixels = _pixels(points, room)
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in pixels]
    sides: list[list[Point]] = [[] for _ in SIDES]
    for point, at in zip(points, pixels, strict=True):
        wide = min(room.label, LETTER * len(point["label"]))
        for side, own in zip(SIDES, sides, strict=True):
            box = _box(at, side, wide)
            if box[0] >= -EDGE and box[2] <= room.width and not any(_overlap(box, other) for other in taken):
                own.append(point)
                taken.append(box)
                break
    return [(side, own) for side, own in zip(SIDES, sides, strict=True) if own]


def _pixels(points: Sequence[Point], room: LabelRoom) -> list[tuple[float, float]]:
    """Where the points are, about: their scales may reach further than they do."""
    across = _scaled([float(point["x"]) for point in points], room.width)
    return list(zip(across, (room.height - y for y in _scaled([p["y"] for p in points], room.height)), strict=True))


def _scaled(values: Sequence[float], size: int) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [size * 0.9 * ((value - low) / (high - low) if high > low else 0.5) for value in values]


def _box(at: tuple[float, float], side: Mapping[str, Any], wide: float) -> Box:
    left = at[0] + side["dx"] - (wide if side["align"] == "right" else 0)
    middle = at[1] + side["dy"]
    return left, middle - LINE / 2, left + wide, middle + LINE / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
