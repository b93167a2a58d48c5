"""What is noted of rows and files: how many there are, where they are; notes that are alike become one remark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class Remark(str):
    """A note on a file or a column, `FILE: TEXT`; made of another place it is the same, and the first place stays."""

    __slots__ = ("file", "place", "text")
    text: str
    file: str
    place: str

    def __new__(cls, text: str, file: str = "", place: str = "") -> Remark:
        remark = super().__new__(cls, f"{file}: {text}" if file else text)
        remark.text, remark.file, remark.place = text, file, place
        return remark


def remarks(notes: Mapping[str, int]) -> list[str]:
    """Notes with their counts, by their texts; those alike but for the file, or the first place in it, are one.

    A note is a text, or a `Remark`, which tells file and place apart.
    """
    alike: dict[str, list[Remark]] = {}
    counts: Counter[str] = Counter()
    for note, n in notes.items():
        remark = note if isinstance(note, Remark) else Remark(note)
        alike.setdefault(remark.text, []).append(remark)
        counts[remark.text] += n
    lines = []
    for text, several in alike.items():
        place = f" (first: {several[0].place})" if several[0].place else ""
        lines.append(f"{_joined([one.file for one in several], text)}{place}: {counts[text]:,}")
    return sorted(lines)


def folded(warnings: Iterable[str]) -> tuple[str, ...]:
    """Warnings on files, `FILE: TEXT`, in order: those of one text are one, with the first file."""
    files: dict[str, list[str]] = {}
    for warning in warnings:
        file, colon, text = warning.partition(": ")
        file, text = (file, text) if colon else ("", warning)
        files.setdefault(text, []).append(file)
    return tuple(_joined(several, text) for text, several in files.items())


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
        return self.short


def total(sizes: Iterable[Size]) -> Size:
    """The size of all together."""
    known = list(sizes)
    highs, likely = [one.high for one in known], [one.likely for one in known]
    return Size(
        sum(one.low for one in known),
        None if None in highs else sum(filter(None, highs)),
        None if None in likely else sum(filter(None, likely)),
    )
