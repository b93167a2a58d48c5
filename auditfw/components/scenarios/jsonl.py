"""Scenarios in JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .files import KEYS, as_source, scenario_evidence


@register("scenarios", "jsonl")
@dataclass(frozen=True)
class JsonLinesScenarios(JsonLines):
    """Reads scenarios from JSON Lines: {"label": …, "intended": {key: number}, "params": {name: number}, "group": …}.

    `group` and `label` may be left out; the label is then that in `id`, or the number of the line. Other columns may
    be named in `by`. Settings are those of the source `jsonl`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(JsonLines, self), sparse=False)
