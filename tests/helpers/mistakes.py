"""Small runs of the audits over files with mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TRIAL = {"raw_text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris", "stored": True}


def lines(name: str, *rows: Any) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return name


def parsing(**source: Any) -> dict[str, Any]:
    return {"experiment": "answer_parsing", "by": [], "source": {"use": "jsonl", **source}}


def files(*rows: Any) -> list[dict[str, Any]]:
    return [{"path": lines(f"{n}.jsonl", *rows)} for n in range(1, 6)]
