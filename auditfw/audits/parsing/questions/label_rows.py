"""The table of labels as questions see it: columns of trials.parquet as numbers, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from auditfw.audits.parsing.conclusions.origin import reproduction_of
from auditfw.audits.parsing.probe import fit
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.trials import ITEM, MODELS
from auditfw.core.tables import NO_CODE
from auditfw.kinds.questions import NumberedRows

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

F = TypeVar("F")
HELD = 4  # columns that are kept for the next question


@dataclass
class ParsingRows:
    """The rows of a parsing run, as `LabelRows` says; `results` are its labels with what else is known of the run.

    They can be read until the table is closed: what a report needs is a fact that was asked before.
    """

    results: ParsingResults
    audit: str = field(default="parsing", init=False)
    _facts: dict[Callable[[Any], Any], Any] = field(default_factory=dict)
    _held: dict[str, NDArray[Any]] = field(default_factory=dict)
    _filled: dict[str, bool] = field(default_factory=dict)

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

    @property
    def seed(self) -> int:
        return self.results.context.seed

    @cached_property
    def by(self) -> Sequence[str]:
        called = {f"cell.{name}": name for name in self.results.context.by}
        return [theirs if theirs in self._names else name for theirs, name in called.items()]

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

    @cached_property
    def n(self) -> int:
        return self.frame(["row.rank"]).height

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.results.context.trials.shown)

    def has(self, column: str) -> bool:
        if column not in self._filled:
            there = column in self._names
            self._filled[column] = there and self.frame([column]).to_series().null_count() < self.n
        return self._filled[column]

    def rows(self, columns: Sequence[str], numbers: Sequence[int]) -> Iterable[tuple[Any, ...]]:
        picked: Iterable[tuple[Any, ...]] = self.results.context.trials.rows(columns, numbers)
        return picked

    def frame(self, columns: Sequence[str]) -> pl.DataFrame:
        frame: pl.DataFrame = self.results.context.trials.read(columns)
        return frame

    def numbers(self, column: str) -> NDArray[Any]:
        if column not in self._held:
            self._keep(column, _numbers(self.frame([column]).to_series()))
        return self._held[column]

    def _keep(self, column: str, values: NDArray[Any]) -> None:
        if len(self._held) >= HELD:
            del self._held[next(iter(self._held))]
        self._held[column] = values

    def numbered(self, column: str) -> NumberedRows:
        import numpy as np
        import polars as pl

        texts = self.frame([column]).to_series().cast(pl.String)
        values = texts.drop_nulls().unique(maintain_order=True)
        numbers = _without_nulls(texts.cast(pl.Enum(values)).to_physical().cast(pl.Int32), -1)
        return NumberedRows(values.to_list(), numbers.to_numpy().astype(np.int32, copy=False))

    def of(self, ask: Callable[[Any], F]) -> F:
        if ask not in self._facts:
            self._facts[ask] = ask(self)
        facts: F = self._facts[ask]
        return facts


def _numbers(column: pl.Series) -> NDArray[Any]:
    """A column of numbers as an array; what stands for null depends on its type."""
    import polars as pl

    if column.dtype == pl.Boolean:
        column = column.cast(pl.UInt8)
    none = float("nan") if column.dtype.is_float() else NO_CODE if column.dtype == pl.UInt8 else 0
    return _without_nulls(column, none).to_numpy()


def _without_nulls(column: pl.Series, none: float) -> pl.Series:
    """By this thread alone, as `fill_null` is not: others end where a process is forked."""
    return column.set(column.is_null(), none) if column.null_count() else column
