"""The settings of the adjudication audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from auditfw.core.errors import UsageError

UNDECIDED, MAJORITY = "undecided", "majority"
Sampling = Literal["drawn", "random", "items", "probability"]


@dataclass(frozen=True)
class LabelColumns:
    """What the columns of label files are called."""

    key: str = "key"
    id: str = "id"
    label: str = "label"
    labeller: str = "labeller"
    note: str = "note"
    probability: str = "probability"


@dataclass(frozen=True)
class AdjudicationSettings:
    """The settings of an adjudication; `Adjudication` says what each does."""

    run_: str
    labels: tuple[str, ...]
    draw: str = "labels"
    sampling: Sampling = "drawn"
    columns: LabelColumns = LabelColumns()
    right: tuple[str, ...] = ("right", "correct", "true", "yes", "y", "1")
    wrong: tuple[str, ...] = ("wrong", "incorrect", "false", "no", "n", "0")
    unsure: tuple[str, ...] = ("cannot_tell", "unsure", "unknown", "skip", "?")
    disagree: str = UNDECIDED
    margin: float = 0.5
    off: float = 10.0
    skill: float = 20.0
    precision: float = 5.0
    alpha: float = 0.05
    least: int = 30
    reference: str | None = None
    decides: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.labels:
            raise UsageError("labels", "names no file", None, "audit.labels=[labels.csv]")
        for name in ("margin", "off", "skill", "precision"):
            if not 0 <= getattr(self, name) <= 100:
                raise UsageError(name, "expected a number from 0 to 100", getattr(self, name))
        if not 0 < self.alpha < 1:
            raise UsageError("alpha", "expected a number between 0 and 1", self.alpha)
        if self.least < 1:
            raise UsageError("least", "expected a whole number of 1 or more", self.least)
        self._check_words()

    def _check_words(self) -> None:
        """Raises UsageError for a word that stands for two things."""
        meanings: dict[str, str] = {}
        for name in ("right", "wrong", "unsure"):
            for word in getattr(self, name):
                other = meanings.setdefault(folded(word), name)
                if other != name:
                    raise UsageError(name, f"{word!r} is a word of {other}, too")


def folded(word: str) -> str:
    """A label without case and outer white space; blanks within are as underscores."""
    return "_".join(word.casefold().split())
