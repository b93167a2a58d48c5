"""Scenarios in one JSON text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.components.files.formats.json import JsonArray
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .files import KEYS, as_source, scenario_evidence


@register("scenarios", "json")
@dataclass(frozen=True)
class JsonScenarios(JsonArray):
    """Reads scenarios from one JSON text: an array of records as in JSON Lines, or the array at `records`.

    Settings are those of the source `json`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(JsonArray, self), sparse=False)
