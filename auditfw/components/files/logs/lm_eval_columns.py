"""Samples of lm-evaluation-harness column by column: blocks in which every sample has one text and the same metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Row

from .lm_eval_parts import (
    LABELS,
    LmEvalSettings,
    argument_of,
    filter_of,
    first_of,
    label_of,
    metrics_of,
    of_repeat,
    target_of,
)

NEEDED = ("doc_id", "resps")
TEXT = (str, type(None))
OTHER: Any = object()


def single_texts(settings: LmEvalSettings, rows: Sequence[Row], names: frozenset[str]) -> ColumnRows | None:
    """The rows of samples, with these columns; None where they have to be made one by one."""
    if not isinstance(rows, ColumnRows) or not rows or any(rows.absent.get(name) for name in NEEDED):
        return None
    texts = list(map(_single, rows.column("resps")))
    filters = [filter_of({"filter": name}) for name in rows.column("filter")]
    unlike = settings.filter is not None and set(filters) != {settings.filter}
    metric = _metric(settings, rows)
    if OTHER in texts or unlike or metric is None:
        return None
    makers = _makers(settings, rows, texts, filters, metric)
    made = {name: makers[name]() if name in makers else rows.columns[name] for name in names}
    return ColumnRows(made, len(rows), {name: places for name, places in rows.absent.items() if name not in makers})


def _single(requests: Any) -> Any:
    """The one text of a sample, which may be null; OTHER where there are several, or it is something else."""
    first = requests[0] if type(requests) is list and requests else None
    return first[0] if type(first) is list and len(first) == 1 and type(first[0]) in TEXT else OTHER


def _metric(settings: LmEvalSettings, rows: ColumnRows) -> str | None:
    """The metric whose value is the label of each; None where that is for each sample to say."""
    lists = rows.column("metrics")
    names = metrics_of({"metrics": lists[0]})
    if not names or any(other != lists[0] for other in lists):
        return None
    name = next((name for name in LABELS if name in names), names[0])
    name = name if settings.metric is None else settings.metric
    return name if name in rows.columns and not rows.absent.get(name) else None


def _makers(
    settings: LmEvalSettings, rows: ColumnRows, texts: Sequence[Any], filters: Sequence[str], metric: str
) -> Mapping[str, Callable[[], list[Any]]]:
    """What makes the columns that no sample has itself."""
    size, documents = len(rows), rows.column("doc_id")
    pairs = zip(documents, filters, strict=True)
    return {
        "id": lambda: [f"{settings.prefix}{document}/{name}/0" for document, name in pairs],
        "item": lambda: [f"{settings.item}{document}" for document in documents],
        "filter": lambda: list(filters),
        "repeat": lambda: [0] * size,
        "question": lambda: [argument_of({"arguments": one}, 0, "arg_0") for one in rows.column("arguments")],
        "choices": lambda: [None] * size,
        "stored": lambda: list(map(label_of, rows.column(metric))),
        "unstored": lambda: [False] * size,
        "raw_text": lambda: list(texts),
        "parsed_text": lambda: [of_repeat(first_of(one), 0) for one in rows.column("filtered_resps")],
        "ground_truth": lambda: list(map(target_of, rows.column("target"))),
    }
