"""Scenario sets from files of every kind, read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditfw.config.schema import Builder
from auditfw.kinds.evidence import Evidence


def scenarios(use: str, root: Mapping[str, Any] | None = None, **settings: Any) -> Any:
    builder = Builder(root or {})
    made = builder._component("scenarios", {"use": use, **settings}, "scenarios")
    if builder.errors:
        raise builder.errors[0]
    return made


def read(evidence: Evidence) -> list[dict[str, Any]]:
    """All scenarios as rows."""
    found: list[dict[str, Any]] = []
    for task in evidence.tasks:
        columns = task().columns
        assert tuple(columns) == evidence.columns
        found += [{name: column[i] for name, column in columns.items()} for i in range(len(columns["label"]))]
    return found


def jsonl(path: Path, rows: list[Any]) -> dict[str, Any]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return {"use": "jsonl", "path": str(path)}
