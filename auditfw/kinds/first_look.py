"""What a first look at a path shows, by which a source recognises its own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FirstLook:
    """What a path is: its `format`, the names of members, tables or top-level keys, and the first records.

    `format` is folder, zip, sqlite, parquet, csv, jsonl, json (an array), object (one JSON object) or model (code, or a
    System Dynamics model); names of folders end in a slash. `records_at` leads to the records inside an object.
    """

    path: str
    format: str
    names: Sequence[str] = ()
    records: Sequence[Mapping[str, Any]] = ()
    columns: Sequence[str] = ()
    delimiter: str = ""
    records_at: str = ""
    quoted: bool = True

    @property
    def keys(self) -> set[str]:
        """The columns of a file, or the keys of its one object, which may be the only line."""
        return {*self.columns, *(self.names if self.format == "object" else ())}
