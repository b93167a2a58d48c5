"""Rows that cannot differ in what they come to, found without looking at each: one of every group is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.native.columns import NONE, OBJECT, ODD, TEXTS, TextSlices, coded, crossed, marked, within
from auditfw.kinds.judgements import ANSWER, CITED, FAULT, GIVEN_FLAGS, RETRIEVED

MOST_ALONE = 0.5  # of the rows; with more of them, looking at all is as quick

EMPTY, OUTSIDE = 1, 3
CHECKED_COLUMNS = (GIVEN_FLAGS, ANSWER, RETRIEVED, FAULT)


@dataclass(frozen=True)
class Groups:
    """A batch's rows by group: `codes` has each row's, `rows` are those to look at.

    These are the first of each group, and the rows of groups whose rows may differ (`alone`).
    """

    codes: bytes
    rows: list[int]
    alone: frozenset[int]
    places: Mapping[int, int]  # of each row to look at, among these
    firsts: Sequence[int]
    raters: Sequence[str]

    def columns(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns of the rows to look at, as lists."""
        return {
            name: [columns[name][i] for i in self.rows] for name in (*self.raters, *CHECKED_COLUMNS) if name in columns
        }

    def place(self, row: int) -> int:
        """Where the row that stands for a row is, among those to look at."""
        return self.places[row if row in self.alone else self.firsts[self.codes[row]]]

    def spread(self, numbers: Sequence[int]) -> bytes:
        """For every row the number, below 256, of the row that stands for it."""
        table = bytes(numbers[self.places[first]] for first in self.firsts)
        codes = bytearray(self.codes.translate(table.ljust(256, b"\0")))
        for row in self.alone:
            codes[row] = numbers[self.places[row]]
        return bytes(codes)


def grouped(columns: Mapping[str, Sequence[Any]], raters: Sequence[str]) -> Groups | None:
    """The groups of a batch; None where it is not in one block of bytes, or grouping gains nothing."""
    names = (*raters, GIVEN_FLAGS, ANSWER, CITED, RETRIEVED, FAULT)
    held = {name: column for name in names if isinstance(column := columns.get(name), TextSlices)}
    if any(name in columns and name not in held for name in names) or not set(raters) <= set(held):
        return None
    if ANSWER in held and CITED not in held:
        return None
    codes = [coded(held[name]) for name in (*raters, GIVEN_FLAGS) if name in held]
    evidence = [held[name].kinds for name in (ANSWER, CITED, RETRIEVED) if name in held]
    inside = within(held[CITED], held[RETRIEVED]) if CITED in held and RETRIEVED in held else None
    several = crossed([code for code in (*codes, *evidence, inside) if code is not None])
    if None in codes or several is None:
        return None
    group_codes, firsts = several
    own = {n for n, row in enumerate(firsts) if _differs_within(held, inside, row)}
    alone = {*marked(group_codes, own), *held[raters[0]].given, *(held[FAULT].some() if FAULT in held else ())}
    if len(alone) > MOST_ALONE * len(group_codes):
        return None
    rows = sorted({*firsts, *alone})
    return Groups(group_codes, rows, frozenset(alone), {row: n for n, row in enumerate(rows)}, firsts, raters)


def _differs_within(held: Mapping[str, TextSlices], inside: bytes | None, row: int) -> bool:
    """Whether rows of the group of this one may come to different things."""
    kinds = {name: column.kinds[row] for name, column in held.items()}
    if ODD in kinds.values():
        return True
    if ANSWER not in kinds or kinds[ANSWER] in NONE:
        return False
    if kinds[ANSWER] != OBJECT or any(kinds.get(name, TEXTS) not in NONE | {TEXTS} for name in (CITED, RETRIEVED)):
        return True
    both = kinds[CITED] == TEXTS and kinds.get(RETRIEVED) == TEXTS
    if inside is None:
        return kinds[CITED] == TEXTS  # whether the list is empty is not known
    return both and not EMPTY <= inside[row] <= OUTSIDE
