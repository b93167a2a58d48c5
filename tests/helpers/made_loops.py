"""Recorded loops written as short texts, audited: what a question finds in them can be counted by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from refined_problems import run

import auditfw
from auditfw.core.results.findings import Finding

MARKS: Mapping[str, tuple[Any, Any]] = {  # the outputs of the training example and of the test: 1 is right
    "-": (0, 0), "t": (0, 1), "s": (1, 0), "+": (1, 1),
}  # fmt: skip


def attempts_of(problem: str, marks: str, **each: Any) -> list[dict[str, Any]]:
    """The attempts of a problem, a mark each as in MARKS; "x": no output."""
    made: list[dict[str, Any]] = []
    for mark in marks:
        given = {"why": "late"} if mark == "x" else {"outputs": list(MARKS[mark])}
        made.append({"problem": problem, "seconds": 1.0, **given, **each})
    return made


def audited(folder: Path, loops: Sequence[str], items: Sequence[str] = (), **more: Any) -> auditfw.Result:
    """An audit of these loops; what they do not have was never tried."""
    example = {"input": "x", "output": 1}
    problems = [{"id": f"p{at}", "train": [example], "test": [example]} for at in range(len(loops))]
    for problem, item in zip(problems, items, strict=False):
        problem["item"] = item
    attempts = [one for at, marks in enumerate(loops) for one in attempts_of(f"p{at}", marks)]
    return audit(folder, problems, attempts, **more)


def audit(folder: Path, problems: Any, attempts: Any, **more: Any) -> auditfw.Result:
    """The same of problems and attempts as they are written."""
    longest = max((sum(one["problem"] == name for one in attempts) for name in {p["id"] for p in problems}), default=1)
    settings: dict[str, Any] = {"scoring": "exact", "gate": [], "stop": {"max_iterations": longest}}
    settings["solver"] = {"past_end": "stop"}
    return run(folder, problems, attempts, **{**settings, **more})


def found(result: auditfw.Result) -> dict[str, Finding]:
    """The findings of a run by their kinds."""
    return {one.kind: one for one in result.findings}
