"""Columns of trials.parquet for some problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.records import Reading
from auditfw.samples import shown

from .readings import FLAG, STORED, TRIAL_COLUMNS
from .scoring import LoopDone
from .trials import StoredProblem

SPENT = ("requests", "seconds", "timeouts", "tokens", "cost")


def types_of(readings: Sequence[Reading]) -> dict[str, Any]:
    """The types of these columns, whatever they hold."""
    import polars as pl

    kinds = {**{reading.name: FLAG for reading in readings}, **TRIAL_COLUMNS}
    return {name: getattr(pl, kind) for name, kind in kinds.items()}


def rows(
    done: Sequence[LoopDone], stored: Sequence[StoredProblem], by: Sequence[str], readings: Sequence[Reading]
) -> Mapping[str, list[Any]]:
    """Columns of trials.parquet for some problems, as they are stored and what came of them."""
    columns: dict[str, list[Any]] = {"id": [one.id for one in done]}
    columns |= {name: [one.cell[at] for one in done] for at, name in enumerate(by)}
    columns["status"] = [one.status for one in done]
    for reading in readings:
        labels = reading.name == STORED
        columns[reading.name] = [one.traits.stored if labels else one.views[reading.name].solved for one in done]
    live = [one.live for one in done]
    known = [one.solved is not None for one in live]
    columns["solved"] = [bool(one.solved) for one in live]
    columns["stop_reason"] = [one.reason for one in done]
    columns["iteration"] = [one.iteration for one in live]
    columns["soft_score"] = [one.score if sure else None for one, sure in zip(live, known, strict=True)]
    columns["attempts"] = [one.attempts for one in done]
    for name in SPENT:
        columns[name] = [getattr(one.spent, name) for one in done]
    columns["test_solved"] = [one.tests for one in live]
    columns["test_first"] = [one.tests_first for one in done]
    columns["unscored"] = [len(one.unscored) for one in done]
    columns["untimed"] = [len(one.untimed) for one in done]
    columns["row.item"] = [one.item for one in stored]
    columns["row.place"] = [shown(one.place) or None for one in stored]
    return columns
