"""The words of a picture: names cut short or broken into lines, how wide they are, and where those beside points go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count
from unicodedata import east_asian_width

from auditfw.core.escaping import visible

NAME = 60
INSIDE = re.compile(r"[^ _/.,;:=+-]*[ _/.,;:=+-]+|[^ _/.,;:=+-]+")
ANYWHERE = re.compile(r"[^ _/.,;:=+-]{0,20}[ _/.,;:=+-]+|[^ _/.,;:=+-]{1,20}")  # parts that no line is too short for
THIN, BROAD = " fijlrtI.,:;'|!()[]/-", "mwMW%@…"
AWAY, LINE = 7, 12  # pixels from a point to its label, and those that a line of it takes
SIDES = ((AWAY, -AWAY, "start"), (AWAY, AWAY + 4, "start"), (-AWAY, -AWAY, "end"), (-AWAY, AWAY + 4, "end"))

Place = tuple[float, float]
Box = tuple[float, float, float, float]
Side = tuple[int, int, str]


def short_names(texts: Iterable[str]) -> dict[str, str]:
    """What each of these names is called in a picture: cut short, and different ones still different."""
    names: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        short = short_name(text)
        numbered = chain([short], (f"{short} ({number})" for number in count(2)))
        names[text] = next(one for one in numbered if one not in names.values())
    return names


def short_name(text: str) -> str:
    """A name as it is drawn: without what cannot be seen, and cut short."""
    seen = visible(text)
    return seen if len(seen) <= NAME else seen[: NAME - 1] + "…"


def broken_name(name: str, most: float, parts: re.Pattern[str] = INSIDE, size: Callable[[str], float] = len) -> str:
    """A name on lines of at most so many letters, or of this `size`, broken where one of its parts ends."""
    lines = [""]
    for part in parts.findall(name):
        if lines[-1] and size(lines[-1] + part) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def wide(text: str, size: float = 11) -> float:
    """How wide a text is in Arial, in pixels, about: most readers have it or a kin of the same widths."""
    thin = sum(letter in THIN for letter in text)
    broad = sum(letter in BROAD or east_asian_width(letter) in "WF" for letter in text)
    capital = sum(letter.isupper() and letter not in THIN + BROAD for letter in text)
    return size * (0.556 * len(text) - 0.256 * thin + 0.374 * broad + 0.134 * capital)


def cut(text: str, most: float, size: float = 11) -> str:
    """A text in at most so many pixels, the last of its letters a mark if anything was cut."""
    kept = text
    while kept and wide(kept if kept == text else f"{kept}…", size) > most:
        kept = kept[:-1]
    return kept if kept == text else f"{kept}…"


def placed(points: Sequence[Place], labels: Sequence[str], room: Box) -> list[Side | None]:
    """The side on which each label has room: within `room`, off all `points` and other labels; None without any."""
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in points]
    sides: list[Side | None] = []
    for at, label in zip(points, labels, strict=True):
        boxes = [(side, _box(at, side, wide(label, 10))) for side in SIDES] if label else []
        free = [(side, box) for side, box in boxes if _within(box, room) and not any(_meet(box, one) for one in taken)]
        sides.append(free[0][0] if free else None)
        taken += [box for _, box in free[:1]]
    return sides


def _box(at: Place, side: Side, length: float) -> Box:
    left, middle = at[0] + side[0] - (length if side[2] == "end" else 0), at[1] + side[1] - 3
    return left, middle - LINE / 2, left + length, middle + LINE / 2


def _within(one: Box, room: Box) -> bool:
    return one[0] >= room[0] and one[1] >= room[1] and one[2] <= room[2] and one[3] <= room[3]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
