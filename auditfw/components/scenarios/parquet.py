"""Scenarios in a Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.labels import (
    names_of,
    settings_named,
)
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register
from auditfw.kinds.scenarios import PLACED

from .files import as_source, scenario_evidence
from .whole import whole_columns


@register("scenarios", "parquet")
@dataclass(frozen=True)
class ParquetScenarios(Parquet):
    """Reads scenarios from a Parquet file: structs `intended` and `params`, or columns `intended.KEY`, `params.NAME`.

    Null means that there is no such value; flat columns without one are by far the fastest. Settings are those of
    the source `parquet`, under `scenarios`.
    """

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        source = as_source(Parquet, self)
        with settings_named(PLACED):
            names = names_of(source)
        return whole_columns(source, names) or scenario_evidence(source, sparse=True)
