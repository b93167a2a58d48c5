"""Where the first of several markers stands in a text: one pass over the few characters that markers hang on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class MarkerScan:
    """Looks for markers in lower-cased text.

    A marker whose last character is a sign it holds only once ("user:") is looked for at each such sign; one that
    begins with a sign ("\\nuser") at each such beginning; any other one by itself.
    """

    def __init__(self, markers: Sequence[str]) -> None:
        self.markers = tuple(markers)
        self._ends: dict[str, tuple[str, ...]] = {}
        self._starts: dict[str, tuple[str, ...]] = {}
        self._alone: tuple[str, ...] = ()
        for marker in self.markers:
            if marker and _sign(marker[-1]) and marker.count(marker[-1]) == 1:
                self._ends[marker[-1]] = (*self._ends.get(marker[-1], ()), marker)
            elif marker and _sign(marker[0]):
                self._starts[marker[0]] = (*self._starts.get(marker[0], ()), marker)
            else:
                self._alone = (*self._alone, marker)

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
        """At least the earliest position of all, where there is any."""
        for sign, markers in self._ends.items():
            at = low.find(sign)
            while at >= 0:
                if low.endswith(markers, 0, at + 1):
                    # Two markers that end at one sign: the longer one begins earlier.
                    yield at + 1 - max(len(marker) for marker in markers if low.endswith(marker, 0, at + 1))
                    break
                at = low.find(sign, at + 1)
        for sign, markers in self._starts.items():
            at = low.find(sign)
            while at >= 0:
                if low.startswith(markers, at):
                    yield at
                    break
                at = low.find(sign, at + 1)
        for marker in self._alone:
            at = low.find(marker)
            if at >= 0:
                yield at


def _sign(character: str) -> bool:
    return not character.isalnum() and character != " "
