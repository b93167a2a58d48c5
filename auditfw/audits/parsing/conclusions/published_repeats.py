"""Published numbers of stored repeats: by which convention, if any, they are those of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from auditfw.audits.parsing.questions.repeats import RepeatedRows
from auditfw.core.digits import fixed
from auditfw.core.imports import np
from auditfw.formulas.repeats.repeated import item_repeats
from auditfw.formulas.repeats.stored import ALL, FIRST, PLUG_IN, UNBIASED, convention_of, conventions, right_of_first
from auditfw.kinds.questions import LabelRows

from .published_table import repeats_column

DIFFERS = "differs"
Key = tuple[str, ...]


class OfRepeats(NamedTuple):
    """Any, or with `every` all, of k repeats."""

    k: int
    every: bool

    @property
    def word(self) -> str:
        return "all" if self.every else "any"

    @property
    def name(self) -> str:
        return f"{self.word}_of_{self.k}"

    def words(self, convention: str) -> str:
        """What a number by a convention is, in a sentence."""
        plug_in = f"(c/n)^{self.k}" if self.every else f"1 - (1 - c/n)^{self.k}"
        return {
            UNBIASED: f"unbiased {self.name}",
            PLUG_IN: f"the plug-in {plug_in}, which is biased",
            FIRST: f"{self.word} of the first {self.k}",
            ALL: f"{self.word} of all repeats",
        }[convention]


def of_repeats(column: str) -> OfRepeats | None:
    """What a column of this name is of; None for one that is not of repeats."""
    known = repeats_column(column)
    return None if known is None else OfRepeats(*known)


@dataclass(frozen=True)
class StoredNumber:
    """A published number of repeats: by which convention it is so (`differs`: by none), and each convention's share."""

    of: OfRepeats
    convention: str
    values: Mapping[str, float]

    @property
    def nearest(self) -> float:
        """The unbiased share, else the first there is."""
        return next(iter(self.values.values()))

    def sentence(self, text: str, scale: float) -> str:
        """`94.0 is any of the first 2; unbiased any_of_2 is 93.3.`: in the scale and with the digits as written."""
        digits = len(text.rstrip("%").partition(".")[2])
        unbiased = self.values.get(UNBIASED)
        own = f"not known: no item has {self.of.k} repeats" if unbiased is None else fixed(scale * unbiased, digits)
        return f"{text} is {self.of.words(self.convention)}; unbiased {self.of.name} is {own}."


@dataclass
class PublishedRepeats:
    """The repeats of a reading in the cells by some columns, () where they are of all trials."""

    rows: LabelRows
    reading: str
    names: Key
    key_of: Callable[[Mapping[str, Any]], Key]

    @cached_property
    def _trials(self) -> tuple[RepeatedRows, Any]:
        repeated = self.rows.of(RepeatedRows)
        return repeated, repeated.labels(self.reading)[0]

    @cached_property
    def _parts(self) -> Mapping[Key, Any]:
        """The trials of each cell by these columns; those of finer cells together, in the order of the input."""
        repeated, labels = self._trials
        if not self.names:
            return {(): np.arange(len(labels))}
        parts: dict[Key, list[Any]] = {}
        for cell, part in repeated.of_cells:
            if cell:
                parts.setdefault(self.key_of(dict(cell)), []).append(part)
        return {key: np.sort(np.concatenate(several)) for key, several in parts.items()}

    def number(self, key: Key, of: OfRepeats, stored: float, room: float) -> StoredNumber | None:
        """A stored share, within so much of which another is equal; None where the cell has no labelled item."""
        repeated, labels = self._trials
        part = self._parts.get(key, np.arange(0))
        part = part[labels[part] >= 0]
        if not len(part):
            return None
        conditions = np.zeros(len(part), np.int64) if self.names else repeated.conditions[part]
        own = item_repeats(repeated.items[part], repeated.number, conditions, labels[part], np.zeros(len(part), bool))
        codes = np.unique(conditions * repeated.number + repeated.items[part], return_inverse=True)[1]
        first = right_of_first(codes, labels[part], of.k)
        values = conventions(own.trials, own.right, first, of.k, of.every)
        return StoredNumber(of, convention_of(stored, room, values) or DIFFERS, values)
