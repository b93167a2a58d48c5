"""How what raters wrote becomes labels, and what a row comes to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.kinds.judgements import CLEAR, FLAGS, HARD_FLAG, FaultError, Shown, Typing, sort_of, weigh

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
