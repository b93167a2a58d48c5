"""Scenarios in delimited text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .files import KEYS, as_source, scenario_evidence


@register("scenarios", "csv")
@dataclass(frozen=True)
class DelimitedScenarios(DelimitedText):
    """Reads scenarios from delimited text with the columns `label`, `group`, `intended.KEY` and `params.NAME`.

    An empty cell means no value. The settings are those of the source `csv`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(DelimitedText, self), sparse=True)
