"""A table of labels made of columns: what a question sees of a run, without the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from auditfw.audits.table_rows import _numbers
from auditfw.core.results.findings import Finding, NotChecked
from auditfw.kinds.questions import LabelRows, NumberedRows, Question

SOURCE = ("id", "raw_text", "parsed_text", "ground_truth", "stored", "item", "question", "choices")


class Settings(NamedTuple):
    """What questions read of an audit's settings."""

    mismatch: float = 1.0
    margin: float = 0.5
    precision: float = 3.0
    ruled_by: str | None = None
    source: Any = None


def hashes(texts: Sequence[str | None]) -> pl.Series:
    """Keys of texts, null for none."""
    made = [
        None if not text else int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") for text in texts
    ]
    return pl.Series(made, dtype=pl.UInt64)


def hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def codes(right: Sequence[bool | None]) -> pl.Series:
    """Label codes: 1 right, 0 wrong, 3 for no label."""
    return pl.Series([3 if one is None else int(one) for one in right], dtype=pl.UInt8)


@dataclass
class TableOfLabels:
    """The columns of a table; `row.place` and `id` are made where they are not given."""

    made: Mapping[str, Any]
    by: Sequence[str] = ()
    models: str | None = None
    item: str = "declared"
    settings: Any = field(default_factory=Settings)
    columns: Sequence[str] = SOURCE
    audit: str = "parsing"
    reference: str = "stored"
    seed: int = 0
    unfit: Sequence[str] = ()
    unlabelled_by_design: bool = False
    missed: int | None = None
    _facts: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(next(iter(self.made.values())))
        own = {"id": [f"r{i + 1}" for i in range(n)], "row.item": [None] * n, **self.made}
        own.setdefault("row.place", [f"mine.jsonl:{i + 1}" for i in range(n)])
        self.table = pl.DataFrame(own)
        self.n = n

    @property
    def readings(self) -> Sequence[str]:
        names = [name.removeprefix("code.") for name in self.table.columns if name.startswith("code.")]
        return [name for name in names if name not in ("stored", "baseline")]

    def has(self, column: str) -> bool:
        return column in self.table.columns and self.table[column].null_count() < self.n

    def numbers(self, column: str) -> Any:
        return _numbers(self.table[column])

    def numbered(self, column: str) -> NumberedRows:
        values = list(map(str, dict.fromkeys(self.table[column].drop_nulls().to_list())))
        places = {value: place for place, value in enumerate(values)}
        numbers = [-1 if value is None else places[str(value)] for value in self.table[column].to_list()]
        return NumberedRows(values, np.array(numbers, np.int32))

    def rows(self, columns: Sequence[str], numbers: Sequence[int]) -> list[tuple[Any, ...]]:
        return self.table.select(columns)[list(numbers)].rows()

    def frame(self, columns: Sequence[str]) -> pl.DataFrame:
        return self.table.select(columns)

    def of(self, ask: Callable[[Any], Any]) -> Any:
        if ask not in self._facts:
            self._facts[ask] = ask(self)
        return self._facts[ask]


def asked(question: Question, rows: LabelRows) -> tuple[dict[str, Finding], dict[str, str]]:
    """The findings of a question by kind, and why others were not looked for."""
    answers = list(question(rows))
    known = {one.kind: one for one in answers if isinstance(one, Finding)}
    for one in known.values():
        assert one.effect == "reported" or len(one.headline or one.text) <= 140, one.text
        assert one.text.endswith((".", "?"))
    return known, {one.kind: one.why for one in answers if isinstance(one, NotChecked)}
