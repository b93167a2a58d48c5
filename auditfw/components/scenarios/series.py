"""The scenario that is a table of time series: every column at every time is an intended outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from auditfw.components.files.file_settings import PLACE
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.keys import Keys
from auditfw.components.files.labels import names_of
from auditfw.core.errors import DataError, UsageError, brief, nearest
from auditfw.core.notes import Size
from auditfw.core.records import Batch
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import OURS, PLACED, spelled

RUN = " : "  # between a name and that of the run
KEYS = Keys(PLACED, ("path", "delimiter"))  # `columns` are no addresses here


@dataclass(frozen=True)
class SeriesTable:
    """A task: the one scenario of a table, read when it is asked for."""

    series: SeriesScenarios

    def __call__(self) -> Batch:
        return self.series._scenario()


@declare("scenarios", "series")
class SeriesScenarios:
    r"""Makes one scenario from a table of time series, such as a reference run: the table gives the intended outcomes.

    - `path`: delimited text with a header line; `delimiter`: null: a tab where the header has one, else a comma;
    - `time`: the column of times; null: the first one;
    - `outcomes`: `series` intends `COLUMN@TIME`, the time as it is written, `end` each column at the last row as
      `COLUMN`; an empty cell intends nothing;
    - `columns`: which columns; empty: all except the time; of `NAME : RUN`, as Vensim exports them, `NAME` is the key;
      `every`: only every n-th row, and always the last one;
    - `params`: the parameters that it was made with; `label` (else the path) and `group`.
    """

    path: str
    time: str | None = None
    outcomes: Literal["series", "end"] = "series"
    columns: tuple[str, ...] = ()
    every: int = 1
    params: dict[str, float] = field(default_factory=dict)
    label: str | None = None
    group: str | None = None
    delimiter: str | None = None

    def __post_init__(self) -> None:
        if self.every < 1:
            raise UsageError("every", "expected a whole number of 1 or more", self.every)

    def open(self) -> Evidence:
        """Looks for the file and its columns. Raises AuditError."""
        source = self._source()
        watched = source.watch()
        self._chosen(names_of(source))
        return Evidence([SeriesTable(self)], OURS, 1, watched.inputs, watched.check, size=partial(Size.exactly, 1))

    def _scenario(self) -> Batch:
        """The scenario. Raises DataError with file and line."""
        source = self._source()
        time, names = self._chosen(names_of(source))
        table: dict[str, list[Any]] = {name: [] for name in (time, *names, PLACE)}
        for task in source.opened([], list(table), unfinite=True).tasks:
            for name, values in task().columns.items():
                if name in table:
                    table[name] += values
        intended = self._intended(table, time, names)
        columns: dict[str, list[Any]] = {
            "label": [self.label or self.path],
            "intended": [intended],
            "params": [dict(self.params)],
        }
        return Batch({**columns, "group": [self.group], "place": [self.path]})

    def _intended(self, table: Mapping[str, list[Any]], time: str, names: tuple[str, ...]) -> dict[str, float]:
        last = len(table[time]) - 1
        rows = [last] if self.outcomes == "end" else sorted({*range(0, last + 1, self.every), last})
        intended: dict[str, float] = {}
        plain = _without_run(names)
        for i in rows:
            for name, own in zip(names, plain, strict=True):
                cell = table[name][i].strip()
                if cell:
                    key = own if self.outcomes == "end" else f"{own}@{table[time][i].strip()}"
                    intended[key] = _number(cell, name, table[PLACE][i])
        return intended

    def _source(self) -> DelimitedText:
        source = DelimitedText(path=self.path, delimiter=self.delimiter or ",").placed(KEYS)
        if self.delimiter is None:
            names = names_of(source)
            source = source.changed(delimiter="\t") if len(names) == 1 and "\t" in names[0] else source
        return source

    def _chosen(self, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The column of times and the columns of outcomes."""
        time = names[0] if self.time is None else self.time
        for name in (time, *self.columns):
            if name not in names:
                raise DataError(self.path, f"no column '{name}'", None, nearest(name, names))
        return time, self.columns or tuple(name for name in names if name != time)


def _without_run(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of columns without that of the run, which Vensim writes behind each: `NAME : RUN`."""
    parts = [name.rpartition(RUN) for name in names]
    alike = len({run for _, _, run in parts}) == 1 and all(own for own, _, _ in parts)
    return tuple(own.strip() for own, _, _ in parts) if alike else names


def _number(cell: str, name: str, place: str) -> float:
    read = spelled(cell)
    if read is None:
        raise DataError(place, f"expected a finite number in '{name}'", brief(repr(cell), 40), "or leave it empty")
    return read
