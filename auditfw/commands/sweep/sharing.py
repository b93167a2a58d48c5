"""Runs of one process that do the same work on the same trials: they share it where their audit knows how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditfw.audits.spine import Run
from auditfw.core.errors import AuditError
from auditfw.core.tables import TrialTable
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context


def share(runs: Mapping[int, Run], scratch: Path) -> dict[int, Run]:
    """The runs by number, those of one audit over one source share work; their results are the same bytes.

    `scratch` is a folder for what they share; the caller removes it.
    """
    groups: list[tuple[Any, list[int]]] = []
    for number, run in runs.items():
        if capability(run.audit, "share_work") is None:
            continue
        key = (type(run.audit), capability(run.audit, "work_key"), run.cells, run.engine)
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
    contexts = [Context(run.engine, run.cells, run.seed, run.limits, TrialTable(None)) for run in runs.values()]
    pairs = [(run.audit, context) for run, context in zip(runs.values(), contexts, strict=True)]
    try:
        audits = audit.share_work(pairs, scratch)
    except AuditError:
        return {}  # each run meets the error itself, and reports it
    return {n: replace(run, audit=one) for (n, run), one in zip(runs.items(), audits, strict=True)}
