"""The setting `order`: which of two answers came first, and which label says that the first one is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.errors import DataError, UsageError

TIES = frozenset(("tie", "ties", "tied", "draw", "equal", "both", "both_bad", "neither", "same", "none", "a=b", "c"))
KEYS = ("column", "raters", "first")
WRITE = "write audit.order=COLUMN, or audit.order=[RATER_A_FIRST, RATER_B_FIRST] for two columns of one judge"
LISTED = 5


@dataclass(frozen=True)
class Sides:
    """Of each order the label that prefers the answer which came first; and the two labels that prefer an answer."""

    first: Mapping[str, str]
    labels: tuple[str, str]


@dataclass(frozen=True)
class Order:
    """Where the records say which answer came first: in a column, or in the names of two raters that are one judge.

    `first` says of each value of the column, or of each rater, which label prefers the answer that came first.
    """

    column: str = ""
    raters: tuple[str, ...] = ()
    first: Mapping[str, str] = field(default_factory=dict)

    def sides(self, values: Sequence[str], labels: Sequence[str], abstain: Sequence[str]) -> Sides:
        """Which label prefers the answer that came first, by value or rater. Raises AuditError."""
        if self.column and not values:
            what = f"the column '{self.column}' does not say for any record which answer came first"
            raise DataError("audit.order", what, None, "name another column")
        if self.first:
            return self._declared(labels)
        known = values if self.column else self.raters
        sides = [one for one in labels if one not in abstain and one.strip().casefold() not in TIES]
        if len(sides) != 2:
            details = f"labels besides ties and abstentions: {', '.join(sides) or 'none'}"
            raise UsageError(
                "audit.order", "it is unclear which two labels prefer an answer", details, self._write(known)
            )
        one, other = sides
        if self.raters:
            return Sides(dict(zip(self.raters, sides, strict=True)), (one, other))
        if len(values) > 2:
            shown = ", ".join(f"'{value}'" for value in values[:LISTED]) + ("…" if len(values) > LISTED else "")
            what = f"the column '{self.column}' should have two values, for which answer came first"
            raise DataError("audit.order", what, f"it has {len(values):,}: {shown}", self._write(values))
        return Sides(self._matched(values, sides), (one, other))

    def _declared(self, labels: Sequence[str]) -> Sides:
        for value, label in self.first.items():
            if label not in labels:
                known = f"audit.labels: {', '.join(labels)}"
                raise UsageError(f"audit.order.first.{value}", f"no label '{label}'", known, "write one of these")
        one, other = self.first.values()
        return Sides(dict(self.first), (one, other))

    def _matched(self, values: Sequence[str], sides: Sequence[str]) -> dict[str, str]:
        """Each value with the one label that is its own, or begins as it does."""
        label_of: dict[str, str] = {}
        for value in values:
            word = value.strip().casefold()
            same = [side for side in sides if side.casefold() == word]
            begun = [side for side in sides if side.casefold().startswith(word) or word.startswith(side.casefold())]
            matches = same or begun
            if len(matches) != 1 or matches[0] in label_of.values():
                what = f"it is unclear which label prefers the first answer where {self.column} = '{value}'"
                raise UsageError("audit.order", what, f"labels: {', '.join(sides)}", self._write(values))
            label_of[value] = matches[0]
        return label_of

    def _write(self, values: Sequence[str]) -> str:
        where = f"column: {self.column}" if self.column else f"raters: [{', '.join(self.raters)}]"
        first = ", ".join(f"{value}: LABEL" for value in list(values)[:2]) or "VALUE: LABEL"
        return f"write audit.order={{{where}, first: {{{first}}}}}, the label that prefers the answer shown first"


def order_of(setting: Any) -> Order | None:
    """The setting `order` as it may be written: a column, two raters, or a mapping. Raises UsageError."""
    if setting is None:
        return None
    if isinstance(setting, str) and setting.strip():
        return Order(setting)
    if isinstance(setting, list | tuple):
        return _of_raters(setting)
    if not isinstance(setting, Mapping) or not set(setting) <= set(KEYS):
        raise UsageError("order", "expected a column or two raters", str(setting), WRITE)
    column, raters, first = (setting.get(key) for key in KEYS)
    if bool(column) == bool(raters):
        raise UsageError("order", "needs either column or raters", str(dict(setting)), WRITE)
    labels = {str(value): str(label) for value, label in (first or {}).items()}
    if labels and (len(labels) != 2 or len(set(labels.values())) != 2):
        do = "write first: {VALUE: LABEL, OTHER_VALUE: OTHER_LABEL}"
        raise UsageError("order.first", "expected two labels, one for each order", str(labels), do)
    if raters:
        order = _of_raters(raters)
        if labels and set(labels) != set(order.raters):
            raise UsageError("order.first", "expected the names of the two raters", ", ".join(labels), WRITE)
        return Order(raters=order.raters, first=labels)
    return Order(str(column), (), labels)


def _of_raters(names: Any) -> Order:
    raters = tuple(map(str, names)) if isinstance(names, list | tuple) else (str(names),)
    if len(raters) != 2 or raters[0] == raters[1]:
        raise UsageError("order", "expected two raters: the judge's label in each order", ", ".join(raters), WRITE)
    return Order(raters=raters)
