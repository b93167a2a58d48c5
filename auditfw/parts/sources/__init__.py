"""Sources: where trials come from."""

from . import conformity, csv_text, frames, json_array, jsonl, sqlite

__all__ = ["conformity", "csv_text", "frames", "json_array", "jsonl", "sqlite"]
