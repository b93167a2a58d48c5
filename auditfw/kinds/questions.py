"""Kinds of component that ask something of the table of labels of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from auditfw.core.results.findings import Finding, FindingKind, NotChecked

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

F = TypeVar("F")


class NumberedRows(NamedTuple):
    """A column as its distinct values in the order in which they are met, and the number of each row's; -1: null."""

    values: Sequence[str]
    numbers: NDArray[np.int32]


class LabelRows(Protocol):
    """The table of labels of a run as questions see it: all rows that were read, in the order of the input.

    `columns` are those of the source that were read, by our names. `readings` are the names of the readings, whose
    label codes are in columns `code.NAME` beside `code.stored`, `unfit` those that do not fit the data; `reference` is
    the one that the others are compared with. `by` are the columns of cells as they are called in the table, `models`
    the column of the models among them and `row.model` (None: none). `item` says where items are from: "declared" by
    the user or by the format of a log, "guessed" by the tool, "none". `settings` are those of the audit.
    """

    @property
    def audit(self) -> str: ...
    @property
    def by(self) -> Sequence[str]: ...
    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def readings(self) -> Sequence[str]: ...
    @property
    def unfit(self) -> Collection[str]: ...
    @property
    def reference(self) -> str: ...
    @property
    def models(self) -> str | None: ...
    @property
    def item(self) -> str: ...
    @property
    def settings(self) -> Any: ...
    @property
    def seed(self) -> int: ...
    @property
    def missed(self) -> int | None:
        """How many stored labels the best rule that the run knows does not give; None where it knows none."""
        ...

    @property
    def unlabelled_by_design(self) -> bool:
        """Whether a log stores the label of an item's first repeat alone."""
        ...

    @property
    def n(self) -> int:
        """How many rows there are."""
        ...

    def has(self, column: str) -> bool:
        """Whether the table has this column, with a value in some row."""
        ...

    def numbers(self, column: str) -> NDArray[Any]:
        """A column of numbers or booleans; label codes, small numbers and booleans are 255 where null, others 0."""
        ...

    def numbered(self, column: str) -> NumberedRows:
        """A column of any values as the numbers of its distinct values."""
        ...

    def rows(self, columns: Sequence[str], numbers: Sequence[int]) -> Iterable[tuple[Any, ...]]:
        """Some rows of columns as they are written, by their numbers, which ascend."""
        ...

    def frame(self, columns: Sequence[str]) -> pl.DataFrame:
        """Columns as they are written."""
        ...

    def of(self, ask: Callable[[Any], F]) -> F:
        """What a function of the table comes to, asked once: for what several questions share."""
        ...


class Question(Protocol):
    """One thing asked of the table of labels: gives findings, and what could not be looked for.

    `finds` are the kinds of findings it gives, in the order in which they are listed. It may also declare

    - `audits`: the names of the audits whose table it is asked of (without: all);
    - `argument(rows)`: what it decides beyond the effects of its findings, as an argument of the answer (or None);
    - `sections(rows)`: what a reader of the report sees of it beyond the list of findings;
    - `document(rows)`: further keys of result.json, with plain data;
    - `measured(rows, sample)`: what metrics read of it, as fields of the sample's data;
    - `tables(rows)`: further tables of the run by name, closed.
    """

    finds: ClassVar[tuple[FindingKind, ...]]

    def __call__(self, rows: LabelRows) -> Iterable[Finding | NotChecked]: ...
