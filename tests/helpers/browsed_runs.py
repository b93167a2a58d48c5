"""Runs whose report lets one look through exhibits, and what they put there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from auditfw.commands.run import Prepared, execute
from auditfw.config import build as bridge
from auditfw.core.document import Exhibit, Section
from auditfw.core.records import Result

V, N, R, A = "VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"


@dataclass(frozen=True)
class Browse:
    """A report that lets one look through exhibits, and writes nothing."""

    browses: ClassVar[bool] = True

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return ()


def run(words: Sequence[str], folder: Path, page: bool = True) -> Result:
    """Runs what the command line would, with a report that browses."""
    composed = bridge.compose([*words, "report=[]"])
    plan, idle = bridge.build(composed)
    reports = {"browse": Browse()} if page else {}
    return execute(composed, folder, show=False, prepared=Prepared((replace(plan, reports=reports), idle)))


def section(result: Result, title: str) -> Section:
    return next(one for one in result.sections if one.title == title)


def block(result: Result, title: str, kind: type) -> Any:
    return next(one for one in section(result, title).blocks if isinstance(one, kind))


def tags(exhibit: Exhibit) -> list[list[str]]:
    return [[value for (value,) in facet] for facet in exhibit.tags]


def judged(
    folder: Path, rows: Sequence[tuple[str, str, str, dict[str, Any]]], *words: str, page: bool = True
) -> Result:
    """cross_agent on rows of id, scholar's and auditor's label, and whatever else the record holds."""
    file = folder / "pairs.jsonl"
    told = [{"qid": i, "scholar": {"label": s}, "auditor": {"label": a}, **more} for i, s, a, more in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in told), "utf-8")
    run_folder = folder / f"run{len(list(folder.iterdir()))}"
    return run(["experiment=cross_agent", "source=pairs", f"source.path={file}", *words], run_folder, page)


FLAGGED = {
    "flags": {"provenance_violation": True},
    "answer_json": {"claim": "42", "citations": ["p1"]},
    "retrieved_ids": ["p1", "p2"],
}
PAIRS = [
    *((f"v{i}", V, V, {"side": "x"}) for i in range(20)),
    *((f"d{i}", V, R, {"side": "x"}) for i in range(30)),
    ("n", N, A, {"side": "y"}),
    ("f", V, V, {**FLAGGED, "side": "y"}),
]
