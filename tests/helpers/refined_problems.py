"""Problems and recorded attempts in files, and an audit of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import auditfw
from auditfw.kinds.evidence import Evidence


def rows(evidence: Evidence) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for task in evidence.tasks:
        columns = task().columns
        found += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return found


def write(path: Path, value: Any) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return str(path)


def run(folder: Path, problems: list[dict[str, Any]], attempts: list[dict[str, Any]], **more: Any) -> auditfw.Result:
    """The audit on these problems and recorded attempts."""
    listed = folder / "problems.jsonl"
    listed.write_text("".join(json.dumps(row) + "\n" for row in problems), "utf-8")
    told = folder / "attempts.jsonl"
    told.write_text("".join(json.dumps(row) + "\n" for row in attempts), "utf-8")
    solver = {"use": "replay", "path": str(told), **more.pop("solver", {})}
    source, into = {"use": "problems", "path": str(listed), **more.pop("source", {})}, more.pop("into", None)
    return auditfw.run({"experiment": "self_audit", "source": source, "solver": solver, "by": [], **more}, into)


PROBLEM = {"id": "a", "train": [{"input": 1, "output": [[1, 2]]}]}
