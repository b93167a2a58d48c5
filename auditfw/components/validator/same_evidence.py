"""The validator of evidence: all raters saw the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.kinds.judgements import ANSWER, RETRIEVED, RowColumns
from auditfw.kinds.registry import register


@register("validator", "same_evidence")
@dataclass(frozen=True)
class SameEvidence:
    """Finds rows whose raters saw different evidence, according to their records or objects."""

    def __call__(self, rows: RowColumns, raters: Sequence[str]) -> list[str]:
        held = [(name, [rows[f"{r}.{name}"] for r in raters if f"{r}.{name}" in rows]) for name in (ANSWER, RETRIEVED)]
        problems = []
        for i, conflict in enumerate(rows["conflict"]):
            apart = [name for name, columns in held if len({_plain(c[i]) for c in columns if c[i] is not None}) > 1]
            what = ", ".join(filter(None, [conflict or "", *apart]))
            problems.append(f"the raters' {what} differ" if what else "")
        return problems


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
