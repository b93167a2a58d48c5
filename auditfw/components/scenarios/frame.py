"""Scenarios from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.components.files.formats.frames import HeldFrame
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .files import KEYS, as_source, scenario_evidence


@register("scenarios", "frame")
@dataclass(frozen=True)
class FrameScenarios(HeldFrame):
    """Takes scenarios from Python: a list of records as in JSON Lines, or a frame with columns as in Parquet.

    The settings are those of the source `frame`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(HeldFrame, self), sparse=True)
