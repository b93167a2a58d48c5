"""The table of loops as questions see it: a row a problem, columns of trials.parquet as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from auditfw.audits.self_audit.counts import LoopTable
from auditfw.audits.self_audit.readings import RUN_ALL
from auditfw.audits.self_audit.settings import SelfAuditSettings
from auditfw.audits.self_audit.trials import ITEM, StoredProblems
from auditfw.audits.table_rows import TableRows, located
from auditfw.core.imports import NDArray, np
from auditfw.core.remote.places import shown
from auditfw.core.results.findings import PLACES
from auditfw.core.tables import NO_CODE
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.solving import Problem


@dataclass
class LoopRows(TableRows):
    """The loops of a run, as `LabelRows` says; `loops` has what is known beyond the columns."""

    settings: SelfAuditSettings
    loops: LoopTable
    problems: StoredProblems
    audit: str = field(default="self_audit", init=False)
    reference: str = field(default=RUN_ALL, init=False)

    @property
    def columns(self) -> Sequence[str]:
        return self.problems.evidence.columns

    @property
    def readings(self) -> Sequence[str]:
        return [reading.name for reading in self.loops.readings]

    @property
    def item(self) -> str:
        return "declared" if ITEM in self.columns else "none"


def loops_of(rows: LabelRows) -> LoopTable:
    """What is known of the loops beyond the columns of their table."""
    return cast(LoopRows, rows).loops


def attempts_located(rows: LabelRows, problems: NDArray[np.intp], number: Callable[[int], int]) -> dict[str, list[str]]:
    """The items of some problems, and where an attempt of each is written: `number` gives its own for a problem's row.

    Where attempts stand with their problem, or in no file, these are the places of the problems.
    """
    known, table = located(rows, problems), cast(LoopRows, rows)
    place_of: Callable[[Problem, int], str | None] | None = capability(table.settings.solver, "place_of")
    if place_of is None:
        return known
    own = (place_of(table.problems.problems[at].problem, number(at)) for at in problems[: 10 * PLACES].tolist())
    places = list(dict.fromkeys(shown(place) for place in own if place is not None))[:PLACES]
    return {**known, "places": places or known["places"]}


def ended(rows: LabelRows) -> NDArray[np.bool_]:
    """The problems whose loop did not fail."""
    flags = np.ones(rows.n, bool)
    for at, one in enumerate(loops_of(rows).done):
        flags[at] = one.status != "error"
    return flags


def known(rows: LabelRows, column: str) -> NDArray[np.bool_]:
    """The problems of which a column of yes and no says either."""
    there: NDArray[np.bool_] = rows.numbers(column) != NO_CODE
    return there
