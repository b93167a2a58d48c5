"""Whether joined records are about the same item: the columns that they have in common, compared value by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.audits.consistency.rules import as_text
from auditfw.core.records import shortened
from auditfw.kinds.judgements import FaultError

CONTENT = "#content"  # null: nothing to compare; "": the same; else which column differs, with both values
SHOWN = 60
OWN = frozenset(
    (
        *("reason", "reasons", "reasoning", "rationale", "explanation", "justification", "comment", "comments"),
        *("critique", "feedback", "thought", "thoughts", "confidence", "score", "scores", "rating", "ratings"),
        *("verdict", "judgement", "judgment", "judge", "rater", "annotator", "created", "time", "timestamp", "date"),
        *("duration", "latency", "seconds", "cost", "price", "token", "tokens", "usage", "seed"),
        *("index", "idx", "row", "line", "raw", "worker"),
    )
)


@dataclass(slots=True)
class ItemContents:
    """Of one item by column the first value, with its rater; which columns were compared, and how some differ."""

    first: dict[int, tuple[str, int, str]] = field(default_factory=dict)
    compared: int = 0
    differing: dict[int, str] = field(default_factory=dict)


@dataclass
class Contents:
    """Compares the records of each item in some columns; it holds a hash and the head of one value an item and column.

    A column in which one rater has the same value throughout says who judged rather than what, and does not count.
    """

    columns: tuple[str, ...] = ()
    _values: dict[tuple[int, str], int | None] = field(default_factory=dict)  # None: several

    def rows(self, columns: Mapping[str, Sequence[Any]], size: int) -> Iterable[Sequence[Any]]:
        """The values of each row of a batch."""
        empty = [None] * size
        return zip(*(columns.get(name) or empty for name in self.columns), strict=True) if self.columns else [()] * size

    def take(self, item: ItemContents, rater: str, values: Sequence[Any]) -> None:
        """Compares what one rater's record holds with what the first other rater's does."""
        for column, value in enumerate(values):
            text = _as_text(value)
            if not text:
                continue
            number = hash(text)
            if self._values.setdefault((column, rater), number) != number:
                self._values[column, rater] = None
            known = item.first.setdefault(column, (rater, number, shortened(text, SHOWN)))
            if known[0] != rater:
                item.compared |= 1 << column
                if known[1] != number and column not in item.differing:
                    item.differing[column] = f"{known[2]!r} by {known[0]}, {shortened(text, SHOWN)!r} by {rater}"

    def differing(self, item: ItemContents | None) -> str | None:
        """What differs between the records of an item: "" nothing, None where nothing could be compared."""
        if item is None:
            return None
        telling = self._telling
        parts = [f"{self.columns[n]} is {text}" for n, text in sorted(item.differing.items()) if n in telling]
        return parts[0] if parts else "" if any(item.compared >> n & 1 for n in telling) else None

    @property
    def _telling(self) -> set[int]:
        constant = {column for (column, _), value in self._values.items() if value is not None}
        return set(range(len(self.columns))) - constant


def compared(names: Iterable[str]) -> Iterator[str]:
    """Those of some columns that are about the item, as far as names tell: no reason, score or time of a rater."""
    return (name for name in names if OWN.isdisjoint(_words(name)))


def _as_text(value: Any) -> str:
    """A value as text, the same whichever format it was read from; "" for none."""
    try:
        return "" if value is None else as_text(value).strip()
    except FaultError:
        return str(value)  # a list or an object


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
