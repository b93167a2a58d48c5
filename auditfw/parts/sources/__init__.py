"""Sources: where trials come from."""

from . import (
    arc,
    conformity,
    csv_text,
    frames,
    intended,
    json_array,
    jsonl,
    pairs,
    problems,
    raters,
    recorded,
    replayed,
    scenarios,
    series,
    sqlite,
)

__all__ = [
    "arc",
    "conformity",
    "csv_text",
    "frames",
    "intended",
    "json_array",
    "jsonl",
    "pairs",
    "problems",
    "raters",
    "recorded",
    "replayed",
    "scenarios",
    "series",
    "sqlite",
]
