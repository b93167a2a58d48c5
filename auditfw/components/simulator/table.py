"""The simulator that runs nothing: outcomes recorded before, joined to the scenarios by their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Literal

from auditfw.components.files.file_settings import PLACE, ROW_NUMBER
from auditfw.components.files.file_source import FileSource
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.keys import Keys
from auditfw.components.files.labels import LABEL, Labelled, Layout, check_unique, label_of, labels, layout, names_of
from auditfw.components.files.paths import bare
from auditfw.core.errors import DataError, UsageError
from auditfw.core.inputs import Stamp, stamp
from auditfw.core.remote.places import actual
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import outcomes
from auditfw.kinds.simulation import Columns, ScenarioBatch, Simulated, SimulationStatus

Format = Literal["auto", "jsonl", "json", "csv", "parquet", "posiwid_report"]
KEYS = Keys("simulator", ("path", "columns", "delimiter"))
REPORT = "individual_results"
SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "csv", ".parquet": "parquet"}


@declare("simulator", "table")
class TableSimulator:
    r"""Looks up recorded outcomes by the scenario's label; nothing is run.

    - `path`: JSON Lines of {"label": …, "actual": {key: number}}; a JSON array of such objects; CSV or Parquet with a
      column `label` and the outcomes as columns `actual.KEY` or simply `KEY`. Without labels, the number of the record
      is used. null: the outcomes are in the scenario set's own column `actual`.
    - `format`: `auto` decides by the name of the file; `posiwid_report` is a JSON report whose `individual_results`
      have `actual`; its records are numbered from 1.
    - `columns`: {ours: theirs}, as for a source; `delimiter`: of CSV.
    A scenario without a record has no outcomes, a record without a scenario is not used: both are counted. A duplicate
    label is an error.
    """

    recorded: ClassVar[bool] = True

    path: str | None = None
    format: Format = "auto"
    columns: dict[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    stochastic: bool = False

    def check(self) -> None:
        """Reads the labels. Raises DataError for a missing file, a missing column, a duplicate label."""
        if self.path is not None:
            source, _, named = self._opened()
            if named != ROW_NUMBER:
                check_unique(lambda: _labelled(source), "keep one record of each label")

    def reads(self) -> list[str]:
        """The path of the file that it reads."""
        return [] if self.path is None else [actual(self.path)]

    def record_labels(self) -> list[str] | None:
        """The labels of all records; None where the outcomes are the scenario set's own."""
        return None if self.path is None else list(_records(self, stamp(actual(self.path))))

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return None

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        ok: list[SimulationStatus] = ["ok"] * len(batch)
        if self.path is None:
            recorded = batch.further.get("actual")
            if recorded is None:
                raise UsageError("simulator.path", "not set", None, "write simulator.path=FILE with recorded outcomes")
            if isinstance(recorded, Columns):
                return Simulated((), ok, [""] * len(ok), recorded.columns)
            return self._answer(batch, list(recorded), "the scenario set has no recorded outcomes for it")
        known = _records(self, stamp(actual(self.path)))
        return self._answer(batch, [known.get(label) for label in batch.labels], f"no record of it in {self.path}")

    def _answer(self, batch: ScenarioBatch, records: Sequence[Any], why: str) -> Simulated:
        outcomes = [{} if one is None else one for one in records]
        return Simulated(outcomes, ["ok"] * len(batch), [why if one is None else "" for one in records])

    def _records(self) -> dict[str, dict[str, Any]]:
        """All recorded outcomes by label. Raises DataError."""
        source, where, named = self._opened()
        records: dict[str, dict[str, Any]] = {}
        required = [] if where.flat else [where.kind]
        optional = [*where.columns, PLACE, *([LABEL] if named != ROW_NUMBER else [])]
        for task in source.opened(required, optional, unfinite=True).tasks:
            columns = task().columns
            places = columns[PLACE]
            names = labels(columns.get(LABEL), columns["id"], places)
            for label, value, place in zip(names, where.values(columns), places, strict=True):
                records[label] = _outcomes(value, place, isinstance(source, DelimitedText))
        return records

    def _opened(self) -> tuple[FileSource, Layout, str]:
        """The source of the records, where the outcomes are in them, and the column that names them."""
        source = self._source().placed(KEYS)
        names = names_of(source)
        named = label_of(names)
        columns = {**source.columns, "id": ROW_NUMBER}
        if named == "id":
            columns[LABEL] = source.columns.get("id", "id")
        where = layout("actual", names)
        if not where.flat and "actual" not in names and isinstance(source, DelimitedText | Parquet):
            where = Layout("actual", {name: name for name in names if name not in (LABEL, named, "group")})
        return source.changed(columns=columns, duplicates="all"), where, named

    def _source(self) -> FileSource:
        form = self.format if self.format != "auto" else _form(self.path or "")
        if form == "csv":
            delimiter = self.delimiter or ("\t" if ".tsv" in (self.path or "") else ",")
            return DelimitedText(path=self.path, columns=self.columns, delimiter=delimiter)
        if form == "parquet":
            return Parquet(path=self.path, columns=self.columns)
        if form == "jsonl":
            return JsonLines(path=self.path, columns=self.columns)
        return JsonArray(path=self.path, columns=self.columns, records=REPORT if form == "posiwid_report" else None)


def _form(path: str) -> str:
    name = bare(path)
    form_name = next((form for suffix, form in SUFFIXES.items() if name.endswith(suffix)), None)
    if form_name is None:
        do = f"write simulator.format={', '.join(sorted(set(SUFFIXES.values())))} or posiwid_report"
        raise UsageError("simulator.format", "is not known from the name of the file", path, do)
    return form_name


def _outcomes(value: Any, place: str, textual: bool) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        sort = "null" if value is None else f"a {type(value).__name__}"
        raise DataError(place, "'actual' is not a mapping of outcomes", sort, 'write "actual": {"KEY": 0.5}')
    return outcomes(value) if textual else dict(value)


def _labelled(source: FileSource) -> Labelled:
    for task in source.opened([], [LABEL, PLACE], unfinite=True).tasks:
        columns = task().columns
        yield labels(columns.get(LABEL), columns["id"], columns[PLACE]), columns[PLACE]


_held: dict[str, dict[str, dict[str, Any]]] = {}


def _records(table: TableSimulator, known: Stamp) -> dict[str, dict[str, Any]]:
    """The records, read once in each process, and again when the file has changed."""
    key = f"{table!r} {known}"
    if key not in _held:
        _held.clear()
        _held[key] = table._records()
    return _held[key]
