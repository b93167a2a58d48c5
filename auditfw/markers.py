"""Where the first of several markers stands in a text: one search for each sign that markers hang on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence


class MarkerScan:
    """Looks for markers in lower-cased text.

    A marker whose last character is a sign it holds only once ("user:") is looked for at each such sign; one that
    begins with a sign ("\\nuser") at each such beginning; any other one by itself.
    """

    def __init__(self, markers: Sequence[str]) -> None:
        self.markers = tuple(markers)
        ends: dict[str, list[str]] = {}
        starts: dict[str, list[str]] = {}
        alone: list[str] = []
        for marker in self.markers:
            if marker and _sign(marker[-1]) and marker.count(marker[-1]) == 1:
                ends.setdefault(marker[-1], []).append(marker)
            elif marker and _sign(marker[0]):
                starts.setdefault(marker[0], []).append(marker)
            else:
                alone.append(marker)
        self._ends = [(_ending(sign, group), tuple(group)) for sign, group in ends.items()]
        self._starts = [_starting(sign, group) for sign, group in starts.items()]
        self._alone = tuple(alone)

    def first(self, low: str) -> int:
        """The earliest of the markers' first occurrences, each counted only if it is past position 0; else -1."""
        if low.startswith(self.markers):
            # A marker at position 0 hides its own later occurrences, so each must be looked at by itself.
            return min((at for at in map(low.find, self.markers) if at > 0), default=-1)
        return min(self._found(low), default=-1)

    def present(self, low: str) -> bool:
        """Is any marker anywhere in the text, position 0 included?"""
        return next(self._found(low), None) is not None

    def _found(self, low: str) -> Iterator[int]:
        """Positions of markers, the earliest of all among them."""
        for ending, markers in self._ends:
            if match := ending.search(low):
                # Of two markers that end at one sign the longer one begins earlier.
                yield match.end() - max(len(marker) for marker in markers if low.endswith(marker, 0, match.end()))
        for starting in self._starts:
            if match := starting.search(low):
                yield match.start()
        for marker in self._alone:
            at = low.find(marker)
            if at >= 0:
                yield at


def _sign(character: str) -> bool:
    return not character.isalnum() and character != " "


def _ending(sign: str, markers: Sequence[str]) -> re.Pattern[str]:
    """The sign comes first, so that it can be searched for; then the one letter before it is looked at, then all."""
    before = "".join(re.escape(marker[-2]) for marker in markers if len(marker) > 1)
    quick = f"(?<=[{before}]{re.escape(sign)})" if all(len(marker) > 1 for marker in markers) else ""
    return re.compile(re.escape(sign) + quick + f"(?:{'|'.join(f'(?<={re.escape(marker)})' for marker in markers)})")


def _starting(sign: str, markers: Sequence[str]) -> re.Pattern[str]:
    return re.compile(f"{re.escape(sign)}(?:{'|'.join(re.escape(marker[1:]) for marker in markers)})")
