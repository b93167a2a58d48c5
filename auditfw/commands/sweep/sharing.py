"""Runs of one process that ask the same of the same trials: those whose audit knows how share their work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditfw.audits.spine import Run
from auditfw.core.errors import AuditError
from auditfw.core.tables import TrialTable
from auditfw.kinds.context import Context


def share(runs: Mapping[int, Run], scratch: Path) -> dict[int, Run]:
    """The runs by number, those of one audit over one source made to share; their results are the same bytes.

    `scratch` is a folder for what they share; the caller removes it.
    """
    groups: list[tuple[Any, list[int]]] = []
    for number, run in runs.items():
        if not hasattr(type(run.audit), "share_work"):
            continue
        key = (type(run.audit), run.audit.work_key, run.cells, run.engine)  # type: ignore[attr-defined]  # as `share_work` has
        known = next((numbers for other, numbers in groups if other == key), None)
        if known is None:
            groups.append((key, [number]))
        else:
            known.append(number)
    shared = dict(runs)
    for place, (key, numbers) in enumerate(groups):
        if len(numbers) > 1:
            shared |= _share_work(key[0], {n: runs[n] for n in numbers}, scratch / str(place))
    return shared


def _share_work(audit: Any, runs: Mapping[int, Run], scratch: Path) -> dict[int, Run]:
    benches = [Context(run.engine, run.cells, run.seed, run.limits, TrialTable(None)) for run in runs.values()]
    pairs = [(run.audit, context) for run, context in zip(runs.values(), benches, strict=True)]
    try:
        made = audit.share_work(pairs, scratch)
    except AuditError:
        return {}  # each run meets the error by itself, and tells it
    return {n: replace(run, audit=one) for (n, run), one in zip(runs.items(), made, strict=True)}
