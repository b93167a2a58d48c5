"""How what raters wrote becomes labels, and what a row comes to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.core.native.columns import TextSlices, crossed, equal, marked
from auditfw.kinds.judgements import (
    ANSWER,
    CLEAR,
    FAULT,
    FLAGS,
    GIVEN_FLAGS,
    HARD_FLAG,
    RETRIEVED,
    FaultError,
    Shown,
    Typing,
    sort_of,
    weigh,
)

AUDITED, ONE_SIDED, MISSING, UNKNOWN, MALFORMED, DUPLICATE = (
    "audited", "one_sided", "missing", "unknown_label", "malformed", "duplicate"
)  # fmt: skip
UNKNOWN_LABEL = "\0unknown"  # stands for any label that is not declared, so that patterns stay few
MOST_TEXTS = 4_096

Labels = tuple[str | None, ...]


class Tied(str):
    """The votes of one rater on one item that tie, where the label that a tie gives is not declared."""


@dataclass(frozen=True)
class Pattern:
    """What a row amounts to: the label of each rater (null: none), what its evidence shows, whether it is usable."""

    labels: Labels
    shown: Shown = CLEAR
    sound: bool = True

    @cached_property
    def status(self) -> str:
        """The bucket of such rows."""
        if not self.sound:
            return MALFORMED
        n_labels = len(self.labels) - self.labels.count(None)
        if n_labels < 2:
            return ONE_SIDED if n_labels else MISSING
        return UNKNOWN if self.unknown else AUDITED

    @cached_property
    def unknown(self) -> bool:
        """Whether a label is not declared."""
        return any(map(is_unknown, self.labels))

    @property
    def flagged(self) -> bool:
        """Whether the evidence has a hard flag."""
        return self.shown[FLAGS.index(HARD_FLAG)]

    @property
    def agreed(self) -> str | None:
        """The label that all raters who gave one share; None where they differ or none did."""
        labels = {label for label in self.labels if label is not None}
        return labels.pop() if len(labels) == 1 else None

    @property
    def differs(self) -> bool:
        """Whether two raters gave different labels."""
        return len({label for label in self.labels if label is not None}) > 1


@dataclass
class Rules:
    """The settings by which rows are read: declared labels, aliases by rater, case, hard flags, strictness.

    `missing` is the label that a null, or a blank text, stands for; "": none.
    """

    raters: tuple[str, ...]
    labels: tuple[str, ...]
    aliases: Mapping[str, Mapping[str, str]]
    fold: bool = False
    hard: tuple[str, ...] = ()
    typing: Typing = "strict"
    missing: str = ""
    seen: set[str] = field(default_factory=set)  # hard flags that some row has; "" stands for all other flags
    used: set[tuple[str, str]] = field(default_factory=set)  # raters, each with an alias that some row has
    _known: dict[str, dict[str, str | None]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.declared = {self.folded(label): label for label in self.labels}
        self.renamed = {
            rater: {self.folded(text): label for text, label in named.items()} for rater, named in self.aliases.items()
        }

    def folded(self, text: str) -> str:
        """What a text is compared by."""
        return text.strip().casefold() if self.fold else text

    def label(self, rater: str, value: Any) -> str | None:
        """The declared label that a value stands for: null for none, UNKNOWN_LABEL for another. Raises FaultError."""
        if value is None:
            return self.missing or None
        known = self._known.setdefault(rater, {})
        if type(value) is str and value in known:
            return known[value]
        text = as_text(value)
        folded = self.folded(text)
        if folded in self.renamed.get(rater, {}):
            self.used.add((rater, folded))
        label = self.declared.get(self.folded(self.resolved(rater, text)), UNKNOWN_LABEL)
        result = (self.missing or None) if label == UNKNOWN_LABEL and folded == "" else label
        if type(value) is str and len(known) < MOST_TEXTS:
            known[value] = result
        return result

    def resolved(self, rater: str, text: str) -> str:
        """The label that a rater's text is an alias of, else the text."""
        return self.renamed.get(rater, {}).get(self.folded(text), text)

    def idle(self, rater: str, used: Collection[tuple[str, str]]) -> list[str]:
        """The rater's aliases that are not among those used, as they are written."""
        return [text for text in self.aliases.get(rater, {}) if (rater, self.folded(text)) not in used]

    def shown(self, flags: Any, answer: Any, retrieved: Any) -> Shown:
        """What a row's evidence shows. Raises FaultError."""
        if flags and not self.seen.issuperset(self.hard) and isinstance(flags, Mapping):
            self.seen.update(name if name in self.hard else "" for name in flags)
        return weigh(flags, answer, retrieved, self.hard, self.typing)


def is_unknown(label: str | None) -> bool:
    """Whether a label stands for one that is not declared."""
    return label is not None and label.startswith(UNKNOWN_LABEL)


def as_text(value: Any) -> str:
    """A label as text: a whole number without a point. Raises FaultError for what is no plain value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    if isinstance(value, float):
        return str(value)
    raise FaultError(f"the label is {sort_of(value)}, not text")


def as_label(value: object) -> str:
    """A value as the text of a label, "" for none: what commands list and what the reader compares are one spelling."""
    try:
        return "" if value is None else as_text(value)
    except FaultError:
        return ""


# What rows say: the label of each rater, what the evidence shows, and what is wrong with them.

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
