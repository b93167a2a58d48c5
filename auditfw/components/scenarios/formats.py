"""Scenarios in files of each format, and from Python."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import HeldFrame, Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.labels import names_of
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

from .files import KEYS, as_source, scenario_evidence
from .whole import whole_columns


@declare("scenarios", "csv")
class DelimitedScenarios(DelimitedText):
    """Reads scenarios from delimited text with the columns `label`, `group`, `intended.KEY` and `params.NAME`.

    A column `intended.KEY.tolerance` makes bands of the numbers. An empty cell means no value. The settings are those
    of the source `csv`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(DelimitedText, self), sparse=True)


@declare("scenarios", "frame")
class FrameScenarios(HeldFrame):
    """Takes scenarios from Python: a list of records as in JSON Lines, or a frame with columns as in Parquet.

    The settings are those of the source `frame`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(HeldFrame, self), sparse=True)


@declare("scenarios", "json")
class JsonScenarios(JsonArray):
    """Reads scenarios from one JSON text: an array of records as in JSON Lines, or the array at `records`.

    Settings are those of the source `json`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(JsonArray, self), sparse=False)


@declare("scenarios", "jsonl")
class JsonLinesScenarios(JsonLines):
    """Reads scenarios from JSON Lines: {"label": …, "intended": {key: number}, "params": {name: number}, "group": …}.

    `group` and `label` may be left out; the label is then that in `id`, or the number of the line. Other columns may
    be named in `by`. Settings are those of the source `jsonl`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(JsonLines, self), sparse=False)


@declare("scenarios", "parquet")
class ParquetScenarios(Parquet):
    """Reads scenarios from a Parquet file: structs `intended` and `params`, or columns `intended.KEY`, `params.NAME`.

    Null means no value; flat columns without nulls are by far the fastest. The settings are those of the source
    `parquet`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        source = as_source(Parquet, self)
        return whole_columns(source, names_of(source)) or scenario_evidence(source, sparse=True)
