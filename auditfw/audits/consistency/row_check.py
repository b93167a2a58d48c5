"""What rows say: the label of each rater, what the evidence shows, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auditfw.core.native.columns import TextSlices, crossed, equal, marked
from auditfw.kinds.judgements import ANSWER, CLEAR, FAULT, GIVEN_FLAGS, RETRIEVED, FaultError, Shown

from .rules import UNKNOWN_LABEL, Rules, as_text

RECORDS, ODD_PLACES = "#records", "#odd_places"  # of a joined row: its records, and where something is wrong in them


class CheckedRows:
    """Rows looked at one by one; `keys` have the labels and what is shown, None for rows with a fault."""

    def __init__(self, rules: Rules, columns: Mapping[str, Sequence[Any]]) -> None:
        self.rules, self.columns = rules, columns
        self.size = len(next(iter(columns.values()), ()))
        self.faults: dict[int, str] = {i: str(v) for i, v in enumerate(self._column(FAULT)) if v}
        self.labels = [self._labels(rater) for rater in self.rules.raters]
        self.shown = self._shown()
        if self.rules.typing == "loose":
            self._refuse_loosely()
        self._keep_unknown_apart()
        self.keys: list[Any] = list(zip(*self.labels, self.shown, strict=True))
        for i in self.faults:
            self.keys[i] = None

    def _column(self, name: str) -> Sequence[Any]:
        return self.columns.get(name) or [None] * self.size

    def _labels(self, rater: str) -> list[str | None]:
        """The labels of one rater; a value that is no label is a fault of its row."""
        values = self._column(rater)
        known = self.rules._known.get(rater, {})
        try:
            return [known[v] for v in values]  # the usual case: every text was seen before
        except (KeyError, TypeError):
            return [self._label(rater, value, i) for i, value in enumerate(values)]

    def _label(self, rater: str, value: Any, i: int) -> str | None:
        try:
            return self.rules.label(rater, value)
        except FaultError as fault:
            self.faults.setdefault(i, f"{rater}: {fault}")
            return None

    def _shown(self) -> list[Shown]:
        flags, answers = self.columns.get(GIVEN_FLAGS), self.columns.get(ANSWER)
        if flags is None and answers is None:
            return [CLEAR] * self.size
        shown, by_row = self.rules.shown, []
        rows = zip(self._column(GIVEN_FLAGS), self._column(ANSWER), self._column(RETRIEVED), strict=True)
        for i, (flag, answer, retrieved) in enumerate(rows):
            try:
                by_row.append(shown(flag, answer, retrieved))
            except FaultError as fault:
                by_row.append(CLEAR)
                if self.rules.typing == "strict" or self._differ(i):
                    self.faults.setdefault(i, str(fault))
        return by_row

    def _differ(self, i: int) -> bool:
        return len({repr(self._column(rater)[i]) for rater in self.rules.raters}) > 1

    def _keep_unknown_apart(self) -> None:
        """Two raters' labels that are not declared, and not the same, must not look like one."""
        for i in range(self.size) if sum(UNKNOWN_LABEL in column for column in self.labels) > 1 else ():
            texts = [as_text(self._column(r)[i]) if column[i] == UNKNOWN_LABEL else "" for r, column in self._named()]
            first = next((text for text in texts if text), "")
            for (_, column), text in zip(self._named(), texts, strict=True):
                if text and text != first:
                    column[i] = f"{UNKNOWN_LABEL}{texts.index(text)}"

    def _named(self) -> list[tuple[str, list[str | None]]]:
        return list(zip(self.rules.raters, self.labels, strict=True))

    def _refuse_loosely(self) -> None:
        """What the reference scorer breaks on: labels that differ, one of which is no text."""
        for i, raw in enumerate(zip(*(self._column(rater) for rater in self.rules.raters), strict=True)):
            if (RECORDS in self.columns or self.rules.missing) and None in raw:
                continue  # joined: one side has no record; or null is a label
            if len({repr(value) for value in raw}) > 1 and not all(isinstance(value, str) for value in raw):
                self.faults.setdefault(i, "a label is not text")


def alike(columns: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """In how many rows all columns have a text, and in how many it is the same in all."""
    held = [column for column in columns if isinstance(column, TextSlices)]
    codes = [equal(held[0], other) for other in held[1:]] if len(held) == len(columns) else []
    several = crossed(codes) if codes else None
    if several is None:
        return _alike(zip(*columns, strict=True))
    both = same = 0
    # kinds, as of `equal`: 0 must be looked at, 1 a text is missing, 2 the same text, 3 another
    for n, row in enumerate(several[1]):
        kinds = {code[row] for code in codes}
        rows = marked(several[0], {n}) if 0 in kinds else ()
        looked = _alike([tuple(column[i] for column in columns) for i in rows])
        times = several[0].count(n)
        both += looked[0] if 0 in kinds else 0 if 1 in kinds else times
        same += looked[1] if 0 in kinds else times if kinds == {2} else 0
    return both, same


def _alike(rows: Iterable[tuple[Any, ...]]) -> tuple[int, int]:
    full = [row for row in rows if all(row)]
    return len(full), sum(1 for row in full if all(value == row[0] for value in row[1:]))
