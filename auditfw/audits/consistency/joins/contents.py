"""Whether joined records are about the same item: the columns that hold its content, compared value by value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from auditfw.audits.consistency.rules import as_text
from auditfw.core.records import shortened
from auditfw.kinds.judgements import FaultError

CONTENT = "#content"  # null: nothing to compare; "": the same; else which column differs, with both values
SHOWN = 60
TEXT, NO_TEXT = "#text", -1  # the number of the text of the item
CALLED = ("question", "prompt", "instruction", "answer", "response", "output", "text")  # what raters judge
FOLDED = 1_000  # characters
LONG = 20  # characters of most values of a column that holds the content of items
HALF = 0.5  # of the values are different ones; of the items coincide, or of the values are known to other raters
LOOKED, RARE = 1_000, 0.25  # after so many values a column of fewer long ones is let go


@dataclass(slots=True)
class ItemContents:
    """Of one item by column the first value, with its rater; which columns were compared, and how some differ."""

    first: dict[int, tuple[str, int, str]] = field(default_factory=dict)
    compared: int = 0
    differing: dict[int, str] = field(default_factory=dict)


class ContentColumn(NamedTuple):
    """A column that holds content: by rater on how many items it was `compared` with an earlier one, and differs."""

    name: str
    compared: Counter[str]
    differing: Counter[str]


@dataclass
class _Column:
    """What is known of a column: its values, those of first raters and of later ones, and how often these differ."""

    values: int = 0
    long: int = 0
    firsts: int = 0
    first: set[int] = field(default_factory=set)
    later: set[int] = field(default_factory=set)
    compared: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)

    @property
    def is_content(self) -> bool:
        """Whether it says what is judged, not who or how: long, different by item, and common to raters."""
        n, same = self.compared.total(), self.compared.total() - self.differing.total()
        telling = n and 2 * self.long >= self.values and len(self.first) >= HALF * self.firsts
        return bool(telling and (same >= HALF * n or len(self.first & self.later) >= HALF * len(self.first)))


@dataclass
class Contents:
    """Compares the records of each item in some columns; it holds a hash and the head of one value an item and column.

    Columns that are `declared` hold content; of others the values decide which do.
    """

    columns: tuple[str, ...] = ()
    declared: bool = False
    _known: dict[int, _Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known = {column: _Column() for column in range(len(self.columns))}

    def rows(self, columns: Mapping[str, Sequence[Any]], size: int) -> Iterable[Sequence[Any]]:
        """The values of each row of a batch."""
        empty = [None] * size
        return zip(*(columns.get(name) or empty for name in self.columns), strict=True) if self.columns else [()] * size

    def take(self, item: ItemContents, rater: str, values: Sequence[Any]) -> None:
        """Compares what one rater's record holds with what the first other rater's does."""
        for column, known in list(self._known.items()):
            text = _as_text(values[column])
            if not text:
                continue
            known.values += 1
            known.long += len(text) >= LONG
            number = text_number(text)
            there = item.first.get(column)
            if there is None:
                item.first[column] = (rater, number, shortened(text, SHOWN))
                known.firsts += 1
                known.first.add(number)
            elif there[0] != rater:
                self._compare(item, column, rater, number, text)
            if known.values == LOOKED and known.long < RARE * LOOKED and not self.declared:
                del self._known[column]

    def _compare(self, item: ItemContents, column: int, rater: str, number: int, text: str) -> None:
        known, (first, own, head) = self._known[column], item.first[column]
        item.compared |= 1 << column
        known.compared[rater] += 1
        known.later.add(number)
        if own != number:
            known.differing[rater] += 1
            if column not in item.differing:
                item.differing[column] = f"{head!r} by {first}, {shortened(text, SHOWN)!r} by {rater}"

    def differing(self, item: ItemContents | None) -> str | None:
        """What differs between the records of an item: "" nothing, None where nothing could be compared."""
        if item is None:
            return None
        parts = [f"{self.columns[n]} is {text}" for n, text in sorted(item.differing.items()) if n in self._content]
        return parts[0] if parts else "" if any(item.compared >> n & 1 for n in self._content) else None

    def text(self, item: ItemContents | None) -> int:
        """The number of all that an item holds, negative where there is nothing, or nothing long."""
        held = [] if item is None else [item.first[n] for n in self._content if n in item.first]
        if all(len(head) < LONG for *_, head in held):
            return NO_TEXT
        return held[0][1] if len(held) == 1 else text_number(" ".join(str(number) for _, number, _ in held))

    @cached_property
    def _content(self) -> Sequence[int]:
        """The columns that hold content, once all is taken in."""
        return [n for n, one in self._known.items() if (one.compared if self.declared else one.is_content)]

    @property
    def held(self) -> list[ContentColumn]:
        """The columns that hold content, and how often they differ."""
        known = ((self.columns[n], self._known[n]) for n in self._content)
        return [ContentColumn(name, one.compared, one.differing) for name, one in known]

    @property
    def apart(self) -> list[str]:
        """Columns called as content is in which raters never say the same: they are not compared, and may be."""
        known = ((self.columns[n], one) for n, one in self._known.items() if n not in self._content)
        return [name for name, one in known if name in CALLED and one.compared == one.differing and one.compared]


def text_number(text: str) -> int:
    """A number for a text, the same in every process; case and blanks are folded, but for those of very long ones."""
    plain = " ".join(text.split()).casefold() if len(text) <= FOLDED else text
    return int.from_bytes(blake2b(plain.encode(errors="surrogatepass"), digest_size=8).digest()) >> 1


def text_numbers(columns: Sequence[Sequence[Any]]) -> list[int] | None:
    """The numbers of all that rows hold in these columns, negative without a long text; None without a column."""
    if not columns:
        return None
    rows = zip(*columns, strict=True)
    return [_number_of([value for value in row if isinstance(value, str)]) for row in rows]


def _number_of(texts: Sequence[str]) -> int:
    return text_number("\n".join(texts)) if any(len(text) >= LONG for text in texts) else NO_TEXT


def _as_text(value: Any) -> str:
    """A value as text, the same whichever format it was read from; "" for none."""
    try:
        return "" if value is None else as_text(value).strip()
    except FaultError:
        return str(value)  # a list or an object
