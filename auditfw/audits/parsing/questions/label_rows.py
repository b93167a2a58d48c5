"""The label table of a parsing run as questions see it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.audits.parsing.conclusions.origin import reproduction_of
from auditfw.audits.parsing.probe import fit
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.trials import ITEM, MODELS
from auditfw.audits.table_rows import TableRows


@dataclass
class ParsingRows(TableRows):
    """The rows of a parsing run, as `LabelRows` says; `results` are its labels with what else is known of the run."""

    results: ParsingResults
    audit: str = field(default="parsing", init=False)

    @property
    def columns(self) -> Sequence[str]:
        return self.results.evidence.columns

    @property
    def readings(self) -> Sequence[str]:
        return self.results.names

    @property
    def unfit(self) -> Collection[str]:
        return self.results.of(fit.ask).keys()

    @property
    def reference(self) -> str:
        return self.results.reference

    @property
    def settings(self) -> Any:
        return self.results.settings

    @cached_property
    def models(self) -> str | None:
        if self.has("row.model"):
            return "row.model"
        return next((name for name in MODELS if name in self.by), None)

    @property
    def item(self) -> str:
        return "declared" if ITEM in self.results.evidence.columns else "none"

    @cached_property
    def missed(self) -> int | None:
        known = reproduction_of(self.results)
        return None if known is None else known.missed

    @property
    def unlabelled_by_design(self) -> bool:
        return self.results.whole.rows.facts.unstored > 0


def label_rows(results: ParsingResults) -> ParsingRows:
    """The table of labels of a run, for all that asks it: `results.of(label_rows)`."""
    return ParsingRows(results.context, results)
