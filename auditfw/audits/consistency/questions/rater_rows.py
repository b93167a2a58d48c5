"""The table of judgements of a run as questions see it: a row an item, with the label of each rater."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.audits.consistency.conclusions.agreement import BY_CHANCE, NO_SHARED_LABEL
from auditfw.audits.consistency.conclusions.bounds import MISSED, MISSED_IN_CELL, OPEN, bounds_of
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.audits.consistency.table import CELL, ITEM, PATTERN, JudgementTable
from auditfw.audits.consistency.trials import Judgements
from auditfw.audits.table_rows import TableRows
from auditfw.core.imports import NDArray, np

if TYPE_CHECKING:
    from auditfw.audits.consistency.settings import ConsistencySettings
    from auditfw.audits.consistency.table import JudgementTable
    from auditfw.formulas.judges.placeholders import RatedItems
    from auditfw.formulas.judges.single_raters import Lazy


NONE = -1  # the code of an item that a rater gave no label, or none that is declared


class RaterLabels(NamedTuple):
    """The labels of all raters: `codes` (raters × rows, as they are in the table) are places among `names`, or NONE.

    `reference` is the place of the rater that the others are held against, None where that is no rater;
    `declared` says that a user declared the labels.
    """

    raters: Sequence[str]
    names: Sequence[str]
    codes: NDArray[np.int16]
    reference: int | None
    declared: bool


def rater_codes(table: JudgementTable, raters: Sequence[str], names: Sequence[str]) -> NDArray[np.int16]:
    """The labels of all raters in the order of the table, raters × rows: places among `names`, or NONE."""
    places = {name: place for place, name in enumerate(names)}
    patterns = table.column(PATTERN)
    by_pattern = [[places.get(label or "", NONE) for label in one.labels] for one in patterns.values]
    codes: NDArray[np.int16] = np.array(by_pattern, np.int16).reshape(-1, len(raters))[patterns.numbers].T
    return codes


@dataclass
class RaterRows(TableRows):
    """The rows of a consistency run, as `LabelRows` says; its readings are the raters."""

    settings: ConsistencySettings
    results: ConsistencyResults
    judgements: JudgementTable
    opened: Judgements
    audit: str = field(default="consistency", init=False)

    @property
    def columns(self) -> Sequence[str]:
        return self.opened.evidence.columns

    @property
    def readings(self) -> Sequence[str]:
        return self.results.settings.raters

    @property
    def reference(self) -> str:
        return self.results.settings.reference

    @property
    def item(self) -> str:
        return "declared" if self.results.placed.itemised else "none"

    @cached_property
    def labels(self) -> RaterLabels:
        """The labels of all raters."""
        settings = self.settings
        names, raters = settings.named_labels, self.readings
        codes = rater_codes(self.judgements, raters, names)
        reference = raters.index(self.reference) if self.reference in raters else None
        return RaterLabels(raters, names, codes, reference, self.opened.declared)

    @property
    def texts(self) -> Sequence[int] | None:
        """The number of the text of each row's item, negative for a short one; None where no texts are read."""
        texts = self.results.whole.texts
        return texts if texts is not None and len(texts) == self.n else None

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The rows in the order of the input; joined ones are in the table by id."""
        met = self.results.whole.met
        return np.argsort(met, kind="stable") if len(met) == self.n else np.arange(self.n)

    @cached_property
    def items(self) -> NDArray[np.uint32] | None:
        """The number of each row's item, None where items are not known."""
        return self.judgements.column(ITEM).numbers if self.results.placed.itemised else None

    @cached_property
    def cells(self) -> tuple[Sequence[tuple[Any, ...]], NDArray[np.uint32]] | None:
        """The distinct cells, and the number of each row's; None where the run has none."""
        return tuple(self.judgements.column(CELL)) if self.context.by else None


# What the questions about raters share: their labels as formulas read them, and how raters and rows are called.

ALPHA = 0.001
FEWEST_RATERS = 3  # of two nobody can tell which one is off
CHANCE = (BY_CHANCE.name, NO_SHARED_LABEL.name)  # what the answer says of a pair that does not agree at all


def rated(rows: RaterRows) -> RatedItems:
    """The labels of all raters, for formulas."""
    from auditfw.formulas.judges.placeholders import RatedItems

    labels = rows.labels
    return RatedItems(labels.names, labels.codes, labels.reference, rows.items, rows.settings.values or None)


def called(rows: RaterRows, rater: int) -> str:
    """A rater in words."""
    return rows.results.settings.called(rows.labels.raters[rater])


def against(rows: RaterRows, rater: int) -> str:
    """What a rater is held against, in words."""
    reference, raters = rows.labels.reference, rows.labels.raters
    if reference is not None:
        return called(rows, reference)
    return called(rows, 1 - rater) if len(raters) == 2 else "what most others say"


def sound_reference(audit: ConsistencySettings, table: JudgementTable, guessed: Sequence[str]) -> str:
    """Whom the others are held against: a guessed reference that is lazy beside most others gives way to the last rater
    that is not.

    A policy may have decided by the reference already: then it stays.
    """
    raters = table.raters
    typed = "audit.reference" not in guessed or audit.reference not in raters or table.decider.policies
    if typed or len(raters) < FEWEST_RATERS:
        return audit.reference
    from auditfw.formulas.judges.placeholders import RatedItems

    codes = rater_codes(table, raters, audit.named_labels)
    lazy = {raters[one.rater] for one in lazy_raters(RatedItems(audit.named_labels, codes))}
    sound = [rater for rater in raters if rater not in lazy]
    return sound[-1] if audit.reference in lazy and sound else audit.reference


def lazy_raters(rated: RatedItems) -> list[Lazy]:
    """The raters that give one label too often, each judged as one of all that are looked at."""
    from auditfw.formulas.judges.single_raters import lazy

    times = len(rated.candidates)
    return [one for one in lazy(rated) if one.p * times <= ALPHA]


def listed(counts: Sequence[tuple[str, int]], most: int = 3) -> str:
    """Who has how many, the most first: `r2 × 30, r3 × 19`."""
    ranked = sorted((one for one in counts if one[1]), key=lambda one: -one[1])
    more = f", and {len(ranked) - most:,} more" if len(ranked) > most else ""
    return ", ".join(f"{name} × {n:,}" for name, n in ranked[:most]) + more


def kappa_rules(rows: RaterRows, kind: str, raters: Collection[int]) -> tuple[str, ...]:
    """The rules of the answer on agreement that a fault of these raters explains; none where it is known already.

    Those of bounds only where nobody else is looked at: a rule is explained for all raters at once.
    """
    if kind in rows.settings.known:
        return ()
    rest = [rater for rater in rows.of(rated).candidates if rater not in raters]
    bounds = [f"{bound.name}_{kind.name}" for bound in bounds_of(rows.settings) for kind in BOUNDS]
    return (*CHANCE, *bounds) if not rest else CHANCE if all(_agrees(rows, rater) for rater in rest) else ()


BOUNDS = (MISSED, OPEN, MISSED_IN_CELL)


def _agrees(rows: RaterRows, rater: int) -> bool:
    """Whether the kappa of another rater is above what chance makes likely."""
    judged = rows.results.overall.get(rows.labels.raters[rater])
    kappa = None if judged is None else rows.results.coefficient.bare(judged)
    return kappa is not None and kappa >= float(rows.settings.chance)
