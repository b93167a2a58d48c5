"""Trials of one benchmark for suites: as many as gsm8k has, of which three in four are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import auditfw

N = 1_319


def rows(turned: range, model: str, n: int = N, truth: Callable[[int], int] = lambda i: i) -> list[dict[str, Any]]:
    """Trials of which three in four are right; those in `turned` are the other way."""
    right = [(i % 4 > 0) != (i in turned) for i in range(n)]
    return [
        {"id": f"q{i}", "item": f"q{i}", "model": model, "question": f"Which is {i}?", "ground_truth": str(truth(i)),
         "raw_text": f"It is {truth(i) if right[i] else i + 9000}", "stored": int(right[i])}
        for i in range(n)
    ]  # fmt: skip


def audited(folder: Path, trials: list[dict[str, Any]], **more: Any) -> Path:
    """A run of these trials in the folder."""
    source = {"use": "frame", "frame": trials}
    chosen = {"parser": ["raw"], "normalizer": ["none"], "by": [], "gate": [], "report": []}
    auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, **more}, folder)
    return folder
