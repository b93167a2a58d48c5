"""Judgements for tests of the consistency audit's answer: counted pairs of labels as rows, and runs on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import auditfw
from auditfw.core.records import Answer, Result

METRICS = ["percent_agreement", "kappa", "abstain_rate", "coverage", "joined_differ", "hard_flags"]
VALID, REJECT = "VALID", "REJECT"

Counted = Mapping[tuple[str | None, str | None], int]


def rows(counted: Counted, **more: Any) -> list[dict[str, Any]]:
    """A row an item, with a column for each rater: so many of each pair of labels of scholar and auditor."""
    pairs = [pair for pair, n in counted.items() for _ in range(n)]
    prefix = "-".join(map(str, more.values()))
    return [{"id": f"{prefix}{i}", "scholar": s, "auditor": a, **more} for i, (s, a) in enumerate(pairs)]


def judged(table: Sequence[Mapping[str, Any]], **more: Any) -> Result:
    """A run of cross_agent on rows, with few metrics."""
    source = {"use": "frame", "frame": list(table)}
    return auditfw.run({"experiment": "cross_agent", "source": source, "metric": METRICS, **more})


def joined(folder: Path, files: Mapping[str, Sequence[Mapping[str, Any]]], **more: Any) -> Result:
    """A run of cross_agent on one file for each rater."""
    paths = {name: str(folder / f"{name}.jsonl") for name in files}
    for name, records in files.items():
        Path(paths[name]).write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    source = {"use": "raters", "paths": paths}
    return auditfw.run({"experiment": "cross_agent", "source": source, "metric": METRICS, **more})


def answer(result: Result) -> Answer:
    assert result.answer is not None
    return result.answer


def fired(result: Result) -> set[tuple[str, str]]:
    return {(rule.rule, rule.reading) for rule in answer(result).rules if rule.fired}


def statuses(result: Result) -> dict[str, str]:
    return {gate.name: gate.status for gate in result.gates}
