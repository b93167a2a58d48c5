"""The texts of all trials as one table, for notebooks and data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.records import Result
from auditfw.kinds.registry import register

TABLE = "texts"


@register("report", "texts")
@dataclass(frozen=True)
class TextsReport:
    """Writes texts.parquet: a row for each trial and reading, with the raw text, the extracted answer and the label.

    Columns `id`, `item`, the cells, `ground_truth` (a list), `raw_text`, `reading`, `answer`, `label` (null: none).
    The stored answer and label are the reading `stored`. Texts are verbatim. Of the parsing audit alone.
    """

    keeps: ClassVar[tuple[str, ...]] = (TABLE,)

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if TABLE in result.tables:
            return () if folder is None else (f"{TABLE}.parquet",)
        if result.counts.get("audited", 0):
            do = f"run it again with this report: auditfw rerun {folder} report=[texts]"
            raise UsageError("reports.texts", "this run kept no texts", folder, do)
        return ()
