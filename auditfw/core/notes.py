"""What is noted of rows and files: how many there are, where they are; notes that are alike become one remark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FIRST = " (first: "


def remarks(notes: Mapping[str, int]) -> list[str]:
    """Notes with their counts, by their texts; those alike but for the file, or the first place in it, are one.

    A note is `FILE: TEXT (first: PLACE)`, of which file and place may be absent.
    """
    files: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    counts: dict[str, int] = {}
    for note, n in notes.items():
        remark, _, place = note.partition(FIRST)
        file, text = _parts(remark)
        places.setdefault(text, f"{FIRST}{place}" if place else "")
        files.setdefault(text, []).append(file)
        counts[text] = counts.get(text, 0) + n
    texts = {text: _joined(several, text) for text, several in files.items()}
    return sorted(f"{remark}{places[text]}: {counts[text]:,}" for text, remark in texts.items())


def folded(warnings: Iterable[str]) -> tuple[str, ...]:
    """Warnings on files, `FILE: TEXT`, in order: those of one text are one, with the first file."""
    files: dict[str, list[str]] = {}
    for warning in warnings:
        file, text = _parts(warning)
        files.setdefault(text, []).append(file)
    return tuple(_joined(several, text) for text, several in files.items())


def _parts(note: str) -> tuple[str, str]:
    file, colon, text = note.partition(": ")
    return (file, text) if colon else ("", note)


def _joined(several: list[str], text: str) -> str:
    first, others = several[0], len(set(several)) - 1
    named = f"{first} and {others:,} more" if others else first
    return f"{named}: {text}" if first else text


@dataclass(frozen=True)
class Places(Sequence[str]):
    """Where rows are, for messages, each made when it is asked for: `start` and the row's number."""

    start: str
    numbers: Sequence[int]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: Any) -> Any:
        found = self.numbers[at]
        return Places(self.start, found) if isinstance(at, slice) else f"{self.start}{found}"


@dataclass(frozen=True)
class Size:
    """How many rows there are: at least `low`, at most `high` (None: unknown), by an estimate `likely`.

    All three are the same where the rows were counted.
    """

    low: int
    high: int | None
    likely: int | None

    @classmethod
    def exactly(cls, n: int) -> Size:
        return cls(n, n, n)

    @property
    def short(self) -> str:
        """The number in a word or two."""
        if self.likely is None:
            return "unknown"
        return f"{self.likely:,}" if self.low == self.high else f"about {self.likely:,}"

    def __str__(self) -> str:
        if self.likely is None or self.low == self.high:
            return self.short
        if self.high is not None:
            return f"{self.short} (an estimate: {self.low:,} to {self.high:,})"
        return f"{self.short} (an estimate: at least {self.low:,})" if self.low else self.short

    def times(self, n: int) -> Size:
        """So many rows for each."""
        high, likely = (None if part is None else part * n for part in (self.high, self.likely))
        return Size(self.low * n, high, likely)

    def up_to(self, most: int) -> Size:
        """No more than so many."""
        likely = most if self.likely is None else min(self.likely, most)
        return Size(min(self.low, most), most if self.high is None else min(self.high, most), likely)


def total(sizes: Iterable[Size]) -> Size:
    """The size of all together."""
    known = list(sizes)
    highs, likely = [one.high for one in known], [one.likely for one in known]
    return Size(
        sum(one.low for one in known),
        None if None in highs else sum(filter(None, highs)),
        None if None in likely else sum(filter(None, likely)),
    )
