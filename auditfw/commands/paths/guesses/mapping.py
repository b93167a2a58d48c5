"""The words that name a table and map its columns, as far as they can be guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from auditfw.audits.parsing.trials import SUSPECT
from auditfw.commands.paths.truths import Truths
from auditfw.components.files.looks.cells import cells
from auditfw.components.files.looks.column_names import values_at
from auditfw.components.files.looks.guessed import NEEDED, OURS, guessed, label_words, left_over, rivals
from auditfw.components.files.looks.words import GAP, table_words
from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook

from .ending_columns import ending_columns
from .inside import last_record

NUMBERED = "source.columns.id='#'"
SEARCHED = "audit.baseline=search"


def cell_words(look: FirstLook) -> list[str]:
    return [f"by=[{','.join(cells(look.columns, look.records, last_record(look)))}]"]


class GuessedColumns:
    """Our columns as they are guessed in a table, and the words that map them."""

    def __init__(self, look: FirstLook, own_names: Mapping[str, str] = MappingProxyType({})) -> None:
        """Guesses the columns of a table; `own_names`, ours with theirs ("": none), are known."""
        self.look, self.own_names = look, own_names
        last = last_record(look)
        seen = cells(look.columns, look.records)
        again = last is not None and seen != cells(look.columns, look.records, last)  # sorted: ids may come again
        seen_so = guessed(look.columns, look.records, again)
        others = {ours: at for ours, at in seen_so.items() if ours not in own_names and at not in own_names.values()}
        self.ours = {**others, **{ours: at for ours, at in own_names.items() if at}}
        several = rivals(look.columns, look.records, self.ours)
        self.rivals = {ours: columns for ours, columns in several.items() if ours not in own_names}

    @property
    def complete(self) -> bool:
        """Whether nothing that an audit needs is missing."""
        return set(NEEDED) <= set(self.ours)

    def values(self, ours: str) -> list[Any]:
        """What is in one of our columns."""
        return values_at(self.look.records, self.look.columns, self.ours[ours])

    @cached_property
    def truths(self) -> Truths:
        """The truths, beside them what is likely to be the answers."""
        answers = next((self.values(ours) for ours in ("parsed_text", "raw_text") if ours in self.ours), [])
        choices = self.values("choices") if "choices" in self.ours else []
        return Truths(self.values("ground_truth") if "ground_truth" in self.ours else [], answers, choices)

    def words(self) -> list[str]:
        """The words that map the columns, with a gap for each that is missing, and for the readings that compete."""
        gaps = [name for name in NEEDED if name not in self.ours]
        there = (*self.ours, *gaps)
        mapped = {name: self.ours.get(name, GAP) for name in OURS if name in there and self.ours.get(name) != name}
        mapped |= ending_columns(self.look.columns, self.look.records, self.ours.values())
        words = [*table_words(self.look), *column_words(mapped)]
        words += [] if "id" in self.ours else [NUMBERED]
        words += cell_words(self.look)
        if "ground_truth" in self.ours:
            words += null_words(self.values("ground_truth")) + self.truths.words("parsed_text" in self.ours)
        return [*words, *(self._label_words() if "stored" in self.ours else [])]

    def _label_words(self) -> list[str]:
        """The words for stored labels: their texts where these are others than 1, 0, true and false."""
        right, wrong = label_words(self.values("stored"))
        texts = {"audit.stored_true": right, "audit.stored_false": wrong}
        words = [f"{key}=[{','.join(map(value, listed))}]" for key, listed in texts.items() if listed]
        return [*words, SEARCHED]


def column_words(mapped: Mapping[str, str]) -> list[str]:
    """The words that map columns: ours to theirs."""
    listed = ", ".join(f"{name}: {value(theirs)}" for name, theirs in mapped.items())
    return [f"source.columns={{{listed}}}"] if mapped else []


def null_words(truths: Sequence[Any]) -> list[str]:
    """The words for texts among truths that are likely to mean that there is none."""
    texts = sorted({truth for truth in truths if isinstance(truth, str)} & (SUSPECT | {""}))
    listed = ",".join(f"'{text}'" if text else '""' for text in texts)
    return [f"source.nulls={{ground_truth: [{listed}]}}"] if texts else []


def unused(look: FirstLook, ours: Mapping[str, str]) -> str:
    """The columns of yes and no that are none of ours, as a message says it."""
    names = left_over(look.columns, look.records, ours)
    return f"; yes or no, and not used: {', '.join(names)}" if names else ""
