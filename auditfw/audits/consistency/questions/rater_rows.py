"""The table of judgements of a run as questions see it: a row an item, with the label of each rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.audits.consistency.table import CELL, ITEM, PATTERN, JudgementTable
from auditfw.audits.consistency.trials import Judgements
from auditfw.audits.table_rows import TableRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        import numpy as np

        settings = self.settings
        names, raters = settings.named_labels, self.readings
        places = {name: place for place, name in enumerate(names)}
        patterns = self.judgements.column(PATTERN)
        by_pattern = [[places.get(label or "", NONE) for label in one.labels] for one in patterns.values]
        codes = np.array(by_pattern, np.int16).reshape(-1, len(raters))[patterns.numbers].T
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
        import numpy as np

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
