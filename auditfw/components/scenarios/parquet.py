"""Scenarios in a Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.labels import names_of
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .files import KEYS, as_source, scenario_evidence
from .whole import whole_columns


@register("scenarios", "parquet")
@dataclass(frozen=True)
class ParquetScenarios(Parquet):
    """Reads scenarios from a Parquet file: structs `intended` and `params`, or columns `intended.KEY`, `params.NAME`.

    Null means no value; flat columns without nulls are by far the fastest. The settings are those of the source
    `parquet`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        source = as_source(Parquet, self)
        return whole_columns(source, names_of(source)) or scenario_evidence(source, sparse=True)
