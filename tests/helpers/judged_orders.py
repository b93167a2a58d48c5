"""Made-up preferences of a human and a judge, with the answer that came first, in a file to audit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import auditfw
from auditfw.core.records import Result

AB = {"A": "B", "B": "A"}


def judged(table: Iterable[tuple[str, str, str, int]]) -> list[dict[str, Any]]:
    """Records from rows (human, judge, which came first, how many)."""
    rows = [row for *row, n in table for _ in range(n)]
    return [{"id": f"q{i:04}", "human": h, "gpt": g, "position": p} for i, (h, g, p) in enumerate(rows)]


# 44 items, half of each answer first: the human has no favourite, the judge follows the order on 15 items too many
BIASED = judged([
    ("A", "A", "A", 11), ("B", "A", "A", 8), ("B", "B", "A", 3), ("A", "B", "A", 0),
    ("B", "B", "B", 11), ("A", "B", "B", 7), ("A", "A", "B", 4), ("B", "A", "B", 0),
])  # fmt: skip
SOUND = judged([("A", "A", "A", 40), ("B", "B", "A", 40), ("A", "A", "B", 40), ("B", "B", "B", 40), ("A", "B", "A", 5),
                ("A", "B", "B", 5), ("B", "A", "A", 5), ("B", "A", "B", 5)])  # fmt: skip
# where B came first the judge's labels name places
PLACES = judged([("A", "A", "A", 45), ("B", "B", "A", 45), ("A", "B", "A", 5), ("B", "A", "A", 5),
                 ("A", "B", "B", 45), ("B", "A", "B", 45), ("A", "A", "B", 5), ("B", "B", "B", 5)])  # fmt: skip


def audited(
    folder: Path, rows: Sequence[dict[str, Any]], raters: Sequence[str] = ("human", "gpt"), **audit: Any
) -> Result:
    """The result of auditing such records, without gates and policies."""
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    settings = {"raters": list(raters), "reference": "human", "labels": ["A", "B"], **audit}
    more = {"metric": ["kappa", "percent_agreement"], "gate": [], "policy": []}
    more |= settings.pop("run", {})
    source = {"use": "jsonl", "path": str(file)}
    return auditfw.run({"experiment": "cross_agent", "source": source, "audit": settings, **more})


def section(result: Result, title: str) -> str:
    """All texts of a section, in one."""
    found = [one for one in result.sections if one.title == title]
    return "\n".join(str(block) for one in found for block in one.blocks)


def fired(result: Result, rule: str) -> list[Any]:
    """The rules of the answer of this name that fired."""
    assert result.answer is not None
    return [one for one in result.answer.rules if one.rule == rule and one.fired]
